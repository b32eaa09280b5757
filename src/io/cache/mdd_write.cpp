#include "cutis/io/mdd_write.h"

#include <bit>
#include <cstdint>

#include "cutis/io/files.h"
#include "io/cache/rest.h"
#include "io/cache/together.h"
#include "io/sink.h"

namespace cutis {
namespace {

void append_big_endian(std::vector<unsigned char>& bytes, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes.push_back(static_cast<unsigned char>(value >> shift));
    }
}

void append_big_endian(std::vector<unsigned char>& bytes, double value) {
    append_big_endian(bytes, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
}

class MddSink final : public CheckedSink {
public:
    explicit MddSink(std::filesystem::path path) : CheckedSink("mdd"), path_(std::move(path)) {}

private:
    /// Files of the meshes in their order, then meshes at rest.
    void start() override {
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MeshInfo& mesh = meshes()[m];
            files_.push_back(std::make_unique<AtomicFile>(
                mesh.is_body ? path_ : beside(path_, mesh.name + ".mdd")));
            buffer_.clear();
            append_big_endian(buffer_, static_cast<std::uint32_t>(info().frame_count));
            append_big_endian(buffer_, static_cast<std::uint32_t>(mesh.vertex_count()));
            // The times stand before the positions; they are filled in at the end.
            buffer_.resize(buffer_.size() + static_cast<size_t>(info().frame_count) * 4, 0);
            files_.back()->write(buffer_.data(), buffer_.size());
        }
        write_rest_meshes(path_, meshes(), shows_own_mesh(), files_);
    }

    void take(const Frame& frame, int /*index*/) override {
        append_big_endian(times_, frame.time);
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MatrixX3d& positions = frame.meshes[m].positions;
            buffer_.clear();
            for (Eigen::Index i = 0; i < positions.size(); ++i) {
                append_big_endian(buffer_, positions.data()[i]);
            }
            files_[m]->write(buffer_.data(), buffer_.size());
        }
    }

    std::vector<OutputFile> complete() override {
        for (size_t m = 0; m < meshes().size(); ++m) {
            files_[m]->rewrite(8, times_.data(), times_.size());
        }
        return commit_together("mdd", files_);
    }

    std::filesystem::path path_;
    std::vector<std::unique_ptr<AtomicFile>> files_;
    std::vector<unsigned char> times_;
    std::vector<unsigned char> buffer_;
};

}  // namespace

std::unique_ptr<FrameSink> make_mdd_sink(const std::filesystem::path& path) {
    return std::make_unique<MddSink>(path);
}

}  // namespace cutis
