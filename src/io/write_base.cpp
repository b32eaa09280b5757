#include "write_base.h"

#include <cmath>
#include <limits>

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
            if (!fits_float(matrix(row, column))) {
                throw InvalidInput(
                    say(what, ' ', row, ": expected finite numbers, found ", matrix(row, column)));
            }
        }
    }
}

void check_indices(const MatrixX3i& triangles, int lowest, int count, const char* what) {
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            if (triangles(f, k) < lowest || triangles(f, k) >= count) {
                throw InvalidInput(say(what, ": triangle ", f, " names index ", triangles(f, k),
                                       ", expected less than ", count));
            }
        }
    }
}

void check_mesh_to_write(const ArtMesh& mesh) {
    check_finite(mesh.positions, "rest positions: vertex");
    check_indices(mesh.triangles, 0, static_cast<int>(mesh.positions.rows()), "mesh");
    if (mesh.uv_triangles.rows() > 0) {
        if (mesh.uv_triangles.rows() != mesh.triangles.rows()) {
            throw InvalidInput(say("mesh: ", mesh.uv_triangles.rows(),
                                   " UV triangles, expected as many as triangles (",
                                   mesh.triangles.rows(), ")"));
        }
        check_indices(mesh.uv_triangles, -1, static_cast<int>(mesh.uv.rows()), "mesh UVs");
        check_finite(mesh.uv, "rest UVs: entry");
    }
    for (const auto& [name, values] : mesh.painted) {
        if (values.size() != mesh.positions.rows()) {
            throw InvalidInput(say("painted '", name, "': ", values.size(),
                                   " values, expected one per vertex (", mesh.positions.rows(),
                                   ")"));
        }
    }
}

}  // namespace

void CheckedSink::begin(const BakeInfo& info) {
    if (state_ != State::fresh) {
        throw InvalidInput(say(format_, ": begin() called twice"));
    }
    state_ = State::broken;
    if (info.body == nullptr) {
        throw InvalidInput(say(format_, ": expected a body, found none"));
    }
    if (info.frame_count < 1) {
        throw InvalidInput(say(format_, ": expected at least one frame, found ", info.frame_count));
    }
    if (!(info.fps > 0.0) || !std::isfinite(info.fps)) {
        throw InvalidInput(say(format_, ": expected fps above 0, found ", info.fps));
    }
    check_mesh_to_write(info.shown());
    info_ = info;
    start();
    state_ = State::open;
}

void CheckedSink::write(const Frame& frame) {
    if (state_ != State::open) {
        throw InvalidInput(say(format_, ": frame ", frame.number,
                               " came before begin(), after finish() or after a failure"));
    }
    state_ = State::broken;  // until this frame is safely taken
    check_frame(frame);
    check_channels(frame);
    take(frame, frames_taken_);
    ++frames_taken_;
    state_ = State::open;
}

std::vector<OutputFile> CheckedSink::finish() {
    if (state_ != State::open) {
        throw InvalidInput(
            say(format_, ": finish() came before begin(), twice or after a failure"));
    }
    state_ = State::broken;
    if (frames_taken_ != info_.frame_count) {
        throw InvalidInput(
            say(format_, ": ", frames_taken_, " frames written, expected ", info_.frame_count));
    }
    std::vector<OutputFile> files = complete();
    state_ = State::finished;
    return files;
}

void CheckedSink::check_frame(const Frame& frame) const {
    const std::string where = say(format_, ": frame ", frame.number);
    const int expected = info_.first_frame + frames_taken_;
    if (frames_taken_ >= info_.frame_count) {
        throw InvalidInput(say(where, " is one more than the ", info_.frame_count, " announced"));
    }
    if (frame.number != expected) {
        throw InvalidInput(say(where, " came where frame ", expected, " was expected"));
    }
    if (!std::isfinite(frame.time)) {
        throw InvalidInput(say(where, ": expected a finite time, found ", frame.time));
    }
    if (frame.positions.rows() != mesh().positions.rows()) {
        throw InvalidInput(say(where, ": ", frame.positions.rows(), " positions, expected ",
                               mesh().positions.rows()));
    }
    check_finite(frame.positions, where + ", position of vertex");
    if (frame.uv.rows() > 0) {
        if (!info_.uv_changed) {
            throw InvalidInput(say(where, ": brings UVs though none were announced"));
        }
        if (frame.uv.rows() != mesh().uv.rows()) {
            throw InvalidInput(
                say(where, ": ", frame.uv.rows(), " UVs, expected ", mesh().uv.rows()));
        }
        check_finite(frame.uv, where + ", UV");
    }
}

void CheckedSink::check_channels(const Frame& frame) {
    if (frames_taken_ == 0) {
        for (const auto& [name, channel] : frame.channels) {
            if (channel.width < 1 || channel.width > 16) {
                throw InvalidInput(say(format_, ": channel '", name, "' has width ", channel.width,
                                       ", expected 1 to 16"));
            }
            channels_.push_back({name, channel.unit, channel.width});
        }
    }
    if (frame.channels.size() != channels_.size()) {
        throw InvalidInput(say(format_, ": frame ", frame.number, " brings ", frame.channels.size(),
                               " channels, the first frame brought ", channels_.size()));
    }
    for (const ChannelLayout& layout : channels_) {
        const auto found = frame.channels.find(layout.name);
        if (found == frame.channels.end() || found->second.width != layout.width) {
            throw InvalidInput(say(format_, ": frame ", frame.number, ": channel '", layout.name,
                                   "' is missing or has another width than in the first frame (",
                                   layout.width, ")"));
        }
        const std::vector<double>& values = found->second.values;
        const size_t expected = mesh().positions.rows() * static_cast<size_t>(layout.width);
        if (values.size() != expected) {
            throw InvalidInput(say(format_, ": frame ", frame.number, ", channel '", layout.name,
                                   "': ", values.size(), " values, expected ", expected));
        }
        for (size_t i = 0; i < values.size(); ++i) {
            if (!fits_float(values[i])) {
                throw InvalidInput(say(format_, ": frame ", frame.number, ", channel '",
                                       layout.name, "', vertex ",
                                       i / static_cast<size_t>(layout.width),
                                       ": expected finite numbers, found ", values[i]));
            }
        }
    }
}

std::vector<MeshPart> parts_of(const ArtMesh& mesh) {
    const int triangle_count = static_cast<int>(mesh.triangles.rows());
    if (mesh.parts.empty()) {
        MeshPart whole;
        whole.name = mesh.name;
        whole.triangle_count = triangle_count;
        whole.vertex_count = static_cast<int>(mesh.positions.rows());
        return {whole};
    }
    int next = 0;
    for (size_t i = 0; i < mesh.parts.size(); ++i) {
        const MeshPart& part = mesh.parts[i];
        if (part.first_triangle != next || part.triangle_count < 0 ||
            part.triangle_count > triangle_count - next) {
            throw InvalidInput(say("mesh: part ", i, " ('", part.name, "') holds triangles ",
                                   part.first_triangle, " + ", part.triangle_count,
                                   ", expected it to begin at ", next, " and end within ",
                                   triangle_count));
        }
        next += part.triangle_count;
    }
    if (next != triangle_count) {
        throw InvalidInput(
            say("mesh: parts cover ", next, " triangles, expected ", triangle_count));
    }
    return mesh.parts;
}

PolygonCorners polygon_corners(const ArtMesh& mesh, const std::vector<MeshPart>& parts) {
    const int triangle_count = static_cast<int>(mesh.triangles.rows());
    const bool has_uv = mesh.uv_triangles.rows() > 0;
    PolygonCorners corners;
    corners.sizes = mesh.polygon_sizes;
    if (corners.sizes.empty()) {
        corners.sizes.assign(static_cast<size_t>(triangle_count), 3);
    }
    const auto add = [&](int f, int k) {
        corners.vertices.push_back(mesh.triangles(f, k));
        if (has_uv) {
            corners.uvs.push_back(mesh.uv_triangles(f, k));
        }
    };
    int f = 0;
    size_t part = 0;
    for (size_t polygon = 0; polygon < corners.sizes.size(); ++polygon) {
        const int size = corners.sizes[polygon];
        if (size < 3 || size - 2 > triangle_count - f) {
            throw InvalidInput(say("mesh: polygon ", polygon, " has ", size,
                                   " corners, expected 3 to ", triangle_count - f + 2));
        }
        while (part < parts.size() && parts[part].first_triangle <= f) {
            if (parts[part].first_triangle < f && parts[part].triangle_count > 0) {
                throw InvalidInput(
                    say("mesh: part ", part, " begins inside polygon ", polygon - 1));
            }
            corners.polygon_of_part.push_back(static_cast<int>(polygon));
            ++part;
        }
        add(f, 0);
        add(f, 1);
        for (int k = 0; k < size - 2; ++k) {
            add(f + k, 2);
        }
        f += size - 2;
    }
    if (f != triangle_count) {
        throw InvalidInput(say("mesh: polygons hold ", f, " triangles, expected ", triangle_count));
    }
    for (; part < parts.size(); ++part) {
        if (parts[part].triangle_count > 0) {
            throw InvalidInput(say("mesh: part ", part, " begins inside the last polygon"));
        }
    }
    while (corners.polygon_of_part.size() < parts.size() + 1) {
        corners.polygon_of_part.push_back(static_cast<int>(corners.sizes.size()));
    }
    return corners;
}

double box_diagonal(const MatrixX3d& points) {
    if (points.rows() == 0) {
        return 0.0;
    }
    return (points.colwise().maxCoeff() - points.colwise().minCoeff()).norm();
}

}  // namespace cutis
