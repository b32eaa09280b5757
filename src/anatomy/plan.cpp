#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "anatomy/shape.h"
#include "core/dense.h"
#include "core/math.h"

namespace cutis::anatomy_detail {

namespace {

constexpr double least_branch = 0.002;  // of the area
constexpr double near_floor = 0.07;     // of the height
constexpr double least_leg = 0.01;      // of the area
constexpr double most_ear = 0.12;       // of the area
constexpr double most_on_head = 0.15;   // of the area: ears, jaws
constexpr double flat = 0.3;            // thickness of a fin to its width
constexpr double roundest_fin = 0.6;    // the same of what one joint moves, for limbs that are bent
constexpr double most_lean = 32.0;      // degrees off up, of a person's back

bool has_word(const std::string& name, const std::vector<std::string>& words) {
    for (const std::string& word : words_of(name)) {
        if (std::find(words.begin(), words.end(), word) != words.end()) {
            return true;
        }
    }
    return false;
}

struct Extent {
    double lowest = 1.0;     // above the floor, of the height, bound or standing
    double thickness = 1.0;  // of its width, all of it
    double roundness = 1.0;  // the same joint by joint: a bent leg lies in a plane and is no less round
    double area = 0.0;
};

/// How what some joints move lies in space.
Extent extent_of(const Shape& shape, const JointTree& tree, const std::vector<int>& joints) {
    struct Moments {
        double area = 0.0;
        Vector3d mean = Vector3d::Zero();
        Eigen::Matrix3d square = Eigen::Matrix3d::Zero();
    };
    std::map<int, Moments> of_joint;
    for (const int j : joints) {
        of_joint.emplace(j, Moments());
    }
    Extent extent;
    for (int v = 0; v < shape.vertex_count(); ++v) {
        const auto own = of_joint.find(tree.dominant[static_cast<size_t>(v)]);
        if (own != of_joint.end()) {
            const Vector3d p = shape.positions.row(v);
            extent.lowest = std::min(extent.lowest, (p.y() - shape.floor) / shape.height);
            if (shape.standing.rows() > 0) {
                extent.lowest =
                    std::min(extent.lowest, (shape.standing(v, 1) - shape.standing_floor) / shape.standing_height);
            }
            own->second.area += shape.vertex_area[v];
            own->second.mean += shape.vertex_area[v] * p;
            own->second.square += shape.vertex_area[v] * p * p.transpose();
        }
    }
    const auto thickness_of = [](const Moments& moments) {
        const Vector3d mean = moments.mean / moments.area;
        const Vector3d spread =
            symmetric_eigenvalues(Eigen::Matrix3d(moments.square / moments.area - mean * mean.transpose()));
        return std::sqrt(std::max(0.0, spread[0]) / std::max(1e-30, spread[1]));
    };
    Moments whole;
    double roundness = 0.0;
    for (const auto& [joint, moments] : of_joint) {
        if (moments.area > 0.0) {
            roundness += moments.area * thickness_of(moments);
            whole.area += moments.area;
            whole.mean += moments.mean;
            whole.square += moments.square;
        }
    }
    if (whole.area > 0.0) {
        extent.thickness = thickness_of(whole);
        extent.roundness = roundness / whole.area;
        extent.area = whole.area;
    }
    extent.area /= shape.area;
    return extent;
}

double area_of(const JointTree& tree, const std::vector<int>& joints) {
    double sum = 0.0;
    for (const int j : joints) {
        sum += tree.area[static_cast<size_t>(j)];
    }
    return sum;
}

/// From its base outwards, along the child that reaches furthest; a joint of three children is a
/// hand, and the chain ends at it.
std::vector<int> chain_of(const Shape& shape, const JointTree& tree, int base, int first) {
    std::vector<int> chain = {first};
    int from = base;
    int at = first;
    while (true) {
        std::vector<int> next;
        for (const int j : tree.links[static_cast<size_t>(at)]) {
            if (j != from) {
                next.push_back(j);
            }
        }
        if (next.empty() || next.size() >= 3) {
            return chain;
        }
        double best = -1.0;
        int chosen = next.front();
        for (const int j : next) {
            const std::vector<int> joints = tree.behind(at, j);
            double reach = 0.0;
            for (const int far : joints) {
                reach = std::max(
                    reach, (shape.centre[static_cast<size_t>(far)] - shape.centre[static_cast<size_t>(at)]).norm());
            }
            const double strength = std::sqrt(area_of(tree, joints)) * reach;
            if (strength > best) {
                best = strength;
                chosen = j;
            }
        }
        from = at;
        at = chosen;
        chain.push_back(at);
    }
}

/// Ends of the spine: middle joints with one spine neighbour.
std::vector<int> ends_of(const JointTree& tree, const std::set<int>& spine) {
    std::vector<int> ends;
    for (const int j : spine) {
        const auto& links = tree.links[static_cast<size_t>(j)];
        if (std::count_if(links.begin(), links.end(), [&](int n) { return spine.count(n) != 0; }) <= 1) {
            ends.push_back(j);
        }
    }
    return ends;
}

/// Small separate pieces near what a joint moves: eyes, teeth.
int pieces_near(const Shape& shape, const JointTree& tree, const std::vector<int>& joints) {
    const std::set<int> own(joints.begin(), joints.end());
    std::vector<double> area(static_cast<size_t>(shape.islands), 0.0);
    std::vector<double> ours(static_cast<size_t>(shape.islands), 0.0);
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        if (shape.is_prop[static_cast<size_t>(f)] == 0) {
            const auto island = static_cast<size_t>(shape.island[static_cast<size_t>(f)]);
            area[island] += shape.triangle_area[f];
            ours[island] += own.count(tree.dominant[static_cast<size_t>(shape.triangles(f, 0))]) != 0
                                ? shape.triangle_area[f]
                                : 0.0;
        }
    }
    int pieces = 0;
    for (size_t i = 0; i < area.size(); ++i) {
        pieces += area[i] > 0.0 && area[i] < 0.03 * shape.area && ours[i] > 0.7 * area[i] ? 1 : 0;
    }
    return std::min(pieces, 4);
}

int find_head(const Shape& shape, const JointTree& tree, const std::set<int>& spine) {
    for (const int j : spine) {
        if (has_word(shape.name[static_cast<size_t>(j)], {"head"})) {
            return j;
        }
    }
    // Limbs hang on hips, not on a head.
    std::set<int> hips;
    const std::vector<int> ends = ends_of(tree, spine);
    for (const int end : ends) {
        double limbs = 0.0;
        for (const int next : tree.links[static_cast<size_t>(end)]) {
            limbs += spine.count(next) != 0 ? 0.0 : area_of(tree, tree.behind(end, next));
        }
        if (limbs > most_on_head) {
            hips.insert(end);
        }
    }
    if (hips.size() == ends.size()) {
        hips.clear();
    }
    double best = -1.0;
    int head = -1;
    for (const int end : ends) {
        const auto& links = tree.links[static_cast<size_t>(end)];
        const auto inner = std::find_if(links.begin(), links.end(), [&](int n) { return spine.count(n) != 0; });
        const std::vector<int> joints = inner == links.end() ? std::vector<int>{end} : tree.behind(*inner, end);
        if (hips.count(end) != 0) {
            continue;
        }
        double vertices = 0.0;
        double height = 0.0;
        const std::set<int> own(joints.begin(), joints.end());
        for (int v = 0; v < shape.vertex_count(); ++v) {
            vertices += own.count(tree.dominant[static_cast<size_t>(v)]) != 0 ? 1.0 / shape.vertex_count() : 0.0;
        }
        height = (tree.middle[static_cast<size_t>(end)].y() - shape.floor) / std::max(1e-30, shape.height);
        const double score = vertices + 0.15 * pieces_near(shape, tree, joints) + 0.25 * height;
        if (score > best) {
            best = score;
            head = end;
        }
    }
    return head;
}

}  // namespace

Plan find_plan(const Shape& shape, const JointTree& tree, const Mirror& mirror, const AnatomyOptions& options) {
    Plan plan;
    plan.on_head.assign(static_cast<size_t>(shape.joint_count()), 0);
    plan.on_hand = plan.on_head;
    if (tree.root < 0) {
        return plan;
    }
    const bool is_symmetric = mirror.is_good();
    std::set<int> spine = {tree.root};
    const auto is_middle = [&](int j) {
        return tree.is_active[static_cast<size_t>(j)] != 0 && tree.partner[static_cast<size_t>(j)] < 0 &&
               std::abs(tree.middle[static_cast<size_t>(j)][mirror.axis] - mirror.offset) < 0.03 * shape.size;
    };
    for (int j = 0; j < shape.joint_count() && is_symmetric; ++j) {
        if (is_middle(j)) {
            for (const int on : tree.path(tree.root, j)) {
                spine.insert(on);
            }
        }
    }
    if (!is_symmetric) {  // the longest way through the tree
        int a = tree.root;
        for (int sweep = 0; sweep < 2; ++sweep) {
            std::vector<int> longest;
            double best = -1.0;
            for (int j = 0; j < shape.joint_count(); ++j) {
                if (tree.is_active[static_cast<size_t>(j)] == 0) {
                    continue;
                }
                const std::vector<int> way = tree.path(a, j);
                double length = 0.0;
                for (size_t i = 1; i < way.size(); ++i) {
                    length += (tree.middle[static_cast<size_t>(way[i])] - tree.middle[static_cast<size_t>(way[i - 1])])
                                  .norm();
                }
                if (length > best) {
                    best = length;
                    longest = way;
                }
            }
            a = longest.back();
            if (sweep == 1) {
                spine = std::set<int>(longest.begin(), longest.end());
            }
        }
    }
    plan.head = find_head(shape, tree, spine);

    // Branches off the spine.
    int leg_pairs = 0;
    int arms = 0;
    for (const int base : spine) {
        for (const int first : tree.links[static_cast<size_t>(base)]) {
            if (spine.count(first) != 0) {
                continue;
            }
            Branch branch;
            branch.base = base;
            branch.joints = tree.behind(base, first);
            branch.area = area_of(tree, branch.joints);
            if (branch.area < least_branch) {
                continue;
            }
            branch.chain = chain_of(shape, tree, base, first);
            branch.is_paired = std::any_of(branch.joints.begin(), branch.joints.end(),
                                           [&](int j) { return tree.partner[static_cast<size_t>(j)] >= 0; });
            branch.is_left = tree.middle[static_cast<size_t>(first)][mirror.axis] > mirror.offset;
            const Extent extent = extent_of(shape, tree, branch.joints);
            const bool is_fin = extent.thickness < flat && extent.roundness < roundest_fin && branch.chain.size() <= 3;
            const bool is_at_head = base == plan.head;
            if (is_at_head && branch.area < most_ear) {
                branch.kind = PartKind::ear;
            } else if (extent.lowest < near_floor && branch.is_paired && branch.area > least_leg && !is_fin &&
                       branch.chain.size() >= 2) {
                branch.kind = PartKind::leg;
            } else {
                branch.kind = is_fin ? PartKind::fin : PartKind::arm;
            }
            leg_pairs += branch.kind == PartKind::leg ? 1 : 0;
            arms += branch.kind == PartKind::arm && branch.is_paired ? 1 : 0;
            plan.branches.push_back(branch);
        }
    }
    leg_pairs = (leg_pairs + 1) / 2;

    // The trunk lies between the limb bases that are furthest apart along the way to the head.
    std::set<int> bases;
    for (const Branch& branch : plan.branches) {
        if (branch.kind != PartKind::ear && branch.base != plan.head) {
            bases.insert(branch.base);
        }
    }
    const std::vector<int> ends = ends_of(tree, spine);
    for (const int end : ends) {
        const std::vector<int> way = tree.path(end, plan.head);
        const std::vector<int> out = tree.path(tree.root, end);
        if (end == plan.head || std::find(out.begin(), out.end(), plan.head) != out.end()) {
            continue;  // a jaw, a tongue
        }
        // Up from the tip until something else hangs on the joint.
        std::vector<int> tail;
        for (size_t i = 0; i + 1 < way.size(); ++i) {
            const auto& links = tree.links[static_cast<size_t>(way[i])];
            const auto on_spine = std::count_if(links.begin(), links.end(), [&](int n) { return spine.count(n) != 0; });
            if (bases.count(way[i]) != 0 || on_spine > 2) {
                break;
            }
            tail.push_back(way[i]);
        }
        std::reverse(tail.begin(), tail.end());
        if (tail.size() >= 2 && area_of(tree, tail) > least_branch) {
            plan.tails.push_back(tail);
        }
    }
    const std::set<int> tail_joints = [&] {
        std::set<int> all;
        for (const auto& tail : plan.tails) {
            all.insert(tail.begin(), tail.end());
        }
        return all;
    }();

    // From the hind end of the trunk to the head.
    int hind = -1;
    size_t furthest = 0;
    for (const int j : spine) {
        const size_t steps = tree.path(j, plan.head).size();
        if (bases.count(j) != 0 && steps > furthest) {
            furthest = steps;
            hind = j;
        }
    }
    if (hind < 0) {
        for (const int j : spine) {
            const size_t steps = tree.path(j, plan.head).size();
            if (tail_joints.count(j) == 0 && steps > furthest) {
                furthest = steps;
                hind = j;
            }
        }
    }
    if (hind >= 0) {
        plan.spine = tree.path(hind, plan.head);
        plan.pelvis = hind;
        plan.shoulders = hind;
        for (const int j : plan.spine) {
            if (bases.count(j) != 0) {
                plan.shoulders = j;
            }
        }
        const auto last = std::find(plan.spine.begin(), plan.spine.end(), plan.shoulders);
        if (plan.shoulders != plan.pelvis || !bases.empty()) {
            for (auto j = last + 1; j != plan.spine.end() && *j != plan.head; ++j) {
                plan.neck.push_back(*j);
            }
        }
        if (plan.spine.size() > 1) {
            for (const int j : tree.behind(plan.spine[plan.spine.size() - 2], plan.head)) {
                plan.on_head[static_cast<size_t>(j)] = 1;
            }
        }
    }
    for (const Branch& branch : plan.branches) {
        if (branch.kind == PartKind::arm) {
            const int last = branch.chain.back();
            const int before = branch.chain.size() > 1 ? branch.chain[branch.chain.size() - 2] : branch.base;
            for (const int j : tree.behind(before, last)) {
                plan.on_hand[static_cast<size_t>(j)] = 1;
            }
        }
    }

    if (options.use_build) {
        plan.build = options.build;
        return plan;
    }
    const auto limbs = std::count_if(plan.branches.begin(), plan.branches.end(),
                                     [](const Branch& branch) { return branch.kind != PartKind::ear; });
    // Six limbs of which none stands: legs that hang in the air.
    const bool flies_with_legs = leg_pairs == 0 && arms >= 5;
    if (flies_with_legs) {
        for (Branch& branch : plan.branches) {
            branch.kind = branch.kind == PartKind::arm ? PartKind::leg : branch.kind;
        }
    }
    if (leg_pairs >= 3 || flies_with_legs) {
        plan.build = Build::insect;
    } else if (leg_pairs == 2) {
        plan.build = Build::quadruped;
    } else if (leg_pairs == 1) {
        const Vector3d back =
            tree.middle[static_cast<size_t>(plan.head)] - tree.middle[static_cast<size_t>(plan.pelvis)];
        const double lean =
            math::acos(std::clamp(back.y() / std::max(1e-30, back.norm()), -1.0, 1.0)) * 57.29577951308232;
        plan.build = lean < most_lean && arms >= 2 ? Build::human : Build::biped;
    } else if (!is_symmetric && limbs >= 3) {
        plan.build = Build::other;
    } else if (limbs == 0) {
        plan.build = spine.size() >= 2 ? Build::tube : Build::other;
    } else {
        plan.build = Build::swimmer;
    }
    return plan;
}

}  // namespace cutis::anatomy_detail
