// What glTF files hold, built in memory feature by feature.
#include "cutis/io/gltf_read.h"

#include <fstream>

#include "cutis/core/error.h"
#include "support/data.h"
#include "support/expect_error.h"
#include "support/glb_builder.h"

namespace cutis {
namespace {

using nlohmann::json;
using test::Bytes;
using test::expect_error;
using test::GlbBuilder;

Character read(const GlbBuilder& builder) {
    return read_gltf(builder.glb(), "t.glb");
}

/// All a vertex gets from a joint, in whatever order its influences are kept.
double weight_of(const SkinWeights& weights, std::size_t vertex, int joint) {
    const auto influences = static_cast<std::size_t>(weights.influences);
    double sum = 0.0;
    for (std::size_t k = vertex * influences; k < (vertex + 1) * influences; ++k) {
        sum += weights.joints[k] == joint ? weights.weights[k] : 0.0;
    }
    return sum;
}

bool has_note(const Character& character, const std::string& piece) {
    for (const std::string& note : character.notes) {
        if (note.find(piece) != std::string::npos) {
            return true;
        }
    }
    return false;
}

TEST(GltfRead, a_glb_triangle_arrives_with_its_positions_faces_and_names) {
    const Character character = read(GlbBuilder::triangle());
    ASSERT_EQ(character.meshes.size(), 1u);
    const MeshInstance& instance = character.meshes[0];
    EXPECT_EQ(instance.name, "triangle");
    EXPECT_EQ(instance.node, 0);
    EXPECT_EQ(instance.skin, -1);
    EXPECT_EQ(instance.mesh.positions, (MatrixX3d(3, 3) << 0, 0, 0, 1, 0, 0, 0, 1, 0).finished());
    EXPECT_EQ(instance.mesh.triangles, (MatrixX3i(1, 3) << 0, 1, 2).finished());
    ASSERT_EQ(instance.mesh.parts.size(), 1u);
    EXPECT_EQ(instance.mesh.parts[0].vertex_count, 3);
    EXPECT_TRUE(character.notes.empty());
    EXPECT_EQ(character.materials, nullptr);
}

TEST(GltfRead, text_with_a_data_uri_holds_the_same_as_the_glb) {
    const std::string text = GlbBuilder::skinned_triangle().gltf();
    const Character a = read(GlbBuilder::skinned_triangle());
    const Character b = read_gltf(Bytes(text.begin(), text.end()), "t.gltf");
    EXPECT_EQ(a.meshes[0].mesh.positions, b.meshes[0].mesh.positions);
    EXPECT_EQ(a.meshes[0].weights.weights, b.meshes[0].weights.weights);
    EXPECT_EQ(a.clips[0].channels[0].values, b.clips[0].channels[0].values);
}

TEST(GltfRead, indices_of_every_width_and_none_give_the_same_triangles) {
    for (const auto type : {GlbBuilder::u8, GlbBuilder::u16, GlbBuilder::u32}) {
        GlbBuilder builder = GlbBuilder::triangle();
        builder.primitive()["indices"] = builder.add_accessor(type, "SCALAR", {2, 0, 1});
        EXPECT_EQ(read(builder).meshes[0].mesh.triangles, (MatrixX3i(1, 3) << 2, 0, 1).finished());
    }
    GlbBuilder builder = GlbBuilder::triangle();
    builder.primitive().erase("indices");
    EXPECT_EQ(read(builder).meshes[0].mesh.triangles, (MatrixX3i(1, 3) << 0, 1, 2).finished());
}

// Section 3.7.2.1: strips alternate so that all triangles wind the same way, fans turn about vertex
// 0.
TEST(GltfRead, strips_and_fans_unfold_with_the_winding_of_the_standard) {
    GlbBuilder builder = GlbBuilder::triangle();
    builder.primitive()["attributes"]["POSITION"] =
        builder.add_accessor(GlbBuilder::f32, "VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0});
    builder.primitive().erase("indices");
    builder.primitive()["mode"] = 5;
    const ArtMesh strip = read(builder).meshes[0].mesh;
    EXPECT_EQ(strip.triangles, (MatrixX3i(3, 3) << 0, 1, 2, 1, 3, 2, 2, 3, 4).finished());
    for (int f = 0; f < 3; ++f) {
        const Vector3d a = strip.positions.row(strip.triangles(f, 0));
        const Vector3d b = strip.positions.row(strip.triangles(f, 1));
        const Vector3d c = strip.positions.row(strip.triangles(f, 2));
        EXPECT_GT((b - a).cross(c - a).z(), 0.0) << f;
    }
    builder.primitive()["mode"] = 6;
    EXPECT_EQ(read(builder).meshes[0].mesh.triangles, (MatrixX3i(3, 3) << 1, 2, 0, 2, 3, 0, 3, 4, 0).finished());
}

TEST(GltfRead, points_and_lines_are_skipped_and_noted) {
    GlbBuilder builder = GlbBuilder::triangle();
    json lines = builder.primitive();
    lines["mode"] = 1;
    builder.json["meshes"][0]["primitives"].push_back(lines);
    const Character character = read(builder);
    EXPECT_EQ(character.meshes[0].mesh.parts.size(), 1u);
    EXPECT_TRUE(has_note(character, "meshes[0].primitives[1]: points and lines"));
}

TEST(GltfRead, primitives_follow_each_other_as_parts) {
    GlbBuilder builder = GlbBuilder::triangle();
    builder.json["materials"] = {{{"name", "skin"}}, {{"name", "skin"}}};
    json second = builder.primitive();
    second["material"] = 1;
    builder.primitive()["material"] = 0;
    builder.json["meshes"][0]["primitives"].push_back(second);
    const ArtMesh mesh = read(builder).meshes[0].mesh;
    EXPECT_EQ(mesh.positions.rows(), 6);
    EXPECT_EQ(mesh.triangles, (MatrixX3i(2, 3) << 0, 1, 2, 3, 4, 5).finished());
    ASSERT_EQ(mesh.parts.size(), 2u);
    EXPECT_EQ(mesh.parts[1].first_vertex, 3);
    EXPECT_EQ(mesh.parts[1].first_triangle, 1);
    EXPECT_EQ(mesh.parts[0].material, "skin");
    EXPECT_EQ(mesh.parts[1].material, "skin#2");
}

TEST(GltfRead, interleaved_attributes_are_taken_apart_by_their_stride) {
    GlbBuilder builder = GlbBuilder::triangle();
    Bytes bytes;
    for (int v = 0; v < 3; ++v) {
        const Bytes position = GlbBuilder::pack(GlbBuilder::f32, {1.0 * v, 2.0 * v, 3.0 * v});
        const Bytes uv = GlbBuilder::pack(GlbBuilder::u16, {65535.0 * (v % 2), 0.0});
        bytes.insert(bytes.end(), position.begin(), position.end());
        bytes.insert(bytes.end(), uv.begin(), uv.end());
    }
    const int view = builder.add_view(bytes, 16);
    builder.json["accessors"][0]["bufferView"] = view;
    builder.json["accessors"].push_back({{"bufferView", view},
                                         {"byteOffset", 12},
                                         {"componentType", 5123},
                                         {"normalized", true},
                                         {"type", "VEC2"},
                                         {"count", 3}});
    builder.primitive()["attributes"]["TEXCOORD_0"] = 2;
    const ArtMesh mesh = read(builder).meshes[0].mesh;
    EXPECT_EQ(mesh.positions, (MatrixX3d(3, 3) << 0, 0, 0, 1, 2, 3, 2, 4, 6).finished());
    // v = 0 is the top row of the picture in glTF, v = 1 here.
    EXPECT_EQ(mesh.uv, (MatrixX2d(3, 2) << 0, 1, 1, 1, 0, 1).finished());
    EXPECT_EQ(mesh.uv_triangles, mesh.triangles);
}

// Section 3.6.2.2: signed divide by 127 or 32767 and stop at -1, unsigned by 255 or 65535.
TEST(GltfRead, quantised_positions_follow_the_normalisation_rules) {
    struct Case {
        GlbBuilder::Type type;
        bool normalised;
        double raw;
        double value;
    };
    for (const Case& c : {Case{GlbBuilder::i8, true, -128, -1.0}, Case{GlbBuilder::i8, true, 64, 64 / 127.0},
                          Case{GlbBuilder::u8, true, 51, 0.2}, Case{GlbBuilder::i16, true, -32768, -1.0},
                          Case{GlbBuilder::i16, true, 32767, 1.0}, Case{GlbBuilder::u16, true, 13107, 0.2},
                          Case{GlbBuilder::i8, false, -7, -7}, Case{GlbBuilder::u16, false, 60000, 60000}}) {
        GlbBuilder builder = GlbBuilder::triangle();
        builder.json["extensionsRequired"] = {"KHR_mesh_quantization"};
        builder.primitive()["attributes"]["POSITION"] =
            builder.add_accessor(c.type, "VEC3", {c.raw, 0, 0, 0, c.raw, 0, 0, 0, 0}, c.normalised);
        EXPECT_DOUBLE_EQ(read(builder).meshes[0].mesh.positions(0, 0), c.value) << c.type << " " << c.raw;
    }
}

TEST(GltfRead, sparse_values_replace_those_of_the_base_and_zeros_without_one) {
    for (const bool has_base : {true, false}) {
        GlbBuilder builder = GlbBuilder::triangle();
        const int indices = builder.add_view(GlbBuilder::pack(GlbBuilder::u8, {1, 2}));
        const int values = builder.add_view(GlbBuilder::pack(GlbBuilder::f32, {5, 6, 7, 8, 9, 10}));
        json& accessor = builder.json["accessors"][0];
        accessor["sparse"] = {{"count", 2},
                              {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                              {"values", {{"bufferView", values}}}};
        if (has_base) {
            builder.binary[0] = 0;
            builder.binary[2] = 0x80;
            builder.binary[3] = 0x3F;  // x of vertex 0 becomes 1
        } else {
            accessor.erase("bufferView");
        }
        EXPECT_EQ(read(builder).meshes[0].mesh.positions,
                  (MatrixX3d(3, 3) << (has_base ? 1 : 0), 0, 0, 5, 6, 7, 8, 9, 10).finished());
    }
}

TEST(GltfRead, colours_and_painted_attributes_arrive_by_name) {
    GlbBuilder builder = GlbBuilder::triangle();
    auto& attributes = builder.primitive()["attributes"];
    attributes["COLOR_0"] =
        builder.add_accessor(GlbBuilder::u8, "VEC4", {255, 0, 51, 255, 0, 0, 0, 0, 1, 2, 3, 102}, true);
    attributes["_STIFFNESS"] = builder.add_accessor(GlbBuilder::f32, "SCALAR", {0.5, 0.25, 2});
    attributes["_FLOW"] = builder.add_accessor(GlbBuilder::f32, "VEC2", {1, 2, 3, 4, 5, 6});
    attributes["TEXCOORD_1"] = builder.add_accessor(GlbBuilder::f32, "VEC2", {1, 2, 3, 4, 5, 6});
    const Character character = read(builder);
    const auto& painted = character.meshes[0].mesh.painted;
    EXPECT_EQ(painted.size(), 7u);
    EXPECT_DOUBLE_EQ(painted.at("COLOR_0.b")[0], 0.2);
    EXPECT_DOUBLE_EQ(painted.at("COLOR_0.a")[2], 0.4);
    EXPECT_EQ(painted.at("_STIFFNESS"), Vector3d(0.5, 0.25, 2));
    EXPECT_EQ(painted.at("_FLOW.y"), Vector3d(2, 4, 6));
    EXPECT_TRUE(has_note(character, "TEXCOORD_1 is not read"));
    EXPECT_EQ(character.meshes[0].mesh.uv.rows(), 0);
}

TEST(GltfRead, further_sets_of_uvs_are_carried_and_zero_where_there_are_none) {
    GlbBuilder builder = GlbBuilder::triangle();
    auto& attributes = builder.primitive()["attributes"];
    attributes["TEXCOORD_0"] = builder.add_accessor(GlbBuilder::f32, "VEC2", {0, 0, 1, 0, 0, 1});
    attributes["TEXCOORD_2"] = builder.add_accessor(GlbBuilder::f32, "VEC2", {0.5, 0.25, 0, 1, 1, 0});
    const Character character = read(builder);
    const ArtMesh& mesh = character.meshes[0].mesh;
    EXPECT_FALSE(has_note(character, "TEXCOORD"));
    ASSERT_EQ(mesh.more_uv.size(), 2U);
    EXPECT_TRUE(mesh.more_uv[0].isZero(0.0));
    EXPECT_EQ(mesh.more_uv[1], (MatrixX2d(3, 2) << 0.5, 0.75, 0, 0, 1, 1).finished());
}

TEST(GltfRead, a_skin_brings_joints_binds_and_weights) {
    const Character character = read(GlbBuilder::skinned_triangle());
    ASSERT_EQ(character.skins.size(), 1u);
    EXPECT_EQ(character.skins[0].joints, (std::vector<int>{1, 2}));
    EXPECT_EQ(character.skins[0].inverse_bind[1].translation(), Vector3d(0, -1, 0));
    const MeshInstance& instance = character.meshes[0];
    EXPECT_EQ(instance.skin, 0);
    EXPECT_EQ(instance.weights.influences, 4);
    EXPECT_DOUBLE_EQ(weight_of(instance.weights, 1, 1), 1.0);
    EXPECT_DOUBLE_EQ(weight_of(instance.weights, 2, 0), 0.25);
    EXPECT_DOUBLE_EQ(weight_of(instance.weights, 2, 1), 0.75);
    ASSERT_EQ(character.clips.size(), 1u);
    EXPECT_EQ(character.clips[0].name, "bend");
    EXPECT_EQ(character.clips[0].channels[0].node, character.skeleton.nodes[2].parent + 1);
}

TEST(GltfRead, eight_influences_come_from_two_sets) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    auto& attributes = builder.primitive()["attributes"];
    attributes["JOINTS_1"] = builder.add_accessor(GlbBuilder::u16, "VEC4", {1, 0, 0, 0, 0, 0, 0, 0, 999, 0, 0, 0});
    attributes["WEIGHTS_0"] =
        builder.add_accessor(GlbBuilder::u16, "VEC4", {32768, 0, 0, 0, 65535, 0, 0, 0, 65535, 0, 0, 0}, true);
    attributes["WEIGHTS_1"] =
        builder.add_accessor(GlbBuilder::u16, "VEC4", {32767, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, true);
    const SkinWeights weights = read(builder).meshes[0].weights;
    EXPECT_EQ(weights.influences, 8);
    EXPECT_DOUBLE_EQ(weight_of(weights, 0, 1), 32767.0 / 65535.0);
    for (const auto joint : weights.joints) {
        EXPECT_LT(joint, 2) << "a joint of weight 0 may be anything in the file, but not here";
    }
}

TEST(GltfRead, weights_that_do_not_sum_to_one_are_normalised_and_reported) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    builder.primitive()["attributes"]["WEIGHTS_0"] =
        builder.add_accessor(GlbBuilder::f32, "VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 1, 3, 0, 0});
    const Character character = read(builder);
    EXPECT_DOUBLE_EQ(weight_of(character.meshes[0].weights, 2, 0), 0.25);
    EXPECT_DOUBLE_EQ(weight_of(character.meshes[0].weights, 2, 1), 0.75);
    EXPECT_TRUE(has_note(character, "weights of 1 vertices did not sum to 1"));
}

TEST(GltfRead, a_skin_without_inverse_bind_matrices_has_identities) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    builder.json["skins"][0].erase("inverseBindMatrices");
    builder.json["skins"][0]["skeleton"] = 77;  // nothing depends on it
    const Character character = read(builder);
    EXPECT_TRUE(character.skins[0].inverse_bind[1].matrix().isIdentity(0.0));
}

TEST(GltfRead, nodes_come_parents_first_whatever_their_order_in_the_file) {
    GlbBuilder builder;
    builder.json["nodes"] = {
        {{"name", "c"}}, {{"name", "b"}, {"children", {0}}}, {{"name", "a"}, {"children", {1, 3}}}, {{"name", "d"}}};
    const Skeleton skeleton = read(builder).skeleton;
    ASSERT_EQ(skeleton.nodes.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_LT(skeleton.nodes[i].parent, static_cast<int>(i));
    }
    const auto parent_name = [&](const std::string& name) {
        for (const Node& node : skeleton.nodes) {
            if (node.name == name) {
                return node.parent < 0 ? std::string() : skeleton.nodes[node.parent].name;
            }
        }
        return std::string("missing");
    };
    EXPECT_EQ(parent_name("a"), "");
    EXPECT_EQ(parent_name("b"), "a");
    EXPECT_EQ(parent_name("c"), "b");
    EXPECT_EQ(parent_name("d"), "a");
}

TEST(GltfRead, matrix_nodes_keep_shear_and_trs_nodes_their_parts) {
    GlbBuilder builder;
    builder.json["nodes"] = {{{"matrix", {1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1}}},
                             {{"translation", {1, 2, 3}}, {"rotation", {0, 0, 0.6, 0.8}}, {"scale", {1, 2, 3}}},
                             {{"matrix", {0, -2, 0, 0, 3, 0, 0, 0, 0, 0, -4, 0, 7, 8, 9, 1}}}};
    const Skeleton skeleton = read(builder).skeleton;
    EXPECT_TRUE(skeleton.nodes[0].has_matrix);
    EXPECT_DOUBLE_EQ(skeleton.nodes[0].matrix(0, 1), 0.5);
    EXPECT_EQ(skeleton.nodes[0].matrix.translation(), Vector3d(4, 5, 6));
    EXPECT_FALSE(skeleton.nodes[1].has_matrix);
    EXPECT_EQ(skeleton.nodes[1].rest.scale, Vector3d(1, 2, 3));
    EXPECT_DOUBLE_EQ(skeleton.nodes[1].rest.rotation.z(), 0.6);
    // A mirrored matrix without shear: T R S gives it back.
    const Transform& rest = skeleton.nodes[2].rest;
    const Eigen::Affine3d again = Eigen::Translation3d(rest.translation) * rest.rotation * Eigen::Scaling(rest.scale);
    EXPECT_TRUE(again.isApprox(skeleton.nodes[2].matrix, 1e-12));
}

TEST(GltfRead, only_the_default_scene_shows_its_meshes) {
    GlbBuilder builder = GlbBuilder::triangle();
    builder.json["nodes"].push_back({{"name", "other"}, {"mesh", 0}});
    builder.json["nodes"].push_back({{"name", "parent"}, {"children", {1}}});
    builder.json["scenes"].push_back({{"nodes", {2}}});
    EXPECT_EQ(read(builder).meshes[0].name, "triangle");
    builder.json["scene"] = 1;
    const Character character = read(builder);
    ASSERT_EQ(character.meshes.size(), 1u);
    EXPECT_EQ(character.meshes[0].name, "other");
    EXPECT_EQ(character.skeleton.nodes.size(), 3u);
    EXPECT_TRUE(has_note(character, "1 nodes with meshes are not in the scene"));
    builder.json.erase("scene");
    EXPECT_EQ(read(builder).meshes[0].name, "triangle") << "without a choice the first scene";
    builder.json.erase("scenes");
    EXPECT_EQ(read(builder).meshes.size(), 2u) << "without scenes everything";
}

TEST(GltfRead, mesh_instances_get_unique_names) {
    GlbBuilder builder = GlbBuilder::triangle();
    builder.json["scenes"][0]["nodes"] = {0, 1, 2, 3};
    builder.json["nodes"].push_back({{"name", "triangle"}, {"mesh", 0}});
    builder.json["nodes"].push_back({{"name", "triangle#2"}, {"mesh", 0}});
    builder.json["nodes"].push_back({{"mesh", 0}});
    const Character character = read(builder);
    ASSERT_EQ(character.meshes.size(), 4u);
    EXPECT_EQ(character.meshes[0].name, "triangle");
    EXPECT_EQ(character.meshes[1].name, "triangle#2");
    EXPECT_EQ(character.meshes[2].name, "triangle#2#2");
    EXPECT_EQ(character.meshes[3].name, "mesh#0");
}

TEST(GltfRead, morph_targets_have_names_defaults_and_animated_weights) {
    GlbBuilder builder = GlbBuilder::triangle();
    const int up = builder.add_accessor(GlbBuilder::f32, "VEC3", {0, 0, 1, 0, 0, 2, 0, 0, 3});
    builder.json["accessors"].push_back({{"componentType", 5126}, {"type", "VEC3"}, {"count", 3}});
    const int uv = builder.add_accessor(GlbBuilder::f32, "VEC2", {0, 0, 1, 1, 2, 2});
    builder.primitive()["targets"] = {{{"POSITION", up}, {"TEXCOORD_0", uv}},
                                      {{"POSITION", up + 1}, {"TEXCOORD_0", uv}}};
    builder.json["meshes"][0]["weights"] = {0.5, 0.25};
    builder.json["meshes"][0]["extras"] = {{"targetNames", {"puff", "still"}}};
    const int times = builder.add_accessor(GlbBuilder::f32, "SCALAR", {0, 1});
    const int weights = builder.add_accessor(GlbBuilder::u8, "SCALAR", {0, 255, 51, 0}, true);
    builder.json["animations"] = {{{"samplers", {{{"input", times}, {"output", weights}, {"interpolation", "STEP"}}}},
                                   {"channels",
                                    {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}},
                                     {{"sampler", 0}, {"target", {{"path", "weights"}}}}}}}};
    Character character = read(builder);
    const MeshInstance& instance = character.meshes[0];
    ASSERT_EQ(instance.morphs.size(), 2u);
    EXPECT_EQ(instance.morphs[0].name, "puff");
    EXPECT_EQ(instance.morphs[0].offsets(2, 2), 3.0);
    EXPECT_TRUE(instance.morphs[1].offsets.isZero(0.0)) << "no buffer view means zeros";
    EXPECT_EQ(instance.morph_defaults, (std::vector<double>{0.5, 0.25}));
    EXPECT_EQ(character.notes, (std::vector<std::string>{"meshes[0]: TEXCOORD_0 of morph targets is not read"}));
    ASSERT_EQ(character.clips[0].channels.size(), 1u) << "a channel without node is ignored";
    const Channel& channel = character.clips[0].channels[0];
    EXPECT_EQ(channel.width, 2);
    EXPECT_EQ(channel.interpolation, Interpolation::step);
    EXPECT_EQ(channel.values, (std::vector<double>{0, 1, 0.2, 0}));
    builder.json["nodes"][0]["weights"] = {0, 1};
    EXPECT_EQ(read(builder).meshes[0].morph_defaults, (std::vector<double>{0, 1}));
}

TEST(GltfRead, cubic_keys_keep_their_tangents_and_integer_rotations_become_unit) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    auto& animation = builder.json["animations"][0];
    const int spline =
        builder.add_accessor(GlbBuilder::f32, "VEC3", {1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 0, 0, 0, 6});
    const int bytes = builder.add_accessor(GlbBuilder::i8, "VEC4", {0, 0, 0, 127, 0, 90, 0, 90}, true);
    const int times = animation["samplers"][0]["input"];
    animation["samplers"].push_back({{"input", times}, {"output", spline}, {"interpolation", "CUBICSPLINE"}});
    animation["samplers"].push_back({{"input", times}, {"output", bytes}});
    animation["channels"] = {{{"sampler", 1}, {"target", {{"node", 1}, {"path", "translation"}}}},
                             {{"sampler", 2}, {"target", {{"node", 2}, {"path", "rotation"}}}}};
    const Clip clip = read(builder).clips[0];
    EXPECT_EQ(clip.channels[0].interpolation, Interpolation::cubic_spline);
    EXPECT_EQ(clip.channels[0].values, (std::vector<double>{1, 0, 0, 0, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5, 0, 0, 0, 6}));
    EXPECT_NEAR(clip.channels[1].values[5], std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(clip.channels[1].values[7], std::sqrt(0.5), 1e-15);
}

TEST(GltfRead, an_animated_matrix_node_is_split_and_noted) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    builder.json["nodes"][2] = {{"matrix", {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 1, 0, 1}}};
    const Character character = read(builder);
    const Node& knee = character.skeleton.nodes[2];
    EXPECT_FALSE(knee.has_matrix);
    EXPECT_EQ(knee.rest.scale, Vector3d(2, 2, 2));
    EXPECT_TRUE(has_note(character, "animations[0].channels[0]: moves a node given by a matrix"));
}

TEST(GltfRead, materials_and_pictures_are_carried) {
    GlbBuilder builder = GlbBuilder::triangle();
    const Bytes png = {0x89, 'P', 'N', 'G', 1, 2, 3};
    const int view = builder.add_view(png);
    builder.json["images"] = {{{"bufferView", view}, {"mimeType", "image/png"}},
                              {{"uri", "data:image/png;base64," + test::base64(png)}},
                              {{"uri", "gone.png"}}};
    builder.json["samplers"] = {{{"wrapS", 33071}}};
    builder.json["textures"] = {{{"source", 0}, {"sampler", 0}}, {{"source", 1}}};
    builder.json["materials"] = {{{"pbrMetallicRoughness", {{"baseColorTexture", {{"index", 0}}}}},
                                  {"normalTexture", {{"index", 1}, {"texCoord", 1}}},
                                  {"extensions", {{"KHR_materials_sheen", {{"sheenColorTexture", {{"index", 1}}}}}}}}};
    builder.primitive()["material"] = 0;
    const Character character = read(builder);
    ASSERT_NE(character.materials, nullptr);
    ASSERT_EQ(character.materials->images.size(), 3u);
    EXPECT_EQ(character.materials->images[0], png);
    EXPECT_EQ(character.materials->images[1], png);
    EXPECT_TRUE(character.materials->images[2].empty());
    EXPECT_TRUE(has_note(character, "gone.png"));
    const json library = json::parse(character.materials->gltf_json);
    EXPECT_EQ(library["images"][1]["mimeType"], "image/png");
    EXPECT_EQ(library["materials"][0]["name"], "material#0");
    EXPECT_EQ(character.meshes[0].mesh.parts[0].material, "material#0");
    EXPECT_FALSE(library["materials"][0].contains("normalTexture"));
    EXPECT_TRUE(has_note(character, "materials[0].normalTexture: uses another UV set"));
    EXPECT_EQ(library["extensionsUsed"], json::array({"KHR_materials_sheen"}));
    EXPECT_EQ(library["samplers"][0]["wrapS"], 33071);
}

TEST(GltfRead, buffers_beside_the_file_are_found_and_only_there) {
    const test::ScratchFolder folder;
    GlbBuilder builder = GlbBuilder::triangle();
    builder.json["buffers"] = {{{"byteLength", builder.binary.size()}, {"uri", "my%20data.bin"}}};
    const auto write = [](const std::filesystem::path& path, const auto& bytes) {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    std::filesystem::create_directory(folder / "in");
    write(folder / "in/my data.bin", builder.binary);
    write(folder / "outside.bin", builder.binary);
    write(folder / "in/a.gltf", builder.json.dump());
    EXPECT_EQ(read_gltf(folder / "in/a.gltf").meshes.size(), 1u);

    for (const std::string uri : {"../outside.bin", "%2e%2e/outside.bin", "/etc/passwd"}) {
        builder.json["buffers"][0]["uri"] = uri;
        write(folder / "in/b.gltf", builder.json.dump());
        expect_error<InvalidInput>([&] { read_gltf(folder / "in/b.gltf"); },
                                   {"b.gltf: buffers[0].uri: ", "expected a path below"});
    }
    builder.json["buffers"][0]["uri"] = "https://example.org/a.bin";
    write(folder / "in/b.gltf", builder.json.dump());
    expect_error<InvalidInput>([&] { read_gltf(folder / "in/b.gltf"); },
                               {"buffers[0].uri: expected a data URI or a relative path"});
    builder.json["buffers"][0]["uri"] = "absent.bin";
    write(folder / "in/b.gltf", builder.json.dump());
    expect_error<IoError>([&] { read_gltf(folder / "in/b.gltf"); },
                          {"b.gltf: buffers[0].uri", "absent.bin", "no such file"});
    expect_error<IoError>([&] { read_gltf(folder / "none.glb"); }, {"none.glb", "no such file"});
}

// Enough vertices for a vectorised loop, the weight in each of the four places, and joints beside
// the weights of zero that do not exist.
TEST(GltfRead, joints_count_in_whichever_place_their_weight_stands) {
    constexpr int vertices = 21;
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    std::vector<double> positions;
    std::vector<double> indices;
    std::vector<double> joints;
    std::vector<double> weights;
    for (int v = 0; v < vertices; ++v) {
        positions.insert(positions.end(), {v % 3 == 1 ? 1.0 : 0.0, v % 3 == 2 ? 1.0 : 0.0, 1.0 * v});
        indices.push_back(v);
        for (int k = 0; k < 4; ++k) {
            const bool is_used = k == (v / 2) % 4;
            joints.push_back(is_used ? v % 2 : 777);
            weights.push_back(is_used ? 1 : 0);
        }
    }
    json& attributes = builder.primitive()["attributes"];
    attributes["POSITION"] = builder.add_accessor(GlbBuilder::f32, "VEC3", positions);
    attributes["JOINTS_0"] = builder.add_accessor(GlbBuilder::u16, "VEC4", joints);
    attributes["WEIGHTS_0"] = builder.add_accessor(GlbBuilder::f32, "VEC4", weights);
    builder.primitive()["indices"] = builder.add_accessor(GlbBuilder::u16, "SCALAR", indices);
    const Character character = read(builder);
    for (std::size_t v = 0; v < vertices; ++v) {
        EXPECT_EQ(weight_of(character.meshes[0].weights, v, v % 2), 1.0) << "vertex " << v;
    }
}

}  // namespace
}  // namespace cutis
