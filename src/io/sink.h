#pragma once

#include <string>
#include <vector>

#include "cutis/stack/sink.h"
#include "io/polygons.h"

namespace cutis {

/// What all sinks share: the order of calls, and the checks of meshes and frames, so that a
/// format's own code sees good numbers only.
class CheckedSink : public FrameSink {
public:
    void begin(const BakeInfo& info) final;
    void write(const Frame& frame) final;
    std::vector<OutputFile> finish() final;

protected:
    explicit CheckedSink(std::string format) : format_(std::move(format)) {}

    virtual void start() = 0;
    virtual void take(const Frame& frame, int index) = 0;
    virtual std::vector<OutputFile> complete() = 0;

    const BakeInfo& info() const { return info_; }
    /// The body first, then the details. They stay where they are from start() on.
    const std::vector<MeshInfo>& meshes() const { return info_.meshes; }
    const MeshInfo& body() const { return info_.meshes.front(); }
    /// The frames are on the vertices of the body's own file.
    bool shows_own_mesh() const { return &info_.shown() == &info_.body->mesh(); }

private:
    enum class State { fresh, open, finished, broken };

    void check_frame(const Frame& frame) const;
    void check_mesh(const MeshFrame& frame, const MeshInfo& mesh, const std::string& place) const;

    std::string format_;
    BakeInfo info_;
    State state_ = State::fresh;
    int frames_taken_ = 0;
};

/// UVs of a mesh in a frame: those it brings, or at rest.
inline const MatrixX2d& uv_of(const MeshInfo& mesh, const MeshFrame& frame) {
    return frame.uv.rows() > 0 ? frame.uv : mesh.art->uv;
}

/// One piece of a mesh of copies, as a mesh of its own.
MeshInfo piece_of(const MeshInfo& mesh);

}  // namespace cutis
