// EXT_meshopt_compression, where the build has meshoptimizer; compressed here by its own encoder.
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "io/write_support.h"
#include "support/expect_error.h"
#include "support/glb_builder.h"

#ifdef CUTIS_TEST_MESHOPT
#include <meshoptimizer.h>

namespace cutis {
namespace {

using test::Bytes;
using test::GlbBuilder;
using test::ScratchFolder;

/// Positions and indices of the skinned triangle compressed; what lies in their own views is zeros.
GlbBuilder compressed_triangle() {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    const auto pack = [&](int view, int stride, size_t count, const char* mode, const Bytes& packed) {
        auto& own = builder.json["bufferViews"][size_t(view)];
        std::fill_n(builder.binary.begin() + own["byteOffset"].get<long>(), own["byteLength"].get<size_t>(), 0);
        builder.binary.resize((builder.binary.size() + 3) / 4 * 4);
        own["extensions"]["EXT_meshopt_compression"] = {{"buffer", 0},
                                                        {"byteOffset", builder.binary.size()},
                                                        {"byteLength", packed.size()},
                                                        {"byteStride", stride},
                                                        {"count", count},
                                                        {"mode", mode}};
        builder.binary.insert(builder.binary.end(), packed.begin(), packed.end());
    };
    const Bytes positions = GlbBuilder::pack(GlbBuilder::f32, {0, 0, 0, 1, 0, 0, 0, 1, 0});
    Bytes packed(meshopt_encodeVertexBufferBound(3, 12));
    packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), positions.data(), 3, 12));
    pack(0, 12, 3, "ATTRIBUTES", packed);
    const unsigned int indices[] = {0, 1, 2};
    packed.resize(meshopt_encodeIndexBufferBound(3, 3));
    packed.resize(meshopt_encodeIndexBuffer(packed.data(), packed.size(), indices, 3));
    pack(1, 2, 3, "TRIANGLES", packed);
    builder.json["extensionsUsed"] = {"EXT_meshopt_compression"};
    builder.json["extensionsRequired"] = {"EXT_meshopt_compression"};
    return builder;
}

TEST(Meshopt, a_compressed_file_is_the_same_character) {
    const Character plain = read_gltf(GlbBuilder::skinned_triangle().glb(), "a.glb");
    auto packed = std::make_shared<Character>(read_gltf(compressed_triangle().glb(), "b.glb"));
    EXPECT_EQ(packed->meshes[0].mesh.positions, plain.meshes[0].mesh.positions);
    EXPECT_EQ(packed->meshes[0].mesh.triangles, plain.meshes[0].mesh.triangles);
    // Written again it is not compressed, and says so.
    const Body body = make_body(packed, BodyOptions{});
    ScratchFolder folder;
    test::Bake{&body, 3}.run(*make_sink(folder / "a.glb"));
    const test::GlbFile glb(folder / "a.glb");
    EXPECT_FALSE(glb.json.contains("extensionsRequired"));
    EXPECT_FALSE(glb.json["bufferViews"][0].contains("extensions"));
    EXPECT_EQ(read_gltf(folder / "a.glb").meshes[0].mesh.positions, plain.meshes[0].mesh.positions);
}

TEST(Meshopt, what_is_broken_or_too_large_is_refused_with_its_place) {
    const auto refused = [](const std::function<void(nlohmann::json&)>& bend, const std::string& word) {
        GlbBuilder builder = compressed_triangle();
        bend(builder.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]);
        try {
            read_gltf(builder.glb(), "b.glb");
            ADD_FAILURE() << word;
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find("bufferViews[0]"), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    };
    refused([](auto& e) { e["byteLength"] = e["byteLength"].template get<int>() - 7; }, "broken");
    refused([](auto& e) { e["count"] = 2000000000; }, "elements");
    refused([](auto& e) { e["filter"] = "SQUARE"; }, "OCTAHEDRAL");
    refused([](auto& e) { e["byteLength"] = 1000000; }, "inside buffers[0]");
    refused([](auto& e) { e["mode"] = "POINTS"; }, "ATTRIBUTES");
}

}  // namespace
}  // namespace cutis
#endif
