#include "io/store/frame_store.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <stdexcept>

#include "core/hash.h"
#include "cutis/core/error.h"
#include "io/store/frame_check.h"

namespace cutis {

namespace {

// A whole frame begins with a hash of what follows, its number and its time.
constexpr size_t whole_frame_head = 3;

std::uint64_t hash_of_numbers(std::span<const double> numbers) {
    return Hash64().add_bytes(std::as_bytes(numbers)).value();
}

}  // namespace

FrameStore::FrameStore(std::FILE* file, const std::filesystem::path& path, std::uint64_t size)
    : beside_(path), holds_whole_frames_(true), file_(std::make_unique<SpoolFile>(file, path, size)) {}

void FrameStore::begin(const BakeInfo& info, const std::string& who) {
    if (has_begun_) {
        return;
    }
    check_announced(info, who);
    has_begun_ = true;
    info_ = info;
    const auto add = [this](Stored what, size_t mesh, size_t index, size_t count) {
        arrays_.push_back({what, mesh, index, count, holds_whole_frames_});
    };
    for (size_t m = 0; m < info_.meshes.size(); ++m) {
        const MeshInfo& mesh = info_.meshes[m];
        const auto vertices = static_cast<size_t>(mesh.vertex_count());
        const auto copies = mesh.copies == nullptr ? 0 : static_cast<size_t>(mesh.copies->sizes.rows());
        add(Stored::positions, m, 0, 3 * vertices);
        add(Stored::normals, m, 0, mesh.has_normals ? 3 * vertices : 0);
        add(Stored::uv, m, 0, mesh.uv_moves() ? 2 * static_cast<size_t>(mesh.uv_count()) : 0);
        add(Stored::copy_positions, m, 0, 3 * copies);
        add(Stored::copy_rotations, m, 0, 4 * copies);
        add(Stored::plain_positions, m, 0, mesh.has_plain ? 3 * vertices : 0);
        for (size_t c = 0; c < mesh.channels.size(); ++c) {
            add(Stored::channel, m, c, vertices * static_cast<size_t>(mesh.channels[c].width));
        }
        for (size_t i = 0; mesh.has_plain && i < info_.layers.size(); ++i) {
            add(Stored::share, m, i, info_.layers[i].changes_shape ? 3 * vertices : 0);
        }
    }
    for (size_t i = 0; i < info_.lines.size(); ++i) {
        add(Stored::line, 0, i, 3 * static_cast<size_t>(info_.lines[i].point_count));
    }
    add(Stored::numbers, 0, 0, info_.numbers.size());
    add(Stored::stages, 0, 0, info_.layers.size() + 1);
    if (holds_whole_frames_) {
        lay_out();
        open();
        frames_taken_ = numbers_->frame_count();
    }
}

const FrameStore::Array& FrameStore::find(Stored what, size_t mesh, size_t index) const {
    const auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const Array& array) {
        return array.what == what && array.mesh == mesh && array.index == index;
    });
    if (found == arrays_.end()) {
        throw std::out_of_range("frame store: no such array");
    }
    return *found;
}

void FrameStore::want(Stored what, size_t mesh, size_t index) {
    const Array& array = find(what, mesh, index);
    if (array.is_wanted) {
        return;
    }
    require(frames_taken_ <= 0, "frame store: expected outputs to begin before the first frame");
    arrays_[&array - arrays_.data()].is_wanted = true;
    lay_out();
}

int FrameStore::first(Stored what, size_t mesh, size_t index) const {
    const Array& array = find(what, mesh, index);
    if (!array.is_wanted) {
        throw std::out_of_range("frame store: this array is not kept");
    }
    return static_cast<int>(array.first);
}

void FrameStore::lay_out() {
    record_ = holds_whole_frames_ ? whole_frame_head : 0;
    for (Array& array : arrays_) {
        array.first = record_;
        record_ += array.is_wanted ? array.count : 0;
    }
    if (record_ > static_cast<size_t>(std::numeric_limits<int>::max())) {
        throw InvalidInput(concat(beside_.string(), ": too many numbers per frame to keep them"));
    }
}

void FrameStore::open() {
    if (numbers_ == nullptr) {
        numbers_ = file_ != nullptr ? std::make_unique<CoordinateStore>(std::move(file_), record_)
                                    : std::make_unique<CoordinateStore>(beside_, record_);
    }
}

void FrameStore::take(const Frame& frame, int index, const std::string& who) {
    if (index < frames_taken_) {
        return;
    }
    check_frame(info_, frame, index, who);
    if (record_ > 0) {
        open();
        buffer_.resize(record_);
        for (const Array& array : arrays_) {
            if (array.is_wanted && array.count > 0) {
                std::copy_n(data(frame, array), array.count,
                            buffer_.begin() + static_cast<std::ptrdiff_t>(array.first));
            }
        }
        if (holds_whole_frames_) {
            buffer_[1] = frame.number;
            buffer_[2] = frame.time;
            buffer_[0] = std::bit_cast<double>(hash_of_numbers(std::span(buffer_).subspan(1)));
        }
        numbers_->append(buffer_.data(), buffer_.size());
    }
    ++frames_taken_;
}

std::uint64_t FrameStore::bytes() const {
    return static_cast<std::uint64_t>(frames_taken_) * record_ * sizeof(double);
}

void FrameStore::sync() {
    if (numbers_ != nullptr) {
        numbers_->file().sync();
    }
}

bool FrameStore::read(int index, Frame& frame) {
    buffer_.resize(record_);
    numbers_->read_coordinates(index, 0, static_cast<int>(record_), buffer_.data());
    if (std::bit_cast<std::uint64_t>(buffer_[0]) != hash_of_numbers(std::span(buffer_).subspan(1))) {
        return false;
    }
    frame = info_.empty_frame();
    frame.number = static_cast<int>(buffer_[1]);
    frame.time = buffer_[2];
    for (const Array& array : arrays_) {
        if (array.count > 0) {
            std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(array.first), array.count, room(frame, array));
        }
    }
    return true;
}

const double* FrameStore::data(const Frame& frame, const Array& array) const {
    const MeshFrame& mesh = frame.meshes[array.mesh];
    switch (array.what) {
        case Stored::positions:
            return mesh.positions.data();
        case Stored::normals:
            return mesh.normals.data();
        case Stored::uv:
            return uv_of(info_.meshes[array.mesh], mesh).data();
        case Stored::copy_positions:
            return mesh.copy_positions.data();
        case Stored::copy_rotations:
            return mesh.copy_rotations.data();
        case Stored::plain_positions:
            return mesh.plain_positions.data();
        case Stored::channel:
            return mesh.channels[array.index].data();
        case Stored::share:
            return mesh.shares[array.index].data();
        case Stored::line:
            return frame.lines[array.index].data();
        case Stored::numbers:
            return frame.numbers.data();
        case Stored::stages:
            return frame.stage_seconds.data();
    }
    return nullptr;
}

double* FrameStore::room(Frame& frame, const Array& array) const {
    MeshFrame& mesh = frame.meshes[array.mesh];
    const auto rows = [&](auto& matrix) {
        matrix.resize(static_cast<Eigen::Index>(array.count) / matrix.cols(), matrix.cols());
        return matrix.data();
    };
    switch (array.what) {
        case Stored::positions:
            return rows(mesh.positions);
        case Stored::normals:
            return rows(mesh.normals);
        case Stored::uv:
            return rows(mesh.uv);
        case Stored::copy_positions:
            return rows(mesh.copy_positions);
        case Stored::copy_rotations:
            return rows(mesh.copy_rotations);
        case Stored::plain_positions:
            return rows(mesh.plain_positions);
        case Stored::channel:
            mesh.channels[array.index].resize(array.count);
            return mesh.channels[array.index].data();
        case Stored::share:
            mesh.shares.resize(info_.layers.size());
            mesh.shares[array.index].resize(array.count);
            return mesh.shares[array.index].data();
        case Stored::line:
            return rows(frame.lines[array.index]);
        case Stored::numbers:
            return frame.numbers.data();
        case Stored::stages:
            return frame.stage_seconds.data();
    }
    return nullptr;
}

}  // namespace cutis
