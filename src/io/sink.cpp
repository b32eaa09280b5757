#include "io/sink.h"

#include "cutis/core/error.h"

namespace cutis {

void CheckedSink::begin(const BakeInfo& info) {
    require(state_ == State::fresh, format_, ": begin() called twice");
    state_ = State::broken;
    if (frames_ == nullptr) {
        frames_ = std::make_shared<FrameStore>(beside_);
    }
    frames_->begin(info, format_);
    info_ = info;
    start();
    state_ = State::open;
}

void CheckedSink::write(const Frame& frame) {
    require(state_ == State::open, format_, ": frame ", frame.number,
            " came before begin(), after finish() or after a failure");
    state_ = State::broken;  // until this frame is safely taken
    frames_->take(frame, frames_taken_, format_);
    take(frame, frames_taken_);
    ++frames_taken_;
    state_ = State::open;
}

std::vector<OutputFile> CheckedSink::finish() {
    require(state_ == State::open, format_, ": finish() came before begin(), twice or after a failure");
    state_ = State::broken;
    require(frames_taken_ == info_.frame_count, format_, ": ", frames_taken_, " frames written, expected ",
            info_.frame_count);
    std::vector<OutputFile> files = complete();
    state_ = State::finished;
    return files;
}

const Workers& CheckedSink::workers() const {
    static const Workers alone(1);
    return info_.workers != nullptr ? *info_.workers : alone;
}

MeshInfo piece_of(const MeshInfo& mesh) {
    MeshInfo piece;
    piece.name = mesh.name;
    piece.art = std::shared_ptr<const ArtMesh>(mesh.copies, &mesh.copies->piece);
    return piece;
}

}  // namespace cutis
