#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "curve/time_examples.h"
#include "curve/turning.h"
#include "verify/curve_cases.h"

// A limb that twists and bends, extrapolated from two examples: rings that turn, against the limb itself.

namespace cutis::verify {

namespace {

constexpr int rings = 25;
constexpr int corners = 12;
constexpr double length = 0.45;

/// A bent and twisted limb with a bulge and some noise; `amount` 1 is the example.
struct TwistedLimb {
    double twist, bend;  ///< radians at the far end of the example
    MatrixX3d rest{rings * corners, 3};
    MatrixX3d bulge{rings * corners, 3};

    TwistedLimb(double twist_at_end, double bend_at_end) : twist(twist_at_end), bend(bend_at_end) {
        std::mt19937 random(7);
        for (int n = 0; n < rings; ++n) {
            const double s = static_cast<double>(n) / (rings - 1);
            for (int c = 0; c < corners; ++c) {
                const double angle = 2.0 * std::numbers::pi * c / corners;
                const double noise = 3e-4 * (static_cast<double>(random()) / 2147483648.0 - 1.0);
                const Vector3d out(0.0, std::cos(angle), std::sin(angle));
                rest.row(n * corners + c) = (Vector3d(length * s, 0, 0) + (0.05 + noise) * out).transpose();
                bulge.row(n * corners + c) = 0.004 * std::sin(std::numbers::pi * s) * out.transpose();
            }
        }
    }
    Eigen::Matrix3d swing(int n, double amount) const {
        return Eigen::AngleAxisd(amount * bend * n / (rings - 1), Vector3d::UnitZ()).toRotationMatrix();
    }
    Eigen::Matrix3d turn(int n, double amount) const {
        return swing(n, amount) *
               Eigen::AngleAxisd(amount * twist * n / (rings - 1), Vector3d::UnitX()).toRotationMatrix();
    }
    MatrixX3d shape(double amount) const {
        MatrixX3d shape(rest.rows(), 3);
        Vector3d centre = Vector3d::Zero();
        for (int n = 0; n < rings; ++n) {
            for (int c = 0; c < corners; ++c) {
                Vector3d inside = rest.row(n * corners + c) + amount * bulge.row(n * corners + c);
                inside.x() = 0.0;
                shape.row(n * corners + c) = (centre + turn(n, amount) * inside).transpose();
            }
            centre += swing(n, amount) * Vector3d(length / (rings - 1), 0, 0);
        }
        return shape;
    }
};

struct TwistErrors {
    double radius = 0.0;   ///< relative
    double degrees = 0.0;  ///< of a ring about its axis
};

/// From the example at 1 s to 180 degrees of twist.
TwistErrors twist_errors(const TwistedLimb& limb, bool turning) {
    const TurningShapes shapes(limb.rest, corners);
    const MatrixX3d zero = MatrixX3d::Zero(limb.rest.rows(), 3);
    const MatrixX3d example = limb.shape(1.0) - limb.rest;
    const auto as_rows = [&](const MatrixX3d& moved) {
        return turning ? shapes.coordinates(moved)
                       : RowMatrixXd(Eigen::Map<const RowMatrixXd>(moved.data(), rings, 3 * corners));
    };
    TimeExampleOptions options;
    options.dynamics = CurveDynamics::paper;
    options.paper_steps = 1;
    options.extrapolate = true;
    options.frequency_hz = 25.0;
    const TimeExamples examples({0.0, 1.0}, {as_rows(zero), as_rows(example)}, options);
    TwistErrors worst;
    const double last = std::numbers::pi / limb.twist;
    for (const double amount : {0.25 * last, 0.5 * last, 0.75 * last, last}) {
        RowMatrixXd found;
        examples.at(amount, found);
        MatrixX3d moved;
        if (turning) {
            shapes.displacements(found, moved);
        } else {
            moved = Eigen::Map<const MatrixX3d>(found.data(), limb.rest.rows(), 3);
        }
        const MatrixX3d truth = limb.shape(amount);
        for (int n = 0; n < rings; ++n) {
            const auto ring = (limb.rest + moved).middleRows(n * corners, corners);
            const auto wanted = truth.middleRows(n * corners, corners);
            const Vector3d centre = ring.colwise().mean();
            const Vector3d middle = wanted.colwise().mean();
            double radius = 0.0, should = 0.0, sine = 0.0, cosine = 0.0;
            for (int c = 0; c < corners; ++c) {
                const Vector3d a = limb.turn(n, amount).transpose() * (ring.row(c).transpose() - centre);
                const Vector3d b = limb.turn(n, amount).transpose() * (wanted.row(c).transpose() - middle);
                radius += a.norm();
                should += b.norm();
                sine += b.y() * a.z() - b.z() * a.y();
                cosine += b.y() * a.y() + b.z() * a.z();
            }
            worst.radius = worse(worst.radius, std::abs(radius / should - 1.0));
            worst.degrees = worse(worst.degrees, std::abs(std::atan2(sine, cosine)) * 180.0 / std::numbers::pi);
        }
    }
    return worst;
}

}  // namespace

std::vector<Case> curve_twist_cases() {
    const double degree = std::numbers::pi / 180.0;
    TwistErrors turning;
    TwistErrors straight;
    for (const double twist : {30.0, 45.0, 90.0}) {
        for (const double bend : {0.0, 20.0, 40.0}) {
            const TwistedLimb limb(twist * degree, bend * degree);
            const TwistErrors one = twist_errors(limb, true);
            turning.radius = worse(turning.radius, one.radius);
            turning.degrees = worse(turning.degrees, one.degrees);
        }
        const TwistErrors paper = twist_errors(TwistedLimb(twist * degree, 0.0), false);
        straight.radius = worse(straight.radius, paper.radius);
        straight.degrees = worse(straight.degrees, paper.degrees);
    }
    return {
        curve_at_most("twist to 180 degrees from 0 and 30, 45, 90, bent by 0, 20, 40: radius off", turning.radius, 0.01,
                      "relative", "rings that turn with the limb"),
        curve_at_most("twist to 180 degrees, the same: angle off", turning.degrees, 0.1, "degrees",
                      "swing and twist apart"),
        case_at_least("curve", "twist to 180 degrees along straight lines swells by", straight.radius, 1.0, "relative",
                      "Chaudhry et al. 2014 Fig. 11, extrapolated"),
        case_at_least("curve", "twist to 180 degrees along straight lines: angle off", straight.degrees, 45.0,
                      "degrees", "Chaudhry et al. 2014 Fig. 11, extrapolated"),
    };
}

}  // namespace cutis::verify
