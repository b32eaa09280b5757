#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "io/write_support.h"

namespace cutis {
namespace {

using test::Bake;
using test::FormulaMotion;
using test::GlbFile;
using test::ScratchFolder;
using test::seamed_square;

struct Options {
    bool repeats_a_node = false;
    bool shears = false;
    bool bulges = false;  ///< moves vertices beyond what the skin says
    int influences = 4;
};

/// Nodes of a small arm: root -> upper -> lower, beside it an unrelated node, and a second root.
std::vector<Eigen::Affine3d> arm_frames(double time, bool shears) {
    std::vector<Eigen::Affine3d> world(5, Eigen::Affine3d::Identity());
    world[0] = Eigen::Translation3d(0.1, 0.2, 0.3) * Eigen::AngleAxisd(0.3, Vector3d::UnitY()) * Eigen::Scaling(100.0);
    Eigen::Affine3d upper = Eigen::Translation3d(0.002, 0.0, 0.001 * time) *
                            Eigen::AngleAxisd(2.0 * time, Vector3d::UnitZ()) * Eigen::Scaling(0.01, 0.01, 0.01);
    if (shears) {
        // Stretched along an axis that turns: no longer a rotation after a scale.
        upper = upper * Eigen::Scaling(1.0, 1.5, 1.0) * Eigen::AngleAxisd(time, Vector3d::UnitZ());
    }
    world[2] = world[0] * upper;
    world[3] =
        world[2] * Eigen::Translation3d(0.5, 0.0, 0.0) * Eigen::AngleAxisd(-3.0 * time, Vector3d(1, 1, 0).normalized());
    world[4] = Eigen::Translation3d(0.0, time, 0.0);
    return world;
}

Body arm_body(const Options& options) {
    auto character = std::make_shared<Character>();
    const std::vector<int> parents = {-1, 0, 0, 2, -1};
    for (size_t i = 0; i < parents.size(); ++i) {
        Node node;
        node.name = std::string(1, char(97 + i));
        node.parent = parents[i];
        character->skeleton.nodes.push_back(node);
    }
    Body::Source source;
    source.mesh = seamed_square(6);
    source.character = character;
    source.rig.node = {2, 3, 4};
    if (options.repeats_a_node) {
        source.rig.node.push_back(3);
    }
    const std::vector<Eigen::Affine3d> bind = arm_frames(0.0, options.shears);
    for (const int node : source.rig.node) {
        source.rig.inverse_bind.push_back(bind[size_t(node)].inverse());
    }
    if (options.repeats_a_node) {
        source.rig.inverse_bind.back() = Eigen::Translation3d(0.0, 0.25, 0.0) * source.rig.inverse_bind[1];
    }
    const int n = int(source.mesh.positions.rows());
    source.rig.weights.influences = options.influences;
    for (int v = 0; v < n; ++v) {
        std::vector<double> raw(size_t(options.influences), 0.0);
        double sum = 0.0;
        for (int i = 0; i < options.influences; ++i) {
            // Some weights are zero; joints may repeat within a vertex.
            raw[size_t(i)] = (v + i) % 3 == 0 ? 0.0 : 1.0 + ((v * 7 + i * 3) % 5);
            sum += raw[size_t(i)];
        }
        for (int i = 0; i < options.influences; ++i) {
            source.rig.weights.joints.push_back(std::uint16_t(size_t(v + 2 * i) % source.rig.node.size()));
            source.rig.weights.weights.push_back(raw[size_t(i)] / sum);
        }
    }
    const Body::Source copy = source;
    source.motion = std::make_shared<FormulaMotion>(
        n, 10.0,
        [copy, options](double time) {
            const auto world = arm_frames(time, options.shears);
            MatrixX3d posed = MatrixX3d::Zero(copy.mesh.positions.rows(), 3);
            for (Eigen::Index v = 0; v < posed.rows(); ++v) {
                for (int i = 0; i < copy.rig.weights.influences; ++i) {
                    const size_t at = size_t(v) * size_t(copy.rig.weights.influences) + size_t(i);
                    const size_t joint = copy.rig.weights.joints[at];
                    posed.row(v) += copy.rig.weights.weights[at] *
                                    (world[size_t(copy.rig.node[joint])] * copy.rig.inverse_bind[joint] *
                                     Vector3d(copy.mesh.positions.row(v)))
                                        .transpose();
                }
                posed(v, 2) += options.bulges ? 0.1 * std::sin(9.0 * time) * double(v % 2) : 0.0;
            }
            return posed;
        },
        [options](double time) { return arm_frames(time, options.shears); });
    return Body(std::move(source), ClockOptions{});
}

/// Poses the file as glTF says and returns positions of the first primitive.
MatrixX3d pose_file(const GlbFile& glb, int frame) {
    const auto& nodes = glb.json["nodes"];
    std::vector<int> parent(nodes.size(), -1);
    std::vector<Eigen::Affine3d> local(nodes.size(), Eigen::Affine3d::Identity());
    for (size_t n = 0; n < nodes.size(); ++n) {
        for (const auto& child : nodes[n].value("children", nlohmann::json::array())) {
            parent[child.get<size_t>()] = int(n);
        }
        std::vector<double> t = nodes[n].value("translation", std::vector<double>{0, 0, 0});
        std::vector<double> r = nodes[n].value("rotation", std::vector<double>{0, 0, 0, 1});
        std::vector<double> s = nodes[n].value("scale", std::vector<double>{1, 1, 1});
        for (const auto& channel : glb.json["animations"][0]["channels"]) {
            if (channel["target"]["node"] == n) {
                const auto& sampler = glb.json["animations"][0]["samplers"][channel["sampler"].get<size_t>()];
                const std::vector<double> keys = glb.floats(sampler["output"]);
                const std::string path = channel["target"]["path"];
                std::vector<double>& value = path == "translation" ? t : path == "scale" ? s : r;
                std::copy_n(keys.begin() + frame * long(value.size()), value.size(), value.begin());
            }
        }
        if (nodes[n].contains("matrix")) {
            const std::vector<double> m = nodes[n]["matrix"];
            local[n].matrix() = Eigen::Map<const Eigen::Matrix4d>(m.data());
        } else {
            local[n] = Eigen::Translation3d(t[0], t[1], t[2]) *
                       Eigen::Quaterniond(r[3], r[0], r[1], r[2]).normalized() * Eigen::Scaling(s[0], s[1], s[2]);
        }
    }
    const std::function<Eigen::Affine3d(int)> world = [&](int n) {
        return n < 0 ? Eigen::Affine3d::Identity() : Eigen::Affine3d(world(parent[size_t(n)]) * local[size_t(n)]);
    };
    const auto& skin = glb.json["skins"][0];
    const std::vector<double> bind = glb.floats(skin["inverseBindMatrices"]);
    std::vector<Eigen::Matrix4d> matrices;
    for (size_t j = 0; j < skin["joints"].size(); ++j) {
        matrices.push_back(world(skin["joints"][j]).matrix() * Eigen::Map<const Eigen::Matrix4d>(bind.data() + 16 * j));
    }
    const auto& attributes = glb.primitive(0)["attributes"];
    const std::vector<double> rest = glb.floats(attributes["POSITION"]);
    MatrixX3d posed = MatrixX3d::Zero(Eigen::Index(rest.size() / 3), 3);
    for (int set = 0; attributes.contains("JOINTS_" + std::to_string(set)); ++set) {
        const std::vector<int> joints = glb.integers(attributes["JOINTS_" + std::to_string(set)]);
        const std::vector<double> weights = glb.floats(attributes["WEIGHTS_" + std::to_string(set)]);
        for (size_t i = 0; i < joints.size(); ++i) {
            EXPECT_TRUE(weights[i] > 0.0 || joints[i] == 0);
            const size_t v = i / 4;
            const Eigen::Vector4d corner(rest[3 * v], rest[3 * v + 1], rest[3 * v + 2], 1.0);
            posed.row(Eigen::Index(v)) += weights[i] * (matrices[size_t(joints[i])] * corner).head<3>().transpose();
        }
    }
    return posed;
}

void expect_skin_gives_frames_back(const Options& options) {
    const Body body = arm_body(options);
    ScratchFolder folder;
    const Bake bake{&body, 14};
    const auto sink = make_sink(folder / "a.glb");
    const OutputFile file = bake.run(*sink).at(0);
    ASSERT_EQ(file.numbers.at("skin_kept"), 1);
    EXPECT_EQ(file.numbers.at("morph_targets"), 0);
    EXPECT_LT(file.numbers.at("max_error_m"), 1e-5);
    const GlbFile glb(folder / "a.glb");
    const std::vector<int> joints = glb.json["skins"][0]["joints"];
    EXPECT_EQ(std::set<int>(joints.begin(), joints.end()).size(), joints.size());
    // The standard wants the matrices apart from the keys.
    const auto view_of = [&](const nlohmann::json& accessor) {
        return glb.json["accessors"][accessor.get<size_t>()]["bufferView"];
    };
    for (const auto& sampler : glb.json["animations"][0]["samplers"]) {
        EXPECT_NE(view_of(sampler["output"]), view_of(glb.json["skins"][0]["inverseBindMatrices"]));
    }
    // Vertices of the first part: art vertices it uses, in order.
    std::set<int> used;
    for (int f = 0; f < body.mesh().parts[0].triangle_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            used.insert(body.mesh().triangles(f, k));
        }
    }
    for (const int f : {0, 5, 13}) {
        const Frame frame = bake.frame(f);
        const MatrixX3d posed = pose_file(glb, f);
        ASSERT_EQ(posed.rows(), Eigen::Index(used.size()));
        Eigen::Index row = 0;
        for (const int v : used) {
            EXPECT_LT((posed.row(row++) - frame.body().positions.row(v)).norm(), file.numbers.at("max_error_m") + 1e-9);
        }
    }
}

TEST(GlbWriteSkin, kept_skin_poses_every_frame_as_the_body_does) {
    expect_skin_gives_frames_back({});
}

TEST(GlbWriteSkin, eight_influences_use_a_second_set_without_repeating_a_joint) {
    Options options;
    options.influences = 8;
    options.repeats_a_node = true;
    expect_skin_gives_frames_back(options);
}

TEST(GlbWriteSkin, a_node_with_two_inverse_binds_becomes_two_joints) {
    Options options;
    options.repeats_a_node = true;
    expect_skin_gives_frames_back(options);
}

TEST(GlbWriteSkin, weights_sum_to_one_in_float) {
    Options options;
    options.influences = 7;
    const Body body = arm_body(options);
    ScratchFolder folder;
    const auto sink = make_sink(folder / "a.glb");
    Bake{&body, 2}.run(*sink);
    const GlbFile glb(folder / "a.glb");
    const std::vector<double> weights = glb.floats(glb.primitive(0)["attributes"]["WEIGHTS_0"]);
    for (size_t v = 0; v < weights.size(); v += 4) {
        EXPECT_NEAR(weights[v] + weights[v + 1] + weights[v + 2] + weights[v + 3], 1.0, 1e-7);
    }
}

TEST(GlbWriteSkin, what_linear_blending_cannot_say_is_baked_as_morph_targets) {
    Options bulging;
    bulging.bulges = true;  // as dual quaternions or morphs of the source would
    Options shearing;
    shearing.shears = true;
    for (const Options& options : {bulging, shearing}) {
        const Body body = arm_body(options);
        ScratchFolder folder;
        const auto sink = make_sink(folder / "a.glb");
        const OutputFile file = Bake{&body, 14}.run(*sink).at(0);
        EXPECT_EQ(file.numbers.at("skin_kept"), 0);
        EXPECT_GT(file.numbers.at("morph_targets"), 0);
        EXPECT_LT(file.numbers.at("max_error_m"), file.numbers.at("tolerance_m"));
        EXPECT_FALSE(GlbFile(folder / "a.glb").json.contains("skins"));
    }
}

TEST(GlbWriteSkin, a_changed_shape_or_the_option_turns_the_skin_off) {
    const Body body = arm_body({});
    ScratchFolder folder;
    Bake bake{&body, 6};
    bake.shape_changed = true;
    const auto changed = make_sink(folder / "a.glb");
    EXPECT_EQ(bake.run(*changed).at(0).numbers.at("skin_kept"), 0);
    bake.shape_changed = false;
    SinkOptions options;
    options.glb.keep_skin = false;
    const auto refused = make_sink(folder / "b.glb", options);
    EXPECT_EQ(bake.run(*refused).at(0).numbers.at("skin_kept"), 0);
}

/// A square whose right half turns about its middle, and which wanders: two rigid bones.
Body hinged_square() {
    const ArtMesh mesh = seamed_square(8);
    return test::formula_body(mesh, [mesh](double time) {
        MatrixX3d posed = mesh.positions;
        const Eigen::Affine3d hinge = Eigen::Translation3d(0.5, 0.0, 0.0) *
                                      Eigen::AngleAxisd(std::sin(3.0 * time), Vector3d::UnitY()) *
                                      Eigen::Translation3d(-0.5, 0.0, 0.0);
        for (Eigen::Index v = 0; v < posed.rows(); ++v) {
            Vector3d p = posed.row(v);
            p = p.x() > 0.5 ? hinge * p : p;
            posed.row(v) = (p + Vector3d(0.3 * time, 0.0, 0.1)).transpose();
        }
        return posed;
    });
}

TEST(GlbWriteSkin, bones_asked_for_carry_the_frames_in_any_player) {
    const Body body = hinged_square();
    ScratchFolder folder;
    Bake bake{&body, 12};
    bake.shape_changed = true;
    SinkOptions options;
    options.glb.bones = 2;
    const auto sink = make_sink(folder / "a.glb", options);
    const OutputFile file = bake.run(*sink).at(0);
    EXPECT_EQ(file.numbers.at("bones"), 2);
    EXPECT_EQ(file.numbers.at("morph_targets"), 0);
    EXPECT_LT(file.numbers.at("max_error_m"), 1e-5);  // two bones made it, floats hold it
    EXPECT_NEAR(file.numbers.at("e_rms"), 1000.0 * file.numbers.at("rms_error_m") / std::sqrt(2.0), 1e-9);
    const auto again = std::make_shared<Character>(read_gltf((folder / "a.glb").string()));
    ASSERT_EQ(again->skins.size(), 1U);
    EXPECT_EQ(again->skins[0].joints.size(), 2U);
    const Body read = make_body(again, {});
    const double diagonal = std::sqrt(2.0);
    for (int f = 0; f < 12; ++f) {
        MatrixX3d expected, found;
        body.positions(f / bake.fps, TimeSampling::exact, Workers(1), expected);
        read.positions(f / bake.fps, TimeSampling::exact, Workers(1), found);
        for (Eigen::Index v = 0; v < found.rows(); ++v) {  // split at the seam: every vertex lies on one of ours
            const double nearest = (expected.rowwise() - found.row(v)).rowwise().norm().minCoeff();
            EXPECT_LT(nearest, 1e-5 * diagonal) << f;
        }
    }
    bake.uv_changed = true;
    const auto refused = make_sink(folder / "b.glb", options);
    EXPECT_THROW(bake.run(*refused), InvalidInput);
}

}  // namespace
}  // namespace cutis
