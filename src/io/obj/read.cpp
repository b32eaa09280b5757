#include "cutis/io/obj_read.h"

#include <cstring>
#include <set>

#include "core/printable.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "io/text_scan.h"

namespace cutis {

namespace {

/// One corner of a face; indices from 0, -1 where absent.
struct Corner {
    int vertex = -1;
    int uv = -1;
};

class ObjReader {
public:
    ObjReader(std::span<const unsigned char> bytes, const std::string& source, const WarningCallback& warn)
        : scan_(bytes.data(), bytes.size(), true), source_(source), warn_(warn) {
        require(bytes.empty() || std::memchr(bytes.data(), 0, bytes.size()) == nullptr, source,
                ": expected text, found binary content");
    }

    ArtMesh read();

private:
    [[noreturn]] void fail(const std::string& message) const {
        throw InvalidInput(concat(source_, ": line ", line_, ": ", message));
    }
    void warn(const std::string& message) const {
        if (warn_) {
            warn_(concat(source_, ": ", message));
        }
    }

    double number(std::string_view word) const;
    int numbers(double* out, int least, int most);
    void read_vertex();
    void read_uv();
    void read_face();
    Corner read_corner(std::string_view word);
    int resolve(std::string_view word, std::size_t count, const char* what, std::size_t kind);
    void add_face();
    void close_part();
    void check_forward() const;
    ArtMesh finish();
    void finish_uv(ArtMesh& mesh) const;

    TextScan scan_;
    const std::string& source_;
    const WarningCallback& warn_;
    int line_ = 1;

    std::vector<double> positions_;
    std::vector<double> uvs_;
    std::size_t normals_ = 0;
    std::vector<double> colours_;  ///< 3 per vertex once the first colour was seen
    std::size_t coloured_ = 0;
    std::vector<int> triangles_;
    std::vector<int> uv_triangles_;
    std::size_t corners_without_uv_ = 0;
    std::vector<int> polygon_sizes_;
    bool has_polygons_ = false;
    std::vector<Corner> face_;

    std::string object_;
    std::string group_;
    std::string material_;
    std::vector<MeshPart> parts_;
    int part_begin_ = 0;
    std::set<std::string, std::less<>> unknown_;

    /// Largest index of each kind (vertex, uv, normal) and its line: an index may point at
    /// something that comes later in the file, so its range is known only at the end.
    struct Largest {
        int index = 0;
        int line = 0;
    };
    Largest largest_[3];
};

double ObjReader::number(std::string_view word) const {
    double value = 0.0;
    if (!parse_number(word, value)) {
        fail(concat("expected a finite number, found ", quoted(word)));
    }
    return value;
}

/// Reads the numbers of this line; more than `most` are not looked at.
int ObjReader::numbers(double* out, int least, int most) {
    int count = 0;
    while (count < most) {
        const std::string_view word = scan_.word();
        if (word.empty() || word.front() == '#') {
            break;
        }
        out[count++] = number(word);
    }
    if (count < least) {
        fail(concat("expected at least ", least, " numbers, found ", count));
    }
    return count;
}

void ObjReader::read_vertex() {
    double values[7];
    const int count = numbers(values, 3, 7);
    positions_.insert(positions_.end(), values, values + 3);
    if (count >= 6) {
        if (coloured_ == 0) {
            colours_.assign(positions_.size() - 3, 1.0);
        }
        const double* colour = values + (count == 7 ? 4 : 3);
        colours_.insert(colours_.end(), colour, colour + 3);
        ++coloured_;
    } else if (coloured_ > 0) {
        colours_.insert(colours_.end(), 3, 1.0);
    }
}

void ObjReader::read_uv() {
    double values[3] = {0.0, 0.0, 0.0};
    numbers(values, 1, 3);
    uvs_.insert(uvs_.end(), values, values + 2);
}

int ObjReader::resolve(std::string_view word, std::size_t count, const char* what, std::size_t kind) {
    int index = 0;
    if (!parse_integer(word, index) || index == 0) {
        fail(concat("expected an index of a ", what, " (1 or more, or negative), found ", quoted(word)));
    }
    if (index < 0) {
        const auto from_end = static_cast<std::size_t>(-static_cast<long>(index));
        if (from_end > count) {
            fail(concat("expected at most ", count, " steps back to a ", what, ", found ", index));
        }
        return static_cast<int>(count - from_end);
    }
    if (index > largest_[kind].index) {
        largest_[kind] = {index, line_};
    }
    return index - 1;
}

Corner ObjReader::read_corner(std::string_view word) {
    Corner corner;
    const std::size_t first = word.find('/');
    corner.vertex = resolve(word.substr(0, first), positions_.size() / 3, "vertex", 0);
    if (first == std::string_view::npos) {
        return corner;
    }
    word.remove_prefix(first + 1);
    const std::size_t second = word.find('/');
    if (const std::string_view uv = word.substr(0, second); !uv.empty()) {
        corner.uv = resolve(uv, uvs_.size() / 2, "texture vertex", 1);
    }
    if (second != std::string_view::npos) {
        word.remove_prefix(second + 1);
        if (!word.empty()) {
            resolve(word, normals_, "normal", 2);
        }
    }
    return corner;
}

void ObjReader::read_face() {
    face_.clear();
    while (true) {
        const std::string_view word = scan_.word();
        if (word.empty() || word.front() == '#') {
            break;
        }
        face_.push_back(read_corner(word));
    }
    if (face_.size() < 3) {
        fail(concat("expected a face of at least 3 corners, found ", face_.size()));
    }
    add_face();
}

void ObjReader::add_face() {
    for (std::size_t k = 2; k < face_.size(); ++k) {
        for (const std::size_t c : {std::size_t{0}, k - 1, k}) {
            triangles_.push_back(face_[c].vertex);
            uv_triangles_.push_back(face_[c].uv);
            corners_without_uv_ += face_[c].uv < 0 ? 1 : 0;
        }
    }
    polygon_sizes_.push_back(static_cast<int>(face_.size()));
    has_polygons_ = has_polygons_ || face_.size() > 3;
}

void ObjReader::close_part() {
    const int end = static_cast<int>(triangles_.size() / 3);
    if (end > part_begin_) {
        MeshPart part;
        part.name = group_.empty() ? object_ : group_;
        part.material = material_;
        part.first_triangle = part_begin_;
        part.triangle_count = end - part_begin_;
        parts_.push_back(std::move(part));
        part_begin_ = end;
    }
}

ArtMesh ObjReader::read() {
    while (!scan_.at_end()) {
        line_ = scan_.line();
        const std::string_view keyword = scan_.word();
        if (keyword == "v") {
            read_vertex();
        } else if (keyword == "vt") {
            read_uv();
        } else if (keyword == "vn") {
            ++normals_;
        } else if (keyword == "f" || keyword == "fo") {
            read_face();
        } else if (keyword == "o") {
            close_part();
            object_ = printable(scan_.rest(), true);
            group_.clear();
        } else if (keyword == "g") {
            close_part();
            group_ = printable(scan_.rest(), true);
        } else if (keyword == "usemtl") {
            close_part();
            material_ = printable(scan_.rest(), true);
        } else if (!keyword.empty() && keyword.front() != '#' && keyword != "s" && keyword != "mtllib" &&
                   unknown_.size() < 16 && unknown_.find(keyword) == unknown_.end()) {
            unknown_.emplace(keyword);
            warn(concat("line ", line_, ": ", quoted(keyword), " is not read"));
        }
        // A comment ends with its line even where a backslash stands at its end.
        scan_.next_line();
    }
    close_part();
    check_forward();
    return finish();
}

void ObjReader::check_forward() const {
    const std::size_t counts[3] = {positions_.size() / 3, uvs_.size() / 2, normals_};
    const char* names[3] = {"vertices", "texture vertices", "normals"};
    for (int kind = 0; kind < 3; ++kind) {
        if (static_cast<std::size_t>(largest_[kind].index) > counts[kind]) {
            throw InvalidInput(concat(source_, ": line ", largest_[kind].line, ": expected an index of at most ",
                                      counts[kind], " (", names[kind], "), found ", largest_[kind].index));
        }
    }
    if (positions_.empty() || triangles_.empty()) {
        throw InvalidInput(concat(source_, ": expected vertices and faces, found ", counts[0], " vertices and ",
                                  polygon_sizes_.size(), " faces"));
    }
}

void ObjReader::finish_uv(ArtMesh& mesh) const {
    if (corners_without_uv_ == triangles_.size()) {
        return;
    }
    const auto count = static_cast<Eigen::Index>(uvs_.size() / 2);
    const bool has_gaps = corners_without_uv_ > 0;
    mesh.uv.resize(count + (has_gaps ? 1 : 0), 2);
    mesh.uv.topRows(count) = Eigen::Map<const MatrixX2d>(uvs_.data(), count, 2);
    mesh.uv_triangles = Eigen::Map<const MatrixX3i>(uv_triangles_.data(), mesh.triangles.rows(), 3);
    if (has_gaps) {
        mesh.uv.row(count).setZero();
        int* index = mesh.uv_triangles.data();
        for (Eigen::Index i = 0; i < mesh.uv_triangles.size(); ++i) {
            index[i] = index[i] < 0 ? static_cast<int>(count) : index[i];
        }
        warn(concat(corners_without_uv_, " corners of triangles have no texture vertex; their UV is 0 0"));
    }
}

ArtMesh ObjReader::finish() {
    ArtMesh mesh;
    mesh.name = std::filesystem::path(source_).stem().string();
    const auto vertices = static_cast<Eigen::Index>(positions_.size() / 3);
    const auto count = static_cast<Eigen::Index>(triangles_.size() / 3);
    mesh.positions = Eigen::Map<const MatrixX3d>(positions_.data(), vertices, 3);
    mesh.triangles = Eigen::Map<const MatrixX3i>(triangles_.data(), count, 3);
    finish_uv(mesh);
    for (MeshPart& part : parts_) {
        part.vertex_count = static_cast<int>(vertices);
    }
    mesh.parts = std::move(parts_);
    if (has_polygons_) {
        mesh.polygon_sizes = std::move(polygon_sizes_);
    }
    if (coloured_ > 0) {
        const char* names[3] = {"COLOR_0.r", "COLOR_0.g", "COLOR_0.b"};
        for (int c = 0; c < 3; ++c) {
            mesh.painted[names[c]] = Eigen::Map<const MatrixX3d>(colours_.data(), vertices, 3).col(c);
        }
        if (static_cast<Eigen::Index>(coloured_) < vertices) {
            warn(concat(static_cast<std::size_t>(vertices) - coloured_, " vertices have no colour; they are white"));
        }
    }
    return mesh;
}

}  // namespace

ArtMesh read_obj(std::span<const unsigned char> bytes, const std::string& source, const WarningCallback& warn) {
    return ObjReader(bytes, source, warn).read();
}

ArtMesh read_obj(const std::filesystem::path& path, const WarningCallback& warn) {
    return read_obj(read_file(path), path.filename().string(), warn);
}

}  // namespace cutis
