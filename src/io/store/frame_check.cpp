#include "io/store/frame_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cutis/core/error.h"

namespace cutis {
namespace {

// Files hold float32; a double beyond its range would arrive as infinity.
bool fits_float(double value) {
    return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
}

template <class Matrix>
void check_finite(const Matrix& matrix, const std::string& what) {
    if ((matrix.array().abs() <= static_cast<double>(std::numeric_limits<float>::max())).all()) {
        return;
    }
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
        for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
            require(fits_float(matrix(row, column)), what, ' ', row, ": expected finite numbers, found ",
                    matrix(row, column));
        }
    }
}

void check_indices(const MatrixX3i& triangles, int lowest, int count, const std::string& what) {
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            require(triangles(f, k) >= lowest && triangles(f, k) < count, what, ": triangle ", f, " names index ",
                    triangles(f, k), ", expected less than ", count);
        }
    }
}

/// \param whose  "" or "detail 'scales': "
void check_mesh_to_write(const ArtMesh& mesh, const std::string& whose) {
    check_finite(mesh.positions, whose + "rest positions: vertex");
    check_indices(mesh.triangles, 0, static_cast<int>(mesh.positions.rows()), whose + "mesh");
    if (mesh.uv_triangles.rows() > 0) {
        require(mesh.uv_triangles.rows() == mesh.triangles.rows(), whose, "mesh: ", mesh.uv_triangles.rows(),
                " UV triangles, expected as many as triangles (", mesh.triangles.rows(), ")");
        check_indices(mesh.uv_triangles, -1, static_cast<int>(mesh.uv.rows()), whose + "mesh UVs");
        check_finite(mesh.uv, whose + "rest UVs: entry");
    }
    for (const auto& [name, values] : mesh.painted) {
        require(values.size() == mesh.positions.rows(), whose, "painted '", name, "': ", values.size(),
                " values, expected one per vertex (", mesh.positions.rows(), ")");
    }
}

void check_added_mesh(const MeshInfo& detail, std::set<std::string>& names) {
    const bool is_plain = std::all_of(detail.name.begin(), detail.name.end(), [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && c != '/' && c != '\\' && c != ':';
    });
    require(!detail.name.empty() && is_plain, "detail '", detail.name,
            "': expected a plain name, as it becomes part of file names");
    require(detail.name != "uv", "detail 'uv': expected another name, as NAME.uv.pc2 holds moving UVs");
    require(names.insert(detail.name).second, "detail '", detail.name, "': expected a name no other detail has");
    require(detail.art != nullptr && detail.art->triangles.rows() != 0, "detail '", detail.name,
            "': expected a mesh with triangles, found none");
    check_mesh_to_write(*detail.art, concat("detail '", detail.name, "': "));
    if (detail.copies != nullptr) {
        const DetailCopies& copies = *detail.copies;
        check_mesh_to_write(copies.piece, concat("piece of detail '", detail.name, "': "));
        check_finite(copies.sizes, concat("detail '", detail.name, "', size of copy"));
        if (copies.sizes.rows() * copies.piece.positions.rows() != detail.art->positions.rows()) {
            throw InvalidInput(concat(
                "detail '", detail.name, "': ", copies.sizes.rows(), " copies of ", copies.piece.positions.rows(),
                " vertices, expected as many as the whole mesh has (", detail.art->positions.rows(), ")"));
        }
    }
}

void check_channels(const MeshInfo& mesh) {
    std::set<std::string> names;
    for (const ChannelInfo& channel : mesh.channels) {
        const std::string place = concat("channel '", channel.name, "': ");
        require(channel.width >= 1 && channel.width <= 16, place, "width ", channel.width, ", expected 1 to 16");
        require(!channel.for_renderers || channel.width == 3, place, "places for renderers have width 3, found ",
                channel.width);
        require(names.insert(channel.name).second, place, "expected a name no other channel of its mesh has");
    }
}

void check_lines(const LineSet& lines) {
    require(lines.point_count >= 0, "lines '", lines.name, "': expected 0 points or more, found ", lines.point_count);
    require(lines.show == "curves" || lines.show == "pins", "lines '", lines.name,
            "': expected to be shown with \"curves\" or \"pins\", found \"", lines.show, "\"");
    for (size_t s = 0; s < lines.segments.size(); ++s) {
        for (const int point : lines.segments[s]) {
            require(point >= 0 && point < lines.point_count, "lines '", lines.name, "', segment ", s, ": names point ",
                    point, ", expected less than ", lines.point_count);
        }
    }
}

void check_count(const std::string& where, size_t found, const char* what, size_t expected) {
    require(found == expected, where, ": ", found, ' ', what, ", expected ", expected);
}

/// As many rows as expected, all of them finite.
template <class Matrix>
void check_rows(const Matrix& matrix, Eigen::Index expected, const std::string& place, const char* many,
                const char* one) {
    check_count(place, static_cast<size_t>(matrix.rows()), many, static_cast<size_t>(expected));
    check_finite(matrix, concat(place, ", ", one));
}

void check_mesh_frame(const MeshFrame& frame, const MeshInfo& mesh, const std::string& place) {
    check_rows(frame.positions, mesh.vertex_count(), place, "positions", "position of vertex");
    check_rows(frame.normals, mesh.has_normals ? mesh.vertex_count() : 0, place, "normals", "normal of vertex");
    if (frame.uv.rows() > 0) {
        require(mesh.uv_changed, place, ": brings UVs though none were announced");
        check_rows(frame.uv, mesh.uv_count(), place, "UVs", "UV");
    }
    if (frame.plain_positions.rows() > 0 || mesh.has_plain) {
        check_rows(frame.plain_positions, mesh.has_plain ? mesh.vertex_count() : 0, place, "positions before layers",
                   "position before layers of vertex");
    }
    if (mesh.copies != nullptr) {
        const Eigen::Index copies = mesh.copies->sizes.rows();
        check_rows(frame.copy_positions, copies, place, "places of copies", "place of copy");
        check_rows(frame.copy_rotations, copies, place, "rotations of copies", "rotation of copy");
    }
    check_count(place, frame.channels.size(), "channels", mesh.channels.size());
    for (size_t c = 0; c < mesh.channels.size(); ++c) {
        const auto width = static_cast<size_t>(mesh.channels[c].width);
        const std::vector<double>& values = frame.channels[c];
        const std::string channel = concat(place, ", channel '", mesh.channels[c].name, "'");
        check_count(channel, values.size(), "values", static_cast<size_t>(mesh.vertex_count()) * width);
        for (size_t i = 0; i < values.size(); ++i) {
            require(fits_float(values[i]), channel, ", vertex ", i / width, ": expected finite numbers, found ",
                    values[i]);
        }
    }
}

void check_shares(const BakeInfo& info, const Frame& frame, const std::string& where) {
    for (size_t m = 0; m < info.meshes.size(); ++m) {
        for (size_t i = 0; info.meshes[m].has_plain && i < info.layers.size(); ++i) {
            const std::vector<std::vector<double>>& shares = frame.meshes[m].shares;
            const size_t expected =
                info.layers[i].changes_shape ? 3 * static_cast<size_t>(info.meshes[m].vertex_count()) : 0;
            check_count(concat(where, ", layer ", info.layers[i].name), i < shares.size() ? shares[i].size() : 0,
                        "numbers it moved vertices by", expected);
        }
    }
}

}  // namespace

void check_announced(const BakeInfo& info, const std::string& who) {
    require(info.body != nullptr && !info.meshes.empty(), who, ": expected a body, found none");
    require(info.frame_count >= 1, who, ": expected at least one frame, found ", info.frame_count);
    require(info.fps > 0.0 && std::isfinite(info.fps), who, ": expected fps above 0, found ", info.fps);
    std::set<std::string> names;
    for (const MeshInfo& mesh : info.meshes) {
        if (mesh.is_body) {
            check_mesh_to_write(*mesh.art, "");
        } else {
            check_added_mesh(mesh, names);
        }
        check_channels(mesh);
    }
    for (const LineSet& lines : info.lines) {
        check_lines(lines);
    }
}

void check_frame(const BakeInfo& info, const Frame& frame, int index, const std::string& who) {
    const std::string where = concat(who, ": frame ", frame.number);
    const int expected = info.first_frame + index;
    require(index < info.frame_count, where, " is one more than the ", info.frame_count, " announced");
    require(frame.number == expected, where, " came where frame ", expected, " was expected");
    require(std::isfinite(frame.time), where, ": expected a finite time, found ", frame.time);
    check_count(where, frame.meshes.size(), "meshes", info.meshes.size());
    for (size_t m = 0; m < info.meshes.size(); ++m) {
        const MeshInfo& mesh = info.meshes[m];
        check_mesh_frame(frame.meshes[m], mesh, mesh.is_body ? where : concat(where, ", detail '", mesh.name, "'"));
    }
    check_count(where, frame.lines.size(), "sets of lines", info.lines.size());
    for (size_t i = 0; i < frame.lines.size(); ++i) {
        check_rows(frame.lines[i], info.lines[i].point_count, concat(where, ", lines '", info.lines[i].name, "'"),
                   "points", "point");
    }
    check_count(where, frame.numbers.size(), "numbers", info.numbers.size());
    check_count(where, frame.stage_seconds.size(), "stages", info.layers.size() + 1);
    check_shares(info, frame, where);
}

}  // namespace cutis
