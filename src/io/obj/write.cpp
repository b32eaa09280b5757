#include "cutis/io/formats.h"

#include <unistd.h>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "io/obj/text.h"
#include "io/sink.h"

namespace cutis {
namespace {

namespace fs = std::filesystem;

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
    ObjSink(const fs::path& path, const SinkOptions& options)
        : CheckedSink("obj", path, options.frames),
          folder_(path.parent_path()),
          name_(path.stem().string()),
          staging_(folder_ / ("." + name_ + ".obj.part" + std::to_string(getpid()))) {}

    ~ObjSink() override { remove_staging(); }

private:
    void start() override {
        ObjOffsets begin;
        for (const MeshInfo& mesh : meshes()) {
            faces_.push_back(obj_face_lines(*mesh.art, begin, mesh.is_body ? "" : mesh.name));
            begin.vertices += mesh.vertex_count();
            begin.uvs += mesh.has_uv() ? mesh.uv_count() : 0;
        }
        std::error_code error;
        fs::create_directory(staging_, error);
        if (error) {
            throw IoError(concat((folder_ / name_).string(), ".*.obj: cannot be written (", error.message(), ")"));
        }
        is_staging_ = true;
    }

    void take(const Frame& frame, int /*index*/) override {
        text_.clear();
        for (size_t m = 0; m < meshes().size(); ++m) {
            const MeshInfo& mesh = meshes()[m];
            const MeshFrame& now = frame.meshes[m];
            append_obj_points(text_, mesh.name, now.positions, mesh.has_uv() ? uv_of(mesh, now) : MatrixX2d());
            text_ += faces_[m];
        }
        std::string digits = std::to_string(frame.number);
        digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
        const std::string file_name = name_ + "." + digits + ".obj";
        AtomicFile file(staging_ / file_name);
        file.write(text_);
        files_.push_back({"obj", file_name, file.commit(), {}});
    }

    std::vector<OutputFile> complete() override {
        for (OutputFile& file : files_) {
            const fs::path final_path = folder_ / file.path;
            std::error_code error;
            fs::rename(staging_ / file.path, final_path, error);
            if (error) {
                throw IoError(concat(final_path.string(), ": cannot be put in place (", error.message(), ")"));
            }
            file.path = final_path.string();
        }
        remove_staging();
        return files_;
    }

    void remove_staging() {
        if (is_staging_) {
            std::error_code ignored;
            fs::remove_all(staging_, ignored);
            is_staging_ = false;
        }
    }

    fs::path folder_;
    std::string name_;
    fs::path staging_;
    bool is_staging_ = false;
    std::vector<std::string> faces_;  ///< of each mesh
    std::string text_;
    std::vector<OutputFile> files_;
};

}  // namespace

Format obj_format();  // listed in formats.cpp

Format obj_format() {
    return {"obj", "one Wavefront OBJ per frame", [](const std::filesystem::path& path, const SinkOptions& options) {
                return std::make_unique<ObjSink>(path, options);
            }};
}

}  // namespace cutis
