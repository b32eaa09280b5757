#include "wrinkle/layout.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/math.h"
#include "cutis/core/error.h"
#include "cutis/mesh/geometry.h"
#include "mesh/triangle_grid.h"
#include "stripes/smooth.h"
#include "stripes/waves.h"

namespace cutis::wrinkle_detail {

namespace {

using std::numbers::pi;
using stripes::Diffusion;
using stripes::StripeMesh;

// Wavelength that is found out: 1 / (of the body's thickness there) + 1 / (of its usual thickness).
constexpr double of_thickness = 0.2;
constexpr double of_usual = 0.5;
constexpr double edge_part = 0.55;     // of pieces, wavelengths
constexpr double least_excess = 0.01;  // compression beyond the onset that counts
constexpr double reach = 2.0;          // wavelengths that stripes go on beyond it
constexpr double rim_fade = 1.5;       // wavelengths
constexpr double kept_usually = 0.25;  // stretch of which half is kept
constexpr double bulge_length = 3.0;   // wavelengths over which curvature is averaged
constexpr double bulge_size = 8.0;     // wavelengths: the radius of a finger
constexpr double least_bulge = 0.15;   // of the reserve, in a hollow
constexpr double peak_length = 6.0;    // wavelengths around: a joint and the bones next to it
// Of the farthest stretch around: nothing is kept for less than this, all for more than that.
constexpr double least_peak = 0.68;
constexpr double whole_peak = 0.88;
// Skin's lines cross. Fine ones lie this far off the wrinkles, this close.
constexpr double fine_turn = 0.7;
constexpr double fine_part = 0.38;  // of the wavelength

/// Stretch beyond `from` that skin may hold in reserve: less and less of a large one, for which skin is drawn from
/// around instead, so that a knuckle keeps more than the back of the hand next to it.
double kept_of(double stretch, double from) {
    const double beyond = std::max(0.0, stretch - from);
    return beyond / (1.0 + beyond / kept_usually);
}

VectorXd painted_values(const Painted& painted, int count) {
    return painted.is_painted() ? painted.per_vertex : VectorXd::Constant(count, painted.value);
}

/// Median by area.
double usual(const VectorXd& values, const VectorXd& weights) {
    std::vector<int> order(static_cast<size_t>(values.size()));
    for (size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<int>(i);
    }
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return values[a] != values[b] ? values[a] < values[b] : a < b; });
    double sum = 0.0;
    for (const int i : order) {
        sum += weights[i];
        if (sum >= 0.5 * weights.sum()) {
            return values[i];
        }
    }
    return values[order.back()];
}

VectorXd wavelengths(const StripeMesh& base, const Topology& topology, const WrinkleOptions& options,
                     const Workers& workers) {
    const int count = base.vertex_count();
    VectorXd length;
    if (options.wavelength) {
        length = painted_values(*options.wavelength, count);
    } else if (options.thickness && options.stiffness_ratio) {
        length.setConstant(count, *options.thickness * wrinkle_wavelength(*options.stiffness_ratio));
    } else {
        const double most = 0.25 * bounding_box_diagonal(base.rest);
        const VectorXd thick = body_thickness(topology, base.rest, base.normals, most, workers).cwiseMax(1e-3 * most);
        const double common = usual(thick, base.masses);
        length = (1.0 / (1.0 / (of_thickness * thick.array()) + 1.0 / (of_usual * common))).matrix();
        // Rays differ from vertex to vertex: the mean over a few wavelengths.
        Diffusion(base, length).over(3.0, length);
    }
    return length.cwiseProduct(painted_values(options.scale, count));
}

/// 1 where the surface bulges over a bone, as a knuckle does, next to nothing in a hollow: skin between two knuckles, a
/// web, is not stretched by them and keeps nothing for them.
VectorXd bulges(const StripeMesh& base, const VectorXd& wavelength) {
    MatrixX3d laplacian = MatrixX3d::Zero(base.rest.rows(), 3);
    for (size_t e = 0; e < base.edges.size(); ++e) {
        const auto [a, b] = base.edges[e];
        const Vector3d along =
            base.cotangents[static_cast<Eigen::Index>(e)] * Vector3d(base.rest.row(a) - base.rest.row(b));
        laplacian.row(a) += along;
        laplacian.row(b) -= along;
    }
    VectorXd curvature(base.rest.rows());
    for (Eigen::Index v = 0; v < curvature.size(); ++v) {
        curvature[v] = 0.5 * base.normals.row(v).dot(laplacian.row(v)) / base.masses[v];
    }
    Diffusion(base, wavelength).over(bulge_length, curvature);
    for (Eigen::Index v = 0; v < curvature.size(); ++v) {
        curvature[v] = least_bulge + (1.0 - least_bulge) *
                                         stripes::smooth_step((bulge_size * wavelength[v] * curvature[v] - 0.2) / 0.5);
    }
    return curvature;
}

/// 1 where skin is stretched about as far as the farthest around, 0 where far less: a joint keeps a reserve, the bones
/// on both sides of it stay smooth. The farthest around is a mean of the stretch by its own high powers, so that places
/// that are not stretched do not count; where all are alike, all are 1.
VectorXd peaks(const StripeMesh& base, const VectorXd& wavelength, VectorXd beyond) {
    Diffusion diffusion(base, wavelength);
    diffusion.over(0.7, beyond);
    const double most = beyond.maxCoeff();
    RowMatrixXd powers(beyond.size(), 2);
    for (Eigen::Index v = 0; v < beyond.size(); ++v) {
        const double square = beyond[v] * beyond[v] / std::max(most * most, 1e-300);
        const double power = square * square * square;
        powers.row(v) << power, power * beyond[v];
    }
    diffusion.over(peak_length, powers);
    for (Eigen::Index v = 0; v < beyond.size(); ++v) {
        const double around = powers(v, 1) / std::max(powers(v, 0), 1e-30);
        beyond[v] =
            around > 0.0 ? stripes::smooth_step((beyond[v] / around - least_peak) / (whole_peak - least_peak)) : 0.0;
    }
    return beyond;
}

/// Compression and stretch over all poses, per triangle.
struct Squeezed {
    stripes::Tensors tensors;
    VectorXd most;  ///< largest compression beyond the onset, or part of a stretch kept in reserve
};

Squeezed sum_squeezed(const Topology& topology, const std::vector<Chart>& charts, const WrinkleSource& source,
                      const WrinkleOptions& options, const VectorXd& slack, const Workers& workers) {
    const int count = topology.triangle_count();
    const MatrixX3i& triangles = topology.triangles();
    Squeezed sum{stripes::Tensors::Zero(count, 6), VectorXd::Zero(count)};
    for (const MatrixX3d& pose : source.poses) {
        workers.for_chunks(count, 512, [&](int begin, int end) {
            for (int f = begin; f < end; ++f) {
                const Chart& chart = charts[static_cast<size_t>(f)];
                const Vector3d c = chart.metric(pose, triangles, f);
                const stripes::Squeeze low = stripes::smallest_stretch(c[0], c[1], c[2]);
                const double high = std::sqrt(std::max(0.0, c[0] + c[2] - low.stretch * low.stretch));
                const auto add = [&](double amount, const Vector3d& d) {
                    sum.most[f] = std::max(sum.most[f], amount);
                    sum.tensors.row(f) += amount * amount *
                                          Eigen::Matrix<double, 1, 6>(d[0] * d[0], d[1] * d[1], d[2] * d[2],
                                                                      d[1] * d[2], d[0] * d[2], d[0] * d[1]);
                };
                // Tension field: skin that is pulled narrows by itself.
                const double narrow = math::pow(std::max(high, 1.0), -options.tension) * (1.0 - *options.onset);
                if (low.stretch < narrow) {
                    add(narrow - low.stretch, low.cosine * chart.x + low.sine * chart.y);
                }
                double kept = 0.0;
                for (int k = 0; k < 3; ++k) {
                    kept += slack[triangles(f, k)] / 3.0;
                }
                if (high > options.slack_from && kept > 0.0) {
                    add(kept * kept_of(high, options.slack_from), -low.sine * chart.x + low.cosine * chart.y);
                }
            }
        });
    }
    return sum;
}

/// Distance from marked vertices along edges, as far as `most` times the widths.
std::vector<double> distances(const StripeMesh& mesh, const std::vector<unsigned char>& marked, const VectorXd& widths,
                              double most) {
    std::vector<double> far(marked.size(), 1e30);
    for (size_t v = 0; v < marked.size(); ++v) {
        far[v] = marked[v] != 0 ? 0.0 : far[v];
    }
    for (bool changes = true; changes;) {
        changes = false;
        for (const auto& [a, b] : mesh.edges) {
            const double length = (mesh.rest.row(a) - mesh.rest.row(b)).norm();
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
                const double reached = far[static_cast<size_t>(from)] + length;
                if (reached < most * widths[to] && reached < far[static_cast<size_t>(to)] - 1e-12) {
                    far[static_cast<size_t>(to)] = reached;
                    changes = true;
                }
            }
        }
    }
    return far;
}

/// phi of every corner of every piece without jumps, and its slopes. Where stripes do not close, `presence` becomes 0.
struct Unwrapped {
    WrinkleLayout::Angles angles;
    MatrixX3d slopes;   // of vertices
    double open = 0.0;  // part of the area
};
Unwrapped unwrap(const stripes::Waves& waves, const StripeMesh& mesh, VectorXd& presence) {
    Unwrapped result;
    auto& [phase, slopes_of] = result.angles;
    const auto count = static_cast<size_t>(mesh.triangles.rows());
    phase.resize(count);
    slopes_of.resize(count);
    MatrixX3d& sums = result.slopes;
    sums = MatrixX3d::Zero(mesh.vertex_count(), 3);
    std::vector<std::array<double, 3>> signs(count);
    double open = 0.0;
    for (size_t f = 0; f < count; ++f) {
        const auto corner = mesh.triangles.row(static_cast<Eigen::Index>(f));
        const Vector3d first = waves.slope.row(corner[0]);
        std::complex<double> z[3];
        Vector3d wanted[3];
        Vector3d place[3];
        for (int k = 0; k < 3; ++k) {
            wanted[k] = waves.slope.row(corner[k]);
            signs[f][k] = wanted[k].dot(first) < 0.0 ? -1.0 : 1.0;
            wanted[k] *= signs[f][k];
            const std::complex<double> own = waves.phase[static_cast<size_t>(corner[k])];
            z[k] = signs[f][k] < 0.0 ? std::conj(own) : own;
            place[k] = mesh.rest.row(corner[k]);
        }
        const auto turn = [&](int i, int j) {
            const double expected = 0.5 * (wanted[i] + wanted[j]).dot(place[j] - place[i]);
            return expected + std::remainder(math::arg(z[j] * std::conj(z[i])) - expected, 2.0 * pi);
        };
        const double d1 = turn(0, 1);
        const double d2 = turn(0, 2);
        const double start = math::arg(z[0]);
        phase[f] = {start, start + d1, start + d2};
        if (std::abs(d1 + turn(1, 2) - d2) > 1.0) {
            open += mesh.areas[static_cast<Eigen::Index>(f)];
            for (int k = 0; k < 3; ++k) {
                presence[corner[k]] = 0.0;
            }
            continue;
        }
        const Vector3d e1 = place[1] - place[0];
        const Vector3d e2 = place[2] - place[0];
        const Vector3d across = e1.cross(e2);
        if (!(across.squaredNorm() > 0.0)) {
            continue;
        }
        const Vector3d slope = (d1 * e2.cross(across) + d2 * across.cross(e1)) / across.squaredNorm();
        for (int k = 0; k < 3; ++k) {
            sums.row(corner[k]) += mesh.areas[static_cast<Eigen::Index>(f)] * signs[f][k] * slope;
        }
    }
    result.open = open / std::max(mesh.areas.sum(), 1e-300);
    // Slopes of vertices: means over their pieces, so that nothing shows the pieces' borders.
    for (int v = 0; v < mesh.vertex_count(); ++v) {
        const double area = 3.0 * mesh.masses[v];
        const Vector3d mean = sums.row(v) / area;
        const double wanted = waves.slope.row(v).norm();
        sums.row(v) = mean.norm() < 0.3 * wanted ? Vector3d(waves.slope.row(v)) : mean;
    }
    for (size_t f = 0; f < count; ++f) {
        for (int k = 0; k < 3; ++k) {
            slopes_of[f][k] = signs[f][k] * sums.row(mesh.triangles(static_cast<Eigen::Index>(f), k));
        }
    }
    return result;
}

void check(const Topology& topology, const MatrixX3d& rest, const WrinkleSource& source) {
    const int count = topology.vertex_count();
    require(rest.rows() == count && rest.allFinite(), "wrinkles: expected ", count, " finite rest positions, found ",
            rest.rows());
    for (const MatrixX3d& pose : source.poses) {
        require(pose.rows() == count && pose.allFinite(), "wrinkles: expected ", count,
                " finite positions in every pose, found ", pose.rows());
    }
    require(source.where.size() == 0 || source.where.size() == count, "wrinkles: where: expected ", count,
            " values, one per vertex, found ", source.where.size(), ": is it a mask of another mesh?");
}

}  // namespace

Chart::Chart(const MatrixX3d& rest, const MatrixX3i& triangles, int f) {
    const Vector3d e1 = rest.row(triangles(f, 1)) - rest.row(triangles(f, 0));
    const Vector3d e2 = rest.row(triangles(f, 2)) - rest.row(triangles(f, 0));
    const Vector3d n = e1.cross(e2);
    if (n.squaredNorm() > 0.0) {
        x = e1.normalized();
        y = n.normalized().cross(x);
        const double a = e1.norm();
        const double h = e2.dot(y);
        inverse[0] = 1.0 / a;
        inverse[1] = -e2.dot(x) / (a * h);
        inverse[2] = 1.0 / h;
    }
}

VectorXd body_thickness(const Topology& topology, const MatrixX3d& rest, const MatrixX3d& normals, double most,
                        const Workers& workers) {
    const TriangleGrid grid(rest, topology.triangles());
    VectorXd thick(rest.rows());
    workers.for_chunks(static_cast<int>(rest.rows()), 128, [&](int begin, int end) {
        for (int v = begin; v < end; ++v) {
            thick[v] = grid.first_hit(rest.row(v), -normals.row(v), most, v);
        }
    });
    return thick;
}

WrinkleLayout lay_wrinkles(const Topology& topology, const MatrixX3d& rest, const WrinkleSource& source,
                           const WrinkleOptions& given, const Workers& workers) {
    check(topology, rest, source);
    const int count = topology.vertex_count();
    check_struct(given, "wrinkles", count);
    const WrinkleOptions options = given.of_skin();
    const StripeMesh base = StripeMesh::of(topology, rest);
    const MatrixX3i& triangles = topology.triangles();
    WrinkleLayout layout;
    layout.wavelength = wavelengths(base, topology, options, workers);
    layout.direction = MatrixX3d::Zero(count, 3);
    layout.period = layout.wavelength;
    layout.reserve = VectorXd::Zero(count);
    const VectorXd where =
        source.where.size() > 0 ? VectorXd(source.where.cwiseMax(0.0).cwiseMin(1.0)) : VectorXd::Ones(count);
    const VectorXd slack = painted_values(options.slack, count);
    std::vector<Chart> charts;
    for (int f = 0; f < topology.triangle_count(); ++f) {
        charts.emplace_back(rest, triangles, f);
    }
    const Squeezed squeezed = sum_squeezed(topology, charts, source, options, slack, workers);

    std::vector<unsigned char> marked(static_cast<size_t>(count), 0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; squeezed.most[f] > least_excess && k < 3; ++k) {
            if (where[triangles(f, k)] > 0.0) {
                marked[static_cast<size_t>(triangles(f, k))] = 1;
            }
        }
    }
    const std::vector<double> near = distances(base, marked, layout.wavelength, reach);
    std::vector<unsigned char> is_active(static_cast<size_t>(topology.triangle_count()), 0);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        for (int k = 0; k < 3; ++k) {
            if (near[static_cast<size_t>(triangles(f, k))] < 1e29) {
                is_active[static_cast<size_t>(f)] = 1;
            }
        }
    }
    if (std::none_of(is_active.begin(), is_active.end(), [](unsigned char one) { return one != 0; })) {
        layout.notes.emplace_back("wrinkles: no pose compresses the skin beyond its onset where wrinkles may be");
        return layout;
    }
    // A budget that is too small makes wrinkles wider, not broken.
    constexpr double wider = 1.25;
    double widened = 1.0;
    for (int round = 0; round < 10; ++round) {
        layout.cut =
            cut_up(topology, rest, base.normals, is_active, layout.wavelength, edge_part, options.most_vertices);
        if (!layout.cut.is_coarse) {
            break;
        }
        layout.wavelength *= wider;
        widened *= wider;
    }
    if (widened > 1.0) {
        layout.notes.push_back(concat("wrinkles: ", options.most_vertices, " vertices (most_vertices) are too few for ",
                                      "wrinkles this fine on so large a part: they are ", widened,
                                      " times wider; name a smaller part in where, or raise most_vertices"));
    }
    layout.period = layout.wavelength;
    const CutMesh& cut = layout.cut;
    const auto pieces = static_cast<Eigen::Index>(cut.base_triangle.size());
    stripes::Tensors tensors(pieces, 6);
    for (Eigen::Index f = 0; f < pieces; ++f) {
        tensors.row(f) = squeezed.tensors.row(cut.base_triangle[static_cast<size_t>(f)]);
    }
    Diffusion diffusion(cut.mesh, cut.widths);
    stripes::WaveLook look;
    look.near_widths = 1.5;
    look.far_widths = 6.0;
    look.irregularity = 0.8 * options.irregularity;
    look.seed = 23;
    const stripes::Waves waves = stripes::solve_waves(cut.mesh, cut.widths, tensors, diffusion, look);

    // Skin that is squeezed from all sides alike, as a smiling cheek, thickens more than it wrinkles.
    layout.presence = waves.presence.array() * waves.coherence.array().unaryExpr([](double c) {
        return 0.3 + 0.7 * stripes::smooth_step((c - 0.1) / 0.5);
    });
    const std::vector<double> inside = distances(cut.mesh, cut.is_rim, cut.widths, rim_fade);
    for (Eigen::Index v = 0; v < layout.presence.size(); ++v) {
        layout.presence[v] *=
            stripes::smooth_step(std::min(1.0, inside[static_cast<size_t>(v)] / (rim_fade * cut.widths[v])));
    }
    const auto noise = [&](unsigned seed) { return stripes::smooth_noise(cut.mesh, diffusion, seed); };
    layout.lead = (1.5 * noise(29)).array().unaryExpr([](double x) { return math::tanh(x); }) *
                  (0.9 * std::min(1.0, options.irregularity));
    layout.height = (1.0 + 0.35 * options.irregularity * noise(31).array()).max(0.1).min(1.8);
    layout.fine = (options.fine * (0.6 + 0.5 * noise(37).array())).max(0.0).min(2.0);
    Unwrapped unwrapped = unwrap(waves, cut.mesh, layout.presence);
    layout.angles = std::move(unwrapped.angles);
    layout.forks = unwrapped.open;
    for (size_t b = 0; b < layout.cut.vertex_of_base.size(); ++b) {
        const int v = layout.cut.vertex_of_base[b];
        if (v >= 0) {
            const auto row = static_cast<Eigen::Index>(b);
            const double size = unwrapped.slopes.row(v).norm();
            layout.direction.row(row) = unwrapped.slopes.row(v) / std::max(size, 1e-300);
            layout.period[row] =
                std::clamp(pi / std::max(size, 1e-300), 0.5 * layout.wavelength[row], 1.6 * layout.wavelength[row]);
        }
    }
    if (options.fine > 0.0) {
        look.turn = fine_turn;
        look.seed = 41;
        const stripes::Waves crossing =
            stripes::solve_waves(cut.mesh, fine_part * cut.widths, tensors, diffusion, look);
        layout.fine = layout.fine.cwiseProduct(crossing.presence);
        layout.fine_angles = unwrap(crossing, cut.mesh, layout.fine).angles;
    }
    for (Eigen::Index f = 0; f < pieces; ++f) {
        const int b = cut.base_triangle[static_cast<size_t>(f)];
        for (int k = 0; k < 3; ++k) {
            double part = 0.0;
            for (int c = 0; c < 3; ++c) {
                part += cut.corner[static_cast<size_t>(f)][k][c] * where[triangles(b, c)];
            }
            const int v = cut.mesh.triangles(f, k);
            layout.presence[v] = std::min(layout.presence[v], part);
        }
    }

    // Reserve: part of the largest stretch along the wrinkles' own direction, at vertices the mean of their fans.
    VectorXd longest = VectorXd::Zero(count);
    VectorXd weights = VectorXd::Zero(count);
    for (int f = 0; f < topology.triangle_count(); ++f) {
        if (is_active[static_cast<size_t>(f)] == 0) {
            continue;
        }
        const Chart& chart = charts[static_cast<size_t>(f)];
        double most = 0.0;
        for (const MatrixX3d& pose : source.poses) {
            const Vector3d c = chart.metric(pose, triangles, f);
            for (int k = 0; k < 3; ++k) {
                const Vector3d g = layout.direction.row(triangles(f, k));
                const double x = g.dot(chart.x);
                const double y = g.dot(chart.y);
                const double along = (c[0] * x * x + 2.0 * c[1] * x * y + c[2] * y * y) / std::max(x * x + y * y, 1e-9);
                most = std::max(most, std::sqrt(std::max(0.0, along)));
            }
        }
        for (int k = 0; k < 3; ++k) {
            longest[triangles(f, k)] += base.areas[f] * most;
            weights[triangles(f, k)] += base.areas[f];
        }
    }
    VectorXd beyond = VectorXd::Zero(count);
    for (int v = 0; v < count; ++v) {
        if (weights[v] > 0.0) {
            const double stretch = longest[v] / weights[v];
            beyond[v] = std::max(0.0, stretch - options.slack_from);
            beyond[v] /= 1.0 + beyond[v];
            layout.reserve[v] = slack[v] * kept_of(stretch, options.slack_from);
        }
    }
    if (layout.reserve.maxCoeff() > 0.0) {
        const VectorXd bulging = bulges(base, layout.wavelength);
        layout.reserve = layout.reserve.cwiseProduct(bulging).cwiseProduct(
            peaks(base, layout.wavelength, beyond.cwiseProduct(bulging)));
        Diffusion(base, layout.wavelength).over(0.7, layout.reserve);
        layout.reserve = layout.reserve.cwiseMax(0.0);
    }
    return layout;
}

}  // namespace cutis::wrinkle_detail
