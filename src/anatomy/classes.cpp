#include <algorithm>
#include <cmath>
#include <set>

#include "anatomy/shape.h"
#include "core/geometry.h"
#include "core/math.h"
#include "cutis/core/error.h"

namespace cutis::anatomy_detail {

namespace {

constexpr double rigid_residual = 0.015;  // of the patch's diameter
constexpr double rigid_strain = 0.1;
constexpr double same_skin = 12.0, same_colour = 9.0;  // distance in CIE Lab

struct Facts {
    double share = 0.0;
    double residual = 1.0;  // of the best rigid motion, worst pose, of the diameter
    double strain = 1.0;    // 95 % of the edges change their length by less
    bool is_rigid = false;
    bool moves = false;
    double on_head = 0.0;  // share of the weight
    double on_hand = 0.0;  // area of faces that hands move, of the patch
    int material = -1;     // part of the mesh whose material it is
    char label = 0;        // of colour_labels
    std::set<int> vertices;
    std::set<std::pair<int, int>> edges;
    std::map<int, double> joints;  // of the shape: share of the patch's weight
};

}  // namespace

Vector3d lab_of(const Vector3d& linear) {
    Eigen::Matrix3d to_xyz;
    to_xyz << 0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505;
    const Vector3d xyz = (to_xyz * linear).cwiseQuotient(Vector3d(0.9505, 1.0, 1.089));
    const auto f = [](double t) { return t > 0.008856 ? math::cbrt(t) : 7.787 * t + 16.0 / 116.0; };
    return {116.0 * f(xyz.y()) - 16.0, 500.0 * (f(xyz.x()) - f(xyz.y())), 200.0 * (f(xyz.y()) - f(xyz.z()))};
}

bool is_skin_tone(const Vector3d& linear) {
    const Vector3d c = linear.cwiseMax(0.0).cwiseMin(1.0).unaryExpr([](double x) { return math::pow(x, 1.0 / 2.2); });
    const double most = c.maxCoeff();
    const double range = most - c.minCoeff();
    if (!(c[0] > c[1] && c[1] > c[2]) || most <= 0.0) {
        return false;
    }
    const double hue = 60.0 * (c[1] - c[2]) / range;
    const double saturation = range / most;
    return hue > 7.0 && hue < 47.0 && saturation > 0.12 && saturation < 0.72;
}

namespace {

/// Whether poses can tell if a patch is rigid: one joint alone moves it, or its joints move against each other.
/// Legs that stand in the only clip there is look rigid, and are not.
bool can_bend(const Body& body, const Shape& shape, const TestPoses& poses, const Facts& facts, double diameter) {
    constexpr double alone = 0.95, counts = 0.05;
    const auto first = std::max_element(facts.joints.begin(), facts.joints.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    if (poses.matrices.empty() || first == facts.joints.end() || first->second > alone) {
        return true;
    }
    const auto rig_joint = [&](int j) { return static_cast<size_t>(shape.rig_joints[static_cast<size_t>(j)].front()); };
    for (const auto& [joint, share] : facts.joints) {
        for (size_t k = 0; k < poses.matrices.size() && share > counts && joint != first->first; ++k) {
            const Eigen::Affine3d& a = poses.matrices[k][rig_joint(first->first)];
            const Eigen::Affine3d& b = poses.matrices[k][rig_joint(joint)];
            for (const int v : facts.vertices) {
                const Vector3d p = body.mesh().positions.row(shape.art_of_vertex[static_cast<size_t>(v)]);
                if ((a * p - b * p).norm() > 2.0 * rigid_residual * diameter) {
                    return true;
                }
            }
        }
    }
    return false;
}

void measure_motion(const Body& body, const Shape& shape, const TestPoses& test, Facts& facts) {
    const std::vector<MatrixX3d>& poses = test.positions;
    const std::vector<int> vertices(facts.vertices.begin(), facts.vertices.end());
    if (vertices.size() < 3 || poses.empty()) {
        facts.residual = facts.strain = poses.empty() ? 1.0 : 0.0;
        facts.is_rigid = !poses.empty();
        return;
    }
    Vector3d low = shape.positions.row(vertices.front());
    Vector3d high = low;
    Vector3d mean = Vector3d::Zero();
    for (const int v : vertices) {
        low = low.cwiseMin(shape.positions.row(v).transpose());
        high = high.cwiseMax(shape.positions.row(v).transpose());
        mean += shape.positions.row(v).transpose() / static_cast<double>(vertices.size());
    }
    const double diameter = std::max((high - low).norm(), 1e-30);
    facts.residual = facts.strain = 0.0;
    std::vector<double> strains;
    for (const MatrixX3d& pose : poses) {
        Vector3d posed_mean = Vector3d::Zero();
        for (const int v : vertices) {
            posed_mean += pose.row(v).transpose() / static_cast<double>(vertices.size());
        }
        Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
        for (const int v : vertices) {
            covariance +=
                (pose.row(v).transpose() - posed_mean) * (shape.positions.row(v).transpose() - mean).transpose();
        }
        const Eigen::Matrix3d turn = polar_decomposition(covariance / (diameter * diameter)).rotation;
        double square = 0.0;
        for (const int v : vertices) {
            square += (pose.row(v).transpose() - posed_mean - turn * (shape.positions.row(v).transpose() - mean))
                          .squaredNorm();
            facts.moves = facts.moves || (pose.row(v) - poses.front().row(v)).norm() > 1e-6 * diameter;
        }
        facts.residual = std::max(facts.residual, std::sqrt(square / static_cast<double>(vertices.size())) / diameter);
        strains.clear();
        for (const auto& [a, b] : facts.edges) {
            const double rest = (shape.positions.row(a) - shape.positions.row(b)).norm();
            if (rest > 1e-6 * diameter) {
                strains.push_back(std::abs((pose.row(a) - pose.row(b)).norm() / rest - 1.0));
            }
        }
        if (!strains.empty()) {
            const auto at =
                strains.begin() + static_cast<std::ptrdiff_t>(0.95 * static_cast<double>(strains.size() - 1));
            std::nth_element(strains.begin(), at, strains.end());
            facts.strain = std::max(facts.strain, *at);
        }
    }
    facts.is_rigid =
        facts.residual < rigid_residual && facts.strain < rigid_strain && can_bend(body, shape, test, facts, diameter);
}

/// Triangles of one material that touch have one number.
std::vector<int> connected_materials(const ArtMesh& mesh, const Shape& shape) {
    std::map<std::string, int> material_number;
    std::vector<int> up(shape.part.size());
    const auto find = [&](int f) {
        while (up[static_cast<size_t>(f)] != f) {
            f = up[static_cast<size_t>(f)] = up[static_cast<size_t>(up[static_cast<size_t>(f)])];
        }
        return f;
    };
    std::map<std::pair<int, int>, int> first;  // vertex and material to a triangle there
    for (size_t f = 0; f < up.size(); ++f) {
        up[f] = static_cast<int>(f);
        const auto p = static_cast<size_t>(shape.part[f]);
        const std::string material = p < mesh.parts.size() ? mesh.parts[p].material : "";
        const int number = material_number.emplace(material, static_cast<int>(material_number.size())).first->second;
        for (int k = 0; k < 3; ++k) {
            const auto place = first
                                   .emplace(std::make_pair(shape.triangles(static_cast<Eigen::Index>(f), k), number),
                                            static_cast<int>(f))
                                   .first;
            const int a = find(place->second);
            const int b = find(static_cast<int>(f));
            up[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
        }
    }
    for (size_t f = 0; f < up.size(); ++f) {
        up[f] = find(static_cast<int>(f));
    }
    return up;
}

/// Patches, numbered by their first triangle.
std::vector<Facts> find_patches(const Body& body, const Shape& shape, const JointTree& tree, const Plan& plan,
                                Anatomy& anatomy) {
    const ArtMesh& mesh = body.mesh();
    const std::vector<int> piece = connected_materials(mesh, shape);
    const std::vector<char> label = colour_labels(body, shape, tree, plan, piece);
    std::map<std::pair<int, char>, int> number;
    std::vector<Facts> facts;
    const std::vector<char>& scenery = body.source().is_scenery;
    const auto is_scenery = [&](Eigen::Index f) {
        return !scenery.empty() && scenery[static_cast<size_t>(mesh.triangles(f, 0))] != 0;
    };
    double all = 0.0;
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        all += is_scenery(f) ? 0.0 : shape.triangle_area[f];
    }
    all = all > 0.0 ? all : 1.0;
    for (Eigen::Index f = 0; f < shape.triangles.rows(); ++f) {
        const auto t = static_cast<size_t>(f);
        const bool has_part = static_cast<size_t>(shape.part[t]) < mesh.parts.size();
        const MeshPart part = has_part ? mesh.parts[static_cast<size_t>(shape.part[t])] : MeshPart();
        const auto [place, is_new] = number.emplace(std::make_pair(piece[t], label[t]), static_cast<int>(facts.size()));
        if (is_new) {
            facts.emplace_back();
            facts.back().material = shape.part[t];
            facts.back().label = label[t];
            Patch patch;
            patch.island = shape.island[t];
            patch.mesh = part.name.empty() ? mesh.name : part.name;
            patch.material = part.material;
            patch.is_prop = shape.is_prop[t] != 0;
            anatomy.patches.push_back(patch);
        }
        const auto p = static_cast<size_t>(place->second);
        anatomy.patch_of_triangle.push_back(place->second);
        Facts& own = facts[p];
        own.share += is_scenery(f) ? 0.0 : shape.triangle_area[f] / all;
        for (int k = 0; k < 3; ++k) {
            const int v = shape.triangles(f, k);
            const int next = shape.triangles(f, (k + 1) % 3);
            own.vertices.insert(v);
            own.edges.insert({std::min(v, next), std::max(v, next)});
            for (const auto& [j, w] : shape.weights[static_cast<size_t>(v)]) {
                const int owner = tree.owner.empty() ? -1 : tree.owner[static_cast<size_t>(j)];
                const double share = w * shape.triangle_area[f] / 3.0 / all;
                own.joints[j] += share;
                if (owner >= 0) {
                    own.on_head += plan.on_head[static_cast<size_t>(owner)] != 0 ? share : 0.0;
                    own.on_hand += plan.on_hand[static_cast<size_t>(owner)] != 0 ? share : 0.0;
                }
            }
        }
    }
    for (size_t p = 0; p < facts.size(); ++p) {
        anatomy.patches[p].share = facts[p].share;
        facts[p].on_head /= std::max(1e-30, facts[p].share);
        facts[p].on_hand /= std::max(1e-30, facts[p].share);
        for (auto& [joint, share] : facts[p].joints) {
            share /= std::max(1e-30, facts[p].share);
        }
    }
    return facts;
}

/// Materials that are a person's skin.
struct SkinLook {
    std::set<std::string> materials;  // found by where they are
    bool has_colour = false;
    Vector3d lab = Vector3d::Zero();
    bool by_tone = false;  // no hands to take it from: any skin tone
};

class Classifier {
public:
    Classifier(const Body& body, std::vector<Facts> facts, bool use_names, Anatomy& anatomy)
        : facts_(std::move(facts)), said_(body.source().tissues), use_names_(use_names), anatomy_(anatomy) {
        const auto& character = body.source().character;
        for (const Patch& patch : anatomy.patches) {
            const auto* library = character ? character->materials.get() : nullptr;
            const bool is_known = library != nullptr && library->colours.count(patch.material) != 0;
            has_colour_.push_back(is_known ? 1 : 0);
            colour_.push_back(is_known ? library->colours.at(patch.material) : Vector3d::Zero());
        }
        for (size_t p = 0; p < facts_.size(); ++p) {
            island_share_[anatomy.patches[p].island] += facts_[p].share;
            material_share_[anatomy.patches[p].material] += facts_[p].share;
            if (facts_[p].is_rigid && facts_[p].on_head > 0.7) {
                on_head_share_[anatomy.patches[p].material] += facts_[p].share;
            }
        }
    }

    void run(Build build, bool is_machine) {
        const bool is_human = build == Build::human;
        if (is_human) {
            find_skin();
        }
        for (size_t p = 0; p < facts_.size(); ++p) {
            Patch& patch = anatomy_.patches[p];
            if (const int said = said_of(patch); said >= 0) {
                set(p, static_cast<Tissue>(said), "the scene says so");
            } else if (patch.is_prop) {
                set(p, Tissue::rigid, facts_[p].share > 0.0 ? "a mesh that a joint carries" : "nothing moves it");
            } else if (is_machine) {
                set(p, Tissue::rigid, "every piece moves as one");
            } else if (!class_by_name(p, is_human)) {
                is_human ? class_on_human(p) : class_on_creature(p);
            }
        }
        hold_specks();
    }

private:
    void set(size_t p, Tissue tissue, std::string why) {
        anatomy_.patches[p].tissue = tissue;
        anatomy_.patches[p].why = std::move(why);
    }

    int said_of(const Patch& patch) const {
        for (size_t t = 0; t < said_.size(); ++t) {
            for (const std::string& name : said_[t]) {
                if (name == patch.material || name == patch.mesh || patch.mesh.starts_with(name + "/")) {
                    return static_cast<int>(t);
                }
            }
        }
        return -1;
    }

    bool class_by_name(size_t p, bool is_human) {
        if (!use_names_) {
            return false;
        }
        const Facts& facts = facts_[p];
        const Patch& patch = anatomy_.patches[p];
        for (const std::string& name : {patch.material, patch.mesh}) {
            const int said = tissue_of_name(name);
            if (said < 0) {
                continue;
            }
            const auto tissue = static_cast<Tissue>(said);
            const bool small = facts.share < 0.01;
            const bool holds = tissue == Tissue::rigid  ? facts.share < 0.35 && (facts.strain < 0.35 || small)
                               : tissue == Tissue::hair ? facts.share < 0.4
                                                        : is_human || tissue == Tissue::skin;
            if (holds) {
                set(p, tissue, concat("its name: ", name));
                return true;
            }
        }
        return false;
    }

    /// Skin by where materials lie, and by the colour of hands and face.
    void find_skin() {
        double hands = 0.0, torso = 0.0, head = 0.0;
        std::map<std::string, std::array<double, 3>> of_material;
        for (size_t p = 0; p < facts_.size(); ++p) {
            const Facts& f = facts_[p];
            if (anatomy_.patches[p].is_prop) {
                continue;
            }
            const double on_torso = f.share * std::max(0.0, 1.0 - f.on_head - f.on_hand);
            hands += f.share * f.on_hand;
            head += f.share * f.on_head;
            torso += on_torso;
            auto& sums = of_material[anatomy_.patches[p].material];
            sums[0] += f.share * f.on_hand;
            sums[1] += on_torso;
            sums[2] += f.share * f.on_head;
        }
        for (const auto& [material, sums] : of_material) {
            if (!material.empty() && hands > 0.0 && sums[0] > 0.5 * hands && sums[1] < 0.3 * torso) {
                skin_.materials.insert(material);
            }
        }
        double most = 0.0;
        for (size_t p = 0; p < facts_.size(); ++p) {
            double near = 0.0;
            for (size_t q = 0; q < facts_.size() && has_colour_[p] != 0; ++q) {
                if (has_colour_[q] != 0 && distance(p, lab_of(colour_[q])) < same_colour) {
                    near += facts_[q].share * facts_[q].on_hand;
                }
            }
            if (near > most) {
                most = near;
                skin_.lab = lab_of(colour_[p]);
                skin_.has_colour = true;
            }
        }
        if (skin_.has_colour) {
            double same = 0.0;
            for (size_t q = 0; q < facts_.size(); ++q) {
                same += has_colour_[q] != 0 && distance(q, skin_.lab) < same_skin ? facts_[q].share * facts_[q].on_head
                                                                                  : 0.0;
            }
            skin_.has_colour = same > 0.08 * head;
        }
        if (!skin_.has_colour) {
            for (size_t q = 0; q < facts_.size(); ++q) {
                skin_.by_tone = skin_.by_tone || (has_colour_[q] != 0 && facts_[q].on_head > 0.5 &&
                                                  facts_[q].share > 0.002 && is_skin_tone(colour_[q]));
            }
        }
    }

    double distance(size_t p, const Vector3d& lab) const { return (lab_of(colour_[p]) - lab).norm(); }

    void class_on_human(size_t p) {
        const Facts& f = facts_[p];
        const std::string& material = anatomy_.patches[p].material;
        const bool is_skin_colour =
            has_colour_[p] != 0 && ((skin_.has_colour && distance(p, skin_.lab) < same_skin) ||
                                    (!skin_.has_colour && skin_.by_tone && is_skin_tone(colour_[p])));
        const bool is_seen = material_share_[material] > 0.002;
        const bool has_label = has_colour_[p] == 0 && f.label != 0;
        if (has_label && f.label == 1 && f.share > 0.002) {
            set(p, Tissue::skin, "hands and face share its colour in the picture");
        } else if (!has_label && is_seen && skin_.materials.count(material) != 0) {
            set(p, Tissue::skin, "the hands have its material");
        } else if (is_seen && is_skin_colour) {
            set(p, Tissue::skin, skin_.has_colour ? "hands and face share its colour" : "the face's tone");
        } else if (f.is_rigid && f.on_head > 0.7 && on_head_share_[material] > 0.008) {
            set(p, Tissue::hair, "a piece that moves with the head");
        } else if (f.is_rigid) {
            set(p, Tissue::rigid, "moves as one piece");
        } else if (f.share < 0.002) {
            set(p, Tissue::rigid, "a speck");
        } else if (f.on_head > 0.7 && f.share > 0.01 &&
                   (has_label || skin_.has_colour || skin_.by_tone || !skin_.materials.empty())) {
            set(p, Tissue::hair, "lies on the head, not of the skin's colour");
        } else if (!has_label && !skin_.has_colour && !skin_.by_tone && skin_.materials.empty() &&
                   (f.share > 0.5 || (material.empty() && material_share_[material] > 0.5))) {
            set(p, Tissue::skin, "most of the surface, no colour to tell by");
        } else {
            set(p, Tissue::cloth, "on a person, not of the skin's colour");
        }
    }

    void class_on_creature(size_t p) {
        const Facts& f = facts_[p];
        const Patch& patch = anatomy_.patches[p];
        const double island = island_share_[patch.island];
        bool is_shared = false;
        for (size_t q = 0; q < facts_.size(); ++q) {
            is_shared =
                is_shared || (q != p && !patch.material.empty() && anatomy_.patches[q].material == patch.material &&
                              facts_[q].share >= 0.1 && !facts_[q].is_rigid);
        }
        const bool is_whole = f.share > 0.999 * island;
        if (is_shared && !(is_whole && f.is_rigid && f.share < 0.02)) {
            set(p, Tissue::skin, "the body's material");
        } else if (f.share < 0.0015 && (!is_whole || f.is_rigid)) {
            set(p, Tissue::rigid, "a speck");
        } else if (is_whole && f.is_rigid && f.share < 0.12) {
            set(p, Tissue::rigid, "a piece that moves as one");
        } else if ((f.share < 0.02 && f.residual < 0.03) || (f.is_rigid && f.share < 0.03)) {
            set(p, Tissue::rigid, "hardly changes its shape");
        } else if (f.is_rigid) {
            set(p, Tissue::rigid, "moves as one piece");
        } else {
            set(p, Tissue::skin, "bends with the body");
        }
    }

    /// A small patch of an island that is rigid but for it.
    void hold_specks() {
        std::map<int, double> rigid;
        for (size_t p = 0; p < facts_.size(); ++p) {
            rigid[anatomy_.patches[p].island] += anatomy_.patches[p].tissue == Tissue::rigid ? facts_[p].share : 0.0;
        }
        for (size_t p = 0; p < facts_.size(); ++p) {
            const Patch& patch = anatomy_.patches[p];
            const double island = island_share_[patch.island];
            if (said_of(patch) < 0 && patch.tissue != Tissue::rigid && patch.tissue != Tissue::hair &&
                rigid[patch.island] > 0.8 * island && facts_[p].share < 0.2 * island) {
                set(p, Tissue::rigid, "part of a rigid piece");
            }
        }
    }

    std::vector<Facts> facts_;
    std::array<std::vector<std::string>, 4> said_;
    bool use_names_;
    Anatomy& anatomy_;
    std::vector<char> has_colour_;
    std::vector<Vector3d> colour_;
    std::map<int, double> island_share_;
    std::map<std::string, double> material_share_,
        on_head_share_;  // of all patches of a material; of those that move with the head
    SkinLook skin_;
};

}  // namespace

void class_patches(const Body& body, const Shape& shape, const JointTree& tree, const Plan& plan,
                   const AnatomyOptions& options, Anatomy& anatomy) {
    std::vector<Facts> facts = find_patches(body, shape, tree, plan, anatomy);
    const TestPoses poses = test_poses(body, shape);
    for (Facts& own : facts) {
        measure_motion(body, shape, poses, own);
    }
    const bool can_tell =
        std::any_of(facts.begin(), facts.end(), [](const Facts& f) { return !f.is_rigid && f.moves; });
    // Nothing bends: several pieces that move are a robot or a vehicle; one piece, or a still one, has no verdict.
    constexpr std::ptrdiff_t several = 3;
    const bool is_machine =
        !can_tell && std::count_if(facts.begin(), facts.end(), [](const Facts& f) { return f.moves; }) >= several;
    if (!can_tell && !is_machine) {
        for (Facts& own : facts) {
            own.is_rigid = false;
            own.residual = own.strain = 1.0;
        }
    }
    Classifier(body, std::move(facts), options.use_names, anatomy).run(anatomy.build, is_machine);
}

}  // namespace cutis::anatomy_detail
