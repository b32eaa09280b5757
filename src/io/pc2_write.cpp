#include "cutis/io/pc2_write.h"

#include <bit>
#include <cstring>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "write_base.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "PC2 is written in native byte order");

std::unique_ptr<AtomicFile> open_pc2(const std::filesystem::path& path, int points,
                                     const BakeInfo& info) {
    char header[32] = "POINTCACHE2";
    const int version = 1;
    const auto first_frame = static_cast<float>(info.first_frame);
    const float samples_per_frame = 1.0F;
    std::memcpy(header + 12, &version, 4);
    std::memcpy(header + 16, &points, 4);
    std::memcpy(header + 20, &first_frame, 4);
    std::memcpy(header + 24, &samples_per_frame, 4);
    std::memcpy(header + 28, &info.frame_count, 4);
    auto file = std::make_unique<AtomicFile>(path);
    file->write(header, sizeof(header));
    return file;
}

class Pc2Sink final : public CheckedSink {
public:
    explicit Pc2Sink(std::filesystem::path path) : CheckedSink("pc2"), path_(std::move(path)) {
        uv_path_ = path_;
        uv_path_.replace_extension();
        uv_path_ += ".uv.pc2";
    }

private:
    void start() override {
        file_ = open_pc2(path_, vertex_count(), info());
        if (uv_moves()) {
            uv_of_corner_ = polygon_corners(mesh(), parts_of(mesh())).uvs;
            uv_file_ = open_pc2(uv_path_, static_cast<int>(uv_of_corner_.size()), info());
        }
    }

    void take(const Frame& frame, int /*index*/) override {
        buffer_.resize(static_cast<size_t>(frame.positions.size()));
        for (Eigen::Index i = 0; i < frame.positions.size(); ++i) {
            buffer_[static_cast<size_t>(i)] = static_cast<float>(frame.positions.data()[i]);
        }
        file_->write(buffer_.data(), buffer_.size() * sizeof(float));
        if (uv_file_) {
            const MatrixX2d& uv = uv_of(frame);
            buffer_.assign(uv_of_corner_.size() * 3, 0.0F);
            for (size_t corner = 0; corner < uv_of_corner_.size(); ++corner) {
                const int row = uv_of_corner_[corner];
                if (row >= 0) {
                    buffer_[corner * 3] = static_cast<float>(uv(row, 0));
                    buffer_[corner * 3 + 1] = static_cast<float>(uv(row, 1));
                }
            }
            uv_file_->write(buffer_.data(), buffer_.size() * sizeof(float));
        }
    }

    std::vector<OutputFile> complete() override {
        std::vector<OutputFile> files;
        files.push_back({"pc2", path_.string(), file_->commit(), {}});
        if (uv_file_) {
            files.push_back({"pc2", uv_path_.string(), uv_file_->commit(), {}});
        }
        return files;
    }

    std::filesystem::path path_;
    std::filesystem::path uv_path_;
    std::unique_ptr<AtomicFile> file_;
    std::unique_ptr<AtomicFile> uv_file_;
    std::vector<int> uv_of_corner_;
    std::vector<float> buffer_;
};

}  // namespace

std::unique_ptr<FrameSink> make_pc2_sink(const std::filesystem::path& path) {
    return std::make_unique<Pc2Sink>(path);
}

}  // namespace cutis
