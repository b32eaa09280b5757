#pragma once

#include <string>
#include <vector>

#include "cutis/stack/sink.h"
#include "write_polygons.h"

namespace cutis {

/// A channel as the first frame announced it; every later frame must bring the same ones.
struct ChannelLayout {
    std::string name;
    std::string unit;
    int width = 1;
};

/// One mesh of a bake: the body's (or the finer one the bake shows), or a detail.
struct BakedMesh {
    std::string name;  ///< of the detail; the body has that of its mesh, which may be empty
    const ArtMesh* art = nullptr;
    bool uv_moves = false;
    std::vector<ChannelLayout> channels = {};  ///< known from the first frame on
    const DetailCopies* copies = nullptr;      ///< of a detail that has them
    bool brings_normals = false;               ///< in every frame; known from the first on

    int vertex_count() const { return static_cast<int>(art->positions.rows()); }
    int uv_count() const { return static_cast<int>(art->uv.rows()); }
    bool has_uv() const { return art->uv_triangles.rows() > 0 && art->uv.rows() > 0; }
};

/// What a frame says about one mesh.
struct MeshFrame {
    const MatrixX3d& positions;
    const MatrixX2d& uv;  ///< those of the frame, or at rest
    const std::map<std::string, ChannelData>& channels;
    const MatrixX3d* normals = nullptr;  ///< of details that bring them
};

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
    const std::vector<BakedMesh>& meshes() const { return meshes_; }
    const BakedMesh& body() const { return meshes_.front(); }
    MeshFrame frame_of(const Frame& frame, size_t mesh) const;
    /// The frames are on the vertices of the body's own file.
    bool shows_own_mesh() const { return &info_.shown() == &info_.body->mesh(); }

private:
    enum class State { fresh, open, finished, broken };

    void check_announced() const;
    void check_frame(const Frame& frame) const;
    void check_extras(const Frame& frame) const;
    void check_rest_of_detail(const DetailFrame& detail, size_t mesh,
                              const std::string& place) const;
    void check_channels(const Frame& frame, size_t mesh);
    std::string place_of(const Frame& frame, size_t mesh) const;

    std::string format_;
    BakeInfo info_;
    std::vector<BakedMesh> meshes_;
    State state_ = State::fresh;
    int frames_taken_ = 0;
};

}  // namespace cutis
