#pragma once

#include <filesystem>
#include <memory>

#include "cutis/stack/sink.h"

namespace cutis {

/// Universal Scene Description, as text.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | stage              | metersPerUnit 1, upAxis Y, timeCodesPerSecond and framesPerSecond =    |
/// |                    | fps, time code = frame number, start and end set, a defaultPrim        |
/// | positions          | `points` of a Mesh, time samples and the first frame as default        |
/// | rest               | `primvars:Pref`; where skin slides: its material now at each vertex    |
/// | box                | `extent`, time samples and default                                     |
/// | polygons           | as in the source file; subdivisionScheme none                          |
/// | UVs                | `primvars:st`: vertex where every vertex has one UV of its own index,  |
/// |                    | else faceVarying with indices; time samples where UVs move             |
/// | channels           | `primvars:NAME`, vertex, time samples and default, unit in customData  |
/// | parts              | a GeomSubset each, family materialBind; material name as custom string |
/// | details            | a Mesh each, under the same root, with all of the above                |
/// | rigid copies       | a PointInstancer with the piece as its prototype, instead of that Mesh |
/// | normals            | those of details, four digits                                          |
/// | pictures, lines    | not written                                                            |
///
/// Numbers are float32 in their shortest decimals. Names become USD identifiers: other characters
/// than letters, digits and _ are replaced by _, a repeated name gets a number.
///
/// \param path  the file; its folder must exist
std::unique_ptr<FrameSink> make_usda_sink(const std::filesystem::path& path);

}  // namespace cutis
