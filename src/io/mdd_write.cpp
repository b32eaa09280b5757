#include "cutis/io/mdd_write.h"

#include <bit>
#include <cstdint>

#include "cutis/io/files.h"
#include "write_base.h"

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
    void start() override {
        file_ = std::make_unique<AtomicFile>(path_);
        buffer_.clear();
        append_big_endian(buffer_, static_cast<std::uint32_t>(info().frame_count));
        append_big_endian(buffer_, static_cast<std::uint32_t>(vertex_count()));
        // The times stand before the positions; they are filled in at the end.
        buffer_.resize(buffer_.size() + static_cast<size_t>(info().frame_count) * 4, 0);
        file_->write(buffer_.data(), buffer_.size());
    }

    void take(const Frame& frame, int /*index*/) override {
        append_big_endian(times_, frame.time);
        buffer_.clear();
        for (Eigen::Index i = 0; i < frame.positions.size(); ++i) {
            append_big_endian(buffer_, frame.positions.data()[i]);
        }
        file_->write(buffer_.data(), buffer_.size());
    }

    std::vector<OutputFile> complete() override {
        file_->rewrite(8, times_.data(), times_.size());
        return {{"mdd", path_.string(), file_->commit(), {}}};
    }

    std::filesystem::path path_;
    std::unique_ptr<AtomicFile> file_;
    std::vector<unsigned char> times_;
    std::vector<unsigned char> buffer_;
};

}  // namespace

std::unique_ptr<FrameSink> make_mdd_sink(const std::filesystem::path& path) {
    return std::make_unique<MddSink>(path);
}

}  // namespace cutis
