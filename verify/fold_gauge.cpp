#include "verify/fold_gauge.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cutis/actors/actors.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/scene_read.h"
#include "cutis/mesh/geometry.h"
#include "cutis/stack/layer_stack.h"
#include "fold/folds.h"
#include "verify/fold_crossings.h"

namespace cutis::verify {

namespace {

/// Smallest stretch of each triangle and its rest direction.
struct Squeezes {
    std::vector<double> stretch;
    std::vector<Vector3d> way;
};

Squeezes squeezes(const MatrixX3d& rest, const MatrixX3d& now, const MatrixX3i& triangles) {
    Squeezes all;
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        const auto edge = [&](const MatrixX3d& p, int k) -> Vector3d {
            return p.row(triangles(f, k)) - p.row(triangles(f, 0));
        };
        const Vector3d e1 = edge(rest, 1);
        const Vector3d e2 = edge(rest, 2);
        const Vector3d normal = e1.cross(e2);
        const double area = normal.norm();
        if (!(area > 0.0)) {
            all.stretch.push_back(1.0);
            all.way.push_back(Vector3d::Zero());
            continue;
        }
        const Vector3d x = e1.normalized();
        const Vector3d y = (normal / area).cross(x);
        const Vector3d u = edge(now, 1) / e1.norm();
        const Vector3d v = (edge(now, 2) - e2.dot(x) * u) / (area / e1.norm());
        const double half = 0.5 * (u.dot(u) - v.dot(v));
        const double angle = 0.5 * std::atan2(u.dot(v), half);
        all.stretch.push_back(std::sqrt(std::max(0.0, 0.5 * (u.dot(u) + v.dot(v)) - std::hypot(half, u.dot(v)))));
        all.way.push_back(-std::sin(angle) * x + std::cos(angle) * y);
    }
    return all;
}

struct LinePoint {
    int a;
    int b;
    double t;
};

/// Walks along the compression on the rest mesh, straight in every triangle.
void walk(const MatrixX3d& rest, const Topology& topology, const Squeezes& squeezed, int f, double sign, double far,
          std::vector<LinePoint>& out) {
    const MatrixX3i& triangles = topology.triangles();
    const auto corner = [&](int g, int k) -> Vector3d { return rest.row(triangles(g, k % 3)); };
    Vector3d at = (corner(f, 0) + corner(f, 1) + corner(f, 2)) / 3.0;
    Vector3d way = sign * squeezed.way[static_cast<size_t>(f)];
    int came = -1;
    double gone = 0.0;
    for (int step = 0; step < 200 && gone < far; ++step) {
        const Vector3d normal = (corner(f, 1) - corner(f, 0)).cross(corner(f, 2) - corner(f, 0));
        double nearest = 1e30;
        int exit = -1;
        for (int k = 0; k < 3; ++k) {
            const Vector3d inward = normal.cross(corner(f, k + 1) - corner(f, k));
            if (k != came && inward.dot(way) < -1e-30 && inward.dot(corner(f, k) - at) / inward.dot(way) < nearest) {
                nearest = inward.dot(corner(f, k) - at) / inward.dot(way);
                exit = k;
            }
        }
        if (exit < 0) {
            return;
        }
        const Vector3d edge = corner(f, exit + 1) - corner(f, exit);
        const double t = std::clamp(
            (at + std::max(nearest, 0.0) * way - corner(f, exit)).dot(edge) / std::max(edge.squaredNorm(), 1e-30), 0.0,
            1.0);
        const Vector3d next = corner(f, exit) + t * edge;
        gone += (next - at).norm();
        out.push_back({triangles(f, exit), triangles(f, (exit + 1) % 3), t});
        const int g = topology.neighbour(f, exit);
        if (g < 0 || squeezed.stretch[static_cast<size_t>(g)] > 0.95) {
            return;
        }
        const Vector3d ahead = squeezed.way[static_cast<size_t>(g)];
        if (std::abs(ahead.dot(way)) < 0.3) {  // 72 degrees
            return;
        }
        way = ahead.dot(way) > 0.0 ? ahead : Vector3d(-ahead);
        for (int k = 0; k < 3; ++k) {
            came = topology.neighbour(g, k) == f ? k : came;
        }
        f = g;
        at = next;
    }
}

double length_of(const std::vector<LinePoint>& line, const MatrixX3d& p) {
    double length = 0.0;
    Vector3d before = Vector3d::Zero();
    for (size_t i = 0; i < line.size(); ++i) {
        const Vector3d at = (1.0 - line[i].t) * p.row(line[i].a) + line[i].t * p.row(line[i].b);
        length += i > 0 ? (at - before).norm() : 0.0;
        before = at;
    }
    return length;
}

double percentile(std::vector<double> values, double part) {
    if (values.empty()) {
        return 0.0;
    }
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// A fold layer on a body, asked at any time. Keys are joined with continuous velocity: a body that
/// jumps from speed to speed at its keys would hide whether folds do.
struct Folding {
    Workers workers;
    LayerStack stack;
    Frame frame;
    double width = 0.0;

    Folding(const Body& body, const std::string& keys, int threads)
        : workers(threads), stack(body, {.sampling = TimeSampling::smooth, .look_ahead = 0}, workers) {
        const Scene scene = parse_scene("[body]\nactor = \"arm\"\n[[layer]]\nkind = \"fold\"\n" + keys, "verify");
        stack.add("fold", plan_layer(scene.layers.front(), "verify")->prepare(stack.ground(), {}));
        stack.keep_plain(true);
        frame = stack.info().empty_frame();
        frame.body().positions.resize(0, 0);
    }
    const Frame& at(double time) {
        frame = stack.info().empty_frame();
        stack.advance_to(time, 1.0, frame);
        return frame;
    }
};

/// Triangles that face along their corners' turned rest normals before folding and against them
/// after.
int count_turned(const MatrixX3i& triangles, const MatrixX3d& before, const MatrixX3d& after, const MatrixX3d& turned) {
    int count = 0;
    for (Eigen::Index f = 0; f < triangles.rows(); ++f) {
        Vector3d normal = Vector3d::Zero();
        for (int k = 0; k < 3; ++k) {
            normal += turned.row(triangles(f, k)).transpose();
        }
        const auto area = [&](const MatrixX3d& p) {
            const Vector3d a = p.row(triangles(f, 0));
            return (Vector3d(p.row(triangles(f, 1))) - a).cross(Vector3d(p.row(triangles(f, 2))) - a).dot(normal);
        };
        count += area(before) > 0.0 && area(after) < 0.0 ? 1 : 0;
    }
    return count;
}

/// Largest second differences of the offset from a moment on: at 120 frames a second, and twice to eight
/// times as many around the moments where they are largest.
void find_pops(Folding& folding, double duration, double begin, FoldGauge& gauge) {
    constexpr double rate = 120.0;
    constexpr int moments = 3;
    constexpr int frames_around = 2;  // of 120 a second, to each side
    const auto offset_at = [&](double time) -> MatrixX3d {
        const Frame& frame = folding.at(time);
        return frame.body().positions - frame.body().plain_positions;
    };
    const auto second = [](const MatrixX3d& a, const MatrixX3d& b, const MatrixX3d& c) {
        return (a - 2.0 * b + c).rowwise().norm().maxCoeff();
    };
    MatrixX3d last[3];
    std::vector<std::pair<double, double>> found;
    const int count = std::max(3, static_cast<int>(duration * rate));
    for (int i = 0; i < count; ++i) {
        last[i % 3] = offset_at(begin + i / rate);
        if (i >= 2) {
            found.emplace_back(second(last[(i + 1) % 3], last[(i + 2) % 3], last[i % 3]), begin + (i - 1) / rate);
        }
    }
    std::sort(found.rbegin(), found.rend());
    gauge.second[0] = found.front().first;
    std::vector<double> chosen;
    for (const auto& each : found) {
        const double time = each.second;  // clang 14 cannot capture a structured binding
        const bool is_far = std::all_of(chosen.begin(), chosen.end(), [&](double other) {
            return std::abs(time - other) > 2.0 * frames_around / rate;
        });
        if (is_far && chosen.size() < moments) {
            chosen.push_back(time);
        }
    }
    for (const double time : chosen) {
        // Folds have no memory: frames of 120 a second are every eighth of 960.
        std::vector<MatrixX3d> offsets;
        for (int i = -8 * frames_around; i <= 8 * frames_around; ++i) {
            offsets.push_back(offset_at(std::max(0.0, time + i / (8.0 * rate))));
        }
        for (int finer = 1; finer < 4; ++finer) {
            const size_t step = 8U >> finer;
            for (size_t i = 2 * step; i < offsets.size(); i += step) {
                gauge.second[finer] =
                    std::max(gauge.second[finer], second(offsets[i - 2 * step], offsets[i - step], offsets[i]));
            }
        }
    }
}

Body body_of(Character character, const std::string& part, const std::string& clip) {
    BodyOptions options;
    options.mesh = part;
    options.clip = clip;
    return make_body(std::make_shared<Character>(std::move(character)), options);
}

}  // namespace

FoldGauge gauge_folds(const Body& body, const std::string& keys, int poses, double moment, bool whole_clip,
                      bool counts_crossings) {
    Folding folding(body, keys, 1);
    FoldGauge gauge;
    if (folding.stack.layer(0).facts().refined == nullptr) {
        return gauge;  // nothing folds
    }
    const RefinedMesh& mesh = *folding.stack.layer(0).facts().refined;
    const Topology topology(mesh.art.triangles, static_cast<int>(mesh.art.positions.rows()));
    const MatrixX3d& rest = mesh.art.positions;
    const auto& numbers = folding.stack.layer(0).report().numbers;
    gauge.vertices = topology.vertex_count();
    gauge.uniform_vertices = static_cast<int>(numbers.at("vertices if uniform"));
    const double width = numbers.at("median width (m)");
    // Seeds are drawn by area, so the same of them by a running sum.
    std::vector<double> areas;
    for (Eigen::Index f = 0; f < mesh.art.triangles.rows(); ++f) {
        const auto corner = [&](int k) -> Vector3d { return rest.row(mesh.art.triangles(f, k)); };
        areas.push_back((corner(1) - corner(0)).cross(corner(2) - corner(0)).norm());
    }
    std::vector<double> shortfalls;
    std::vector<double> idle;
    double missing_before = 0.0;
    double missing_after = 0.0;
    std::vector<Eigen::Affine3d> joints;
    const MatrixX3d rest_normals = vertex_normals(rest, topology);
    MatrixX3d turned;
    const MatrixX3i joined = joined_at(mesh.art.triangles, rest);
    int counted = 0;
    for (int pose = 0; pose < poses; ++pose) {
        const double time = body.duration() * (pose + 0.5) / poses;
        const Frame& frame = folding.at(time);
        const MatrixX3d base = frame.body().plain_positions;
        const MatrixX3d folded = frame.body().positions;
        const std::vector<double> share = *folding.stack.info().channel(frame, "fold share");
        const Squeezes squeezed = squeezes(rest, base, mesh.art.triangles);
        double active = 0.0;
        for (size_t f = 0; f < areas.size(); ++f) {
            active += squeezed.stretch[f] < 0.9 ? areas[f] : 0.0;
        }
        constexpr int seeds = 150;
        double sum = 0.0;
        int drawn = 0;
        for (size_t f = 0; f < areas.size() && active > 0.0; ++f) {
            if (squeezed.stretch[f] >= 0.9) {
                continue;
            }
            sum += areas[f];
            if (sum < active * (drawn + 0.5) / seeds) {
                continue;
            }
            ++drawn;
            std::vector<LinePoint> line;
            std::vector<LinePoint> forth;
            walk(rest, topology, squeezed, static_cast<int>(f), -1.0, width, line);
            walk(rest, topology, squeezed, static_cast<int>(f), 1.0, width, forth);
            std::reverse(line.begin(), line.end());
            line.insert(line.end(), forth.begin(), forth.end());
            const double rest_length = length_of(line, rest);
            if (line.size() < 3 || rest_length < 0.2 * width) {
                continue;
            }
            const double before = length_of(line, base) / rest_length;
            const double after = length_of(line, folded) / rest_length;
            missing_before += std::max(0.0, 0.9 - before);
            missing_after += std::max(0.0, 0.9 - after);
            if (rest_length < width || before >= 0.9) {
                continue;
            }
            shortfalls.push_back(std::max(0.0, 1.0 - after / 0.95));
            if (std::all_of(line.begin(), line.end(), [&](const LinePoint& p) {
                    return share[static_cast<size_t>(p.a)] > 0.999 && share[static_cast<size_t>(p.b)] > 0.999;
                })) {
                idle.push_back(shortfalls.back());
            }
        }
        if (counts_crossings && pose % 2 == 1) {
            const Crossings plain = find_crossings(joined, base);
            const Crossings with_folds = find_crossings(joined, folded);
            gauge.pairs[0] += plain.pairs;
            gauge.pairs[1] += with_folds.pairs;
            gauge.far_crossing += far_crossings(plain, with_folds, mesh.art.triangles, base, width);
            ++counted;
        }
        if (body.rig() != nullptr) {
            body.joint_matrices(time, TimeSampling::smooth, joints);
            turn_normals(rest_normals, mesh.weights, joints, folding.workers, turned);
            gauge.turned += count_turned(mesh.art.triangles, base, folded, turned);
        }
    }
    for (double* sum : {&gauge.pairs[0], &gauge.pairs[1], &gauge.far_crossing}) {
        *sum /= std::max(1, counted);
    }
    gauge.far_crossing_part = gauge.far_crossing / std::max(1.0, static_cast<double>(areas.size()));
    gauge.lines = static_cast<int>(shortfalls.size());
    gauge.shortfall_median = percentile(shortfalls, 0.5);
    gauge.shortfall_p95 = percentile(shortfalls, 0.95);
    gauge.shortfall_p95_idle = percentile(idle, 0.95);
    gauge.idle = static_cast<double>(idle.size()) / std::max(1, gauge.lines);
    gauge.taken_up = missing_before > 0.0 ? 1.0 - missing_after / missing_before : 1.0;
    gauge.kept = folding.stack.layer(0).report().numbers.at("height the guard kept");

    find_pops(folding, whole_clip ? body.duration() : 0.1, whole_clip ? 0.0 : moment, gauge);
    Folding other(body, keys, 2);
    gauge.differing = static_cast<int>(
        (other.at(moment).body().positions.array() != folding.at(moment).body().positions.array()).count());
    return gauge;
}

Body fold_file(const std::string& path, const std::string& part) {
    return body_of(read_gltf(path), part, "");
}

Body fold_actor(const std::string& actor, const std::string& part, const std::string& clip) {
    return body_of(load_actor(actor), part, clip);
}

Body fold_sweep(const std::string& path, const std::string& part) {
    Character character = read_gltf(path);
    Clip clip;
    clip.name = "sweep";
    struct Turn {
        const char* name;
        Vector3d axis;
        double degrees;
    };
    const Turn turns[] = {{"UpperLeg", Vector3d::UnitX(), 85.0},
                          {"LowerLeg", Vector3d::UnitX(), 100.0},
                          {"LowerArm", Vector3d::UnitX(), 100.0},
                          {"Abdomen", Vector3d::UnitX(), 55.0},
                          {"Torso", Vector3d::UnitY(), 60.0}};
    for (size_t n = 0; n < character.skeleton.nodes.size(); ++n) {
        for (const Turn& turn : turns) {
            if (character.skeleton.nodes[n].name.find(turn.name) == std::string::npos) {
                continue;
            }
            Channel channel;
            channel.node = static_cast<int>(n);
            channel.target = ChannelTarget::rotation;
            channel.width = 4;
            for (int i = 0; i <= 16; ++i) {
                const double angle =
                    turn.degrees * std::numbers::pi / 180.0 * std::sin(2.0 * std::numbers::pi * i / 16.0);
                const Eigen::Quaterniond q =
                    character.skeleton.nodes[n].rest.rotation * Eigen::Quaterniond(Eigen::AngleAxisd(angle, turn.axis));
                channel.times.push_back(0.25 * i);
                for (const double part_of : {q.x(), q.y(), q.z(), q.w()}) {
                    channel.values.push_back(part_of);
                }
            }
            clip.channels.push_back(std::move(channel));
        }
    }
    character.clips = {clip};
    return body_of(std::move(character), part, "sweep");
}

}  // namespace cutis::verify
