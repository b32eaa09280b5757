#include "implicit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cutis::actor {

namespace {

constexpr double far_away = 1e9;

/// Smaller of two distances with a quadratic seam of width k (no effect where they differ by k).
double smooth_min(double a, double b, double k) {
    const double plain = std::min(a, b);
    if (k <= 0.0) {
        return plain;
    }
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return plain - h * h * k * 0.25;
}

/// Exact distance to the hull of two spheres.
double tapered_capsule(const Vector3d& p, const Vector3d& a, const Vector3d& b, double ra, double rb) {
    const Vector3d ba = b - a;
    const double l2 = ba.squaredNorm();
    const double rr = ra - rb;
    const double a2 = l2 - rr * rr;
    if (a2 <= 1e-18) {  // one sphere holds the other
        return ra > rb ? (p - a).norm() - ra : (p - b).norm() - rb;
    }
    const Vector3d pa = p - a;
    const double y = pa.dot(ba);
    const double z = y - l2;
    const double x2 = (pa * l2 - ba * y).squaredNorm();
    const double y2 = y * y * l2;
    const double z2 = z * z * l2;
    const double k = (rr > 0.0 ? 1.0 : -1.0) * rr * rr * x2;
    if ((z > 0.0 ? 1.0 : -1.0) * a2 * z2 > k) {
        return std::sqrt(x2 + z2) / l2 - rb;
    }
    if ((y > 0.0 ? 1.0 : -1.0) * a2 * y2 < k) {
        return std::sqrt(x2 + y2) / l2 - ra;
    }
    return (std::sqrt(x2 * a2 / l2) + y * rr) / l2 - ra;
}

/// Signed distance to a closed polygon in the plane.
double polygon_distance(const std::vector<Vector2d>& polygon, const Vector2d& p) {
    double nearest = std::numeric_limits<double>::max();
    bool inside = false;
    for (size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
        const Vector2d edge = polygon[j] - polygon[i];
        const Vector2d w = p - polygon[i];
        const double t = std::clamp(w.dot(edge) / std::max(edge.squaredNorm(), 1e-30), 0.0, 1.0);
        nearest = std::min(nearest, (w - t * edge).squaredNorm());
        const bool above_i = polygon[i].y() > p.y();
        const bool above_j = polygon[j].y() > p.y();
        if (above_i != above_j) {
            const double x = polygon[i].x() + edge.x() * (p.y() - polygon[i].y()) / edge.y();
            inside = inside != (p.x() < x);
        }
    }
    return inside ? -std::sqrt(nearest) : std::sqrt(nearest);
}

Vector3d mirrored(const Vector3d& v) {
    return {-v.x(), v.y(), v.z()};
}

}  // namespace

void Sculpture::layer(double blend, bool carve) {
    if (!layers_.empty() && layers_.back().lumps.empty()) {
        layers_.pop_back();
    }
    layers_.push_back({blend, carve, {}, Vector3d::Zero(), 0.0});
}

void Sculpture::add(const Lump& lump) {
    Layer& layer = layers_.back();
    if (!lump.stroke.carve) {
        // Grow the layer's sphere just enough to hold the lump's.
        const double reach = lump.bound_radius + lump.stroke.blend;
        const Vector3d apart = lump.bound_centre - layer.bound_centre;
        const double distance = apart.norm();
        if (layer.lumps.empty() || distance + layer.bound_radius <= reach) {
            layer.bound_centre = lump.bound_centre;
            layer.bound_radius = reach;
        } else if (distance + reach > layer.bound_radius) {
            const double radius = 0.5 * (distance + reach + layer.bound_radius);
            layer.bound_centre += apart * ((radius - layer.bound_radius) / distance);
            layer.bound_radius = radius;
        }
    }
    layer.lumps.push_back(lump);
    if (lump.stroke.fine < 1.0) {
        fine_lumps_.push_back(lump);
    }
}

void Sculpture::cone(const Vector3d& a, const Vector3d& b, double ra, double rb, const Stroke& stroke) {
    Lump lump;
    lump.kind = Kind::cone;
    lump.stroke = stroke;
    lump.stroke.thin_axis.normalize();
    lump.a = a;
    lump.b = b;
    lump.ra = ra;
    lump.rb = rb;
    lump.bound_centre = 0.5 * (a + b);
    lump.bound_radius = 0.5 * (b - a).norm() + std::max(ra, rb) * std::max(1.0, stroke.thin);
    add(lump);
    if (is_mirrored_) {
        lump.a = mirrored(lump.a);
        lump.b = mirrored(lump.b);
        lump.stroke.thin_axis = mirrored(lump.stroke.thin_axis);
        lump.bound_centre = mirrored(lump.bound_centre);
        add(lump);
    }
}

void Sculpture::chain(const std::vector<Eigen::Vector4d>& points, const Stroke& stroke) {
    for (size_t i = 0; i + 1 < points.size(); ++i) {
        cone(points[i].head<3>(), points[i + 1].head<3>(), points[i].w(), points[i + 1].w(), stroke);
    }
}

void Sculpture::ball(const Vector3d& centre, const Vector3d& radii, const Stroke& stroke,
                     const Eigen::Quaterniond& turn) {
    Lump lump;
    lump.kind = Kind::ball;
    lump.stroke = stroke;
    lump.a = centre;
    lump.b = radii;
    lump.to_local = turn.toRotationMatrix().transpose();
    lump.bound_centre = centre;
    lump.bound_radius = radii.maxCoeff();
    add(lump);
    if (is_mirrored_) {
        lump.a = mirrored(centre);
        lump.bound_centre = lump.a;
        lump.to_local.col(0) *= -1.0;  // q -> turn^T * mirror * q; an ellipsoid ignores signs
        add(lump);
    }
}

void Sculpture::box(const Vector3d& centre, const Vector3d& half, double rounding, const Stroke& stroke,
                    const Eigen::Quaterniond& turn) {
    Lump lump;
    lump.kind = Kind::box;
    lump.stroke = stroke;
    lump.a = centre;
    lump.b = half - Vector3d::Constant(rounding);
    lump.ra = rounding;
    lump.to_local = turn.toRotationMatrix().transpose();
    lump.bound_centre = centre;
    lump.bound_radius = half.norm();
    add(lump);
    if (is_mirrored_) {
        lump.a = mirrored(centre);
        lump.bound_centre = lump.a;
        lump.to_local.col(0) *= -1.0;
        add(lump);
    }
}

void Sculpture::lathe(const std::vector<Vector2d>& outline, const Stroke& stroke) {
    Lump lump;
    lump.kind = Kind::lathe;
    lump.stroke = stroke;
    lump.outline = outline;
    double low = outline.front().y(), high = low, radius = 0.0;
    for (const Vector2d& p : outline) {
        low = std::min(low, p.y());
        high = std::max(high, p.y());
        radius = std::max(radius, p.x());
    }
    lump.bound_centre = Vector3d(0.0, 0.5 * (low + high), 0.0);
    lump.bound_radius = std::hypot(radius, 0.5 * (high - low));
    add(lump);
}

double Sculpture::lump_distance(const Lump& lump, const Vector3d& p) {
    switch (lump.kind) {
        case Kind::cone: {
            const double thin = lump.stroke.thin;
            if (thin == 1.0) {
                return tapered_capsule(p, lump.a, lump.b, lump.ra, lump.rb);
            }
            // Stretch space along the thin axis, measure there, and divide by the gradient's length
            // in real space: first-order distance.
            const Vector3d& n = lump.stroke.thin_axis;
            const double grow = 1.0 / thin - 1.0;
            const Vector3d q = p + n * (grow * n.dot(p - lump.a));
            const Vector3d b = lump.b + n * (grow * n.dot(lump.b - lump.a));
            const double d = tapered_capsule(q, lump.a, b, lump.ra, lump.rb);
            const Vector3d axis = b - lump.a;
            const double t = std::clamp((q - lump.a).dot(axis) / std::max(axis.squaredNorm(), 1e-30), 0.0, 1.0);
            const Vector3d out = q - lump.a - t * axis;
            const double length2 = out.squaredNorm();
            if (length2 < 1e-20) {
                return d * thin;
            }
            const double along = n.dot(out) * n.dot(out) / length2;
            return d / std::sqrt(1.0 - along + along / (thin * thin));
        }
        case Kind::ball: {
            const Vector3d q = lump.to_local * (p - lump.a);
            const Vector3d scaled = q.cwiseQuotient(lump.b);
            const double k0 = scaled.norm();
            const double k1 = scaled.cwiseQuotient(lump.b).norm();
            return k1 < 1e-12 ? -lump.b.minCoeff() : k0 * (k0 - 1.0) / k1;
        }
        case Kind::box: {
            const Vector3d q = (lump.to_local * (p - lump.a)).cwiseAbs() - lump.b;
            return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - lump.ra;
        }
        case Kind::lathe:
            return polygon_distance(lump.outline, {std::hypot(p.x(), p.z()), p.y()});
    }
    return far_away;
}

double Sculpture::distance(const Vector3d& p) const {
    // Lumps and layers whose bounding sphere is too far to change the result are skipped; a smooth
    // minimum of width k leaves distances alone that differ by k or more, so this is exact.
    const auto is_near = [&](const Vector3d& centre, double radius, double reach) {
        const double far = radius + reach;
        return far > 0.0 && (p - centre).squaredNorm() < far * far;
    };
    double whole = far_away;
    for (const Layer& layer : layers_) {
        if (!is_near(layer.bound_centre, layer.bound_radius, (layer.carve ? -whole : whole) + layer.blend)) {
            continue;
        }
        double d = far_away;
        for (const Lump& lump : layer.lumps) {
            const double k = lump.stroke.blend;
            if (!is_near(lump.bound_centre, lump.bound_radius, (lump.stroke.carve ? -d : d) + k)) {
                continue;
            }
            d = lump.stroke.carve ? -smooth_min(-d, lump_distance(lump, p), k)
                                  : smooth_min(d, lump_distance(lump, p), k);
        }
        whole = layer.carve ? -smooth_min(-whole, d, layer.blend) : smooth_min(whole, d, layer.blend);
    }
    return whole;
}

Vector3d Sculpture::gradient(const Vector3d& p) const {
    // Four evaluations at the corners of a tetrahedron.
    const double e = 0.02 * edge_;
    const Vector3d a(1, -1, -1), b(-1, -1, 1), c(-1, 1, -1), d(1, 1, 1);
    return (a * distance(p + e * a) + b * distance(p + e * b) + c * distance(p + e * c) + d * distance(p + e * d)) /
           (4.0 * e);
}

Vector3d Sculpture::project(Vector3d p, double level) const {
    const double farthest = edge_;
    for (int i = 0; i < 4; ++i) {
        const double d = distance(p) - level;
        if (std::abs(d) < 1e-3 * edge_) {
            break;
        }
        const Vector3d g = gradient(p);
        const double g2 = std::max(g.squaredNorm(), 0.04);
        const Vector3d step = g * (d / g2);
        const double length = step.norm();
        p -= length > farthest ? Vector3d(step * (farthest / length)) : step;
    }
    return p;
}

double Sculpture::edge_length(const Vector3d& p) const {
    double factor = 1.0;
    for (const Lump& lump : fine_lumps_) {
        // Grow back to the base length over a few edges: abrupt grading makes bad triangles.
        const double lower = (p - lump.bound_centre).norm() - lump.bound_radius;
        if (lump.stroke.fine + lower / (5.0 * edge_) < factor) {
            const double d = std::abs(lump_distance(lump, p));
            factor = std::min(factor, lump.stroke.fine + d / (5.0 * edge_));
        }
    }
    return factor * edge_;
}

SurfaceMesh Sculpture::polygonise(double spacing, double level) const {
    Vector3d low = Vector3d::Constant(far_away);
    Vector3d high = Vector3d::Constant(-far_away);
    for (const Layer& layer : layers_) {
        for (const Lump& lump : layer.lumps) {
            if (layer.carve || lump.stroke.carve) {
                continue;
            }
            const double reach = lump.bound_radius + lump.stroke.blend + layer.blend + level;
            low = low.cwiseMin(lump.bound_centre - Vector3d::Constant(reach));
            high = high.cwiseMax(lump.bound_centre + Vector3d::Constant(reach));
        }
    }
    constexpr int block = 4;
    const Vector3d origin = low - Vector3d::Constant(1.37 * spacing);  // off any symmetry plane
    Eigen::Vector3i blocks;
    for (int i = 0; i < 3; ++i) {
        blocks[i] = static_cast<int>(std::ceil((high[i] - origin[i] + spacing) / (block * spacing)));
    }
    const Eigen::Vector3i nodes = blocks * block + Eigen::Vector3i::Ones();
    const auto node_index = [&](int x, int y, int z) {
        return (static_cast<size_t>(z) * nodes.y() + y) * nodes.x() + x;
    };
    const size_t node_count = static_cast<size_t>(nodes.x()) * nodes.y() * nodes.z();
    std::vector<double> value(node_count, std::numeric_limits<double>::quiet_NaN());
    // An edge starts at a node and runs along one of the seven 0/1 directions of Freudenthal's six
    // tetrahedra a cube.
    std::vector<int> vertex_on_edge(node_count * 7, -1);
    SurfaceMesh mesh;

    const auto value_at = [&](const Eigen::Vector3i& n) {
        double& v = value[node_index(n.x(), n.y(), n.z())];
        if (std::isnan(v)) {
            v = distance(origin + spacing * n.cast<double>()) - level;
        }
        return v;
    };
    const auto offset = [](int bits) { return Eigen::Vector3i(bits & 1, bits >> 1 & 1, bits >> 2); };
    const auto vertex = [&](const Eigen::Vector3i& cell, int from_bits, int to_bits) {
        if ((from_bits & ~to_bits) != 0) {
            std::swap(from_bits, to_bits);
        }
        const Eigen::Vector3i from = cell + offset(from_bits);
        const Eigen::Vector3i to = cell + offset(to_bits);
        const size_t slot =
            node_index(from.x(), from.y(), from.z()) * 7 + static_cast<size_t>(to_bits & ~from_bits) - 1;
        if (vertex_on_edge[slot] < 0) {
            const double va = value_at(from);
            const double vb = value_at(to);
            const double t = std::clamp(va / (va - vb), 0.1, 0.9);
            vertex_on_edge[slot] = static_cast<int>(mesh.points.size());
            mesh.points.push_back(origin + spacing * (from.cast<double>() + t * (to - from).cast<double>()));
        }
        return vertex_on_edge[slot];
    };
    const auto centre_of = [&](const int* bits, int count) {
        Vector3d sum = Vector3d::Zero();
        for (int i = 0; i < count; ++i) {
            sum += offset(bits[i]).cast<double>();
        }
        return Vector3d(sum / count);
    };

    static constexpr int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                             {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    const auto march = [&](const Eigen::Vector3i& cell) {
        for (const auto& tetrahedron : tetrahedra) {
            int inside[4], outside[4];
            int in = 0, out = 0;
            for (const int bits : tetrahedron) {
                if (value_at(cell + offset(bits)) < 0.0) {
                    inside[in++] = bits;
                } else {
                    outside[out++] = bits;
                }
            }
            if (in == 0 || out == 0) {
                continue;
            }
            const Vector3d outward = centre_of(outside, out) - centre_of(inside, in);
            const auto emit = [&](int a, int b, int c) {
                const Vector3d n = (mesh.points[b] - mesh.points[a]).cross(mesh.points[c] - mesh.points[a]);
                mesh.triangles.push_back(n.dot(outward) > 0.0 ? Eigen::Vector3i(a, b, c) : Eigen::Vector3i(a, c, b));
            };
            if (in == 1 || out == 1) {
                const int tip = in == 1 ? inside[0] : outside[0];
                const int* rest = in == 1 ? outside : inside;
                emit(vertex(cell, tip, rest[0]), vertex(cell, tip, rest[1]), vertex(cell, tip, rest[2]));
            } else {
                const int a = vertex(cell, inside[0], outside[0]);
                const int b = vertex(cell, inside[0], outside[1]);
                const int c = vertex(cell, inside[1], outside[1]);
                const int d = vertex(cell, inside[1], outside[0]);
                emit(a, b, c);
                emit(a, c, d);
            }
        }
    };

    // Blocks whose centre is farther from the surface than their corners are skipped; the factor
    // covers the places where the distance is only first order.
    const double reach = 1.6 * std::sqrt(3.0) * 0.5 * block * spacing;
    for (int bz = 0; bz < blocks.z(); ++bz) {
        for (int by = 0; by < blocks.y(); ++by) {
            for (int bx = 0; bx < blocks.x(); ++bx) {
                const Eigen::Vector3i first(bx * block, by * block, bz * block);
                const Vector3d centre = origin + spacing * (first.cast<double>() + Vector3d::Constant(0.5 * block));
                if (std::abs(distance(centre) - level) > reach) {
                    continue;
                }
                for (int i = 0; i < block * block * block; ++i) {
                    march(first + Eigen::Vector3i(i % block, i / block % block, i / (block * block)));
                }
            }
        }
    }
    keep_largest_piece(mesh);  // carving may leave bubbles inside
    return mesh;
}

}  // namespace cutis::actor
