#include "cutis/fold/rails.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cutis/core/error.h"
#include "fold/rail_solver.h"

namespace cutis {

using namespace fold_detail;

namespace {

// Lengths asked for no more exactly than this are found in single precision, twice as many at a
// time.
constexpr double single_precision_from = 1e-6;

void check_rail_options(const FoldRailOptions& options) {
    check_struct(options, "fold");
    require(options.tolerance.length >= 1e-15 && options.tolerance.length <= 1e-3,
            "fold rails: expected a length tolerance of 1e-15 to 1e-3, found ",
            options.tolerance.length);
    require(options.tolerance.most_iterations >= 1,
            "fold rails: expected at least 1 iteration, found ", options.tolerance.most_iterations);
    require(options.merge_from == 0.0 ||
                (options.merge_from > 0.0 && options.merge_from < options.merge_to &&
                 options.merge_to <= 1.0),
            "fold rails: expected 0 < merge_from < merge_to <= 1, found ", options.merge_from,
            " and ", options.merge_to);
}

void check_set(const FoldRailSet& set) {
    require(set.segments >= 2 && set.segments <= most_segments, "fold rails: expected 2 to ",
            most_segments, " segments a rail, found ", set.segments);
    const int rails = set.count();
    const Eigen::Index points = set.rest.rows();
    require(points == static_cast<Eigen::Index>(rails) * (set.segments + 1) &&
                set.profile.size() == points && set.pre_stretch.size() == rails &&
                set.share.size() == rails && set.partner.size() == static_cast<size_t>(rails) &&
                set.plane.size() == static_cast<size_t>(rails),
            "fold rails: expected arrays for ", rails, " rails of ", set.segments + 1,
            " points, found ", points, " points, ", set.profile.size(), " profile values, ",
            set.pre_stretch.size(), " pre-stretches, ", set.share.size(), " shares, ",
            set.partner.size(), " partners and ", set.plane.size(), " planes");
    require(set.rest.allFinite(), "fold rails: expected finite rest points, found one that is not");
    // Messages are made where something is wrong only: there are many rails.
    for (int r = 0; r < rails; ++r) {
        const int first = r * (set.segments + 1);
        for (int i = first; i <= first + set.segments; ++i) {
            if (!(set.profile[i] >= 0.0 && std::isfinite(set.profile[i]))) {
                require(false, "fold rails: rail ", r,
                        ": expected profile values of at least 0, found ", set.profile[i]);
            }
        }
        if (set.profile[first] != 0.0 || set.profile[first + set.segments] != 0.0) {
            require(false, "fold rails: rail ", r, ": expected a profile of 0 at both ends");
        }
        if (!(set.pre_stretch[r] >= 0.0 && std::isfinite(set.pre_stretch[r]))) {
            require(false, "fold rails: rail ", r, ": expected a pre-stretch of at least 0, found ",
                    set.pre_stretch[r]);
        }
        if (!(set.share[r] >= 0.0 && set.share[r] <= 1.0)) {
            require(false, "fold rails: rail ", r, ": expected a share of 0 to 1, found ",
                    set.share[r]);
        }
        const int partner = set.partner[static_cast<size_t>(r)];
        if (partner < -1 || partner >= rails || partner == r) {
            require(false, "fold rails: rail ", r, ": expected another rail as partner, found ",
                    partner);
        }
        if (partner >= 0 && set.partner[static_cast<size_t>(partner)] != -1) {
            require(false, "fold rails: rail ", r, ": its partner ", partner,
                    " has a partner of its own");
        }
    }
}

}  // namespace

FoldRails::FoldRails(FoldRailSet set, const FoldRailOptions& options)
    : numbers_(std::make_unique<RailNumbers>()) {
    check_rail_options(options);
    check_set(set);
    RailNumbers& all = *numbers_;
    all.set = std::move(set);
    all.options = options;
    if (options.mode == FoldMode::strict) {
        all.options.gate = 0.0;
    }
    const int rails = all.set.count();
    const int per_rail = all.set.segments + 1;
    all.rest_length.resize(rails);
    all.rest_fraction.resize(all.set.rest.rows());
    for (int r = 0; r < rails; ++r) {
        double length = 0.0;
        const int first = r * per_rail;
        all.rest_fraction[first] = 0.0;
        for (int i = first + 1; i < first + per_rail; ++i) {
            length += (all.set.rest.row(i) - all.set.rest.row(i - 1)).norm();
            all.rest_fraction[i] = length;
        }
        require(length > 0.0, "fold rails: rail ", r, ": expected a length above 0, found ",
                length);
        for (int i = first + 1; i < first + per_rail; ++i) {
            all.rest_fraction[i] /= length;
        }
        all.rest_length[r] = length / (1.0 + all.set.pre_stretch[r]);
        if (all.set.partner[static_cast<size_t>(r)] >= 0) {
            all.merging.push_back(r);
        }
    }
    all.compression = VectorXd::Zero(rails);
    all.height = VectorXd::Zero(rails);
    all.length = VectorXd::Zero(rails);
    all.active.assign(static_cast<size_t>(rails), 0);
    if (options.mode == FoldMode::gate && options.tolerance.length >= single_precision_from) {
        single_ = std::make_unique<RailSolver<float>>(all);
    } else {
        double_ = std::make_unique<RailSolver<double>>(all);
    }
}

FoldRails::~FoldRails() = default;
FoldRails::FoldRails(FoldRails&&) noexcept = default;
FoldRails& FoldRails::operator=(FoldRails&&) noexcept = default;

const FoldRailSet& FoldRails::set() const {
    return numbers_->set;
}

double FoldRails::rest_length(int rail) const {
    return numbers_->rest_length[rail];
}

const VectorXd& FoldRails::compression() const {
    return numbers_->compression;
}

const VectorXd& FoldRails::height() const {
    return numbers_->height;
}

bool FoldRails::is_active(int rail) const {
    return numbers_->active[static_cast<size_t>(rail)] != 0;
}

const FoldRailReport& FoldRails::report() const {
    return numbers_->report;
}

void FoldRails::solve(const MatrixX3d& base, const MatrixX3d& directions,
                      const std::vector<FoldPlane>& planes, const Workers& workers) {
    const FoldRailSet& rails = numbers_->set;
    require(base.rows() == rails.rest.rows() && directions.rows() == base.rows(),
            "fold rails: expected ", rails.rest.rows(), " points and directions, found ",
            base.rows(), " and ", directions.rows());
    const size_t numbers = 3 * static_cast<size_t>(rails.segments + 1);
    const auto copy = [&](const MatrixX3d& from, int rail, int begin, int end, double* out) {
        std::copy(from.data() + static_cast<size_t>(rail) * numbers + 3 * begin,
                  from.data() + static_cast<size_t>(rail) * numbers + 3 * end, out + 3 * begin);
    };
    const auto points_of = [&](int rail, int begin, int end, double* out) {
        copy(base, rail, begin, end, out);
    };
    const auto directions_of = [&](int rail, int begin, int end, double* out) {
        copy(directions, rail, begin, end, out);
    };
    solve(std::ref(points_of), std::ref(directions_of), planes, workers);
}

void FoldRails::solve(PointsOf base, PointsOf directions, const std::vector<FoldPlane>& planes,
                      const Workers& workers) {
    if (single_ != nullptr) {
        single_->solve(base, directions, planes, workers);
    } else {
        double_->solve(base, directions, planes, workers);
    }
}

Vector3d FoldRails::offset(int rail, int i) const {
    return single_ != nullptr ? single_->offset(rail, i) : double_->offset(rail, i);
}

Vector3d FoldRails::direction(int rail, int i) const {
    return single_ != nullptr ? single_->direction(rail, i) : double_->direction(rail, i);
}

MatrixX3d FoldRails::offsets() const {
    const int per_rail = numbers_->set.segments + 1;
    MatrixX3d all(numbers_->set.rest.rows(), 3);
    for (int row = 0; row < static_cast<int>(all.rows()); ++row) {
        all.row(row) = offset(row / per_rail, row % per_rail);
    }
    return all;
}

}  // namespace cutis
