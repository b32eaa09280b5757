#include "cutis/core/error.h"
#include "fold/sleeve.h"
#include "support/expect_error.h"
#include "verify/fold_crossings.h"

namespace cutis {
namespace {

using namespace test;

double area(const MatrixX3d& positions, const Topology& topology) {
    return triangle_areas(positions, topology).sum();
}

TEST(Folds, a_rest_pose_stays_as_it_is) {
    const Sleeve sleeve;
    FoldSolver solver = sleeve.stripes();
    MatrixX3d base;
    const MatrixX3d folded = sleeve.folded(solver, 0.0, Workers(1), &base);
    EXPECT_EQ(folded, base);
    EXPECT_EQ(base, solver.rest());
}

TEST(Folds, a_bent_sleeve_folds_on_its_inner_side_only) {
    const Sleeve sleeve;
    FoldSolver solver = sleeve.stripes();
    MatrixX3d base;
    const MatrixX3d folded = sleeve.folded(solver, 50.0, Workers(1), &base);
    double inner = 0.0;
    double outer = 0.0;
    for (Eigen::Index v = 0; v < base.rows(); ++v) {
        // Beside it linear blend squeezes the tube's girth, too: 50 degrees either side stay out.
        double& side = solver.rest()(v, 0) > -0.05 ? inner : outer;
        side = std::max(side, (folded.row(v) - base.row(v)).norm());
    }
    EXPECT_GT(inner, 0.005);
    // Lines of the girth that are a few per cent short have begun to rise.
    EXPECT_LT(outer, 0.15 * inner);
    EXPECT_GT(solver.report().compressed, 10);
}

TEST(Folds, refinement_keeps_the_area_and_passes_near_the_vertices) {
    const Sleeve sleeve(12, 20);
    FoldSolver solver = sleeve.stripes();
    EXPECT_LT(solver.topology().vertex_count(), solver.uniform_vertex_count());
    EXPECT_NEAR(area(solver.rest(), solver.topology()) / area(sleeve.shape.positions, sleeve.topology), 1.0, 0.02);
    // Loop alone would move vertices of such a tube inwards by some millimetres.
    const MatrixX3d moved = solver.rest().topRows(sleeve.shape.positions.rows()) - sleeve.shape.positions;
    EXPECT_LT(moved.rowwise().norm().maxCoeff(), 0.002);
}

TEST(Folds, any_frame_in_any_order_on_any_threads_has_the_same_bits) {
    const Sleeve sleeve;
    FoldOptions options;
    options.guard = true;
    FoldSolver solver = sleeve.stripes(options);
    const Workers one(1);
    const Workers two(2);
    const MatrixX3d at_40 = sleeve.folded(solver, 40.0, one);
    const MatrixX3d at_10 = sleeve.folded(solver, 10.0, one);
    sleeve.folded(solver, 60.0, two);
    EXPECT_EQ(sleeve.folded(solver, 10.0, two), at_10);
    EXPECT_EQ(sleeve.folded(solver, 40.0, two), at_40);
    FoldSolver afresh = sleeve.stripes(options);
    EXPECT_EQ(sleeve.folded(afresh, 40.0, one), at_40);
}

TEST(Folds, moving_the_whole_scene_moves_the_folds_along) {
    const Sleeve sleeve;
    FoldSolver solver = sleeve.stripes();
    const Workers one(1);
    const FoldPose pose = sleeve.pose(45.0);
    const Eigen::Matrix3d turn = some_rotation();
    MatrixX3d directions;
    MatrixX3d here;
    turn_normals(solver.normals(), solver.refined_weights(sleeve.weights, 3), pose.matrices, one, directions);
    solver.refine(pose.positions, one, here);
    solver.fold(directions, one, here);
    MatrixX3d there;
    MatrixX3d moved = pose.positions * turn.transpose();
    moved.col(1).array() += 3.0;
    solver.refine(moved, one, there);
    solver.fold(directions * turn.transpose(), one, there);
    MatrixX3d expected = here * turn.transpose();
    expected.col(1).array() += 3.0;
    EXPECT_LT((there - expected).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(Folds, weights_of_refined_vertices_sum_to_one_and_skin_like_the_subdivided_pose_at_rest) {
    const Sleeve sleeve;
    FoldSolver solver = sleeve.stripes();
    const SkinWeights fine = solver.refined_weights(sleeve.weights, 3);
    ASSERT_EQ(fine.vertex_count(), solver.topology().vertex_count());
    for (int v = 0; v < fine.vertex_count(); ++v) {
        double sum = 0.0;
        for (int k = 0; k < fine.influences; ++k) {
            sum += fine.weights[static_cast<size_t>(v * fine.influences + k)];
        }
        ASSERT_NEAR(sum, 1.0, 1e-14);
    }
    MatrixX3d skinned;
    skin_linear_blend(solver.rest(), fine, sleeve.bones(0.0), Workers(1), skinned);
    EXPECT_LT((skinned - solver.rest()).cwiseAbs().maxCoeff(), 1e-14);
}

/// A sheet of 60 x 30 cm in the plane, and what a linear map makes of it.
struct Sheet {
    Shape shape = planar_grid(40, 20);
    Topology topology{shape.triangles, static_cast<int>(shape.positions.rows())};

    Sheet() {
        const Eigen::RowVector3d low = shape.positions.colwise().minCoeff();
        const Eigen::RowVector3d size = shape.positions.colwise().maxCoeff() - low;
        shape.positions.rowwise() -= low;
        shape.positions.col(0) *= 0.6 / size[0];
        shape.positions.col(1) *= 0.3 / size[1];
    }

    MatrixX3d mapped(double xx, double xy) const {
        MatrixX3d pose = shape.positions;
        pose.col(0) = xx * shape.positions.col(0) + xy * shape.positions.col(1);
        return pose;
    }
    FoldSolver solver(const MatrixX3d& pose, const FoldOptions& options) const {
        FoldSource source;
        source.poses = {shape.positions, pose};
        return FoldSolver(topology, shape.positions, source, options);
    }
    MatrixX3d folded(FoldSolver& solver, const MatrixX3d& pose) const {
        MatrixX3d refined;
        solver.refine(pose, Workers(1), refined);
        solver.fold(solver.normals(), Workers(1), refined);
        return refined;
    }
};

FoldOptions sheet_options() {
    FoldOptions options;
    options.look.width = Painted(0.03);
    options.look.irregularity = 0.0;
    options.fields = 1;
    return options;
}

TEST(Folds, a_shrunk_sheet_has_its_length_back_in_folds_one_width_apart) {
    const Sheet sheet;
    FoldSolver solver = sheet.solver(sheet.mapped(0.7, 0.0), sheet_options());
    const MatrixX3d folded = sheet.folded(solver, sheet.mapped(0.7, 0.0));
    // Lines of the solver lie on this mesh; with a pre-stretch of 5 % they may be 1 / 1.05 long.
    std::vector<double> ratios;
    for (int l = 0; l < solver.line_count(); ++l) {
        const FoldSolver::Line line = solver.line(l, folded);
        double length = 0.0;
        for (Eigen::Index i = 0; i + 1 < line.points.rows(); ++i) {
            length += (line.points.row(i + 1) - line.points.row(i)).norm();
        }
        ratios.push_back(length / line.target);
    }
    ASSERT_GT(ratios.size(), 200u);
    std::sort(ratios.begin(), ratios.end());
    EXPECT_NEAR(ratios[ratios.size() / 2], 1.035, 0.03);  // the aim is that much higher
    EXPECT_GT(ratios[ratios.size() / 20], 0.95);
    // Crests along the middle line: 60 cm of cloth hold 20 folds of 3 cm.
    VectorXd height;
    VectorXd compression;
    VectorXd share;
    solver.fill_channels(height, compression, share);
    EXPECT_NEAR(compression.maxCoeff(), 1.0 - 0.7 * 1.05, 0.01);
    int crests = 0;
    std::vector<std::pair<double, double>> row;
    for (Eigen::Index v = 0; v < folded.rows(); ++v) {
        if (std::abs(solver.rest()(v, 1) - 0.15) < 1e-6) {
            row.emplace_back(solver.rest()(v, 0), height[v]);
        }
    }
    std::sort(row.begin(), row.end());
    for (size_t i = 1; i + 1 < row.size(); ++i) {
        crests += row[i].second > row[i - 1].second && row[i].second >= row[i + 1].second &&
                          row[i].second > 0.5 * height.maxCoeff()
                      ? 1
                      : 0;
    }
    EXPECT_NEAR(crests, 20, 3);
}

TEST(Folds, a_sheared_sheet_folds_across_its_direction_of_compression) {
    const Sheet sheet;
    // x' = x + 0.6 y: the smallest singular vector of [[1, 0.6], [0, 1]] makes an angle of
    // atan2(2 * 0.6, 0.6^2) / 2 + 90 degrees with x.
    const double expected = 0.5 * std::atan2(1.2, -0.36) + 0.5 * 3.14159265358979;
    const MatrixX3d pose = sheet.mapped(1.0, 0.6);
    FoldSolver solver = sheet.solver(pose, sheet_options());
    sheet.folded(solver, pose);
    VectorXd height;
    VectorXd compression;
    VectorXd share;
    solver.fill_channels(height, compression, share);
    // Main direction of the height's gradient.
    double xx = 0.0;
    double xy = 0.0;
    double yy = 0.0;
    const MatrixX3i& triangles = solver.topology().triangles();
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const auto at = [&](int k) -> Vector3d { return solver.rest().row(triangles(f, k)); };
        const Vector3d e1 = at(1) - at(0);
        const Vector3d e2 = at(2) - at(0);
        const double d1 = height[triangles(f, 1)] - height[triangles(f, 0)];
        const double d2 = height[triangles(f, 2)] - height[triangles(f, 0)];
        const double area = e1.x() * e2.y() - e1.y() * e2.x();
        const double gx = (d1 * e2.y() - d2 * e1.y()) / area;
        const double gy = (d2 * e1.x() - d1 * e2.x()) / area;
        xx += std::abs(area) * gx * gx;
        xy += std::abs(area) * gx * gy;
        yy += std::abs(area) * gy * gy;
    }
    ASSERT_GT(xx + yy, 0.0);
    const double found = 0.5 * std::atan2(2.0 * xy, xx - yy);
    EXPECT_NEAR(std::abs(std::cos(found - expected)), 1.0, 0.02);  // 11 degrees
}

TEST(Folds, cloth_gives_way_by_its_pre_stretch_before_it_folds_and_slack_folds_at_rest) {
    const Sheet sheet;
    FoldOptions options = sheet_options();
    FoldSolver tight = sheet.solver(sheet.mapped(0.7, 0.0), options);
    sheet.folded(tight, sheet.mapped(0.96, 0.0));  // 1 / 1.05 = 0.952
    EXPECT_EQ(tight.report().compressed, 0);
    sheet.folded(tight, sheet.mapped(0.94, 0.0));
    EXPECT_GT(tight.report().compressed, 0);
    sheet.folded(tight, sheet.mapped(0.88, 0.0));
    const double open = tight.report().highest;
    // Lines begin to rise at their rest length, 1.05 of their target, and slowly: smoothstep of
    // 0.0105 / 0.1 is 0.03.
    sheet.folded(tight, sheet.mapped(1.002, 0.0));
    EXPECT_EQ(tight.report().highest, 0.0);
    sheet.folded(tight, sheet.mapped(0.99, 0.0));
    EXPECT_GT(tight.report().highest, 0.0);
    EXPECT_LT(tight.report().highest, 0.05 * open);
    options.look.slack = 0.15;
    FoldSolver loose = sheet.solver(sheet.mapped(0.7, 0.0), options);
    sheet.folded(loose, sheet.shape.positions);
    EXPECT_GT(loose.report().highest, 0.003);
}

TEST(Folds, heights_stay_below_their_cap_and_outside_the_regions_nothing_folds) {
    const Sheet sheet;
    FoldOptions options = sheet_options();
    options.height_cap = 0.2;
    const MatrixX3d pose = sheet.mapped(0.5, 0.0);
    FoldSource source;
    source.poses = {pose};
    source.where = (sheet.shape.positions.col(0).array() < 0.3).cast<double>();
    FoldSolver solver(sheet.topology, sheet.shape.positions, source, options);
    MatrixX3d base;
    solver.refine(pose, Workers(1), base);
    const MatrixX3d folded = sheet.folded(solver, pose);
    EXPECT_LE(solver.report().highest, 0.2 * 0.03);
    EXPECT_GT(solver.report().capped, 0);
    double moved = 0.0;
    for (Eigen::Index v = 0; v < base.rows(); ++v) {
        if (solver.rest()(v, 0) > 0.35) {
            moved = std::max(moved, (folded.row(v) - base.row(v)).norm());
        }
    }
    EXPECT_EQ(moved, 0.0);
    EXPECT_GT((folded - base).rowwise().norm().maxCoeff(), 0.002);
}

TEST(Folds, the_guard_turns_no_triangle_over_and_is_continuous_in_the_pose) {
    const Sleeve sleeve;
    FoldOptions open;
    open.guard = false;
    FoldSolver unguarded = sleeve.stripes(open);
    FoldSolver solver = sleeve.stripes();
    const Workers one(1);
    const auto count_turned = [&](FoldSolver& folds, double degrees) {
        MatrixX3d base;
        const MatrixX3d folded = sleeve.folded(folds, degrees, one, &base);
        MatrixX3d directions;
        turn_normals(folds.normals(), folds.refined_weights(sleeve.weights, 3), sleeve.bones(degrees), one, directions);
        int turned = 0;
        const MatrixX3i& triangles = folds.topology().triangles();
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            Vector3d normal = Vector3d::Zero();
            for (int k = 0; k < 3; ++k) {
                normal += directions.row(triangles(f, k)).transpose();
            }
            const auto area = [&](const MatrixX3d& p) {
                const Vector3d a = p.row(triangles(f, 0));
                return (Vector3d(p.row(triangles(f, 1))) - a).cross(Vector3d(p.row(triangles(f, 2))) - a).dot(normal);
            };
            turned += area(base) > 0.0 && area(folded) <= 0.0 ? 1 : 0;
        }
        return turned;
    };
    int without = 0;
    for (double degrees = 20.0; degrees <= 120.0; degrees += 20.0) {
        without += count_turned(unguarded, degrees);
        EXPECT_EQ(count_turned(solver, degrees), 0) << degrees;
    }
    EXPECT_GT(without, 0);
    // The largest change of a step halves with the step, wherever the guard sets in.
    double largest[2] = {0.0, 0.0};
    for (int half = 0; half < 2; ++half) {
        MatrixX3d before;
        MatrixX3d base;
        for (double degrees = 60.0; degrees <= 100.0; degrees += half == 0 ? 0.5 : 0.25) {
            const MatrixX3d offset = sleeve.folded(solver, degrees, one, &base) - base;
            if (before.rows() > 0) {
                largest[half] = std::max(largest[half], (offset - before).rowwise().norm().maxCoeff());
            }
            before = offset;
        }
    }
    EXPECT_LT(largest[1], 0.6 * largest[0]);
}

TEST(Folds, folds_of_two_facing_sheets_stay_on_their_own_sides) {
    // Two sheets side by side at rest; in the pose one lies upside down over the other, 1.6 cm above.
    constexpr int edges = 24;
    constexpr double size = 0.3;
    constexpr double gap = 0.016;
    constexpr int count = (edges + 1) * (edges + 1);
    MatrixX3d rest(2 * count, 3);
    MatrixX3d pose(2 * count, 3);
    MatrixX3i triangles(4 * edges * edges, 3);
    for (int s = 0, t = 0; s < 2; ++s) {
        for (int i = 0; i < count; ++i) {
            const double x = size * (i % (edges + 1)) / edges;
            const double y = size * (i / (edges + 1)) / edges;
            rest.row(s * count + i) << x + 2.0 * size * s, y, 0.0;
            pose.row(s * count + i) << 0.7 * x, s == 0 ? y : size - y, s * gap;
        }
        for (int i = 0; i < edges * edges; ++i) {
            const int v = s * count + i / edges * (edges + 1) + i % edges;
            triangles.row(t++) << v, v + 1, v + edges + 1;
            triangles.row(t++) << v + edges + 1, v + 1, v + edges + 2;
        }
    }
    const Topology topology(triangles, 2 * count);
    FoldSource source;
    source.poses = {pose};
    FoldOptions options;
    options.look.width = Painted(0.05);
    const Workers one(1);
    const auto highest = [&] {
        FoldSolver solver(topology, rest, source, options);
        MatrixX3d refined;
        solver.refine(pose, one, refined);
        MatrixX3d directions = MatrixX3d::Zero(refined.rows(), 3);
        for (Eigen::Index v = 0; v < refined.rows(); ++v) {
            directions(v, 2) = solver.rest()(v, 0) < 1.5 * size ? 1.0 : -1.0;
        }
        solver.fold(directions, one, refined);
        double high = 0.0;
        for (Eigen::Index v = 0; v < refined.rows(); ++v) {
            high = std::max(high, directions(v, 2) > 0.0 ? refined(v, 2) : gap - refined(v, 2));
        }
        return high;
    };
    // Room falls no lower than a twentieth of a width, smoothly: (r + sqrt(r^2 + (w / 20)^2)) / 2.
    const auto room = [](double half) { return 0.5 * (half + std::hypot(half, 0.05 * 0.05)); };
    EXPECT_GT(highest(), 1.2 * room(0.5 * gap));
    options.contact = true;
    EXPECT_LE(highest(), room(0.5 * gap));
    options.thickness = 0.004;
    EXPECT_LE(highest(), room(0.5 * (gap - 0.004)));
}

/// A sheet of 40 x 20 cm whose middle third is squeezed into a groove: an arc of 2 radians, 1.5 cm in radius.
struct Groove {
    MatrixX3d rest;
    MatrixX3d pose;
    Topology topology;

    Groove() {
        constexpr int along = 64;
        constexpr int across = 32;
        constexpr double radius = 0.015;
        constexpr double squeezed = 0.07;  // half of what the arc is made of
        MatrixX3i triangles(2 * along * across, 3);
        rest.resize((along + 1) * (across + 1), 3);
        pose.resize(rest.rows(), 3);
        for (int i = 0; i <= along; ++i) {
            const double x = 0.4 * i / along - 0.2;
            const double angle = std::clamp(x / squeezed, -1.0, 1.0);
            const double beyond = x - squeezed * angle;
            for (int j = 0; j <= across; ++j) {
                const double y = 0.2 * j / across;
                rest.row(i * (across + 1) + j) << x, y, 0.0;
                pose.row(i * (across + 1) + j) << radius * std::sin(angle) + beyond * std::cos(angle), y,
                    -radius * std::cos(angle) + std::abs(beyond) * std::sin(std::abs(angle));
            }
        }
        for (int i = 0, t = 0; i < along; ++i) {
            for (int j = 0; j < across; ++j) {
                const int v = i * (across + 1) + j;
                triangles.row(t++) << v, v + across + 1, v + 1;
                triangles.row(t++) << v + 1, v + across + 1, v + across + 2;
            }
        }
        topology = Topology(triangles, static_cast<int>(rest.rows()));
    }
    int crossings(bool lean, bool contact) const {
        FoldSource source;
        source.poses = {pose};
        FoldOptions options;
        options.look.width = Painted(0.05);
        options.lean = lean;
        options.contact = contact;
        FoldSolver solver(topology, rest, source, options);
        MatrixX3d refined;
        solver.refine(pose, Workers(1), refined);
        EXPECT_EQ(verify::find_crossings(solver.topology().triangles(), refined).pairs, 0);
        const MatrixX3d directions = vertex_normals(refined, solver.topology());
        solver.fold(directions, Workers(1), refined);
        EXPECT_GT(solver.report().highest, 0.005);
        return verify::find_crossings(solver.topology().triangles(), refined).pairs;
    }
};

// Normals of the groove meet at its axis, 1.5 cm above its bottom: below the height of folds that give it its length
// back.
TEST(Folds, folds_in_a_groove_press_against_each_other_instead_of_passing_through) {
    const Groove groove;
    const int free = groove.crossings(false, false);
    EXPECT_GT(free, 50);
    EXPECT_LT(groove.crossings(true, false), free / 2);
    EXPECT_LT(groove.crossings(false, true), free / 10);
}

TEST(Folds, a_budget_of_vertices_is_kept_and_noted) {
    const Sleeve sleeve;
    FoldOptions options;
    options.edges_per_fold = 16.0;
    const int free = sleeve.stripes(options).topology().vertex_count();
    options.most_vertices = free / 3;
    const FoldSolver solver = sleeve.stripes(options);
    EXPECT_LT(solver.topology().vertex_count(), free / 2);
    ASSERT_FALSE(solver.notes().empty());
    EXPECT_NE(solver.notes().front().find("most_vertices"), std::string::npos);
}

// 40 rings on a metre: edges of 25 mm, which four levels halve to 1.6 mm. Three edges across a fold with a slack of
// 1.3 give the least width of about 3.7 mm.
TEST(Folds, a_width_too_narrow_is_refused_with_one_that_works) {
    const Sleeve sleeve;
    FoldOptions options;
    options.look.width = Painted(0.001);
    double least = 0.0;
    try {
        sleeve.stripes(options);
        FAIL() << "folds of a millimetre were accepted";
    } catch (const InvalidInput& refused) {
        const std::string text = refused.what();
        const size_t at = text.find("at least ");
        ASSERT_NE(at, std::string::npos) << text;
        least = std::stod(text.substr(at + 9));
    }
    EXPECT_GT(least, 0.003);
    EXPECT_LT(least, 0.02);
    options.look.width = Painted(1.001 * least);
    EXPECT_GT(sleeve.stripes(options).line_count(), 0);
    options.look.width = Painted(0.001);
    options.width_policy = FoldWidthPolicy::widen;
    const FoldSolver widened = sleeve.stripes(options);
    EXPECT_NEAR(widened.width().minCoeff(), least, 0.02 * least);
    EXPECT_NE(widened.notes().front().find("wider than asked for"), std::string::npos) << widened.notes().front();
}

TEST(Folds, widths_that_are_found_out_grow_until_the_budget_shows_them) {
    const Sleeve sleeve;
    FoldOptions options;
    const double free = sleeve.stripes(options).width().mean();
    options.most_vertices = 1200;  // the sleeve itself has 984
    const FoldSolver solver = sleeve.stripes(options);
    EXPECT_GT(solver.width().mean(), 1.2 * free);
    EXPECT_NE(solver.notes().front().find("times wider than limbs suggest"), std::string::npos);
    EXPECT_LT(solver.topology().vertex_count(), 2 * 1200);
}

TEST(Folds, a_surface_that_is_never_compressed_has_no_folds_and_says_so) {
    const Sheet sheet;
    const FoldSolver solver = sheet.solver(sheet.mapped(1.2, 0.0), sheet_options());
    EXPECT_TRUE(solver.is_empty());
    ASSERT_FALSE(solver.notes().empty());
    EXPECT_NE(solver.notes().back().find("no folds"), std::string::npos);
}

TEST(Folds, one_triangle_and_poses_that_do_not_fit_do_no_harm) {
    MatrixX3i triangle(1, 3);
    triangle << 0, 1, 2;
    MatrixX3d rest(3, 3);
    rest << 0, 0, 0, 0.1, 0, 0, 0, 0.1, 0;
    FoldSource source;
    MatrixX3d pose = rest;
    pose.col(0) *= 0.5;
    source.poses = {pose};
    FoldSolver solver(Topology(triangle, 3), rest, source, {});
    MatrixX3d refined;
    solver.refine(pose, Workers(1), refined);
    solver.fold(solver.normals(), Workers(1), refined);
    EXPECT_TRUE(refined.allFinite());
    source.poses = {MatrixX3d::Zero(2, 3)};
    expect_error<InvalidInput>([&] { FoldSolver(Topology(triangle, 3), rest, source, {}); }, {"3", "2", "pose"});
    pose(1, 1) = std::numeric_limits<double>::quiet_NaN();
    source.poses = {pose};
    expect_error<InvalidInput>([&] { FoldSolver(Topology(triangle, 3), rest, source, {}); }, {"finite"});
}

bool has_note(const FoldSolver& solver, const std::string& words) {
    return std::any_of(solver.notes().begin(), solver.notes().end(),
                       [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(Folds, slivers_and_holes_fold_without_harm) {
    Sheet sheet;
    // Every third column is drawn to a hundred-thousandth of its width, and one triangle in the middle is missing.
    for (Eigen::Index v = 0; v < sheet.shape.positions.rows(); ++v) {
        const double column = std::round(sheet.shape.positions(v, 0) / 0.015);
        if (std::fmod(column, 3.0) == 1.0) {
            sheet.shape.positions(v, 0) -= 0.015 * (1.0 - 1e-5);
        }
    }
    MatrixX3i left(sheet.shape.triangles.rows(), 3);
    Eigen::Index count = 0;
    for (Eigen::Index f = 0; f < sheet.shape.triangles.rows(); ++f) {
        if (f != 840) {  // away from the border
            left.row(count++) = sheet.shape.triangles.row(f);
        }
    }
    left.conservativeResize(count, 3);
    sheet.topology = Topology(left, static_cast<int>(sheet.shape.positions.rows()));
    const MatrixX3d pose = sheet.mapped(0.7, 0.0);
    FoldSolver solver = sheet.solver(pose, sheet_options());
    const MatrixX3d folded = sheet.folded(solver, pose);
    EXPECT_TRUE(folded.allFinite());
    EXPECT_GT(solver.report().highest, 0.003);
    EXPECT_LT(solver.report().highest, 0.06);
}

TEST(Folds, a_width_below_an_edge_or_above_the_limb_is_noted) {
    const Sleeve sleeve(12, 20);  // edges of 4 and 5 cm
    FoldOptions options;
    options.look.width = Painted(0.002);
    options.refine = false;
    FoldSolver narrow = sleeve.stripes(options);
    EXPECT_TRUE(has_note(narrow, "coarser than the width needs"));
    EXPECT_TRUE(sleeve.folded(narrow, 50.0, Workers(1)).allFinite());
    options.refine = true;
    options.look.width = Painted(0.6);  // half the girth is 0.25
    FoldSolver wide = sleeve.stripes(options);
    EXPECT_TRUE(has_note(wide, "half the limb's girth"));
    EXPECT_TRUE(sleeve.folded(wide, 50.0, Workers(1)).allFinite());
    options.look.width = Painted(0.05);
    EXPECT_FALSE(has_note(sleeve.stripes(options), "girth"));
}

TEST(Folds, weights_that_are_no_numbers_are_refused) {
    Sleeve sleeve(12, 20);
    sleeve.weights.weights[7] = std::numeric_limits<double>::quiet_NaN();
    expect_error<InvalidInput>([&] { sleeve.stripes(); }, {"finite poses", "weights"});
}

TEST(Folds, a_cloth_gives_what_is_left_at_its_default) {
    FoldStyle style;
    style.cloth = FoldCloth::denim;
    style.irregularity = 0.3;
    const FoldStyle denim = style.of_cloth();
    EXPECT_LT(denim.density.value, 1.0);
    EXPECT_GT(denim.sharpness, 0.0);
    EXPECT_EQ(denim.irregularity, 0.3);
    const FoldStyle plain = FoldStyle().of_cloth();
    EXPECT_EQ(plain.density.value, FoldStyle().density.value);
    EXPECT_EQ(plain.pre_stretch.value, FoldStyle().pre_stretch.value);
}

TEST(Folds, options_out_of_range_are_refused_with_their_names) {
    const Sheet sheet;
    FoldOptions options;
    options.gate = 0.9;
    expect_error<InvalidInput>([&] { sheet.solver(sheet.shape.positions, options); }, {"gate", "0.9"});
    options = {};
    options.look.density = -1.0;
    expect_error<InvalidInput>([&] { sheet.solver(sheet.shape.positions, options); }, {"density", "-1"});
}

TEST(Folds, directions_turn_with_their_bones_wherever_those_go) {
    const Sleeve sleeve;
    const Eigen::Affine3d motion =
        Eigen::Translation3d(3.0, -5.0, 2.0) * Eigen::AngleAxisd(1.3, Vector3d(1, 2, -1).normalized());
    MatrixX3d turned;
    turn_normals(sleeve.normals, sleeve.weights, {motion, motion, motion}, Workers(1), turned);
    EXPECT_LT((turned - sleeve.normals * motion.linear().transpose()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Folds, directions_are_unit_and_those_that_cancel_stay_as_at_rest) {
    // Half of each vertex stands still, half turns by 180 degrees about z: x and y cancel, z stays. Four are worked on
    // at once, the last three by themselves; among both is one of which nothing stays.
    MatrixX3d normals(11, 3);
    normals << 0, 0, 1, 0.6, 0, 0.8, 0, -0.8, 0.6, 0, 0.6, -0.8,  //
        0, 0, -1, 1, 0, 0, 0, 0.8, 0.6, 0, 0, 1,                  //
        0, 1, 0, 0.8, 0, -0.6, 0, 0, 1;
    SkinWeights weights;
    weights.influences = 2;
    for (Eigen::Index v = 0; v < normals.rows(); ++v) {
        weights.joints.insert(weights.joints.end(), {0, 1});
        weights.weights.insert(weights.weights.end(), {0.5, 0.5});
    }
    const Eigen::Affine3d still = Eigen::Affine3d::Identity();
    Eigen::Affine3d half_turn = still;
    half_turn.linear() = Vector3d(-1, -1, 1).asDiagonal();
    MatrixX3d turned;
    turn_normals(normals, weights, {still, half_turn}, Workers(1), turned);
    for (Eigen::Index v = 0; v < normals.rows(); ++v) {
        const double z = normals(v, 2);
        const Vector3d expected = z == 0.0 ? Vector3d(normals.row(v)) : Vector3d(0.0, 0.0, std::copysign(1.0, z));
        EXPECT_LT((Vector3d(turned.row(v)) - expected).norm(), 1e-15) << v;
    }
}

TEST(Folds, the_radius_of_a_limb_is_its_distance_to_the_bone) {
    const Sleeve sleeve;
    const VectorXd radius =
        limb_radius(sleeve.shape.positions, sleeve.weights, sleeve.joints.parent, sleeve.joints.position);
    EXPECT_NEAR(radius.minCoeff(), 0.08, 1e-9);
    EXPECT_LT(radius.mean(), 0.085);
}

}  // namespace
}  // namespace cutis
