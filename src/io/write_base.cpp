#include "write_base.h"

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
            if (!fits_float(matrix(row, column))) {
                throw InvalidInput(
                    say(what, ' ', row, ": expected finite numbers, found ", matrix(row, column)));
            }
        }
    }
}

void check_indices(const MatrixX3i& triangles, int lowest, int count, const std::string& what) {
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            if (triangles(f, k) < lowest || triangles(f, k) >= count) {
                throw InvalidInput(say(what, ": triangle ", f, " names index ", triangles(f, k),
                                       ", expected less than ", count));
            }
        }
    }
}

/// \param whose  "" or "detail 'scales': "
void check_mesh_to_write(const ArtMesh& mesh, const std::string& whose) {
    check_finite(mesh.positions, whose + "rest positions: vertex");
    check_indices(mesh.triangles, 0, static_cast<int>(mesh.positions.rows()), whose + "mesh");
    if (mesh.uv_triangles.rows() > 0) {
        if (mesh.uv_triangles.rows() != mesh.triangles.rows()) {
            throw InvalidInput(say(whose, "mesh: ", mesh.uv_triangles.rows(),
                                   " UV triangles, expected as many as triangles (",
                                   mesh.triangles.rows(), ")"));
        }
        check_indices(mesh.uv_triangles, -1, static_cast<int>(mesh.uv.rows()), whose + "mesh UVs");
        check_finite(mesh.uv, whose + "rest UVs: entry");
    }
    for (const auto& [name, values] : mesh.painted) {
        if (values.size() != mesh.positions.rows()) {
            throw InvalidInput(say(whose, "painted '", name, "': ", values.size(),
                                   " values, expected one per vertex (", mesh.positions.rows(),
                                   ")"));
        }
    }
}

void check_detail(const DetailMesh& detail, std::set<std::string>& names) {
    const bool is_plain = std::all_of(detail.name.begin(), detail.name.end(), [](char c) {
        return static_cast<unsigned char>(c) >= ' ' && c != '/' && c != '\\' && c != ':';
    });
    if (detail.name.empty() || !is_plain) {
        throw InvalidInput(say("detail '", detail.name,
                               "': expected a plain name, as it becomes part of file names"));
    }
    if (detail.name == "uv") {
        throw InvalidInput("detail 'uv': expected another name, as NAME.uv.pc2 holds moving UVs");
    }
    if (!names.insert(detail.name).second) {
        throw InvalidInput(say("detail '", detail.name, "': expected a name no other detail has"));
    }
    if (detail.mesh == nullptr || detail.mesh->triangles.rows() == 0) {
        throw InvalidInput(
            say("detail '", detail.name, "': expected a mesh with triangles, found none"));
    }
    check_mesh_to_write(*detail.mesh, say("detail '", detail.name, "': "));
    if (detail.copies != nullptr) {
        const DetailCopies& copies = *detail.copies;
        check_mesh_to_write(copies.piece, say("piece of detail '", detail.name, "': "));
        check_finite(copies.sizes, say("detail '", detail.name, "', size of copy"));
        if (copies.sizes.rows() * copies.piece.positions.rows() != detail.mesh->positions.rows()) {
            throw InvalidInput(say("detail '", detail.name, "': ", copies.sizes.rows(),
                                   " copies of ", copies.piece.positions.rows(),
                                   " vertices, expected as many as the whole mesh has (",
                                   detail.mesh->positions.rows(), ")"));
        }
    }
}

void check_lines(const LineSet& lines) {
    if (lines.point_count < 0) {
        throw InvalidInput(
            say("lines '", lines.name, "': expected 0 points or more, found ", lines.point_count));
    }
    if (lines.show != "curves" && lines.show != "pins") {
        throw InvalidInput(say("lines '", lines.name,
                               "': expected to be shown with \"curves\" or \"pins\", found \"",
                               lines.show, "\""));
    }
    for (size_t s = 0; s < lines.segments.size(); ++s) {
        for (const int point : lines.segments[s]) {
            if (point < 0 || point >= lines.point_count) {
                throw InvalidInput(say("lines '", lines.name, "', segment ", s, ": names point ",
                                       point, ", expected less than ", lines.point_count));
            }
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
    info_ = info;
    check_announced();
    const ArtMesh& shown = info_.shown();
    meshes_.push_back({shown.name, &shown, false, {}});
    meshes_.front().uv_moves = info_.uv_changed && meshes_.front().has_uv();
    for (const DetailMesh& detail : info_.details) {
        meshes_.push_back({detail.name, detail.mesh.get(), false, {}, detail.copies.get()});
    }
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
    check_extras(frame);
    for (size_t mesh = 0; mesh < meshes_.size(); ++mesh) {
        check_channels(frame, mesh);
    }
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
    if (frame.positions.rows() != info_.shown().positions.rows()) {
        throw InvalidInput(say(where, ": ", frame.positions.rows(), " positions, expected ",
                               info_.shown().positions.rows()));
    }
    check_finite(frame.positions, where + ", position of vertex");
    if (frame.uv.rows() > 0) {
        if (!info_.uv_changed) {
            throw InvalidInput(say(where, ": brings UVs though none were announced"));
        }
        if (frame.uv.rows() != info_.shown().uv.rows()) {
            throw InvalidInput(
                say(where, ": ", frame.uv.rows(), " UVs, expected ", info_.shown().uv.rows()));
        }
        check_finite(frame.uv, where + ", UV");
    }
}

void CheckedSink::check_announced() const {
    check_mesh_to_write(info_.shown(), "");
    std::set<std::string> names;
    for (const DetailMesh& detail : info_.details) {
        check_detail(detail, names);
    }
    for (const LineSet& lines : info_.lines) {
        check_lines(lines);
    }
}

void CheckedSink::check_extras(const Frame& frame) const {
    const std::string where = say(format_, ": frame ", frame.number);
    if (frame.details.size() != info_.details.size()) {
        throw InvalidInput(
            say(where, ": ", frame.details.size(), " details, expected ", info_.details.size()));
    }
    for (size_t m = 1; m < meshes_.size(); ++m) {
        const MatrixX3d& positions = frame.details[m - 1].positions;
        if (positions.rows() != meshes_[m].vertex_count()) {
            throw InvalidInput(say(place_of(frame, m), ": ", positions.rows(),
                                   " positions, expected ", meshes_[m].vertex_count()));
        }
        check_finite(positions, place_of(frame, m) + ", position of vertex");
        check_rest_of_detail(frame.details[m - 1], m, place_of(frame, m));
    }
    if (frame.lines.size() != info_.lines.size()) {
        throw InvalidInput(say(where, ": points of ", frame.lines.size(),
                               " sets of lines, expected ", info_.lines.size()));
    }
    for (size_t i = 0; i < frame.lines.size(); ++i) {
        const std::string place = say(where, ", lines '", info_.lines[i].name, "'");
        if (frame.lines[i].rows() != info_.lines[i].point_count) {
            throw InvalidInput(say(place, ": ", frame.lines[i].rows(), " points, expected ",
                                   info_.lines[i].point_count));
        }
        check_finite(frame.lines[i], place + ", point");
    }
}

void CheckedSink::check_rest_of_detail(const DetailFrame& detail, size_t mesh,
                                       const std::string& place) const {
    const auto fits = [&](const char* what, Eigen::Index found, Eigen::Index expected) {
        if (found != expected) {
            throw InvalidInput(say(place, ": ", found, ' ', what, ", expected ", expected));
        }
    };
    if (detail.normals.rows() > 0) {
        fits("normals", detail.normals.rows(), meshes_[mesh].vertex_count());
        check_finite(detail.normals, place + ", normal of vertex");
    }
    if (meshes_[mesh].copies != nullptr) {
        const Eigen::Index copies = meshes_[mesh].copies->sizes.rows();
        fits("places of copies", detail.copy_positions.rows(), copies);
        fits("rotations of copies", detail.copy_rotations.rows(), copies);
        check_finite(detail.copy_positions, place + ", place of copy");
        check_finite(detail.copy_rotations, place + ", rotation of copy");
    }
}

std::string CheckedSink::place_of(const Frame& frame, size_t mesh) const {
    const std::string where = say(format_, ": frame ", frame.number);
    return mesh == 0 ? where : say(where, ", detail '", meshes_[mesh].name, "'");
}

MeshFrame CheckedSink::frame_of(const Frame& frame, size_t mesh) const {
    if (mesh == 0) {
        const MatrixX2d& uv = frame.uv.rows() > 0 ? frame.uv : info_.shown().uv;
        return {frame.positions, uv, frame.channels};
    }
    const DetailFrame& detail = frame.details[mesh - 1];
    return {detail.positions, meshes_[mesh].art->uv, detail.channels,
            detail.normals.rows() > 0 ? &detail.normals : nullptr};
}

void CheckedSink::check_channels(const Frame& frame, size_t mesh) {
    const auto& found_channels = frame_of(frame, mesh).channels;
    std::vector<ChannelLayout>& channels = meshes_[mesh].channels;
    const std::string where = place_of(frame, mesh);
    const bool brings_normals = frame_of(frame, mesh).normals != nullptr;
    if (frames_taken_ == 0) {
        meshes_[mesh].brings_normals = brings_normals;
    } else if (brings_normals != meshes_[mesh].brings_normals) {
        throw InvalidInput(say(where, brings_normals ? ": brings normals" : ": brings no normals",
                               ", unlike the first frame"));
    }
    if (frames_taken_ == 0) {
        for (const auto& [name, channel] : found_channels) {
            if (channel.width < 1 || channel.width > 16) {
                throw InvalidInput(say(where, ": channel '", name, "' has width ", channel.width,
                                       ", expected 1 to 16"));
            }
            channels.push_back({name, channel.unit, channel.width});
        }
    }
    if (found_channels.size() != channels.size()) {
        throw InvalidInput(say(where, " brings ", found_channels.size(),
                               " channels, the first frame brought ", channels.size()));
    }
    for (const ChannelLayout& layout : channels) {
        const auto found = found_channels.find(layout.name);
        if (found == found_channels.end() || found->second.width != layout.width) {
            throw InvalidInput(say(where, ": channel '", layout.name,
                                   "' is missing or has another width than in the first frame (",
                                   layout.width, ")"));
        }
        const std::vector<double>& values = found->second.values;
        const auto width = static_cast<size_t>(layout.width);
        const size_t expected = static_cast<size_t>(meshes_[mesh].vertex_count()) * width;
        if (values.size() != expected) {
            throw InvalidInput(say(where, ", channel '", layout.name, "': ", values.size(),
                                   " values, expected ", expected));
        }
        for (size_t i = 0; i < values.size(); ++i) {
            if (!fits_float(values[i])) {
                throw InvalidInput(say(where, ", channel '", layout.name, "', vertex ", i / width,
                                       ": expected finite numbers, found ", values[i]));
            }
        }
    }
}

}  // namespace cutis
