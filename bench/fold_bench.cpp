#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "bench/bench.h"
#include "bench/measure.h"
#include "cutis/mesh/geometry.h"
#include "cutis/mesh/repair.h"
#include "fold/folds.h"
#include "verify/curve_cases.h"
#include "verify/fold_gauge.h"

namespace cutis::bench {

namespace {

/// One garment: best processor time of each pose, averaged over the poses, everything measured in turns.
void add_garment(const std::string& who, const Body& body, int vertices, std::vector<Row>& rows) {
    const RepairedMesh mesh = repair_mesh(body.mesh().positions, body.mesh().triangles, {}, body.source().weld_group);
    const Rig& rig = *body.rig();
    const SkinWeights weights = weights_of(rig.weights, mesh.art_of_vertex);
    const Workers one(1);
    std::vector<std::vector<Eigen::Affine3d>> poses(12);
    FoldSource source;
    source.radius = limb_radius(mesh.positions, weights, rig.parent, rig.centre);
    for (size_t i = 0; i < poses.size(); ++i) {
        body.joint_matrices(body.duration() * static_cast<double>(i) / 11.0, TimeSampling::exact, poses[i]);
        source.poses.emplace_back();
        skin_dual_quaternion(mesh.positions, weights, poses[i], one, source.poses.back());
    }
    FoldOptions options;
    options.most_vertices = vertices;
    const auto solver_of = [&](int fields, bool guard) {
        options.fields = fields;
        options.guard = guard;
        return FoldSolver(mesh.topology, mesh.positions, source, options);
    };
    struct Variant {
        const char* name;
        FoldSolver solver;
        double ms;
    };
    Variant variants[] = {{"one field", solver_of(1, false), 0.0},
                          {"one field and guard", solver_of(1, true), 0.0},
                          {"two fields and guard", solver_of(2, true), 0.0}};
    FoldSolver& single = variants[0].solver;
    double skinning = 0.0;
    double turning = 0.0;
    MatrixX3d refined;
    MatrixX3d directions;
    const SkinWeights fine = single.refined_weights(weights, rig.joint_count());
    constexpr int repeats = 9;  // a quiet moment on a shared machine
    for (const auto& pose : poses) {
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < repeats; ++i) {
            best = std::min(
                best, processor_milliseconds([&] { skin_linear_blend(single.rest(), fine, pose, one, refined); }));
        }
        skinning += best / static_cast<double>(poses.size());
        best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < repeats; ++i) {
            best = std::min(
                best, processor_milliseconds([&] { turn_normals(single.normals(), fine, pose, one, directions); }));
        }
        turning += best / static_cast<double>(poses.size());
        for (Variant& variant : variants) {
            const SkinWeights own = variant.solver.refined_weights(weights, rig.joint_count());
            best = std::numeric_limits<double>::infinity();
            for (int i = 0; i < repeats; ++i) {
                skin_linear_blend(variant.solver.rest(), own, pose, one, refined);
                turn_normals(variant.solver.normals(), own, pose, one, directions);
                best = std::min(best, processor_milliseconds([&] { variant.solver.fold(directions, one, refined); }));
            }
            variant.ms += best / static_cast<double>(poses.size());
        }
    }
    const auto add = [&](const std::string& what, const FoldSolver& solver, double ms) {
        Row row;
        row.layer = "fold";
        row.row = who + ", " + what;
        row.size = {{"vertices", solver.topology().vertex_count()},
                    {"lines", solver.line_count()},
                    {"levels", solver.levels()},
                    {"times skinning", ms / skinning},
                    {"threads", 1}};
        row.ms = ms;
        row.baseline = "skinning of the refined mesh";
        row.baseline_ms = skinning;
        rows.push_back(row);
    };
    for (const Variant& variant : variants) {
        add(std::string(variant.name) + ": folds beside skinning", variant.solver, variant.ms);
    }
    add("turning rest normals beside skinning", single, turning);
}

}  // namespace

std::vector<Row> bench_fold() {
    std::vector<Row> rows;
    add_garment("built-in dancer", verify::fold_actor("dancer", "leotard", "arabesque"), 60000, rows);
    const std::string file = verify::data_file("dancer/dancer.glb");
    if (file.empty()) {
        std::cerr << "bench fold: dancer/dancer.glb is not in the data folder (CUTIS_DATA, or "
                     "../shared/data): no rows of its tights and female_sportsuit01\n";
        return rows;
    }
    add_garment("tights of dancer.glb", verify::fold_file(file, "tights"), 20000, rows);
    add_garment("tights of dancer.glb", verify::fold_file(file, "tights"), 60000, rows);
    add_garment("female_sportsuit01 of dancer.glb", verify::fold_file(file, "female_sportsuit01"), 60000, rows);
    return rows;
}

}  // namespace cutis::bench
