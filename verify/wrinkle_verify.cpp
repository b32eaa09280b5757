#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "cutis/mesh/geometry.h"
#include "mesh/fine_mesh.h"
#include "verify/verify.h"
#include "verify/wrinkle_motion.h"
#include "wrinkle/displacement.h"
#include "wrinkle/profile.h"

// Wrinkles on shapes whose compression is known. What is measured are the pictures: heights along lines of a map.

namespace cutis::verify {

namespace {

using std::numbers::pi;

constexpr double wavelength = 0.01;

Case at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("wrinkle", std::move(name), value, limit, std::move(unit), std::move(source));
}
Case at_least(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_least("wrinkle", std::move(name), value, limit, std::move(unit), std::move(source));
}

/// A tube along y whose UVs are its unrolled surface: two islands, cut apart at two lines along it.
struct Tube {
    static constexpr double length = 0.3;
    static constexpr double radius = 0.04;
    static constexpr int along = 60;
    static constexpr int around = 32;
    /// Where an island begins in v: texels of one must not lie as those of the other, which would hide a seam.
    static double foot(int island) { return island == 0 ? 0.04 : 0.0513; }
    Topology topology;
    MatrixX3d rest;
    ArtMesh art;

    Tube() {
        rest.resize((along + 1) * around, 3);
        for (int i = 0; i <= along; ++i) {
            for (int j = 0; j < around; ++j) {
                const double angle = 2.0 * pi * j / around;
                rest.row(i * around + j) << radius * std::cos(angle), length * i / along, -radius * std::sin(angle);
            }
        }
        MatrixX3i triangles(2 * along * around, 3);
        art.uv_triangles.resize(triangles.rows(), 3);
        // Every column of quads has its own UVs where an island begins; a unit of UV is the length plus a margin.
        const double unit = 1.1 * length;
        const double width = 2.0 * pi * radius / around / unit;
        std::vector<Vector2d> uv;
        int f = 0;
        for (int island = 0; island < 2; ++island) {
            const int first = island * around / 2;
            const auto start = static_cast<int>(uv.size());
            const int columns = around / 2 + 1;
            for (int j = 0; j < columns; ++j) {
                for (int i = 0; i <= along; ++i) {
                    uv.emplace_back(0.05 + 0.5 * island + j * width, foot(island) + length / unit * i / along);
                }
            }
            for (int j = 0; j < around / 2; ++j) {
                for (int i = 0; i < along; ++i) {
                    const int a = i * around + first + j;
                    const int b = i * around + (first + j + 1) % around;
                    const int ua = start + j * (along + 1) + i;
                    const int ub = ua + along + 1;
                    triangles.row(f) << a, b, b + around;
                    art.uv_triangles.row(f++) << ua, ub, ub + 1;
                    triangles.row(f) << a, b + around, a + around;
                    art.uv_triangles.row(f++) << ua, ub + 1, ua + 1;
                }
            }
        }
        art.positions = rest;
        art.triangles = triangles;
        art.uv.resize(static_cast<Eigen::Index>(uv.size()), 2);
        for (size_t i = 0; i < uv.size(); ++i) {
            art.uv.row(static_cast<Eigen::Index>(i)) = uv[i];
        }
        topology = Topology(triangles, static_cast<int>(rest.rows()));
    }

    /// Pushed together along its axis.
    MatrixX3d pressed(double to) const {
        MatrixX3d posed = rest;
        posed.col(1) *= to;
        return posed;
    }
    /// Bent to an arc of this angle; its axis keeps its length.
    MatrixX3d bent(double angle) const {
        if (std::abs(angle) < 1e-6) {
            return rest;
        }
        MatrixX3d posed(rest.rows(), 3);
        const double arc = length / angle;
        for (Eigen::Index v = 0; v < rest.rows(); ++v) {
            const double at = angle * (rest(v, 1) / length - 0.5);
            const double out = arc + rest(v, 0);
            posed.row(v) << out * std::cos(at) - arc, out * std::sin(at), rest(v, 2);
        }
        return posed;
    }
    WrinkleMaps::Art art_of() const {
        WrinkleMaps::Art of;
        of.mesh = &art;
        for (int f = 0; f < topology.triangle_count(); ++f) {
            of.triangle.push_back(f);
            of.corner.push_back({0, 1, 2});
        }
        return of;
    }
};

/// Everything the compression asks for, without looks.
WrinkleOptions plain_options() {
    WrinkleOptions options;
    options.wavelength = Painted(wavelength);
    options.onset = 0.0;
    options.share = 1.0;
    options.slack = 0.0;
    options.irregularity = 0.0;
    options.fine = 0.0;
    options.softness = 0.0;
    options.tension = 0.0;
    return options;
}

struct Painting {
    int size = 0;
    std::vector<float> heights, normals;
    double height(double u, double v) const { return sample(heights, 1, 0, u, v); }
    Vector3d normal(double u, double v) const {
        return Vector3d(sample(normals, 3, 0, u, v), sample(normals, 3, 1, u, v), sample(normals, 3, 2, u, v))
            .normalized();
    }

private:
    /// As a renderer does: between the four nearest texels.
    double sample(const std::vector<float>& values, int width, int c, double u, double v) const {
        const double x = u * size - 0.5;
        const double y = (1.0 - v) * size - 0.5;
        const int ix = static_cast<int>(std::floor(x));
        const int iy = static_cast<int>(std::floor(y));
        const auto at = [&](int i, int j) {
            return static_cast<double>(values[static_cast<size_t>(((iy + j) * size + ix + i) * width + c)]);
        };
        const double fx = x - ix;
        const double fy = y - iy;
        return (at(0, 0) * (1 - fx) + at(1, 0) * fx) * (1 - fy) + (at(0, 1) * (1 - fx) + at(1, 1) * fx) * fy;
    }
};

Painting painted(const Tube& tube, WrinkleSolver& solver, const MatrixX3d& posed, int size, WrinkleHeights& heights) {
    const Workers two(2);
    solver.advance(posed, -1.0, two, heights);
    WrinkleMaps maps(solver, tube.topology, tube.rest, tube.art_of(), size, 4, two);
    Painting painting;
    painting.size = size;
    maps.paint(posed, heights, two, &painting.heights, &painting.normals);
    return painting;
}

/// Lines along the tube: how much of what they lost wrinkles give back, and how short they stay.
struct Lines {
    double taken_up = 0.0;
    double median = 0.0, worst = 0.0;  // shortfall; worst: that of 1 in 20
    double longest = 0.0;
};
Lines measure(const Painting& map, double angle, double pressed) {
    const double unit = 1.1 * Tube::length;
    double lost = 0.0;
    double left = 0.0;
    std::vector<double> shortfall;
    Lines lines;
    constexpr int steps = 24;  // a wavelength
    for (int island = 0; island < 2; ++island) {
        for (int j = 1; j < 64; ++j) {
            const double turn = pi * (island + j / 64.0);
            const double u = 0.05 + 0.5 * island + pi * Tube::radius * j / 64.0 / unit;
            // Windows of two wavelengths, away from the rims.
            for (double start = 0.04; start + 2 * wavelength < Tube::length - 0.04; start += 0.5 * wavelength) {
                double flat = 0.0;
                double folded = 0.0;
                Vector3d last[2];
                for (int i = 0; i <= 2 * steps; ++i) {
                    const double s = start + wavelength * i / steps;
                    const double h = map.height(u, Tube::foot(island) + s / unit);
                    Vector3d place;
                    Vector3d out(std::cos(turn), 0.0, -std::sin(turn));
                    if (angle == 0.0) {
                        place = Vector3d(Tube::radius * out.x(), pressed * s, Tube::radius * out.z());
                    } else {
                        const double arc = Tube::length / angle;
                        const double at = angle * (s / Tube::length - 0.5);
                        const double far = arc + Tube::radius * out.x();
                        place = {far * std::cos(at) - arc, far * std::sin(at), Tube::radius * out.z()};
                        out = Vector3d(out.x() * std::cos(at), out.x() * std::sin(at), out.z());
                    }
                    const Vector3d raised = place + h * out;
                    if (i > 0) {
                        flat += (place - last[0]).norm();
                        folded += (raised - last[1]).norm();
                    }
                    last[0] = place;
                    last[1] = raised;
                }
                const double rest = 2 * wavelength;
                if (flat < 0.9 * rest) {
                    lost += rest - flat;
                    left += std::max(0.0, rest - folded);
                    shortfall.push_back(std::max(0.0, 1.0 - folded / rest));
                    lines.longest = std::max(lines.longest, folded / rest);
                }
            }
        }
    }
    std::sort(shortfall.begin(), shortfall.end());
    lines.taken_up = lost > 0.0 ? 1.0 - left / lost : 0.0;
    if (!shortfall.empty()) {
        lines.median = shortfall[shortfall.size() / 2];
        lines.worst = shortfall[shortfall.size() * 95 / 100];
    }
    return lines;
}

void add_length(const Tube& tube, std::vector<Case>& cases) {
    WrinkleSource source;
    source.poses = {tube.rest, tube.pressed(0.75)};
    WrinkleSolver pressed(tube.topology, tube.rest, source, plain_options(), Workers(2));
    WrinkleHeights heights;
    const Painting map = painted(tube, pressed, tube.pressed(0.75), 2048, heights);
    const Lines lines = measure(map, 0.0, 0.75);
    cases.push_back(at_least("a tube pressed to 0.75: compression taken up, in the map", lines.taken_up, 0.93, "",
                             "1 - sum (1 - wrinkled)+ / sum (1 - pressed)+ over lines of two wavelengths"));
    cases.push_back(at_most("median shortfall of its lines", lines.median, 0.025, "", "against their length at rest"));
    cases.push_back(at_most("shortfall of the worst 5 %", lines.worst, 0.10, "", "forks"));
    cases.push_back(at_most("its longest line", lines.longest, 1.06, "", "rest length 1: wrinkles do not invent skin"));

    source.poses = {tube.rest, tube.bent(1.8)};
    WrinkleSolver bent(tube.topology, tube.rest, source, plain_options(), Workers(2));
    const Painting inside = painted(tube, bent, tube.bent(1.8), 2048, heights);
    const Lines bends = measure(inside, 1.8, 1.0);
    cases.push_back(at_least("a tube bent by 103 degrees: compression taken up, in the map", bends.taken_up, 0.93, "",
                             "as above; compression differs from place to place"));
    cases.push_back(at_most("median shortfall of its lines", bends.median, 0.025, "", "against their length at rest"));
}

constexpr double wide = 0.02;  // wavelength of wrinkles as geometry

/// The tube, finer where it wrinkles, with wrinkles as geometry.
struct Displaced {
    FineMesh mesh;
    FineMesh::Scratch scratch;
    MatrixX3d rest;
    std::unique_ptr<WrinkleSolver> solver;
    std::unique_ptr<WrinkleDisplacement> displacement;

    static FineMesh refined(const Tube& tube, const std::vector<MatrixX3d>& poses, const WrinkleOptions& options) {
        WrinkleSource source;
        source.poses = poses;
        WrinkleSolver coarse(tube.topology, tube.rest, source, options, Workers(2));
        VectorXd highest = VectorXd::Zero(tube.rest.rows());
        WrinkleHeights heights;
        for (const MatrixX3d& pose : poses) {
            coarse.advance(pose, -1.0, Workers(1), heights);
            highest = highest.cwiseMax(heights.height);
        }
        const WrinkleMesh plan = plan_wrinkle_mesh(tube.topology, tube.rest, coarse, highest, 8.0, 5, 200000);
        const int finest = *std::max_element(plan.levels.begin(), plan.levels.end());
        return FineMesh(AdaptiveLoop(tube.topology, 0, plan.levels, finest), static_cast<int>(tube.rest.rows()));
    }
    Displaced(const Tube& tube, const std::vector<MatrixX3d>& poses, const WrinkleOptions& options)
        : mesh(refined(tube, poses, options)) {
        const Workers two(2);
        WrinkleSource source;
        for (const MatrixX3d& pose : poses) {
            source.poses.emplace_back();
            mesh.refine(pose, two, scratch, source.poses.back());
        }
        rest = source.poses.front();
        solver = std::make_unique<WrinkleSolver>(mesh.mesh.topology(), rest, source, options, two);
        displacement = std::make_unique<WrinkleDisplacement>(*solver, mesh.mesh.topology(), rest);
    }
    MatrixX3d lifted(const MatrixX3d& coarse, MatrixX3d& smooth, WrinkleHeights& heights) {
        const Workers two(2);
        mesh.refine(coarse, two, scratch, smooth);
        solver->advance(smooth, -1.0, two, heights);
        MatrixX3d posed = smooth;
        displacement->lift(heights, two, posed);
        return posed;
    }
};

/// Lengths along the tube on a mesh: edges cut by planes through its axis, by how far along they are at rest.
Lines measure_mesh(const Displaced& displaced, const MatrixX3d& posed, double pressed) {
    const MatrixX3i& triangles = displaced.mesh.mesh.topology().triangles();
    Lines lines;
    double lost = 0.0;
    double left = 0.0;
    std::vector<double> shortfall;
    constexpr double window = 2.0 * wide;
    const auto windows = static_cast<size_t>((Tube::length - 0.08) / window);
    for (int j = 0; j < 48; ++j) {
        const double turn = 2.0 * pi * (j + 0.37) / 48.0;
        const Vector3d side(std::sin(turn), 0.0, std::cos(turn));  // normal of the plane
        const Vector3d out(std::cos(turn), 0.0, -std::sin(turn));
        std::vector<double> length(windows, 0.0);
        std::vector<double> base(windows, 0.0);
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            Vector3d at_rest[3];
            Vector3d now[3];
            int cuts = 0;
            for (int k = 0; k < 3 && cuts < 2; ++k) {
                const int a = triangles(f, k);
                const int b = triangles(f, (k + 1) % 3);
                const Vector3d from = displaced.rest.row(a);
                const Vector3d to = displaced.rest.row(b);
                const double da = from.dot(side);
                const double db = to.dot(side);
                if ((da < 0.0) == (db < 0.0) || from.dot(out) < 0.0) {
                    continue;
                }
                const double t = da / (da - db);
                at_rest[cuts] = (1.0 - t) * from + t * to;
                now[cuts++] = (1.0 - t) * Vector3d(posed.row(a)) + t * Vector3d(posed.row(b));
            }
            const double middle = cuts == 2 ? 0.5 * (at_rest[0].y() + at_rest[1].y()) - 0.04 : -1.0;
            if (middle >= 0.0 && middle < window * static_cast<double>(windows)) {
                length[static_cast<size_t>(middle / window)] += (now[1] - now[0]).norm();
                base[static_cast<size_t>(middle / window)] += (at_rest[1] - at_rest[0]).norm();
            }
        }
        for (size_t w = 0; w < windows; ++w) {
            lost += (1.0 - pressed) * base[w];
            left += std::max(0.0, base[w] - length[w]);
            shortfall.push_back(std::max(0.0, 1.0 - length[w] / base[w]));
            lines.longest = std::max(lines.longest, length[w] / base[w]);
        }
    }
    std::sort(shortfall.begin(), shortfall.end());
    lines.taken_up = 1.0 - left / lost;
    lines.median = shortfall[shortfall.size() / 2];
    lines.worst = shortfall[shortfall.size() * 95 / 100];
    return lines;
}

/// Triangles that look to the other side than they did without wrinkles.
int turned_over(const MatrixX3i& triangles, const MatrixX3d& smooth, const MatrixX3d& posed) {
    int count = 0;
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const auto normal = [&](const MatrixX3d& of) -> Vector3d {
            const Vector3d origin = of.row(triangles(f, 0));
            return (Vector3d(of.row(triangles(f, 1))) - origin).cross(Vector3d(of.row(triangles(f, 2))) - origin);
        };
        count += normal(smooth).dot(normal(posed)) <= 0.0 ? 1 : 0;
    }
    return count;
}

void add_displaced(const Tube& tube, std::vector<Case>& cases) {
    WrinkleHeights heights;
    MatrixX3d smooth;
    WrinkleOptions plain = plain_options();
    plain.wavelength = Painted(wide);
    {
        Displaced displaced(tube, {tube.rest, tube.pressed(0.75)}, plain);
        const MatrixX3d posed = displaced.lifted(tube.pressed(0.75), smooth, heights);
        const Lines lines = measure_mesh(displaced, posed, 0.75);
        cases.push_back(at_least("a tube pressed to 0.75: compression taken up, on a mesh of 8 edges a wavelength",
                                 lines.taken_up, 0.9, "", "the recipe's own meshes: 0.86 to 0.90 of 2 to 4 edges"));
        const MatrixX3i& triangles = displaced.mesh.mesh.topology().triangles();
        std::vector<double> edges;
        for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
            if (heights.height[triangles(f, 0)] > 0.1 * wide) {
                double sum = 0.0;
                for (int k = 0; k < 3; ++k) {
                    sum += (displaced.rest.row(triangles(f, k)) - displaced.rest.row(triangles(f, (k + 1) % 3))).norm();
                }
                edges.push_back(3.0 * wide / sum);
            }
        }
        std::sort(edges.begin(), edges.end());
        cases.push_back(at_least("edges a wavelength there, the median", edges.empty() ? 0.0 : edges[edges.size() / 2],
                                 8.0, "", "as many as asked for"));
        cases.push_back(at_most("median shortfall of its lines", lines.median, 0.04, "", "cuts of the mesh by planes"));
        cases.push_back(at_most("its longest line", lines.longest, 1.06, "", "wrinkles do not invent skin"));
    }
    // Far higher than skin asks for, on the inside of a bend that is as tight as they are high: only the guard keeps
    // triangles upright.
    WrinkleOptions strong = plain;
    strong.strength = Painted(10.0);
    strong.height_cap = 2.0;
    Displaced displaced(tube, {tube.rest, tube.bent(6.0)}, strong);
    const MatrixX3d posed = displaced.lifted(tube.bent(6.0), smooth, heights);
    cases.push_back(at_least("a tube bent to a ring, wrinkles ten times too high: vertices held back",
                             displaced.displacement->held(), 100, "",
                             "so that the next case has something to measure"));
    cases.push_back(at_most("triangles turned over",
                            turned_over(displaced.mesh.mesh.topology().triangles(), smooth, posed), 0.0, "",
                            "the guard of folds"));
    // Continuity on the mesh.
    WrinkleOptions usual;
    usual.wavelength = Painted(0.012);
    usual.slack = 0.0;
    Displaced moving(tube, {tube.rest, tube.bent(0.9), tube.bent(1.8)}, usual);
    const MatrixX3d at_rest = moving.lifted(tube.rest, smooth, heights);
    cases.push_back(at_most("how far vertices of the finer mesh move at rest", (at_rest - smooth).cwiseAbs().maxCoeff(),
                            0.0, "m", "nothing is compressed"));
    double second[2] = {};
    for (int rate = 0; rate < 2; ++rate) {
        const double step = 1.0 / (120 << rate);
        MatrixX3d last[2];
        for (int i = 0; i * step <= 0.5; ++i) {
            const double s = std::sin(pi * i * step);
            MatrixX3d offset = moving.lifted(tube.bent(1.8 * s * s), smooth, heights);
            offset -= smooth;
            if (i >= 2) {
                second[rate] = worse((offset - 2.0 * last[1] + last[0]).rowwise().norm().maxCoeff(), second[rate]);
            }
            last[0].swap(last[1]);
            last[1] = offset;
        }
    }
    cases.push_back(at_most("largest second difference of a vertex's way over the smooth surface, 120 frames a second",
                            second[0], 1e-4, "m", "an arm that bends by 103 degrees in half a second"));
    cases.push_back(at_least("its fall when the step is halved", second[0] / std::max(second[1], 1e-12), 1.6, "",
                             "a pop stays as it is (1)"));
}

void add_profile(std::vector<Case>& cases) {
    double worst = 0.0;
    for (const double sharpness : {0.12, 0.25, 0.4, 0.6}) {
        for (double r = 0.02; r <= 1.0; r += 0.02) {
            const wrinkle_detail::WrinkleProfile<double> profile(sharpness);
            const double height = wrinkle_detail::height_over_period(r);
            double length = 0.0;
            double last = 0.0;
            constexpr int steps = 4000;
            for (int i = 1; i <= steps; ++i) {
                const double s = std::sin(pi * i / steps);
                const double next = height * profile.at(s * s);
                length += std::hypot(1.0 / steps, next - last);
                last = next;
            }
            worst = worse(std::abs(length / (1.0 + r) - 1.0), worst);
        }
    }
    cases.push_back(at_most("arc length of the profile against what it is to take up, any sharpness, to r = 1", worst,
                            0.01, "", "its slopes are distributed as a sinusoid's"));
}

void add_seams(const Tube& tube, std::vector<Case>& cases) {
    WrinkleSource source;
    source.poses = {tube.rest, tube.pressed(0.8)};
    WrinkleOptions options;
    options.wavelength = Painted(wavelength);
    WrinkleSolver solver(tube.topology, tube.rest, source, options, Workers(2));
    WrinkleHeights heights;
    const Painting map = painted(tube, solver, tube.pressed(0.8), 496, heights);
    const double unit = 1.1 * Tube::length;
    double squares = 0.0;
    int count = 0;
    std::vector<double> angles;
    for (int i = 0; i < 500; ++i) {
        const double along = (0.03 + 0.24 * i / 500.0) / unit;
        // The right rim of an island is the left one of the other.
        for (int island = 0; island < 2; ++island) {
            const double right = 0.05 + 0.5 * island + pi * Tube::radius / unit;
            const double left = 0.05 + 0.5 * (1 - island);
            const double here = Tube::foot(island) + along;
            const double there = Tube::foot(1 - island) + along;
            squares += std::pow(map.height(right, here) - map.height(left, there), 2);
            ++count;
            angles.push_back(std::acos(std::clamp(map.normal(right, here).dot(map.normal(left, there)), -1.0, 1.0)) *
                             180.0 / pi);
        }
    }
    std::sort(angles.begin(), angles.end());
    double high = 0.0;
    for (const float h : map.heights) {
        high = std::max(high, static_cast<double>(std::abs(h)));
    }
    cases.push_back(
        at_least("heights at a seam, so that the next cases have something to measure", high, 5e-4, "m", ""));
    cases.push_back(at_most("jump of heights over a UV seam, rms", std::sqrt(squares / count), 1e-5, "m",
                            "15 texels a wavelength, bilinear"));
    cases.push_back(at_most("angle between normals on both sides, 95 of 100 below", angles[angles.size() * 95 / 100],
                            3.0, "degrees", "as above"));
}

/// Valleys are where they were, at any compression, to the texel: even compression, as a slope of the heights would
/// move the lowest point, though not the skin.
void add_drift(const Tube& tube, std::vector<Case>& cases) {
    WrinkleSource source;
    source.poses = {tube.rest, tube.pressed(0.7)};
    WrinkleOptions options = plain_options();
    options.softness = WrinkleOptions().softness;
    WrinkleSolver solver(tube.topology, tube.rest, source, options, Workers(2));
    WrinkleHeights heights;
    constexpr int size = 1024;
    const Painting maps[] = {painted(tube, solver, tube.pressed(0.9), size, heights),
                             painted(tube, solver, tube.pressed(0.7), size, heights)};
    int valleys[2] = {};
    int moved = 0;
    for (int x = 60; x < 1000; x += 5) {
        for (int y = 150; y < 900; ++y) {
            bool is_valley[2];
            for (int i = 0; i < 2; ++i) {
                const auto at = [&](int dy) { return maps[i].heights[static_cast<size_t>((y + dy) * size + x)]; };
                is_valley[i] = at(0) < at(-1) && at(0) < at(1) && at(0) < -1e-4F;
                valleys[i] += is_valley[i] ? 1 : 0;
            }
            moved += is_valley[0] != is_valley[1] ? 1 : 0;
        }
    }
    cases.push_back(at_least("valleys followed from a tube pressed to 0.9 to one pressed to 0.7",
                             std::min(valleys[0], valleys[1]), 1000, "", ""));
    cases.push_back(at_most("of them, those that are in another texel", moved, 0.0, "",
                            "31 texels a wavelength; phase belongs to material points"));
}

void add_motion(const Tube& tube, std::vector<Case>& cases) {
    WrinkleSource source;
    source.poses = {tube.rest, tube.bent(0.9), tube.bent(1.8)};
    WrinkleOptions options;
    options.wavelength = Painted(wavelength);
    options.slack = 0.0;
    WrinkleSolver solver(tube.topology, tube.rest, source, options, Workers(2));
    const Workers two(2);
    WrinkleHeights now;
    solver.advance(tube.rest, -1.0, two, now);
    cases.push_back(at_most("highest wrinkle at rest, where skin has no reserve", now.height.maxCoeff(), 0.0, "m",
                            "nothing is compressed"));
    double second[4] = {};
    for (int rate = 0; rate < 4; ++rate) {
        const double step = 1.0 / (60 << rate);
        VectorXd last[2];
        for (int i = 0; i * step <= 1.0; ++i) {
            const double s = std::sin(pi * i * step);
            solver.advance(tube.bent(1.8 * s * s), i == 0 ? -1.0 : step, two, now);
            if (i >= 2) {
                second[rate] = worse((now.height - 2.0 * last[1] + last[0]).cwiseAbs().maxCoeff(), second[rate]);
            }
            last[0] = last[1];
            last[1] = now.height;
        }
    }
    cases.push_back(at_most("largest second difference of the height at 120 frames a second", second[1], 1e-4, "m",
                            "an arm that bends by 103 degrees and back in one second"));
    double falls = 1e30;
    for (int rate = 0; rate < 3; ++rate) {
        falls = std::min(falls, second[rate] / std::max(second[rate + 1], 1e-12));
    }
    cases.push_back(at_least("its least fall per halving of the step, 60 to 480 frames a second", falls, 1.6, "",
                             "a pop stays as it is (1), a kink halves, smooth motion falls to a quarter"));

    add_drift(tube, cases);
    const VectorXd before = solver.phase();
    solver.advance(tube.bent(1.8), 0.1, two, now);
    cases.push_back(at_most("drift of the phase over the skin", (solver.phase() - before).cwiseAbs().maxCoeff(), 0.0,
                            "", "by construction"));
}

}  // namespace

std::vector<Case> verify_wrinkle() {
    const Tube tube;
    std::vector<Case> cases;
    add_profile(cases);
    add_length(tube, cases);
    add_seams(tube, cases);
    add_displaced(tube, cases);
    add_motion(tube, cases);
    add_wrinkles_of_people(cases);
    return cases;
}

}  // namespace cutis::verify
