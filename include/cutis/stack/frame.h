#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cutis/core/parallel.h"
#include "cutis/core/types.h"
#include "cutis/mesh/art_mesh.h"

namespace cutis {

using MatrixX4d = Eigen::Matrix<double, Eigen::Dynamic, 4, Eigen::RowMajor>;

// What frames hold is announced once, before the first of them: names, units and sizes. The frames
// themselves are numbers in the announced order.

/// A number of the whole frame.
struct NumberInfo {
    std::string name;
    std::string unit;  ///< empty: a count or a ratio
    std::string label() const { return unit.empty() ? name : name + " (" + unit + ")"; }
};

/// Rigid copies of one piece: copy i is the piece times sizes.row(i), then turned and moved.
struct DetailCopies {
    ArtMesh piece;
    MatrixX3d sizes;  ///< #copies x 3, factors along the piece's axes, above 0
};

/// A mesh of the frames: the body's first (or the finer one a layer made of it), then those that
/// layers add (scales, straps).
struct MeshInfo {
    std::string name;                    ///< of an added mesh: unique in a bake, part of file names; of the body:
                                         ///< that of its mesh, which may be empty
    std::shared_ptr<const ArtMesh> art;  ///< at rest
    std::vector<ChannelInfo> channels = {};
    bool has_normals = false;  ///< frames bring them
    /// The same as copies of one piece, for formats that can keep them; null: it has none.
    std::shared_ptr<const DetailCopies> copies = nullptr;
    bool shape_changed = false;  ///< layers move its vertices: the original skin no longer
                                 ///< describes the shape
    bool uv_changed = false;     ///< layers move its UVs
    bool has_plain = false;      ///< frames bring plain_positions and shares
    bool is_body = false;
    bool is_other_view = false;  ///< the body once more, shown in another way: not to be seen together with it

    int vertex_count() const { return static_cast<int>(art->positions.rows()); }
    int uv_count() const { return static_cast<int>(art->uv.rows()); }
    bool has_uv() const { return art->uv_triangles.rows() > 0 && art->uv.rows() > 0; }
    bool uv_moves() const { return uv_changed && has_uv(); }
};

/// Lines or dots a layer shows in the page (curves of flesh, fold lines, pins, handles).
struct LineSet {
    std::string name;
    std::string show = "curves";  ///< the page's switch: "curves" or "pins"
    int point_count = 0;
    std::vector<std::array<int, 2>> segments;  ///< pairs of points; empty: dots
};

/// One mesh at one time.
struct MeshFrame {
    MatrixX3d positions;                        ///< #A x 3, metres
    MatrixX3d normals;                          ///< #A x 3, unit; empty unless MeshInfo::has_normals
    MatrixX2d uv;                               ///< #T x 2 when UVs move this frame; empty: as at rest
    std::vector<std::vector<double>> channels;  ///< #A * width each, as MeshInfo::channels
    /// Where its MeshInfo has copies: place and rotation (quaternion w x y z, unit) of each.
    MatrixX3d copy_positions;
    MatrixX4d copy_rotations;
    MatrixX3d plain_positions;  ///< before layers; empty unless MeshInfo::has_plain
    /// Per layer, where there are plain_positions: by how much it moved each vertex, #A * 3,
    /// metres; empty where it moves none. positions = plain_positions + their sum, to rounding
    /// where no layer refines.
    std::vector<std::vector<double>> shares;
};

/// One output time: plain data, everything on the artist's vertices.
struct Frame {
    int number = 0;                     ///< as the user counts them, first frame of the bake = 1
    double time = 0.0;                  ///< seconds of body time
    std::vector<MeshFrame> meshes;      ///< as BakeInfo::meshes: the body's first
    std::vector<MatrixX3d> lines;       ///< points of each of BakeInfo::lines, metres
    std::vector<double> numbers;        ///< as BakeInfo::numbers
    std::vector<double> stage_seconds;  ///< spent on it: the body, then each layer

    MeshFrame& body() { return meshes.front(); }
    const MeshFrame& body() const { return meshes.front(); }
};

/// How the skin's material moves under the layers above.
enum class SkinMotion {
    none,          ///< no layer below moves it
    with_surface,  ///< vertices move with it
    over_surface,  ///< it slides over vertices that stay (UVs move instead)
};

struct RefinedMesh;
class SurfaceMaps;

/// What a layer is and what it adds to a bake, fixed once it is prepared.
struct LayerFacts {
    std::string name;                   ///< where its options give it one; else layers of a kind are numbered
    std::vector<ChannelInfo> channels;  ///< on the mesh the bake shows the body on
    std::vector<NumberInfo> numbers;
    std::vector<MeshInfo> meshes;  ///< that it adds
    std::vector<LineSet> lines;

    bool has_memory = false;               ///< needs pre-roll and frames in order
    bool changes_shape = false;            ///< moves vertices
    bool changes_uv = false;               ///< moves UVs
    SkinMotion skin = SkinMotion::none;    ///< what it does with the skin's material
    bool rides_on_skin = false;            ///< needs LayerStep::skin
    double look_ahead = 0.0;               ///< seconds of the body's future it asks for
    const RefinedMesh* refined = nullptr;  ///< the finer mesh it gives its result on; null: the one
                                           ///< it stands on
    std::shared_ptr<SurfaceMaps> maps;     ///< pictures it paints from its channels; null: none
};

/// A layer's place in a bake: where what it adds begins in BakeInfo and in frames.
struct LayerInfo {
    std::string kind;
    std::string name;  ///< its kind; from the second of a kind on with its own name or number
    bool changes_shape = false;
    bool changes_uv = false;
    size_t first_channel = 0, channel_count = 0;  ///< of the body's mesh
    size_t first_number = 0;
    size_t first_mesh = 1, mesh_count = 0;
    size_t first_line = 0, line_count = 0;
    std::shared_ptr<SurfaceMaps> maps;  ///< null: none
};

/// Pictures over the body's UVs that a layer paints for any frame of the bake.
class SurfaceMaps {
public:
    virtual ~SurfaceMaps() = default;
    virtual int size() const = 0;            ///< pixels of a side
    virtual double most_height() const = 0;  ///< metres: no height is larger, up or down
    virtual double texels_a_wavelength() const = 0;
    /// Rows from the top. \param first_channel  of the layer, in the frame
    /// \param heights  size * size, metres;  \param normals  size * size * 3, tangent space: x along u, y along v up
    virtual void paint(const MeshFrame& body, size_t first_channel, const Workers& workers, std::vector<float>* heights,
                       std::vector<float>* normals) = 0;
};

/// A layer's part of a frame: what it announced, by the places in its LayerFacts.
class LayerFrame {
public:
    LayerFrame(Frame& frame, const LayerInfo& place) : frame_(frame), place_(place) {}

    /// #A * width, of the body's mesh.
    std::vector<double>& channel(size_t i) { return frame_.body().channels[place_.first_channel + i]; }
    double& number(size_t i) { return frame_.numbers[place_.first_number + i]; }
    MeshFrame& mesh(size_t i) { return frame_.meshes[place_.first_mesh + i]; }
    MatrixX3d& line(size_t i) { return frame_.lines[place_.first_line + i]; }
    MatrixX2d& uv() { return frame_.body().uv; }

    /// Where a layer above rides on the skin: #V x 3, where on the surface at rest the material of
    /// each vertex is now. For layers whose skin slides over the surface; null: not wanted.
    MatrixX3d* skin = nullptr;
    /// With it: #V x 3, where in this pose it is.
    MatrixX3d* skin_place = nullptr;
    /// For a layer that refines: #V x 3 of its finer mesh, what it stands on without its own
    /// doing; null: not wanted.
    MatrixX3d* plain = nullptr;

private:
    Frame& frame_;
    const LayerInfo& place_;
};

}  // namespace cutis
