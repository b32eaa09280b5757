#include "cutis/io/pc2_write.h"

#include <bit>
#include <cstring>

#include "cutis/io/files.h"
#include "io/cache/rest.h"
#include "io/cache/together.h"
#include "io/sink.h"

namespace cutis {
namespace {

static_assert(std::endian::native == std::endian::little, "PC2 is written in native byte order");

/// \param points  per frame
void write_header(AtomicFile& file, int points, const BakeInfo& info) {
    char header[32] = "POINTCACHE2";
    const int version = 1;
    const auto first_frame = static_cast<float>(info.first_frame);
    const float samples_per_frame = 1.0F;
    std::memcpy(header + 12, &version, 4);
    std::memcpy(header + 16, &points, 4);
    std::memcpy(header + 20, &first_frame, 4);
    std::memcpy(header + 24, &samples_per_frame, 4);
    std::memcpy(header + 28, &info.frame_count, 4);
    file.write(header, sizeof(header));
}

class Pc2Sink final : public CheckedSink {
public:
    explicit Pc2Sink(std::filesystem::path path) : CheckedSink("pc2"), path_(std::move(path)) {}

private:
    /// Files of the meshes in their order, then that of the moving UVs, then meshes at rest.
    void start() override {
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MeshInfo& mesh = meshes()[m];
            files_.push_back(std::make_unique<AtomicFile>(
                mesh.is_body ? path_ : beside(path_, mesh.name + ".pc2")));
            write_header(*files_.back(), mesh.vertex_count(), info());
        }
        if (body().uv_moves()) {
            uv_of_corner_ = polygon_corners(*body().art, parts_of(*body().art)).uvs;
            files_.push_back(std::make_unique<AtomicFile>(beside(path_, "uv.pc2")));
            uv_file_ = files_.back().get();
            write_header(*uv_file_, static_cast<int>(uv_of_corner_.size()), info());
        }
        write_rest_meshes(path_, meshes(), shows_own_mesh(), files_);
    }

    void take(const Frame& frame, int /*index*/) override {
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MatrixX3d& positions = frame.meshes[m].positions;
            buffer_.resize(static_cast<size_t>(positions.size()));
            for (Eigen::Index i = 0; i < positions.size(); ++i) {
                buffer_[static_cast<size_t>(i)] = static_cast<float>(positions.data()[i]);
            }
            files_[m]->write(buffer_.data(), buffer_.size() * sizeof(float));
        }
        if (uv_file_ != nullptr) {
            write_uv(uv_of(body(), frame.body()));
        }
    }

    void write_uv(const MatrixX2d& uv) {
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

    std::vector<OutputFile> complete() override { return commit_together("pc2", files_); }

    std::filesystem::path path_;
    std::vector<std::unique_ptr<AtomicFile>> files_;
    AtomicFile* uv_file_ = nullptr;
    std::vector<int> uv_of_corner_;
    std::vector<float> buffer_;
};

}  // namespace

std::unique_ptr<FrameSink> make_pc2_sink(const std::filesystem::path& path) {
    return std::make_unique<Pc2Sink>(path);
}

}  // namespace cutis
