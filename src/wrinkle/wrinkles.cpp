#include "wrinkle/wrinkles.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/simd.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "wrinkle/parts.h"
#include "wrinkle/profile.h"

namespace cutis {

namespace {

using simd::Floats;
using wrinkle_detail::Calm;
using wrinkle_detail::WrinkleParts;

constexpr double degree = 0.017453292519943295;
constexpr double usual_calm = 0.03;   // seconds, on skin that hops
constexpr double quickest = 0.035;    // wavelengths per calm^2: how fast wrinkles begin and stop to rise
constexpr double mean_length = 0.35;  // wavelengths over which the stretch is averaged
constexpr double usual_most = 0.15;   // surplus up to which softness is as it is given

constexpr int lane_count = simd::lanes_in<simd::Floats>;

/// Square of the length there is for skin along the wrinkles' own direction and off it: skin that is pulled across may
/// be shorter.
class Room {
public:
    explicit Room(const WrinkleOptions& options) : tension_(options.tension) {
        const double c = math::cos(options.cone * degree);
        const double s = math::sin(options.cone * degree);
        has_cone_ = s > 0.0;
        cc_ = simd::all<Floats>(c * c);
        ss_ = simd::all<Floats>(s * s);
        twice_cs_ = simd::all<Floats>(2.0 * c * s);
    }
    bool has_cone() const { return has_cone_; }
    Floats cosine_square() const { return cc_; }
    Floats straight(Floats along, Floats across) const { return of(along, across); }
    /// The smaller one of as far off to each side.
    Floats turned(Floats along, Floats between, Floats across) const {
        const Floats a = cc_ * along + ss_ * across;
        const Floats p = ss_ * along + cc_ * across;
        const Floats turn = twice_cs_ * between;
        return simd::smaller(of(a + turn, p - turn), of(a - turn, p + turn));
    }

private:
    Floats of(Floats a, Floats p) const {
        p = simd::larger(p, simd::all<Floats>(1.0));
        if (tension_ == 0.5) {
            p = simd::root(p);
        } else {
            for (int k = 0; k < lane_count; ++k) {
                p[k] = static_cast<float>(math::pow(static_cast<double>(p[k]), tension_));
            }
        }
        return simd::larger(a, simd::all<Floats>(1e-6)) * p;
    }
    double tension_;
    bool has_cone_;
    Floats cc_, ss_, twice_cs_;
};

/// How much longer skin is than its place, at least 0.
Floats surplus(Floats longer, Floats room) {
    return simd::larger(longer / simd::root(room) - simd::all<Floats>(1.0), simd::all<Floats>(0.0));
}

/// Stays below a limit and bends over near it: x / (1 + (x / limit)^8)^(1/8).
Floats bent_over(Floats x, Floats limit) {
    Floats over = x / limit;
    over *= over;
    over *= over;
    return x / simd::root(simd::root(simd::root(simd::all<Floats>(1.0) + over * over)));
}

/// Heights of some places from the metrics there. Beyond a take-up of 1 the flanks of wrinkles would touch: skin that
/// is crushed further thickens, and where the base collapses wrinkles go with it.
void raise(WrinkleParts& parts, int begin, int end) {
    const Room room(parts.options);
    const Floats one = simd::all<Floats>(1.0);
    const Floats none = simd::all<Floats>(0.0);
    const Floats least = simd::all<Floats>(1e-6);
    for (int i = begin; i < end; i += lane_count) {
        const Floats along = simd::load(&parts.along[i]);
        const Floats between = simd::load(&parts.between[i]);
        const Floats across = simd::load(&parts.across[i]);
        const Floats longer = simd::load(&parts.longer[i]);
        const Floats softness = simd::load(&parts.softness[i]);
        const auto taken = [&](Floats of) {
            const Floats q = surplus(longer, of);
            return simd::select(q > none, wrinkle_detail::taken_of(q, softness), none);
        };
        Floats r = taken(room.straight(along, across));
        if (room.has_cone()) {
            // Off the wrinkles' own direction the stripes are further apart.
            r = simd::larger(r, taken(room.turned(along, between, across)) / room.cosine_square());
        }
        r = bent_over(r * simd::load(&parts.share[i]), one);
        const Floats period = simd::root(simd::larger(along, least)) * simd::load(&parts.period[i]);
        const Floats height = simd::load(&parts.strength[i]) * period * wrinkle_detail::height_over_period(r);
        simd::store(&parts.height[i], bent_over(height, simd::load(&parts.cap[i])));
        simd::store(&parts.take_up[i], r);
    }
}

/// Metrics of a pose at all places, averaged over neighbours.
void take_metrics(WrinkleParts& parts, const MatrixX3d& posed, const Workers& workers) {
    workers.for_chunks(static_cast<int>(parts.corners.rows()), 1024, [&](int begin, int end) {
        for (int f = begin; f < end; ++f) {
            parts.metrics.row(f) =
                wrinkle_detail::Chart::metric_of(parts.inverse[static_cast<size_t>(f)], posed, parts.corners, f);
        }
    });
    const auto count = static_cast<int>(parts.vertices.size());
    workers.for_chunks(count, 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            double along = 0.0, between = 0.0, across = 0.0;
            for (int s = parts.first_share[static_cast<size_t>(i)]; s < parts.first_share[static_cast<size_t>(i) + 1];
                 ++s) {
                const WrinkleParts::Share& share = parts.shares[static_cast<size_t>(s)];
                const double* m = parts.metrics.data() + 3 * static_cast<Eigen::Index>(share.triangle);
                const double here = share.cc * m[0] + 2.0 * share.cs * m[1] + share.ss * m[2];
                along += here;
                between += (share.cc - share.ss) * m[1] + share.cs * (m[2] - m[0]);
                across += (share.cc + share.ss) * (m[0] + m[2]) - here;
            }
            parts.raw.row(i) << along, between, across;
        }
    });
    workers.for_chunks(count, 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            double own = 1.0;
            Eigen::Array3d around = Eigen::Array3d::Zero();
            for (int n = parts.first_near[static_cast<size_t>(i)]; n < parts.first_near[static_cast<size_t>(i) + 1];
                 ++n) {
                const double weight = parts.near_weight[static_cast<size_t>(n)];
                const double* raw =
                    parts.raw.data() + 3 * static_cast<Eigen::Index>(parts.near[static_cast<size_t>(n)]);
                own -= weight;
                around += weight * Eigen::Map<const Eigen::Array3d>(raw);
            }
            const Eigen::Array3d metric = own * parts.raw.row(i).transpose().array() + around;
            parts.along[i] = static_cast<float>(metric[0]);
            parts.between[i] = static_cast<float>(metric[1]);
            parts.across[i] = static_cast<float>(metric[2]);
        }
    });
}

/// Heights and what they take up, calmly: however skin hops, a height has no second difference above `quickest` of the
/// wavelength times (step / calm)^2.
void calm_down(WrinkleParts& parts, bool starts, double seconds, const Workers& workers) {
    constexpr double still = 1e-6;  // of the cap: nobody sees what is left, and it would never become 0
    const auto count = static_cast<int>(parts.vertices.size());
    const double keep = math::exp(-std::max(seconds, 0.0) / parts.calm);
    parts.memory.resize(static_cast<size_t>(count));
    workers.for_chunks(count, 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            WrinkleParts::Memory& memory = parts.memory[static_cast<size_t>(i)];
            const double cap = parts.cap[i];
            if (starts) {
                memory.height.start(parts.height[i]);
                memory.take_up.start(parts.take_up[i]);
            } else if (seconds > 0.0) {
                const double most = quickest * parts.layout.wavelength[parts.vertices[static_cast<size_t>(i)]] /
                                    (parts.calm * parts.calm);
                memory.height.follow(parts.height[i], keep, seconds, most);
                memory.take_up.follow(parts.take_up[i], keep, seconds, most / cap);
                if (parts.height[i] == 0.0F && memory.height.once < still * cap && memory.height.value < still * cap) {
                    memory = {};
                }
            }
            parts.height[i] = static_cast<float>(memory.height.value);
            parts.take_up[i] = static_cast<float>(memory.take_up.value);
        }
    });
}

/// Skin that the poses press far is past its onset within a frame or two: its wrinkles begin over a part of that.
void widen_softness(WrinkleParts& parts, const std::vector<MatrixX3d>& poses, const Workers& workers) {
    const Room room(parts.options);
    Eigen::VectorXf most = Eigen::VectorXf::Zero(parts.along.size());
    for (const MatrixX3d& pose : poses) {
        take_metrics(parts, pose, workers);
        for (int i = 0; i < static_cast<int>(most.size()); i += lane_count) {
            const Floats along = simd::load(&parts.along[i]);
            const Floats across = simd::load(&parts.across[i]);
            const Floats least =
                simd::smaller(room.straight(along, across), room.turned(along, simd::load(&parts.between[i]), across));
            simd::store(&most[i], simd::larger(simd::load(&most[i]), surplus(simd::load(&parts.longer[i]), least)));
        }
    }
    parts.softness =
        static_cast<float>(parts.options.softness) * (most.array() / static_cast<float>(usual_most)).max(1.0F);
}

/// Triangles and vertices that take part, and how the metric of a vertex is made of those around it.
void gather_shares(const Topology& topology, const MatrixX3d& rest, WrinkleParts& parts) {
    const wrinkle_detail::WrinkleLayout& layout = parts.layout;
    const MatrixX3i& triangles = topology.triangles();
    const std::vector<int>& part_of = layout.cut.vertex_of_base;
    std::vector<int> place(part_of.size(), -1);
    for (size_t v = 0; v < part_of.size(); ++v) {
        if (part_of[v] >= 0) {
            place[v] = static_cast<int>(parts.vertices.size());
            parts.vertices.push_back(static_cast<int>(v));
        }
    }
    std::vector<int> number(static_cast<size_t>(topology.triangle_count()), -1);
    std::vector<int> used;
    std::vector<wrinkle_detail::Chart> charts;
    const VectorXd areas = triangle_areas(rest, topology);
    parts.first_share.push_back(0);
    parts.first_near.push_back(0);
    for (const int v : parts.vertices) {
        const Vector3d g = layout.direction.row(v);
        double sum = 0.0;
        double edges = 0.0;
        std::vector<int> around;
        for (const int f : topology.triangles_around(v)) {
            int& own = number[static_cast<size_t>(f)];
            if (own < 0) {
                own = static_cast<int>(used.size());
                used.push_back(f);
                charts.emplace_back(rest, triangles, f);
                parts.inverse.push_back(charts.back().inverse);
            }
            const wrinkle_detail::Chart& chart = charts[static_cast<size_t>(own)];
            Vector2d flat(g.dot(chart.x), g.dot(chart.y));
            flat = flat.norm() > 1e-9 ? Vector2d(flat.normalized()) : Vector2d(1, 0);
            const double area = areas[f];
            parts.shares.push_back({own, static_cast<float>(area * flat.x() * flat.x()),
                                    static_cast<float>(area * flat.x() * flat.y()),
                                    static_cast<float>(area * flat.y() * flat.y())});
            parts.ways.emplace_back(area * flat);
            sum += area;
            for (int k = 0; k < 3; ++k) {
                const int other = triangles(f, k);
                if (other != v && place[static_cast<size_t>(other)] >= 0 &&
                    std::find(around.begin(), around.end(), other) == around.end()) {
                    around.push_back(other);
                    edges += (rest.row(other) - rest.row(v)).norm();
                }
            }
        }
        for (size_t s = static_cast<size_t>(parts.first_share.back()); s < parts.shares.size(); ++s) {
            WrinkleParts::Share& share = parts.shares[s];
            for (float* part : {&share.cc, &share.cs, &share.ss}) {
                *part = static_cast<float>(*part / sum);
            }
            parts.ways[s] /= sum;
        }
        parts.first_share.push_back(static_cast<int>(parts.shares.size()));
        // One step of diffusion: as much of the neighbours as reaches over the length.
        const double edge = edges / std::max(1.0, static_cast<double>(around.size()));
        const double far = math::pow(mean_length * layout.wavelength[v] / std::max(edge, 1e-300), 2);
        const double part = std::min(0.7, far);
        for (const int other : around) {
            // Neighbours whose wrinkles run elsewhere have another metric.
            const double along = std::abs(layout.direction.row(other).dot(g));
            parts.near.push_back(place[static_cast<size_t>(other)]);
            parts.near_weight.push_back(part * along * along / static_cast<double>(around.size()));
        }
        parts.first_near.push_back(static_cast<int>(parts.near.size()));
    }
    parts.corners.resize(static_cast<Eigen::Index>(used.size()), 3);
    for (size_t f = 0; f < used.size(); ++f) {
        parts.corners.row(static_cast<Eigen::Index>(f)) = triangles.row(used[f]);
    }
}

}  // namespace

WrinkleSolver::WrinkleSolver(const Topology& topology, const MatrixX3d& rest, const WrinkleSource& source,
                             const WrinkleOptions& options, const Workers& workers)
    : parts_(std::make_unique<WrinkleParts>()) {
    WrinkleParts& parts = *parts_;
    parts.layout = wrinkle_detail::lay_wrinkles(topology, rest, source, options, workers);
    parts.options = options.of_skin();
    parts.calm = options.calm.value_or(source.hops ? usual_calm : 0.0);
    if (is_empty()) {
        return;
    }
    gather_shares(topology, rest, parts);
    const auto count = static_cast<Eigen::Index>(parts.vertices.size());
    parts.metrics.resize(parts.corners.rows(), 3);
    parts.raw.resize(count, 3);
    const Eigen::Index lanes = (count + lane_count - 1) / lane_count * lane_count;
    for (Eigen::VectorXf* values : {&parts.longer, &parts.share, &parts.strength, &parts.cap, &parts.period,
                                    &parts.along, &parts.between, &parts.across, &parts.height, &parts.take_up}) {
        values->setOnes(lanes);
    }
    for (Eigen::Index i = 0; i < count; ++i) {
        const int v = parts.vertices[static_cast<size_t>(i)];
        const double reserve = parts.layout.reserve[v];
        // Skin in reserve wrinkles at once: it does not have to be pushed past the onset first.
        const double longer = 1.0 - *parts.options.onset + reserve + std::min(*parts.options.onset, reserve);
        parts.longer[i] = static_cast<float>(longer);
        parts.share[i] = static_cast<float>(parts.options.share.at(v));
        parts.strength[i] = static_cast<float>(parts.options.strength.at(v));
        parts.cap[i] = static_cast<float>(parts.options.height_cap * parts.layout.wavelength[v]);
        parts.period[i] = static_cast<float>(parts.layout.period[v]);
    }
    widen_softness(parts, source.poses, workers);
}

WrinkleSolver::~WrinkleSolver() = default;
WrinkleSolver::WrinkleSolver(WrinkleSolver&&) noexcept = default;
WrinkleSolver& WrinkleSolver::operator=(WrinkleSolver&&) noexcept = default;

bool WrinkleSolver::is_empty() const {
    return parts_->layout.cut.base_triangle.empty();
}
bool WrinkleSolver::has_memory() const {
    return parts_->calm > 0.0 && !is_empty();
}
const VectorXd& WrinkleSolver::wavelength() const {
    return parts_->layout.wavelength;
}
const MatrixX3d& WrinkleSolver::direction() const {
    return parts_->layout.direction;
}
double WrinkleSolver::forks() const {
    return parts_->layout.forks;
}
int WrinkleSolver::piece_count() const {
    return static_cast<int>(parts_->layout.cut.base_triangle.size());
}
const std::vector<std::string>& WrinkleSolver::notes() const {
    return parts_->layout.notes;
}

void WrinkleSolver::advance(const MatrixX3d& posed, double seconds, const Workers& workers, WrinkleHeights& out) {
    WrinkleParts& parts = *parts_;
    const Eigen::Index vertices = parts.layout.wavelength.size();
    require(posed.rows() == vertices, "wrinkles: expected ", vertices, " positions, found ", posed.rows());
    out.height.setZero(vertices);
    out.take_up.setZero(vertices);
    if (is_empty()) {
        return;
    }
    take_metrics(parts, posed, workers);
    workers.for_chunks(static_cast<int>(parts.along.size()) / lane_count, 128,
                       [&](int begin, int end) { raise(parts, lane_count * begin, lane_count * end); });
    if (parts.calm > 0.0) {
        calm_down(parts, seconds < 0.0 || !parts.has_past, seconds, workers);
    }
    for (int i = 0; i < static_cast<int>(parts.vertices.size()); ++i) {
        out.height[parts.vertices[static_cast<size_t>(i)]] = parts.height[i];
        out.take_up[parts.vertices[static_cast<size_t>(i)]] = parts.take_up[i];
    }
    parts.has_past = true;
}

void WrinkleSolver::crests(const MatrixX3d& posed, const Workers& workers, MatrixX3d& out) const {
    const WrinkleParts& parts = *parts_;
    out.setZero(parts.layout.wavelength.size(), 3);
    workers.for_chunks(static_cast<int>(parts.vertices.size()), 1024, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) {
            Vector3d across = Vector3d::Zero();
            Vector3d normal = Vector3d::Zero();
            for (int s = parts.first_share[static_cast<size_t>(i)]; s < parts.first_share[static_cast<size_t>(i) + 1];
                 ++s) {
                const WrinkleParts::Share& share = parts.shares[static_cast<size_t>(s)];
                const Vector2d& way = parts.ways[static_cast<size_t>(s)];
                const std::array<double, 3>& inverse = parts.inverse[static_cast<size_t>(share.triangle)];
                const Vector3d origin = posed.row(parts.corners(share.triangle, 0));
                const Vector3d e1 = posed.row(parts.corners(share.triangle, 1)).transpose() - origin;
                const Vector3d e2 = posed.row(parts.corners(share.triangle, 2)).transpose() - origin;
                across += way.x() * inverse[0] * e1 + way.y() * (inverse[1] * e1 + inverse[2] * e2);
                normal += e1.cross(e2);
            }
            const Vector3d crest = normal.cross(across);
            if (crest.squaredNorm() > 0.0) {
                out.row(parts.vertices[static_cast<size_t>(i)]) = crest.normalized();
            }
        }
    });
}

std::vector<double> WrinkleSolver::save() const {
    const WrinkleParts& parts = *parts_;
    std::vector<double> state;
    if (has_memory() && parts.has_past) {
        for (const WrinkleParts::Memory& memory : parts.memory) {
            for (const Calm* calm : {&memory.height, &memory.take_up}) {
                state.insert(state.end(), {calm->once, calm->value, calm->speed});
            }
        }
    }
    return state;
}

void WrinkleSolver::restore(const std::vector<double>& state) {
    WrinkleParts& parts = *parts_;
    parts.has_past = !state.empty();
    if (state.empty()) {
        return;
    }
    const size_t expected = has_memory() ? 6 * parts.vertices.size() : 0;
    require(state.size() == expected && has_memory(), "wrinkle state: expected ", expected, " numbers, found ",
            state.size());
    require(std::all_of(state.begin(), state.end(), [](double x) { return std::isfinite(x); }),
            "wrinkle state: expected finite numbers");
    parts.memory.clear();
    for (auto at = state.begin(); at != state.end(); at += 6) {
        parts.memory.push_back({{at[0], at[1], at[2]}, {at[3], at[4], at[5]}});
    }
}

VectorXd WrinkleSolver::presence() const {
    const std::vector<int>& part_of = parts_->layout.cut.vertex_of_base;
    VectorXd values = VectorXd::Zero(parts_->layout.wavelength.size());
    for (size_t v = 0; v < part_of.size(); ++v) {
        if (part_of[v] >= 0) {
            values[static_cast<Eigen::Index>(v)] = parts_->layout.presence[part_of[v]];
        }
    }
    return values;
}

VectorXd WrinkleSolver::phase() const {
    const wrinkle_detail::WrinkleLayout& layout = parts_->layout;
    VectorXd values = VectorXd::Zero(layout.wavelength.size());
    VectorXd of_part(layout.presence.size());
    for (size_t f = 0; f < layout.angles.phase.size(); ++f) {
        for (int k = 0; k < 3; ++k) {
            of_part[layout.cut.mesh.triangles(static_cast<Eigen::Index>(f), k)] = math::cos(layout.angles.phase[f][k]);
        }
    }
    for (size_t v = 0; v < layout.cut.vertex_of_base.size(); ++v) {
        if (layout.cut.vertex_of_base[v] >= 0) {
            values[static_cast<Eigen::Index>(v)] = of_part[layout.cut.vertex_of_base[v]];
        }
    }
    return values;
}

}  // namespace cutis
