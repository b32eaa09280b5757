#include <algorithm>
#include <cmath>
#include <numeric>

#include "anatomy/shape.h"
#include "core/math.h"

namespace cutis::anatomy_detail {

namespace {

constexpr double least_area = 1e-4;           // of the whole: below it a joint moves nothing
constexpr double least_area_anywhere = 0.01;  // enough without being the strongest anywhere
constexpr double least_border = 0.05;         // of the shorter border, for a link of the file
constexpr double least_new_border = 0.02;     // for a link the file does not have
constexpr double least_shared = 0.02, least_shared_of_best = 0.2;
constexpr double most_mirror_cost = 0.07;  // of the size
constexpr double cost_of_area = 0.03;      // of the size, per e-fold

using Pairs = std::map<std::pair<int, int>, double>;

double value_of(const Pairs& pairs, int a, int b) {
    const auto found = pairs.find({std::min(a, b), std::max(a, b)});
    return found == pairs.end() ? 0.0 : found->second;
}

void find_dominance(const Shape& shape, JointTree& tree) {
    const auto joints = static_cast<size_t>(shape.joint_count());
    tree.area.assign(joints, 0.0);
    tree.middle.assign(joints, Vector3d::Zero());
    tree.dominant.assign(static_cast<size_t>(shape.vertex_count()), -1);
    std::vector<char> leads(joints, 0);
    for (int v = 0; v < shape.vertex_count(); ++v) {
        const Weights& own = shape.weights[static_cast<size_t>(v)];
        if (own.empty() || shape.vertex_area[v] <= 0.0) {
            continue;
        }
        tree.dominant[static_cast<size_t>(v)] = own.front().first;
        leads[static_cast<size_t>(own.front().first)] = 1;
        for (const auto& [j, weight] : own) {
            const double share = weight * shape.vertex_area[v] / shape.area;
            tree.area[static_cast<size_t>(j)] += share;
            tree.middle[static_cast<size_t>(j)] += share * shape.positions.row(v).transpose();
        }
    }
    tree.is_active.assign(joints, 0);
    for (size_t j = 0; j < joints; ++j) {
        if (tree.area[j] > 0.0) {
            tree.middle[j] /= tree.area[j];
        }
        tree.is_active[j] = (tree.area[j] > least_area && leads[j] != 0) || tree.area[j] > least_area_anywhere ? 1 : 0;
    }
}

/// Length of the lines on the surface where the strongest joint changes.
Pairs find_borders(const Shape& shape, const JointTree& tree) {
    Pairs borders;
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        if (shape.is_prop[static_cast<size_t>(f)] != 0) {
            continue;
        }
        const auto t = static_cast<int>(f);
        const Vector3d middle = (shape.corner(t, 0) + shape.corner(t, 1) + shape.corner(t, 2)) / 3.0;
        for (int k = 0; k < 3; ++k) {
            const int a = tree.dominant[static_cast<size_t>(shape.triangles(f, k))];
            const int b = tree.dominant[static_cast<size_t>(shape.triangles(f, (k + 1) % 3))];
            if (a != b && a >= 0 && b >= 0) {
                borders[{std::min(a, b), std::max(a, b)}] +=
                    (0.5 * (shape.corner(t, k) + shape.corner(t, (k + 1) % 3)) - middle).norm();
            }
        }
    }
    return borders;
}

/// Area that two joints move together, of the smaller one's.
Pairs find_shared(const Shape& shape, const JointTree& tree) {
    Pairs shared;
    for (int v = 0; v < shape.vertex_count(); ++v) {
        const Weights& own = shape.weights[static_cast<size_t>(v)];
        for (size_t i = 0; i < own.size(); ++i) {
            for (size_t k = i + 1; k < own.size(); ++k) {
                const auto [a, b] = std::minmax(own[i].first, own[k].first);
                shared[{a, b}] += std::min(own[i].second, own[k].second) * shape.vertex_area[v] / shape.area;
            }
        }
    }
    for (auto& [pair, value] : shared) {
        value /= std::max(
            1e-12, std::min(tree.area[static_cast<size_t>(pair.first)], tree.area[static_cast<size_t>(pair.second)]));
    }
    return shared;
}

void find_partners(const Shape& shape, const Mirror& mirror, JointTree& tree) {
    const int count = shape.joint_count();
    tree.partner.assign(static_cast<size_t>(count), -1);
    std::vector<int> nearest(static_cast<size_t>(count), -1);
    std::map<std::string, int> named;
    for (int j = 0; j < count; ++j) {
        if (!shape.name[static_cast<size_t>(j)].empty()) {
            named.emplace(shape.name[static_cast<size_t>(j)], j);
        }
    }
    for (int a = 0; a < count && mirror.is_good(); ++a) {
        double best = most_mirror_cost;
        for (int b = 0; b < count; ++b) {
            if (tree.is_active[static_cast<size_t>(a)] == 0 || tree.is_active[static_cast<size_t>(b)] == 0) {
                continue;
            }
            const double away =
                (mirror.image(tree.middle[static_cast<size_t>(a)]) - tree.middle[static_cast<size_t>(b)]).norm() /
                shape.size;
            const double cost =
                away + cost_of_area *
                           std::abs(math::log(tree.area[static_cast<size_t>(a)] / tree.area[static_cast<size_t>(b)]));
            if (cost < best) {
                best = cost;
                nearest[static_cast<size_t>(a)] = b;
            }
        }
    }
    for (int a = 0; a < count; ++a) {
        const int b = nearest[static_cast<size_t>(a)];
        if (b >= 0 && b != a && nearest[static_cast<size_t>(b)] == a) {
            tree.partner[static_cast<size_t>(a)] = b;
        }
    }
    for (const auto& [name, a] : named) {
        const std::string image = mirrored_name(name);
        const auto other = image == name ? named.end() : named.find(image);
        const auto ia = static_cast<size_t>(a);
        if (other != named.end() && tree.is_active[ia] != 0 &&
            tree.is_active[static_cast<size_t>(other->second)] != 0) {
            for (const int joint : {a, other->second}) {
                const int before = tree.partner[static_cast<size_t>(joint)];
                if (before >= 0) {
                    tree.partner[static_cast<size_t>(before)] = -1;
                }
            }
            tree.partner[ia] = other->second;
            tree.partner[static_cast<size_t>(other->second)] = a;
        }
    }
}

class Forest {
public:
    explicit Forest(size_t count) : up_(count) { std::iota(up_.begin(), up_.end(), 0); }
    int root(int j) const {
        while (up_[static_cast<size_t>(j)] != j) {
            j = up_[static_cast<size_t>(j)];
        }
        return j;
    }
    bool join(int a, int b) {
        const int ra = root(a);
        const int rb = root(b);
        up_[static_cast<size_t>(std::max(ra, rb))] = std::min(ra, rb);
        return ra != rb;
    }

private:
    std::vector<int> up_;
};

}  // namespace

std::vector<int> JointTree::behind(int a, int b) const {
    std::vector<int> found = {b};
    std::vector<int> from = {a};
    for (size_t i = 0; i < found.size(); ++i) {
        for (const int next : links[static_cast<size_t>(found[i])]) {
            if (next != from[i]) {
                from.push_back(found[i]);
                found.push_back(next);
            }
        }
    }
    return found;
}

std::vector<int> JointTree::path(int from, int to) const {
    std::vector<int> before(links.size(), -2);
    std::vector<int> queue = {from};
    before[static_cast<size_t>(from)] = -1;
    for (size_t i = 0; i < queue.size() && before[static_cast<size_t>(to)] == -2; ++i) {
        for (const int next : links[static_cast<size_t>(queue[i])]) {
            if (before[static_cast<size_t>(next)] == -2) {
                before[static_cast<size_t>(next)] = queue[i];
                queue.push_back(next);
            }
        }
    }
    std::vector<int> path;
    if (before[static_cast<size_t>(to)] != -2) {
        for (int j = to; j >= 0; j = before[static_cast<size_t>(j)]) {
            path.push_back(j);
        }
    }
    std::reverse(path.begin(), path.end());
    return path;
}

int JointTree::parent(int joint) const {
    const std::vector<int> way = path(joint, root);
    return way.size() < 2 ? -1 : way[1];
}

JointTree connect_joints(const Shape& shape, const Skeleton& skeleton, const Mirror& mirror) {
    JointTree tree;
    find_dominance(shape, tree);
    find_partners(shape, mirror, tree);
    const Pairs borders = find_borders(shape, tree);
    const Pairs shared = find_shared(shape, tree);
    const auto joints = static_cast<size_t>(shape.joint_count());
    std::vector<double> border(joints, 0.0);
    std::vector<double> best_shared(joints, 0.0);
    for (const auto& [pair, length] : borders) {
        border[static_cast<size_t>(pair.first)] += length;
        border[static_cast<size_t>(pair.second)] += length;
    }
    for (const auto& [pair, value] : shared) {
        if (tree.is_active[static_cast<size_t>(pair.first)] != 0 &&
            tree.is_active[static_cast<size_t>(pair.second)] != 0) {
            best_shared[static_cast<size_t>(pair.first)] =
                std::max(best_shared[static_cast<size_t>(pair.first)], value);
            best_shared[static_cast<size_t>(pair.second)] =
                std::max(best_shared[static_cast<size_t>(pair.second)], value);
        }
    }
    const auto relative_border = [&](int a, int b) {
        const double shorter = std::min(border[static_cast<size_t>(a)], border[static_cast<size_t>(b)]);
        return shorter > 0.0 ? value_of(borders, a, b) / shorter : 0.0;
    };
    std::map<int, int> joint_of_node;
    for (size_t j = 0; j < joints; ++j) {
        joint_of_node[shape.node[j]] = static_cast<int>(j);
    }
    const auto file_parent = [&](int j) {
        for (int node = skeleton.nodes[static_cast<size_t>(shape.node[static_cast<size_t>(j)])].parent; node >= 0;
             node = skeleton.nodes[static_cast<size_t>(node)].parent) {
            const auto found = joint_of_node.find(node);
            if (found != joint_of_node.end() && tree.is_active[static_cast<size_t>(found->second)] != 0) {
                return found->second;
            }
        }
        return -1;
    };

    for (int j = 0; j < shape.joint_count(); ++j) {
        tree.owner.push_back(tree.is_active[static_cast<size_t>(j)] != 0 ? j : file_parent(j));
    }
    tree.links.resize(joints);
    Forest forest(joints);
    const auto link = [&](int a, int b) {
        if (!forest.join(a, b)) {
            return false;
        }
        tree.links[static_cast<size_t>(a)].push_back(b);
        tree.links[static_cast<size_t>(b)].push_back(a);
        return true;
    };
    std::vector<int> active;
    for (size_t j = 0; j < joints; ++j) {
        if (tree.is_active[j] != 0) {
            active.push_back(static_cast<int>(j));
        }
    }
    // Left and right only meet in the middle.
    const auto side = [&](int j) {
        const double off = tree.middle[static_cast<size_t>(j)][mirror.axis] - mirror.offset;
        return tree.partner[static_cast<size_t>(j)] < 0 ? 0 : off > 0.0 ? 1 : -1;
    };
    for (const int j : active) {
        const int above = file_parent(j);
        if (above < 0 || side(j) * side(above) < 0) {
            continue;
        }
        const double together = value_of(shared, j, above);
        const auto both = std::min(border[static_cast<size_t>(j)], border[static_cast<size_t>(above)]);
        const bool holds = both > 0.0 ? relative_border(j, above) >= least_border
                                      : together >= least_shared &&
                                            together >= least_shared_of_best * best_shared[static_cast<size_t>(j)];
        if (holds) {
            link(j, above);
        }
    }
    // What is left is joined by the surface: middle joints first, so that no limb carries the spine;
    // never left to right, as a skirt would.
    const auto is_middle = [&](int j) { return tree.partner[static_cast<size_t>(j)] < 0; };
    struct Bond {
        double rank, value;
        int a, b;
    };
    const auto join_by = [&](auto&& strength, double least) {
        std::vector<Bond> bonds;
        for (size_t i = 0; i < active.size(); ++i) {
            for (size_t k = i + 1; k < active.size(); ++k) {
                const int a = active[i];
                const int b = active[k];
                const double value = strength(a, b);
                if (value > least && side(a) * side(b) >= 0) {
                    bonds.push_back({is_middle(a) && is_middle(b) ? 1.0 : 0.0, value, a, b});
                }
            }
        }
        std::sort(bonds.begin(), bonds.end(), [](const Bond& x, const Bond& y) {
            return std::make_tuple(-x.rank, -x.value, x.a, x.b) < std::make_tuple(-y.rank, -y.value, y.a, y.b);
        });
        for (const Bond& bond : bonds) {
            tree.strays += link(bond.a, bond.b) ? 1 : 0;
        }
    };
    join_by(relative_border, least_new_border);
    join_by([&](int a, int b) { return value_of(shared, a, b); }, least_shared);
    for (const int j : active) {
        const int above = file_parent(j);
        if (above >= 0) {
            link(j, above);
        }
    }
    join_by(
        [&](int a, int b) {
            return 1.0 / (1e-9 + (tree.middle[static_cast<size_t>(a)] - tree.middle[static_cast<size_t>(b)]).norm() /
                                     shape.size);
        },
        0.0);

    double smallest = 2.0;
    for (const int j : active) {
        double largest = 0.0;
        for (const int next : tree.links[static_cast<size_t>(j)]) {
            double sum = 0.0;
            for (const int far : tree.behind(j, next)) {
                sum += tree.area[static_cast<size_t>(far)];
            }
            largest = std::max(largest, sum);
        }
        if (largest < smallest - 1e-12) {
            smallest = largest;
            tree.root = j;
        }
    }
    return tree;
}

}  // namespace cutis::anatomy_detail
