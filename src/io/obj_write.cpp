#include "cutis/io/obj_write.h"

#include <unistd.h>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "write_base.h"
#include "write_text.h"

namespace cutis {
namespace {

namespace fs = std::filesystem;

/// A name as one word of a line: OBJ separates by white space and has no quotes.
std::string one_word(const std::string& name) {
    std::string word = name;
    for (char& c : word) {
        if (static_cast<unsigned char>(c) <= ' ' || c == '#') {
            c = '_';
        }
    }
    return word;
}

/// The lines after the vertices; they are the same in every frame.
std::string face_lines(const ArtMesh& mesh) {
    const std::vector<MeshPart> parts = parts_of(mesh);
    const PolygonCorners corners = polygon_corners(mesh, parts);
    std::string text;
    size_t corner = 0;
    for (size_t part = 0; part < parts.size(); ++part) {
        if (!parts[part].name.empty()) {
            text += "g " + one_word(parts[part].name) + "\n";
        } else if (parts.size() > 1) {
            text += "g part" + std::to_string(part) + "\n";
        }
        if (!parts[part].material.empty()) {
            text += "usemtl " + one_word(parts[part].material) + "\n";
        }
        for (int p = corners.polygon_of_part[part]; p < corners.polygon_of_part[part + 1]; ++p) {
            text += 'f';
            for (int k = 0; k < corners.sizes[static_cast<size_t>(p)]; ++k, ++corner) {
                text += ' ';
                append_number(text, corners.vertices[corner] + 1);
                if (!corners.uvs.empty() && corners.uvs[corner] >= 0) {
                    text += '/';
                    append_number(text, corners.uvs[corner] + 1);
                }
            }
            text += '\n';
        }
    }
    return text;
}

class ObjSink final : public CheckedSink {
public:
    explicit ObjSink(const fs::path& path)
        : CheckedSink("obj"),
          folder_(path.parent_path()),
          name_(path.stem().string()),
          staging_(folder_ / ("." + name_ + ".obj.part" + std::to_string(getpid()))) {}

    ~ObjSink() override { remove_staging(); }

private:
    void start() override {
        faces_ = face_lines(mesh());
        std::error_code error;
        fs::create_directory(staging_, error);
        if (error) {
            throw IoError(say((folder_ / name_).string(), ".*.obj: cannot be written (",
                              error.message(), ")"));
        }
        is_staging_ = true;
    }

    void take(const Frame& frame, int /*index*/) override {
        text_.clear();
        if (!mesh().name.empty()) {
            text_ += "o " + one_word(mesh().name) + "\n";
        }
        for (Eigen::Index v = 0; v < frame.positions.rows(); ++v) {
            text_ += 'v';
            for (int k = 0; k < 3; ++k) {
                text_ += ' ';
                append_float(text_, frame.positions(v, k));
            }
            text_ += '\n';
        }
        if (has_uv()) {
            const MatrixX2d& uv = uv_of(frame);
            for (Eigen::Index t = 0; t < uv.rows(); ++t) {
                text_ += "vt ";
                append_float(text_, uv(t, 0));
                text_ += ' ';
                append_float(text_, uv(t, 1));
                text_ += '\n';
            }
        }
        std::string digits = std::to_string(frame.number);
        digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
        const std::string file_name = name_ + "." + digits + ".obj";
        AtomicFile file(staging_ / file_name);
        file.write(text_);
        file.write(faces_);
        files_.push_back({"obj", file_name, file.commit(), {}});
    }

    std::vector<OutputFile> complete() override {
        for (OutputFile& file : files_) {
            const fs::path final_path = folder_ / file.path;
            std::error_code error;
            fs::rename(staging_ / file.path, final_path, error);
            if (error) {
                throw IoError(
                    say(final_path.string(), ": cannot be put in place (", error.message(), ")"));
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
    std::string faces_;
    std::string text_;
    std::vector<OutputFile> files_;
};

}  // namespace

std::unique_ptr<FrameSink> make_obj_sink(const fs::path& path) {
    return std::make_unique<ObjSink>(path);
}

}  // namespace cutis
