#pragma once

#include <filesystem>
#include <memory>

#include "cutis/core/options.h"
#include "cutis/stack/sink.h"

namespace cutis {

struct GlbOptions {
    double tolerance = 1e-4;     ///< of a baked vertex, fraction of the rest box's diagonal
    double uv_tolerance = 1e-4;  ///< of a baked UV, fraction of the picture
    bool keep_skin = true;       ///< write skeleton and skin where they still describe the shape
};

Options describe(GlbOptions& options);

/// Binary glTF 2.0.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | vertices           | split where a vertex has several UVs; one primitive per part           |
/// | POSITION, NORMAL   | metres, Y up; normals are computed: smooth over UV seams and borders   |
/// |                    | of parts, hard where the source split a vertex with one UV             |
/// | TEXCOORD_0         | where the source has UVs (v turned down, as glTF counts)               |
/// | COLOR_0            | where the source has painted colours of that name                      |
/// | materials          | those of the source that are in use, with textures, samplers, embedded |
/// |                    | pictures; a texture that needs UVs which are not there is left out     |
/// | skin               | joints, inverse binds, JOINTS_n, WEIGHTS_n and linear keys at every    |
/// |                    | frame, when no layer changed shape, UVs or mesh and linear blending of |
/// |                    | these keys gives every frame back within the tolerance                 |
/// | other motion       | morph targets (POSITION, NORMAL, TEXCOORD_0 where UVs move) from a     |
/// |                    | truncated singular value decomposition, weights keyed at every frame,  |
/// |                    | all within 0 .. 1 (Blender cuts off the rest), which takes one more    |
/// |                    | target of constant weight where modes change sign; base shape = first  |
/// |                    | frame. Animation time 0 is the first frame                             |
/// | one frame, or none | a plain mesh                                                           |
/// | that moves         |                                                                        |
/// | details            | a mesh and a node each, named as they are, with morph targets of their |
/// |                    | own and a channel of their own in the one animation                    |
/// | rigid copies       | the piece as one mesh, a node NAME.1, NAME.2 ... for each copy         |
/// | channels, lines    | not written                                                            |
///
/// OutputFile::numbers: `morph_targets` (of the body), `detail_morph_targets` (of all details,
/// where there are any), `skin_kept` (0 or 1), `tolerance_m`, `max_error_m` and `max_uv_error`: the
/// largest of all meshes, measured by rebuilding every frame from the float32 numbers of the file.
/// Where float32 itself cannot reach the tolerance (a small body far from the origin) all targets
/// are written and `max_error_m` says what was reached.
///
/// Frames wait in a scratch file; memory holds vertices x targets and frames x frames numbers.
///
/// \param path  the file; its folder must exist
/// \throw InvalidInput  tolerances out of range
std::unique_ptr<FrameSink> make_glb_sink(const std::filesystem::path& path,
                                         const GlbOptions& options = {});

}  // namespace cutis
