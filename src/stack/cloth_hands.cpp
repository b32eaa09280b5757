#include "stack/cloth_hands.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/math.h"

namespace cutis {

namespace {

// A tug of cloth on a body is over after two or three swings.
constexpr double frequency = 4.0;  // Hz
constexpr double damping = 0.3;
constexpr double rest_share = 1e-4;  // of the breadth: less is not seen

/// Where a hand beside the border takes hold of the cloth; -1: there is none within its reach.
int nearest_cloth(const ClothHands::Grip& grip, const MatrixX3d& rest, const VectorXd& weights) {
    constexpr double reach = 0.25;  // of the breadth
    constexpr double least = 0.5;   // weight that is worth holding
    int nearest = -1;
    double distance = reach * reach * grip.breadth * grip.breadth;
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        const double away = (rest.row(v) - rest.row(grip.vertex)).squaredNorm();
        if (weights[v] >= least && away < distance) {
            nearest = static_cast<int>(v);
            distance = away;
        }
    }
    return nearest;
}

}  // namespace

std::vector<bool> ClothHands::hold(const std::vector<Grip>& grips, const MatrixX3d& rest, const MatrixX3d& normals,
                                   const VectorXd& weights) {
    for (Patch& patch : patches_) {
        patch.is_held = false;
        patch.goal.setZero();
    }
    std::vector<bool> feels(grips.size(), false);
    for (size_t g = 0; g < grips.size(); ++g) {
        const Grip& grip = grips[g];
        auto patch = std::find_if(patches_.begin(), patches_.end(), [&](const Patch& other) {
            return !other.is_held && other.vertex == grip.vertex && other.breadth == grip.breadth;
        });
        if (patch == patches_.end()) {
            const int middle = nearest_cloth(grip, rest, weights);
            if (middle < 0) {
                continue;
            }
            Patch added;
            added.vertex = grip.vertex;
            added.breadth = grip.breadth;
            for (Eigen::Index v = 0; v < rest.rows(); ++v) {
                const double s = (rest.row(v) - rest.row(middle)).squaredNorm() / (grip.breadth * grip.breadth);
                // The other side of a limb is near, too.
                const bool faces_away = normals.row(v).dot(normals.row(middle)) <= 0.0;
                const double share = s < 1.0 && !faces_away ? weights[v] * (1.0 - s) * (1.0 - s) : 0.0;
                if (share > 0.0) {
                    added.vertices.push_back(static_cast<int>(v));
                    added.shares.push_back(share);
                }
            }
            patch = patches_.insert(patches_.end(), std::move(added));
        }
        // Steepest where s = 1/5, by 1.72 times way over breadth: a patch is drawn to half of its breadth at most.
        const double way = grip.by.norm();
        const double most = 0.5 * grip.breadth;
        patch->goal = grip.by * (most / (most + way));
        patch->is_held = true;
        feels[g] = true;
    }
    return feels;
}

void ClothHands::advance(double from, double to, double seconds) {
    from_ = from;
    to_ = to;
    const double omega = 2.0 * std::numbers::pi * frequency;
    const double swing = omega * std::sqrt(1.0 - damping * damping);
    const double loss = damping * omega;
    // The oscillator's exact answer: any step does.
    const double fade = math::exp(-loss * seconds);
    const double cosine = math::cos(swing * seconds);
    const double sine = math::sin(swing * seconds);
    for (Patch& patch : patches_) {
        patch.before = patch.now;
        const Vector3d away = patch.now - patch.goal;
        const Vector3d side = (patch.speed + loss * away) / swing;
        patch.now = patch.goal + fade * (cosine * away + sine * side);
        patch.speed = -loss * (patch.now - patch.goal) + fade * swing * (cosine * side - sine * away);
    }
    const auto is_over = [omega](const Patch& patch) {
        const double least = rest_share * patch.breadth;
        return !patch.is_held && patch.now.norm() < least && patch.speed.norm() < omega * least &&
               patch.before.norm() < least;
    };
    patches_.erase(std::remove_if(patches_.begin(), patches_.end(), is_over), patches_.end());
}

void ClothHands::rest_at_once() {
    patches_.erase(std::remove_if(patches_.begin(), patches_.end(), [](const Patch& patch) { return !patch.is_held; }),
                   patches_.end());
    for (Patch& patch : patches_) {
        patch.before = patch.now = patch.goal;
        patch.speed.setZero();
    }
}

void ClothHands::move(double time, const MatrixX3d& normals, MatrixX3d& surface) const {
    const double share = to_ > from_ ? std::clamp((time - from_) / (to_ - from_), 0.0, 1.0) : 1.0;
    for (const Patch& patch : patches_) {
        const Vector3d by = patch.before + share * (patch.now - patch.before);
        for (size_t i = 0; i < patch.vertices.size(); ++i) {
            const Vector3d normal = normals.row(patch.vertices[i]).transpose();
            const Vector3d way = patch.shares[i] * by;
            const double inward = std::min(0.0, way.dot(normal));
            surface.row(patch.vertices[i]) += (way - inward * normal).transpose();
        }
    }
}

}  // namespace cutis
