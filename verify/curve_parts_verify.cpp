#include "verify/curve_cases.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "curve/flesh.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/obj_read.h"
#include "cutis/mesh/repair.h"
#include "verify/data.h"

// Curves on the limbs of real characters: no triangle inverted, transfer exact at rest.

namespace cutis::verify {

std::string data_file(const std::string& relative) {
    const std::filesystem::path path = data_folder() / relative;
    return std::filesystem::exists(path) ? path.string() : std::string();
}

LoadedBody load_body(const std::string& file, const std::string& mesh, const std::string& clip) {
    BodyOptions options;
    options.mesh = mesh;
    options.clip = clip;
    options.skinning = Skinning::linear_blend;
    return loaded_body(make_body(std::make_shared<Character>(read_gltf(file)), options));
}

LoadedBody loaded_body(Body body) {
    LoadedBody loaded;
    loaded.body = std::make_unique<Body>(std::move(body));
    loaded.mesh = std::make_unique<RepairedMesh>(repair_mesh(
        loaded.body->mesh().positions, loaded.body->mesh().triangles, {}, loaded.body->source().weld_group));
    loaded.view = {loaded.body.get(), &loaded.mesh->positions, &loaded.mesh->topology, &loaded.mesh->art_of_vertex,
                   &loaded.mesh->vertex_of_art};
    return loaded;
}

namespace {

struct Limb {
    std::string from;
    std::vector<std::string> to;
    std::vector<std::string> without;
};

struct Animal {
    std::string file;
    std::string mesh;
    std::vector<Limb> limbs;
    double transfer_limit;  ///< fine meshes 2 %; limbs of 23 to 70 vertices cannot carry more
};

const std::vector<Animal>& animals() {
    static const std::vector<Animal> list = {
        {"dancer/dancer.glb",
         "body",
         {{"LeftArm", {"LeftHand"}, {}},
          {"RightArm", {"RightHand"}, {}},
          {"LeftUpLeg", {"LeftFoot"}, {}},
          {"RightUpLeg", {"RightFoot"}, {}},
          {"Neck", {"Head"}, {}},
          {"LowerBack", {"Neck"}, {"LeftArm", "RightArm"}}},
         0.02},
        {"quaternius/Horse.glb",
         "",
         {{"FrontUpperLeg.L", {"IKFrontLeg.L"}, {}},
          {"FrontUpperLeg.R", {"IKFrontLeg.R"}, {}},
          {"BackUpperLeg.L", {"IKBackLeg.L"}, {}},
          {"BackUpperLeg.R", {"IKBackLeg.R"}, {}},
          {"Neck1", {"Head"}, {}},
          {"Tail1", {}, {}},
          {"", {"Neck1", "Tail1"}, {"FrontUpperLeg.L", "FrontUpperLeg.R", "BackUpperLeg.L", "BackUpperLeg.R"}}},
         0.065},
        {"quaternius/Apatosaurus.glb",
         "",
         {{"Neck", {}, {}},
          {"Tail1", {}, {}},
          {"FrontUpLeg.L", {"FrontFoot.L"}, {}},
          {"FrontUpLeg.R", {"FrontFoot.R"}, {}},
          {"BackUpLeg.L", {"BackFoot.L"}, {}},
          {"BackUpLeg.R", {"BackFoot.R"}, {}}},
         0.065},
        {"quaternius/Trex.glb",
         "",
         {{"Tail1", {}, {}}, {"BackUpLeg.L", {"BackFoot.L"}, {}}, {"BackUpLeg.R", {"BackFoot.R"}, {}}},
         0.09},
    };
    return list;
}

/// A sequence of shapes without skeleton: its part is a box of its first shape.
struct Sequence {
    std::string file;
    Eigen::AlignedBox3d box;
    double transfer_limit;
};

const std::vector<Sequence>& sequences() {
    constexpr double far = 100.0;
    static const std::vector<Sequence> list = {
        {"horse-gallop/horse-gallop-reference.obj", {Vector3d(-far, 3.0, 1.7), Vector3d(far, far, 2.4)}, 0.04},
        {"dem-bones/frames/bone_000.obj", {Vector3d(-1.22, -far, -far), Vector3d(1.02, far, far)}, 0.02},
    };
    return list;
}

/// What every part must hold, worst of all parts.
struct PartErrors {
    int flipped = 0;
    double rigid = 0.0;
    double transfer = 0.0;
};

void check_part(const CurveBody& view, const PartNames& names, PartErrors& worst) {
    const CurvePart part = find_part(view, names, {});
    worst.flipped += part.flipped;
    const Workers workers(1);
    MatrixX3d moved(part.transfer.count(), 3);
    part.transfer.apply(MatrixX3d::Constant(part.rows(), 3, 0.37), workers, moved);
    for (const double value : moved.reshaped()) {
        worst.rigid = worse(worst.rigid, std::abs(value - 0.37));
    }
    // A smooth displacement: nodes against vertices.
    const auto field = [&](const Vector3d& p) {
        const double k = 6.0 / std::max(part.length, part.girth);
        return Vector3d(std::sin(k * p.y()), std::cos(k * p.z()), std::sin(k * p.x()));
    };
    MatrixX3d nodes(part.rows(), 3);
    part.nodes.apply(*view.rest, workers, nodes);
    for (int i = 0; i < part.rows(); ++i) {
        nodes.row(i) = field(nodes.row(i)).transpose();
    }
    part.transfer.apply(nodes, workers, moved);
    double error = 0.0;
    double norm = 0.0;
    for (size_t i = 0; i < part.vertices.size(); ++i) {
        const Vector3d exact = field(view.rest->row(part.vertices[i]));
        error += (moved.row(static_cast<Eigen::Index>(i)).transpose() - exact).squaredNorm();
        norm += exact.squaredNorm();
    }
    worst.transfer = worse(worst.transfer, std::sqrt(error / norm));
}

void add_cases(const std::string& file, size_t parts, const PartErrors& worst, double transfer_limit,
               std::vector<Case>& cases) {
    const std::string who =
        file.substr(file.find_last_of('/') + 1) + ", " + std::to_string(parts) + (parts == 1 ? " part" : " parts");
    cases.push_back(curve_at_most("triangles inverted on " + who, worst.flipped, 0.0, "triangles",
                                  "positive weights, Floater 2003"));
    cases.push_back(curve_at_most("transfer of one displacement everywhere on " + who, worst.rigid, 1e-14, "m",
                                  "weights of a vertex sum to 1"));
    cases.push_back(curve_at_most("transfer of a smooth displacement on " + who, worst.transfer, transfer_limit,
                                  "relative rms", "interpolation between nodes"));
}

}  // namespace

std::vector<Case> curve_part_cases() {
    std::vector<Case> cases;
    for (const Animal& animal : animals()) {
        const std::string file = data_file(animal.file);
        if (file.empty()) {
            cases.push_back(case_skipped("curve", "parts of " + animal.file, missing(data_folder() / animal.file)));
            continue;
        }
        const LoadedBody loaded = load_body(file, animal.mesh, "");
        PartErrors worst;
        for (const Limb& limb : animal.limbs) {
            PartNames names;
            names.from = limb.from;
            names.to = limb.to;
            names.without = limb.without;
            check_part(loaded.view, names, worst);
        }
        add_cases(animal.file, animal.limbs.size(), worst, animal.transfer_limit, cases);
    }
    for (const Sequence& sequence : sequences()) {
        const std::string file = data_file(sequence.file);
        if (file.empty()) {
            cases.push_back(case_skipped("curve", "parts of " + sequence.file, missing(data_folder() / sequence.file)));
            continue;
        }
        const LoadedBody loaded = loaded_body(make_body(read_obj(file), PointCache{}, {}));
        const MatrixX3d& rest = *loaded.view.rest;
        PartNames names;
        names.field = VectorXd::Zero(rest.rows());
        for (Eigen::Index v = 0; v < rest.rows(); ++v) {
            const Vector3d p = rest.row(v);
            const double inside = std::min((p - sequence.box.min()).minCoeff(), (sequence.box.max() - p).minCoeff());
            names.field[v] = std::clamp(0.5 + inside, 0.0, 1.0);
        }
        PartErrors worst;
        check_part(loaded.view, names, worst);
        add_cases(sequence.file, 1, worst, sequence.transfer_limit, cases);
    }
    return cases;
}

}  // namespace cutis::verify
