#include <algorithm>
#include <set>

#include "anatomy/shape.h"

namespace cutis::anatomy_detail {

namespace {

constexpr size_t most_shifts = 2;    // joints by which a part may begin later or end earlier
constexpr double least_tube = 0.02;  // of the area, for a body that is one tube

class PartFinder {
public:
    PartFinder(const Shape& shape, const JointTree& tree, const std::vector<char>& is_soft)
        : shape_(shape), tree_(tree), is_soft_(is_soft) {}

    /// Joints of the rig for joints of the tree, and those without surface of their own below them.
    std::vector<int> rig_joints(const std::vector<int>& joints) const {
        const std::set<int> own(joints.begin(), joints.end());
        std::vector<int> all;
        for (int j = 0; j < shape_.joint_count(); ++j) {
            if (own.count(tree_.owner[static_cast<size_t>(j)]) != 0) {
                const auto& of_rig = shape_.rig_joints[static_cast<size_t>(j)];
                all.insert(all.end(), of_rig.begin(), of_rig.end());
            }
        }
        return all;
    }

    /// A part along a chain.
    /// \param before  joint its first one hangs on
    /// \param ends    whether it ends at the chain's last joint; else at its tip
    SoftPart along(PartKind kind, int before, const std::vector<int>& chain, bool ends) const {
        SoftPart part;
        part.kind = kind;
        part.name = shape_.name[static_cast<size_t>(chain.front())];
        const size_t last = chain.size() - 1;
        for (size_t i = 0; i < chain.size() && i <= most_shifts && (i == 0 || i + 1 < chain.size()); ++i) {
            part.from.push_back(rig_joints(tree_.behind(i == 0 ? before : chain[i - 1], chain[i])));
        }
        for (size_t i = last; ends && i > 0 && last - i <= most_shifts; --i) {
            part.to.push_back(rig_joints(tree_.behind(chain[i - 1], chain[i])));
        }
        part.islands = islands_of(tree_.behind(before, chain.front()),
                                  ends && last > 0 ? tree_.behind(chain[last - 1], chain[last]) : std::vector<int>{});
        return part;
    }

    /// Soft islands by how much of them these joints move, most first.
    std::vector<int> islands_of(const std::vector<int>& joints, const std::vector<int>& except) const {
        std::vector<char> counts(static_cast<size_t>(shape_.joint_count()), 0);
        for (const int j : joints) {
            counts[static_cast<size_t>(j)] = 1;
        }
        for (const int j : except) {
            counts[static_cast<size_t>(j)] = 0;
        }
        std::vector<std::pair<double, int>> area(static_cast<size_t>(shape_.islands));
        for (size_t i = 0; i < area.size(); ++i) {
            area[i] = {0.0, static_cast<int>(i)};
        }
        for (Eigen::Index f = 0; f < shape_.triangles.rows(); ++f) {
            if (is_soft_[static_cast<size_t>(f)] == 0) {
                continue;
            }
            double weight = 0.0;
            for (int k = 0; k < 3; ++k) {
                for (const auto& [j, w] : shape_.weights[static_cast<size_t>(shape_.triangles(f, k))]) {
                    const int owner = tree_.owner[static_cast<size_t>(j)];
                    weight += owner >= 0 && counts[static_cast<size_t>(owner)] != 0 ? w / 3.0 : 0.0;
                }
            }
            area[static_cast<size_t>(shape_.island[static_cast<size_t>(f)])].first -= weight * shape_.triangle_area[f];
        }
        std::sort(area.begin(), area.end());
        std::vector<int> islands;
        for (const auto& [minus_area, island] : area) {
            if (-minus_area > 1e-3 * shape_.area && islands.size() < 3) {
                islands.push_back(island);
            }
        }
        return islands;
    }

private:
    const Shape& shape_;
    const JointTree& tree_;
    const std::vector<char>& is_soft_;
};

}  // namespace

std::vector<SoftPart> find_parts(const Shape& shape, const JointTree& tree, const Plan& plan,
                                 const std::vector<char>& is_soft) {
    const PartFinder finder(shape, tree, is_soft);
    std::vector<SoftPart> parts;
    const auto add = [&](SoftPart part) {
        if (!part.islands.empty()) {
            parts.push_back(std::move(part));
        }
    };
    if (plan.branches.empty() || plan.spine.empty()) {
        // One tube: its largest soft island, from tip to tip.
        std::vector<int> all;
        for (int j = 0; j < shape.joint_count(); ++j) {
            all.push_back(j);
        }
        SoftPart part;
        part.islands = finder.islands_of(all, {});
        double area = 0.0;
        for (Eigen::Index f = 0; f < shape.triangles.rows() && !part.islands.empty(); ++f) {
            area += shape.island[static_cast<size_t>(f)] == part.islands.front() ? shape.triangle_area[f] : 0.0;
        }
        part.islands.resize(std::min<size_t>(part.islands.size(), 1));
        if (area > least_tube * shape.area && plan.build != Build::other) {
            add(std::move(part));
        }
        return parts;
    }
    for (const Branch& branch : plan.branches) {
        const bool has_tip = branch.kind == PartKind::ear || branch.kind == PartKind::fin || branch.chain.size() < 2;
        add(finder.along(branch.kind, branch.base, branch.chain, !has_tip));
    }
    for (const std::vector<int>& tail : plan.tails) {
        const std::vector<int> way = tree.path(tail.front(), plan.head);
        if (way.size() > 1) {
            add(finder.along(PartKind::tail, way[1], tail, false));
        }
    }
    if (!plan.neck.empty()) {
        std::vector<int> chain = plan.neck;
        chain.push_back(plan.head);
        add(finder.along(PartKind::neck, plan.shoulders, chain, true));
    }
    // The trunk: from behind the hind limbs to the neck, other limbs leave holes.
    std::vector<int> chain;
    int before = -1;
    if (plan.shoulders == plan.pelvis && !plan.tails.empty()) {
        before = plan.tails.front().front();
        chain = {plan.pelvis};
    } else {
        before = plan.pelvis;
    }
    for (size_t i = 1; i < plan.spine.size(); ++i) {
        chain.push_back(plan.spine[i]);
        if (!plan.neck.empty() && plan.spine[i] == plan.neck.front()) {
            break;
        }
    }
    if (chain.size() >= 2) {
        SoftPart torso = finder.along(PartKind::torso, before, chain, true);
        torso.to.resize(1);
        const std::vector<int> inside = tree.behind(before, chain.front());
        for (const Branch& branch : plan.branches) {
            const bool is_on =
                std::find(inside.begin(), inside.end(), branch.base) != inside.end() && branch.base != plan.head;
            const bool is_on_neck = std::find(plan.neck.begin(), plan.neck.end(), branch.base) != plan.neck.end();
            if (is_on && !is_on_neck) {
                torso.without.push_back(finder.rig_joints(branch.joints));
            }
        }
        add(std::move(torso));
    }
    return parts;
}

}  // namespace cutis::anatomy_detail
