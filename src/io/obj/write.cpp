#include "cutis/io/formats.h"

#include "cutis/core/error.h"
#include "io/file_sequence.h"
#include "io/obj/text.h"
#include "io/sink.h"

namespace cutis {
namespace {

/// One Wavefront OBJ per frame.
///
/// | what               | how                                                                    |
/// |--------------------|------------------------------------------------------------------------|
/// | file names         | NAME.0001.obj: the frame number with at least four digits              |
/// | positions          | `v`, float32, shortest decimals that read back the same                |
/// | UVs                | `vt`, those of the frame where they move                               |
/// | polygons           | `f v/vt`, as in the source file, not triangulated                      |
/// | parts              | `g` and, where the part has a material, `usemtl` (no .mtl file)        |
/// | details            | further objects (`o NAME`) of every file; a part without a material    |
/// |                    | gets one of the detail's name, so that the body's ends there           |
/// | normals, channels, | not written                                                            |
/// | lines              |                                                                        |
///
/// All files appear when finish() is called; before that they stand in a hidden folder beside.
class ObjSink final : public CheckedSink {
public:
    ObjSink(const std::filesystem::path& path, const SinkOptions& options)
        : CheckedSink("obj", path, options.frames), files_("obj", path) {}

private:
    void start() override {
        ObjOffsets begin;
        for (const MeshInfo& mesh : meshes()) {
            faces_.push_back(obj_face_lines(*mesh.art, begin, mesh.is_body ? "" : mesh.name));
            begin.vertices += mesh.vertex_count();
            begin.uvs += mesh.has_uv() ? mesh.uv_count() : 0;
        }
        files_.start();
    }

    void take(const Frame& frame, int /*index*/) override {
        text_.clear();
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MeshInfo& mesh = meshes()[m];
            const MeshFrame& now = frame.meshes[m];
            append_obj_points(text_, mesh.name, now.positions, mesh.has_uv() ? uv_of(mesh, now) : MatrixX2d());
            text_ += faces_[m];
        }
        files_.put(concat(files_.stem(), ".", frame_digits(frame.number), ".obj"), text_);
    }

    std::vector<OutputFile> complete() override { return files_.complete(); }

    FileSequence files_;
    std::vector<std::string> faces_;  ///< of each mesh
    std::string text_;
};

}  // namespace

Format obj_format();  // listed in formats.cpp

Format obj_format() {
    return {"obj", "one Wavefront OBJ per frame", [](const std::filesystem::path& path, const SinkOptions& options) {
                return std::make_unique<ObjSink>(path, options);
            }};
}

}  // namespace cutis
