#pragma once

#include <string>
#include <vector>

#include "cutis/stack/sink.h"

namespace cutis {

/// A channel as the first frame announced it; every later frame must bring the same ones.
struct ChannelLayout {
    std::string name;
    std::string unit;
    int width = 1;
};

/// What all sinks share: the order of calls, and the checks of mesh and frames, so that a format's
/// own code sees good numbers only.
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
    const ArtMesh& mesh() const { return info_.shown(); }
    int vertex_count() const { return static_cast<int>(mesh().positions.rows()); }
    int uv_count() const { return static_cast<int>(mesh().uv.rows()); }
    bool has_uv() const { return mesh().uv_triangles.rows() > 0 && mesh().uv.rows() > 0; }
    bool uv_moves() const { return info_.uv_changed && has_uv(); }
    const MatrixX2d& uv_of(const Frame& frame) const {
        return frame.uv.rows() > 0 ? frame.uv : mesh().uv;
    }
    const std::vector<ChannelLayout>& channels() const { return channels_; }

private:
    enum class State { fresh, open, finished, broken };

    void check_frame(const Frame& frame) const;
    void check_channels(const Frame& frame);

    std::string format_;
    BakeInfo info_;
    State state_ = State::fresh;
    int frames_taken_ = 0;
    std::vector<ChannelLayout> channels_;
};

/// Parts that cover all triangles in order; a mesh without parts is one part.
/// \throw InvalidInput  parts leave a gap or overlap
std::vector<MeshPart> parts_of(const ArtMesh& mesh);

/// A number per polygon corner, in file order: which vertex, and which UV (-1: none).
struct PolygonCorners {
    std::vector<int> sizes;            ///< corners of each polygon
    std::vector<int> vertices;         ///< per corner
    std::vector<int> uvs;              ///< per corner; empty without UVs
    std::vector<int> polygon_of_part;  ///< first polygon of each part, and the count at the end
};

PolygonCorners polygon_corners(const ArtMesh& mesh, const std::vector<MeshPart>& parts);

/// Length of the diagonal of the box around the points.
double box_diagonal(const MatrixX3d& points);

}  // namespace cutis
