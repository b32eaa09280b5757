#include "io/obj/text.h"

#include "io/number_text.h"
#include "io/polygons.h"

namespace cutis {
namespace {

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

template <class Matrix>
void append_rows(std::string& text, const char* keyword, const Matrix& matrix) {
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        text += keyword;
        for (Eigen::Index k = 0; k < matrix.cols(); ++k) {
            text += ' ';
            append_float(text, matrix(row, k));
        }
        text += '\n';
    }
}

std::string group_line(const std::string& name, size_t part, size_t part_count, const std::string& detail) {
    if (!name.empty()) {
        return "g " + one_word(name) + "\n";
    }
    const std::string number = part_count > 1 ? "part" + std::to_string(part) : "";
    if (!detail.empty()) {
        return "g " + one_word(detail) + (number.empty() ? "" : "_" + number) + "\n";
    }
    return number.empty() ? "" : "g " + number + "\n";
}

}  // namespace

void append_obj_points(std::string& text, const std::string& name, const MatrixX3d& positions, const MatrixX2d& uv) {
    if (!name.empty()) {
        text += "o " + one_word(name) + "\n";
    }
    append_rows(text, "v", positions);
    append_rows(text, "vt", uv);
}

std::string obj_face_lines(const ArtMesh& mesh, const ObjOffsets& begin, const std::string& detail) {
    const std::vector<MeshPart> parts = parts_of(mesh);
    const PolygonCorners corners = polygon_corners(mesh, parts);
    std::string text;
    size_t corner = 0;
    for (size_t part = 0; part < parts.size(); ++part) {
        text += group_line(parts[part].name, part, parts.size(), detail);
        const std::string& material = parts[part].material.empty() ? detail : parts[part].material;
        if (!material.empty()) {
            text += "usemtl " + one_word(material) + "\n";
        }
        for (int p = corners.polygon_of_part[part]; p < corners.polygon_of_part[part + 1]; ++p) {
            text += 'f';
            for (int k = 0; k < corners.sizes[p]; ++k, ++corner) {
                text += ' ';
                append_number(text, begin.vertices + corners.vertices[corner] + 1);
                if (!corners.uvs.empty() && corners.uvs[corner] >= 0) {
                    text += '/';
                    append_number(text, begin.uvs + corners.uvs[corner] + 1);
                }
            }
            text += '\n';
        }
    }
    return text;
}

std::string obj_of_rest(const ArtMesh& mesh, const std::string& name) {
    std::string text;
    const bool has_uv = mesh.uv_triangles.rows() > 0;
    append_obj_points(text, name, mesh.positions, has_uv ? mesh.uv : MatrixX2d());
    return text + obj_face_lines(mesh, {}, "");
}

}  // namespace cutis
