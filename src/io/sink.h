#pragma once

#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/stack/sink.h"
#include "io/polygons.h"
#include "io/store/frame_check.h"
#include "io/store/frame_store.h"

namespace cutis {

/// What all sinks share: the order of calls, and the store that checks frames and keeps what is
/// needed again.
class CheckedSink : public FrameSink {
public:
    void begin(const BakeInfo& info) final;
    void write(const Frame& frame) final;
    std::vector<OutputFile> finish() final;

protected:
    /// \param path    of the output
    /// \param frames  shared by the outputs of a bake; null: one of its own
    CheckedSink(std::string format, std::filesystem::path path, std::shared_ptr<FrameStore> frames)
        : format_(std::move(format)), beside_(std::move(path)), frames_(std::move(frames)) {}

    virtual void start() = 0;
    virtual void take(const Frame& frame, int index) = 0;
    virtual std::vector<OutputFile> complete() = 0;

    const BakeInfo& info() const { return info_; }
    /// Frames, each as it came, for what is needed again before the end.
    FrameStore& frames() { return *frames_; }
    /// The body first, then the details. They stay where they are from start() on.
    const std::vector<MeshInfo>& meshes() const { return info_.meshes; }
    const MeshInfo& body() const { return info_.meshes.front(); }
    const Workers& workers() const;
    /// The frames are on the vertices of the body's own file.
    bool shows_own_mesh() const { return &info_.shown() == &info_.body->mesh(); }

private:
    enum class State { fresh, open, finished, broken };

    std::string format_;
    std::filesystem::path beside_;
    std::shared_ptr<FrameStore> frames_;
    BakeInfo info_;
    State state_ = State::fresh;
    int frames_taken_ = 0;
};

/// One piece of a mesh of copies, as a mesh of its own.
MeshInfo piece_of(const MeshInfo& mesh);

}  // namespace cutis
