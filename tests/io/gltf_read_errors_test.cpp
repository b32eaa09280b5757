// Wrong glTF files: each is mended with a note, or refused with what was expected, what was found, and where.
#include <functional>
#include <limits>
#include <random>

#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"
#include "support/expect_error.h"
#include "support/glb_builder.h"

namespace cutis {
namespace {

using nlohmann::json;
using test::Bytes;
using test::expect_error;
using test::GlbBuilder;

constexpr auto f32 = GlbBuilder::f32;

/// Bends a good file and expects it refused with these words.
void refuse(const std::function<void(GlbBuilder&)>& bend, std::vector<std::string> pieces) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    bend(builder);
    pieces.insert(pieces.begin(), "t.glb: ");
    expect_error<InvalidInput>([&] { read_gltf(builder.glb(), "t.glb"); }, pieces);
}

/// Bends a good file and expects it read all the same, with a note of these words.
void mend(const std::function<void(GlbBuilder&)>& bend, const std::vector<std::string>& pieces) {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    bend(builder);
    const Character character = read_gltf(builder.glb(), "t.glb");
    ASSERT_EQ(character.meshes.size(), 1u);
    EXPECT_TRUE(character.meshes[0].mesh.positions.allFinite());
    EXPECT_TRUE(std::any_of(character.notes.begin(), character.notes.end(),
                            [&](const std::string& note) {
                                return std::all_of(pieces.begin(), pieces.end(), [&](const std::string& piece) {
                                    return note.find(piece) != std::string::npos;
                                });
                            }))
        << pieces.front() << " is not in: " << (character.notes.empty() ? "no notes" : character.notes.front());
}

TEST(GltfReadErrors, the_container_is_checked) {
    const auto refuse_bytes = [](const Bytes& bytes, const std::vector<std::string>& pieces) {
        expect_error<InvalidInput>([&] { read_gltf(bytes, "t.glb"); }, pieces);
    };
    Bytes good = GlbBuilder::triangle().glb();
    Bytes bad = good;
    bad[4] = 1;
    refuse_bytes(bad, {"t.glb: expected GLB version 2, found 1"});
    bad = good;
    bad.pop_back();
    refuse_bytes(bad, {"truncated", "expected " + std::to_string(good.size()) + " bytes"});
    bad = good;
    bad[16] = 'B';
    refuse_bytes(bad, {"expected the first chunk to be JSON"});
    bad = good;
    bad[15] = 0x7F;
    refuse_bytes(bad, {"chunk at byte 12: expected"});
    refuse_bytes({}, {"JSON"});
    refuse_bytes({'{'}, {"JSON", "parse error"});
    const std::string list = "[1]";
    refuse_bytes(Bytes(list.begin(), list.end()), {"expected an object, found a list of 1"});
    refuse_bytes(Bytes(100000, '['), {"JSON: expected at most 64 levels", "byte 64"});
    refuse([](auto& b) { b.json["asset"]["version"] = "1.0"; },
           {"asset.version: expected glTF version 2.x, found \"1.0\""});
    refuse([](auto& b) { b.json.erase("asset"); }, {"expected a member \"asset\", found none"});
    refuse([](auto& b) { b.json["nodes"] = 3; }, {"nodes: expected a list, found 3"});
}

TEST(GltfReadErrors, extensions_that_change_the_data_are_named) {
    refuse(
        [](auto& b) {
            b.json["extensionsRequired"] = {"EXT_meshopt_compression"};
            b.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"] = {
                {"buffer", 0}, {"byteLength", 8}, {"byteStride", 12}, {"count", 3}, {"mode", "ATTRIBUTES"}};
        },
        {"EXT_meshopt_compression"});
    refuse(
        [](auto& b) {
            b.json["extensionsRequired"] = {"KHR_mesh_quantization", "XYZ_new"};
        },
        {"extensionsRequired[1]: expected extensions cutis knows, found XYZ_new"});
}

TEST(GltfReadErrors, buffers_and_views_must_lie_inside_their_bytes) {
    refuse(
        [](auto& b) {
            b.json["buffers"] = {{{"byteLength", 99999}}};
        },
        {"buffers[0]: expected 99999 bytes (byteLength), found"});
    refuse([](auto& b) { b.json["bufferViews"][0]["byteOffset"] = 4096; },
           {"bufferViews[0]: expected bytes 4096 to 4132 inside buffers[0]"});
    refuse([](auto& b) { b.json["bufferViews"][0]["buffer"] = 1; },
           {"bufferViews[0].buffer: expected an index below 1 (buffers), found 1"});
    refuse([](auto& b) { b.json["bufferViews"][0]["byteLength"] = -4; },
           {"bufferViews[0].byteLength: expected an integer from 1", "found -4"});
    refuse([](auto& b) { b.json["bufferViews"][0]["byteStride"] = 8; },
           {"accessors[0]: expected a byteStride of at least 12, found 8"});
    refuse([](auto& b) { b.json["bufferViews"][0]["byteStride"] = 0; }, {"byteStride", "found 0"});
    refuse(
        [](auto& b) {
            b.json["buffers"] = {{{"byteLength", 4}, {"uri", "data:x;base64,AB!D"}}};
        },
        {"buffers[0].uri: expected base64", "at 2"});
}

TEST(GltfReadErrors, accessors_are_checked_before_memory_is_taken) {
    refuse([](auto& b) { b.json["accessors"][0]["count"] = 4; },
           {"accessors[0]: expected 48 bytes in its bufferView for 4 elements, found 36"});
    refuse([](auto& b) { b.json["accessors"][0]["count"] = 2000000000; }, {"accessors[0]", "2000000000"});
    refuse([](auto& b) { b.json["accessors"][0]["count"] = 1e300; }, {"accessors[0].count"});
    refuse([](auto& b) { b.json["accessors"][0]["count"] = 0; }, {"accessors[0].count", "found 0"});
    refuse([](auto& b) { b.json["accessors"][0]["count"] = 2.5; }, {"accessors[0].count", "found 2.5"});
    refuse([](auto& b) { b.json["accessors"][0]["count"] = "3"; }, {"accessors[0].count", "found \"3\""});
    refuse([](auto& b) { b.json["accessors"][0]["componentType"] = 5124; },
           {"accessors[0].componentType: expected a component type", "found 5124"});
    refuse([](auto& b) { b.json["accessors"][0]["type"] = "VEC5"; }, {"accessors[0].type", "VEC5"});
    refuse(
        [](auto& b) {
            b.json["accessors"][0]["min"] = {0, 2, 0};
            b.json["accessors"][0]["max"] = {1, 1, 1};
        },
        {"accessors[0]: expected min <= max, found min[1] = 2, max[1] = 1"});
    // Zeros without bytes: allowed, but not without end.
    refuse(
        [](auto& b) {
            b.json["accessors"][0].erase("bufferView");
            b.json["accessors"][0]["count"] = 400000000;
            b.primitive()["mode"] = 5;
            b.primitive().erase("indices");
        },
        {"expected the file's", "bytes to unfold to at most", "found more"});
}

TEST(GltfReadErrors, numbers_must_be_finite) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    mend(
        [&](auto& b) {
            b.primitive()["attributes"]["POSITION"] = b.add_accessor(f32, "VEC3", {0, 0, 0, 1, nan, 0, 0, 1, 0});
        },
        {"1 positions are not finite or too far away", "first vertex 1"});
    mend(
        [&](auto& b) {
            b.json["animations"][0]["samplers"][0]["output"] = b.add_accessor(f32, "VEC4", {0, 0, 0, 1, 0, 0, inf, 0});
        },
        {"element 1: expected finite numbers, found inf", "left out"});
    mend(
        [](auto& b) {
            b.json["animations"][0]["samplers"][0]["output"] = b.add_accessor(f32, "VEC4", {0, 0, 0, 1, 0, 0, 0, 0});
        },
        {"animations[0].samplers[0].output: expected unit quaternions", "at key 1"});
    mend(
        [](auto& b) {
            b.json["nodes"][2]["rotation"] = {0, 0, 0, 0};
        },
        {"nodes[2].rotation: expected a unit quaternion"});
    refuse(
        [](auto& b) {
            b.json["nodes"][2]["translation"] = {0, 1e300, 0};
        },
        {"nodes[2].translation[1]: expected a finite number"});
    refuse(
        [](auto& b) {
            b.json["nodes"][2]["scale"] = {1, 1};
        },
        {"nodes[2].scale: expected a list of 3 numbers, found a list of 2"});
    const std::vector<double> projective = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    refuse([&](auto& b) { b.json["nodes"][1]["matrix"] = projective; },
           {"nodes[1].matrix: expected a last row of 0 0 0 1"});
}

TEST(GltfReadErrors, sparse_indices_must_increase_and_stay_in_range) {
    const auto sparse = [](const std::vector<double>& indices) {
        return [indices](GlbBuilder& b) {
            const int at = b.add_view(GlbBuilder::pack(GlbBuilder::u8, indices));
            const int values = b.add_view(GlbBuilder::pack(f32, {1, 2, 3, 4, 5, 6}));
            b.json["accessors"][0]["sparse"] = {{"count", 2},
                                                {"indices", {{"bufferView", at}, {"componentType", 5121}}},
                                                {"values", {{"bufferView", values}}}};
        };
    };
    refuse(sparse({1, 3}), {"accessors[0].sparse.indices: expected indices below 3, found 3"});
    refuse(sparse({1, 1}), {"accessors[0].sparse.indices: expected increasing indices"});
    refuse(sparse({1}), {"accessors[0].sparse.indices: expected 2 bytes"});
    refuse(
        [&](auto& b) {
            sparse({0, 1})(b);
            b.json["accessors"][0]["sparse"]["count"] = 4;
        },
        {"accessors[0].sparse.count: expected an integer from 1 to 3, found 4"});
}

TEST(GltfReadErrors, the_node_tree_must_be_a_tree) {
    refuse([](auto& b) { b.json["nodes"][2]["children"] = {1}; }, {"nodes[1]: expected a tree, found a cycle"});
    refuse([](auto& b) { b.json["nodes"][0]["children"] = {0}; }, {"nodes[0]", "cycle"});
    refuse([](auto& b) { b.json["nodes"][0]["children"] = {2}; },
           {"expected every node to have one parent, found nodes[2] below nodes[0] and nodes[1]"});
    refuse([](auto& b) { b.json["nodes"][0]["children"] = {9}; },
           {"nodes[0].children[0]: expected an index below 3 (nodes), found 9"});
    refuse([](auto& b) { b.json["scene"] = 1; }, {"scene: expected an index below 1 (scenes), found 1"});
    refuse([](auto& b) { b.json["scenes"][0]["nodes"] = {3}; }, {"scenes[0].nodes[0]", "found 3"});
}

TEST(GltfReadErrors, a_deep_node_chain_is_read_without_recursion) {
    GlbBuilder builder;
    for (int i = 0; i < 20000; ++i) {
        builder.json["nodes"].push_back({{"children", {i + 1}}});
    }
    builder.json["nodes"].push_back(json::object());
    const std::string text = builder.json.dump();
    EXPECT_EQ(read_gltf(Bytes(text.begin(), text.end()), "t.gltf").skeleton.nodes.size(), 20001u);
}

TEST(GltfReadErrors, primitives_are_checked) {
    refuse([](auto& b) { b.json["nodes"][0]["mesh"] = 1; },
           {"nodes[0].mesh: expected an index below 1 (meshes), found 1"});
    refuse(
        [](auto& b) {
            b.primitive()["indices"] = b.add_accessor(GlbBuilder::u8, "SCALAR", {0, 1, 3});
        },
        {"meshes[0].primitives[0]: expected indices below 3 (vertices), found 3 at element 2 of "
         "accessors["});
    refuse(
        [](auto& b) {
            b.primitive()["indices"] = b.add_accessor(GlbBuilder::u8, "SCALAR", {0, 1});
        },
        {"meshes[0].primitives[0]: expected a multiple of 3 corners of triangles, found 2"});
    refuse(
        [](auto& b) {
            b.primitive()["indices"] = b.add_accessor(f32, "SCALAR", {0, 1, 2});
        },
        {"to be SCALAR of u8, u16 or u32"});
    refuse([](auto& b) { b.primitive()["mode"] = 7; }, {"meshes[0].primitives[0].mode", "found 7"});
    refuse(
        [](auto& b) {
            b.primitive()["attributes"]["POSITION"] = b.add_accessor(f32, "VEC2", {0, 0, 1, 0, 0, 1});
        },
        {"meshes[0].primitives[0].attributes.POSITION", "to be VEC3", "found VEC2"});
    mend(
        [](auto& b) {
            b.primitive()["attributes"]["TEXCOORD_0"] = b.add_accessor(f32, "VEC2", {0, 0});
        },
        {"attributes.TEXCOORD_0: expected 3 elements (one per vertex) in accessors[", "found 1"});
    refuse([](auto& b) { b.primitive()["material"] = 0; }, {"material: expected an index below 0 (materials)"});
    mend([](auto& b) { b.primitive()["targets"] = {{{"POSITION", 1}}}; }, {"targets[0].POSITION: ", "VEC3"});
    mend(
        [](auto& b) {
            b.primitive()["targets"] = json::array({json::object()});
            b.json["meshes"][0]["weights"] = {1, 2};
        },
        {"meshes[0].weights: expected a list of 1 numbers, found a list of 2"});
}

TEST(GltfReadErrors, skins_are_checked) {
    refuse([](auto& b) { b.json["skins"][0]["joints"] = json::array(); },
           {"skins[0].joints: expected 1 to 65536 joints"});
    mend(
        [](auto& b) {
            b.json["skins"][0]["joints"] = {1, 2, 0};
        },
        {"skins[0].inverseBindMatrices: 1 of 3 joints have no usable matrix"});
    refuse([](auto& b) { b.json["skins"][0]["inverseBindMatrices"] = 0; }, {"to hold MAT4 of f32"});
    mend([](auto& b) { b.primitive()["attributes"].erase("WEIGHTS_0"); }, {"JOINTS_0 and WEIGHTS_0 come together"});
    mend(
        [](auto& b) {
            b.primitive()["attributes"].erase("WEIGHTS_0");
            b.primitive()["attributes"].erase("JOINTS_0");
        },
        {"nodes[0].skin", "has no joints"});
    mend(
        [](auto& b) {
            b.primitive()["attributes"]["JOINTS_0"] =
                b.add_accessor(GlbBuilder::u8, "VEC4", {0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0});
        },
        {"did not sum to 1"});
    mend(
        [](auto& b) {
            b.primitive()["attributes"]["WEIGHTS_0"] =
                b.add_accessor(f32, "VEC4", {1, 0, 0, 0, -1, 2, 0, 0, 1, 0, 0, 0});
        },
        {"did not sum to 1"});
}

TEST(GltfReadErrors, animations_are_checked) {
    const auto times = [](const std::vector<double>& keys) {
        return [keys](GlbBuilder& b) {
            b.json["animations"][0]["samplers"][0]["input"] = b.add_accessor(f32, "SCALAR", keys);
        };
    };
    mend(times({1, 1}), {"animations[0].samplers[0].input: expected increasing key times", "found 1 after 1 at key 1"});
    mend(times({0, 1, 2}), {"animations[0].samplers[0].output: expected 3 elements in "
                            "accessors[6] for 3 keys, found 2"});
    mend([](auto& b) { b.json["animations"][0]["samplers"][0]["interpolation"] = "EASE"; },
         {"interpolation: expected LINEAR, STEP or CUBICSPLINE, found \"EASE\""});
    mend([](auto& b) { b.json["animations"][0]["samplers"][0]["interpolation"] = "CUBICSPLINE"; },
         {"expected 6 elements"});
    mend([](auto& b) { b.json["animations"][0]["channels"][0]["sampler"] = 1; },
         {"animations[0].channels[0].sampler: expected an index below 1 (samplers), found 1"});
    mend([](auto& b) { b.json["animations"][0]["channels"][0]["target"]["node"] = 5; },
         {"animations[0].channels[0].target.node", "found 5"});
    mend(
        [](auto& b) {
            b.json["nodes"][2] = {{"matrix", {1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1}}};
        },
        {"animations[0].channels[0]: expected an animated node without shear"});
}

TEST(GltfReadErrors, materials_must_name_textures_that_exist) {
    refuse(
        [](auto& b) {
            b.json["materials"] = {{{"normalTexture", {{"index", 0}}}}};
        },
        {"materials[0].normalTexture.index: expected an index below 0 (textures)"});
    refuse(
        [](auto& b) {
            b.json["materials"] = {{{"name", "m"}}};
            b.json["textures"] = {{{"source", 0}}};
        },
        {"textures[0].source: expected an index below 0 (images)"});
}

TEST(GltfReadErrors, instances_may_not_unfold_a_small_file_without_end) {
    GlbBuilder builder = GlbBuilder::triangle();
    builder.json["accessors"].push_back({{"componentType", 5126}, {"type", "VEC3"}, {"count", 30000}});
    builder.primitive()["attributes"]["POSITION"] = 2;
    builder.json["nodes"] = json::array();
    for (int i = 0; i < 500; ++i) {
        builder.json["nodes"].push_back({{"mesh", 0}});
        builder.json["scenes"][0]["nodes"][i] = i;
    }
    expect_error<InvalidInput>([&] { read_gltf(builder.glb(), "t.glb"); }, {"nodes[", "to unfold"});
}

TEST(GltfReadErrors, every_truncation_is_refused) {
    for (const Bytes& good : {GlbBuilder::skinned_triangle().glb(), [] {
                                  const std::string text = GlbBuilder::skinned_triangle().gltf();
                                  return Bytes(text.begin(), text.end());
                              }()}) {
        for (std::size_t size = 0; size < good.size(); ++size) {
            // A copy of exact size, so that a sanitizer sees any read past the end.
            const Bytes part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
            EXPECT_THROW(read_gltf(part, "t.glb"), InvalidInput) << size;
        }
    }
}

TEST(GltfReadErrors, random_bytes_and_random_damage_never_crash) {
    std::mt19937 random(7);
    const Bytes good = GlbBuilder::skinned_triangle().glb();
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        Bytes bytes = good;
        if (round % 4 == 0) {
            bytes.resize(random() % 200);
            for (unsigned char& byte : bytes) {
                byte = static_cast<unsigned char>(random());
            }
        } else {
            for (int k = 0; k < 1 + round % 3; ++k) {
                bytes[random() % bytes.size()] = static_cast<unsigned char>(random());
            }
        }
        try {
            const Character character = read_gltf(bytes, "t.glb");
            for (const MeshInstance& instance : character.meshes) {
                EXPECT_TRUE(instance.mesh.positions.allFinite());
            }
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cutis
