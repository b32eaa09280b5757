// Lips and lids: skin on a face whose jaw opens and whose eyes blink glides along the rims of its openings.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "cutis/core/error.h"
#include "cutis/io/obj_read.h"
#include "slide/slide.h"
#include "verify/data.h"
#include "verify/slide_shapes.h"

namespace cutis::verify {

namespace {

// The ICT face numbers its vertices by part: face, then head and neck, then mouth and eye sockets.
constexpr int outer_vertices = 11248;
constexpr int skin_vertices = 14062;

/// The skin of the face, its shape with an open jaw, and with closed lids. Metres.
struct Face {
    MatrixX3i triangles;
    MatrixX3d rest, open, closed;
    Painted outside;  // 1 on what is seen, 0 in the sockets

    explicit Face(const std::filesystem::path& folder) {
        const ArtMesh neutral = read_obj(folder / "generic_neutral_mesh.obj");
        const ArtMesh jaw = read_obj(folder / "jawOpen.obj");
        std::vector<Eigen::RowVector3i> kept;
        for (Eigen::Index f = 0; f < neutral.triangles.rows(); ++f) {
            if (neutral.triangles.row(f).maxCoeff() < skin_vertices) {
                kept.emplace_back(neutral.triangles.row(f));
            }
        }
        triangles.resize(static_cast<Eigen::Index>(kept.size()), 3);
        for (size_t f = 0; f < kept.size(); ++f) {
            triangles.row(static_cast<Eigen::Index>(f)) = kept[f];
        }
        rest = 0.01 * neutral.positions.topRows(skin_vertices);
        open = 0.01 * jaw.positions.topRows(skin_vertices);
        outside.per_vertex = VectorXd::Zero(skin_vertices);
        outside.per_vertex.head(outer_vertices).setOnes();
        close_lids();
    }

    // Upper lids turn down about the eye's axis from ear to ear, less and less towards the brow and the corners.
    void close_lids() {
        constexpr double turn = 0.5;  // about 30 degrees
        closed = rest;
        for (const double side : {-1.0, 1.0}) {
            const Vector3d eye(side * 0.0309, 0.0361, 0.080);
            for (int v = 0; v < skin_vertices; ++v) {
                const Vector3d arm = rest.row(v).transpose() - eye;
                const double away = std::hypot(arm.y(), arm.z());
                const double up = std::atan2(arm.y(), arm.z());
                const double across = std::abs(arm.x()) / 0.017;
                if (arm.norm() > 0.03 || across > 1.0 || arm.z() < 0.0) {
                    continue;
                }
                // 1 at the rim of the upper lid, 0 below the lower one and at the brow.
                const double share = std::clamp(1.0 - std::abs(up - 0.25) / 0.6, 0.0, 1.0) * (1.0 - across * across) *
                                     std::clamp((0.03 - arm.norm()) / 0.012, 0.0, 1.0);
                const double angle = up - turn * share * (up > -0.1 ? 1.0 : 0.0);
                closed.row(v) = (eye + Vector3d(arm.x(), away * std::sin(angle), away * std::cos(angle))).transpose();
            }
        }
    }
};

struct Rim {
    double along = 0.0;  // mm, furthest a vertex of the rim slides along it
    double inverted = 0.0;
};

// Half a second to a pose, then a quarter of a second in it.
Rim play(const Face& face, const MatrixX3d& pose, RegionRim mode) {
    const Workers workers(1);
    const Topology topology(face.triangles, skin_vertices);
    SlideOptions options;
    options.region = face.outside;
    options.region_rim = mode;
    options.body_size = 1.7;  // of the person whose face it is
    options.tether = 200.0;
    SlideSolver solver(topology, face.rest, options, workers);
    const auto body_at = [&](double time, MatrixX3d& out) {
        const double x = std::clamp(2.0 * time, 0.0, 1.0);
        const double share = x * x * (3.0 - 2.0 * x);
        out = (1.0 - share) * face.rest + share * pose;
    };
    solver.reset(face.rest, workers);
    Rim rim;
    for (int frame = 1; frame <= 22; ++frame) {
        solver.advance((frame - 1) / 30.0, frame / 30.0, body_at, workers);
    }
    MatrixX3d material;
    solver.material_positions(material);
    for (int f = 0; f < face.triangles.rows(); ++f) {
        for (int k = 0; k < 3; ++k) {
            const int a = face.triangles(f, k);
            const int b = face.triangles(f, (k + 1) % 3);
            const int across = topology.neighbour(f, k);
            const auto is_inside = [&](int g) { return face.triangles.row(g).maxCoeff() < outer_vertices; };
            if (across < 0 || !is_inside(f) || is_inside(across)) {
                continue;
            }
            const Vector3d edge = (face.rest.row(b) - face.rest.row(a)).transpose().normalized();
            const Vector3d slip = (material.row(a) - face.rest.row(a)).transpose();
            rim.along = std::max(rim.along, 1e3 * std::abs(slip.dot(edge)));
        }
    }
    rim.inverted = static_cast<double>(solver.report().inverted_steps);
    return rim;
}

}  // namespace

std::vector<Case> verify_slide_face() {
    std::vector<Case> cases;
    const std::filesystem::path folder = data_folder() / "ict-face";
    if (!std::filesystem::exists(folder)) {
        cases.push_back(case_skipped("slide", "lips and lids", missing(folder)));
        return cases;
    }
    const Face face(folder);
    for (const auto& [name, pose, least] :
         {std::tuple{"jaw that opens", &face.open, 1.0}, std::tuple{"blink", &face.closed, 0.1}}) {
        const Rim held = play(face, *pose, RegionRim::hold);
        const Rim rim = play(face, *pose, RegionRim::glide);
        const std::string what = concat("face, ", name, ": ");
        cases.push_back(slide_case_at_least(what + "skin glides along the rims of mouth and eyes", rim.along, least,
                                            "mm", "an opening along whose rim skin glides"));
        cases.push_back(slide_case_at_least(what + "further than beside a socket whose skin is held",
                                            rim.along / std::max(held.along, 1e-6), 1.0, "", "region_rim"));
        cases.push_back(slide_case(what + "steps with an inverted triangle", rim.inverted, 0.0, "", ""));
    }
    return cases;
}

}  // namespace cutis::verify
