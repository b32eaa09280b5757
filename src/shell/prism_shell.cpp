#include "shell/prism_shell.h"

#include <algorithm>
#include <cmath>

#include "cutis/core/error.h"

namespace cutis {

namespace {

void require_positions(const char* what, const MatrixX3d& positions, int vertex_count) {
    require(positions.rows() == vertex_count, "shell ", what, ": expected ", vertex_count, " positions, found ",
            positions.rows());
    for (Eigen::Index v = 0; v < positions.rows(); ++v) {
        require(positions.row(v).allFinite(), "shell ", what, ": position ", v, " is not finite");
    }
}

Vector3d shell_position(const MatrixX3d& base, const MatrixX3d& offset, int i) {
    const int n = static_cast<int>(base.rows());
    return i < n ? base.row(i).transpose() : offset.row(i - n).transpose();
}

}  // namespace

PrismShell::PrismShell(const Topology& topology, MatrixX3d base, MatrixX3d offset)
    : topology_(topology), base_(std::move(base)), offset_(std::move(offset)) {
    const int n = topology_.vertex_count();
    require_positions("base", base_, n);
    require_positions("offset", offset_, n);
    heights_ = (offset_ - base_).rowwise().norm();

    const int triangles = topology_.triangle_count();
    corners_.resize(3 * static_cast<size_t>(triangles));
    sorted_.resize(static_cast<size_t>(triangles));
    orientation_.resize(static_cast<size_t>(triangles));
    rest_volumes_.resize(3 * triangles);
    for (int f = 0; f < triangles; ++f) {
        std::array<int, 3> order = {0, 1, 2};
        std::sort(order.begin(), order.end(),
                  [&](int i, int j) { return topology_.triangles()(f, i) < topology_.triangles()(f, j); });
        const bool is_even = (order[1] - order[0] + 3) % 3 == 1;
        orientation_[f] = is_even ? 1 : -1;
        for (size_t k = 0; k < 3; ++k) {
            sorted_[f][k] = static_cast<unsigned char>(order[k]);
        }
        const int a = topology_.triangles()(f, order[0]);
        const int b = topology_.triangles()(f, order[1]);
        const int c = topology_.triangles()(f, order[2]);
        const auto first = 3 * static_cast<size_t>(f);
        corners_[first] = {a, b, c, n + c};
        corners_[first + 1] = {a, b, n + c, n + b};
        corners_[first + 2] = {a, n + b, n + c, n + a};
        for (int tet = 3 * f; tet < 3 * f + 3; ++tet) {
            rest_volumes_[tet] = is_flat(tet) ? 0.0 : volume(tet, base_, offset_);
            require(is_flat(tet) || rest_volumes_[tet] > 0.0, "shell: the prism of triangle ", f,
                    " is inverted or flat at rest (volume ", rest_volumes_[tet],
                    "); build the offset with make_safe_offset");
        }
    }
}

double PrismShell::triangle_height(int f) const {
    const auto corners = topology_.triangles().row(f);
    return (heights_[corners[0]] + heights_[corners[1]] + heights_[corners[2]]) / 3.0;
}

int PrismShell::apex(int tet) const {
    return corners_[tet][3] - vertex_count();
}

double PrismShell::volume(int tet, const MatrixX3d& base, const MatrixX3d& offset) const {
    const std::array<int, 4>& c = corners(tet);
    return orientation(tet / 3) * tet_volume(shell_position(base, offset, c[0]), shell_position(base, offset, c[1]),
                                             shell_position(base, offset, c[2]), shell_position(base, offset, c[3]));
}

TetPoint PrismShell::place(const ShellPoint& point) const {
    const auto& order = sorted_[point.triangle];
    const double la = point.barycentric[order[0]];
    const double lb = point.barycentric[order[1]];
    const double lc = point.barycentric[order[2]];
    const double e = point.height;
    TetPoint out;
    out.tet = 3 * point.triangle;
    if (e <= lc) {
        out.weights << la, lb, lc - e, e;
    } else if (e <= lc + lb) {
        out.tet += 1;
        out.weights << la, lb - (e - lc), lc, e - lc;
    } else {
        out.tet += 2;
        out.weights << 1.0 - e, lb, lc, e - lb - lc;
    }
    return out;
}

ShellPoint PrismShell::point(const TetPoint& at) const {
    const Eigen::Vector4d& w = at.weights;
    const int f = at.tet / 3;
    double la = 0.0, lb = 0.0, lc = 0.0;
    ShellPoint out;
    switch (at.tet % 3) {
        case 0:
            la = w[0], lb = w[1], lc = w[2] + w[3], out.height = w[3];
            break;
        case 1:
            la = w[0], lb = w[1] + w[3], lc = w[2], out.height = w[2] + w[3];
            break;
        default:
            la = w[0] + w[3], lb = w[1], lc = w[2], out.height = w[1] + w[2] + w[3];
            break;
    }
    out.triangle = f;
    const auto& order = sorted_[f];
    out.barycentric[order[0]] = la;
    out.barycentric[order[1]] = lb;
    out.barycentric[order[2]] = lc;
    out.barycentric = out.barycentric.cwiseMax(0.0);
    out.barycentric /= out.barycentric.sum();
    out.height = std::clamp(out.height, 0.0, 1.0);
    return out;
}

Vector3d position_at(const PrismShell& shell, const MatrixX3d& base, const MatrixX3d& offset, const ShellPoint& point) {
    const TetPoint at = shell.place(point);
    const std::array<int, 4>& corners = shell.corners(at.tet);
    Vector3d sum = Vector3d::Zero();
    for (int k = 0; k < 4; ++k) {
        sum += at.weights[k] * shell_position(base, offset, corners[k]);
    }
    return sum;
}

ShellQuality measure_shell(const PrismShell& shell, const MatrixX3d& base, const MatrixX3d& offset, VectorXd* ratios) {
    ShellQuality quality;
    double rest_sum = 0.0;
    double sum = 0.0;
    const int triangles = shell.topology().triangle_count();
    if (ratios != nullptr) {
        ratios->resize(triangles);
    }
    for (int f = 0; f < triangles; ++f) {
        double prism_rest = 0.0;
        double prism = 0.0;
        for (int tet = 3 * f; tet < 3 * f + 3; ++tet) {
            if (shell.is_flat(tet)) {
                continue;
            }
            const double volume = shell.volume(tet, base, offset);
            const double ratio = volume / shell.rest_volume(tet);
            quality.inverted += volume <= 0.0 ? 1 : 0;
            quality.smallest_ratio = std::min(quality.smallest_ratio, ratio);
            prism_rest += shell.rest_volume(tet);
            prism += volume;
        }
        if (ratios != nullptr) {
            (*ratios)[f] = prism_rest > 0.0 ? prism / prism_rest : 1.0;
        }
        rest_sum += prism_rest;
        sum += prism;
    }
    quality.volume_ratio = rest_sum > 0.0 ? sum / rest_sum : 1.0;
    return quality;
}

}  // namespace cutis
