#include "stack/together.h"

#include <algorithm>

#include "mesh/weld.h"

namespace cutis {

Together::Together(const MatrixX3d& rest, double distance,
                   const std::function<void(const std::function<void(const MatrixX3d&)>&)>& poses) {
    const size_t count = static_cast<size_t>(rest.rows());
    std::vector<int> leader = mesh_internal::weld(rest, std::vector<unsigned char>(count, 1), {}, distance);
    const auto is_led = [&](size_t v) { return leader[v] != static_cast<int>(v); };
    bool has_groups = false;
    for (size_t v = 0; v < count; ++v) {
        has_groups = has_groups || is_led(v);
    }
    if (!has_groups) {
        return;
    }
    poses([&](const MatrixX3d& pose) {
        for (size_t v = 0; v < count; ++v) {
            const Eigen::Index row = static_cast<Eigen::Index>(v);
            if (is_led(v) && (pose.row(row) - pose.row(leader[v])).norm() > distance) {
                leader[v] = static_cast<int>(v);
            }
        }
    });
    std::vector<std::vector<int>> groups(count);
    for (size_t v = 0; v < count; ++v) {
        if (is_led(v)) {
            std::vector<int>& group = groups[leader[v]];
            if (group.empty()) {
                group.push_back(leader[v]);
            }
            group.push_back(static_cast<int>(v));
        }
    }
    for (const std::vector<int>& group : groups) {
        if (!group.empty()) {
            members_.insert(members_.end(), group.begin(), group.end());
            ends_.push_back(static_cast<int>(members_.size()));
        }
    }
}

void Together::hold(const MatrixX3d& before, MatrixX3d& after) const {
    int begin = 0;
    for (const int end : ends_) {
        Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
        for (int i = begin; i < end; ++i) {
            sum += after.row(members_[i]) - before.row(members_[i]);
        }
        sum /= end - begin;
        for (int i = begin; i < end; ++i) {
            const int v = members_[i];
            // What already moved alike keeps its bits.
            if ((after.row(v) - before.row(v)) != sum) {
                after.row(v) = before.row(v) + sum;
            }
        }
        begin = end;
    }
}

void Together::hold(MatrixX3d& after) const {
    int begin = 0;
    for (const int end : ends_) {
        Eigen::RowVector3d sum = Eigen::RowVector3d::Zero();
        for (int i = begin; i < end; ++i) {
            sum += after.row(members_[i]);
        }
        sum /= end - begin;
        for (int i = begin; i < end; ++i) {
            after.row(members_[i]) = sum;
        }
        begin = end;
    }
}

}  // namespace cutis
