// KHR_draco_mesh_compression, where the build has draco; compressed here by its own encoder.
#include "cutis/io/formats.h"
#include "cutis/io/gltf_read.h"
#include "io/write_support.h"
#include "support/expect_error.h"
#include "support/glb_builder.h"

#ifdef CUTIS_TEST_DRACO
#include <draco/compression/encode.h>
#include <draco/mesh/triangle_soup_mesh_builder.h>

namespace cutis {
namespace {

using test::Bytes;
using test::GlbBuilder;
using test::ScratchFolder;

/// The skinned triangle with positions, joints, weights and indices compressed; nothing else holds them.
GlbBuilder packed_triangle(int method) {
    draco::TriangleSoupMeshBuilder soup;
    soup.Start(1);
    const draco::FaceIndex face(0);
    const float p[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::uint8_t j[3][4] = {{0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    const float w[3][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {0.25f, 0.75f, 0, 0}};
    const int position = soup.AddAttribute(draco::GeometryAttribute::POSITION, 3, draco::DT_FLOAT32);
    const int joint = soup.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_UINT8);
    const int weight = soup.AddAttribute(draco::GeometryAttribute::GENERIC, 4, draco::DT_FLOAT32);
    soup.SetAttributeValuesForFace(position, face, p[0], p[1], p[2]);
    soup.SetAttributeValuesForFace(joint, face, j[0], j[1], j[2]);
    soup.SetAttributeValuesForFace(weight, face, w[0], w[1], w[2]);
    const std::unique_ptr<draco::Mesh> mesh = soup.Finalize();
    draco::Encoder encoder;
    encoder.SetEncodingMethod(method);
    draco::EncoderBuffer packed;
    EXPECT_TRUE(encoder.EncodeMeshToBuffer(*mesh, &packed).ok());

    GlbBuilder builder = GlbBuilder::skinned_triangle();
    auto& primitive = builder.json["meshes"][0]["primitives"][0];
    for (const char* name : {"POSITION", "JOINTS_0", "WEIGHTS_0"}) {
        builder.json["accessors"][primitive["attributes"][name].get<size_t>()].erase("bufferView");
    }
    builder.json["accessors"][primitive["indices"].get<size_t>()].erase("bufferView");
    builder.binary.resize((builder.binary.size() + 3) / 4 * 4);
    builder.json["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", builder.binary.size()}, {"byteLength", packed.size()}});
    builder.binary.insert(builder.binary.end(), packed.data(), packed.data() + packed.size());
    primitive["extensions"]["KHR_draco_mesh_compression"] = {
        {"bufferView", builder.json["bufferViews"].size() - 1},
        {"attributes", {{"POSITION", position}, {"JOINTS_0", joint}, {"WEIGHTS_0", weight}}}};
    builder.json["extensionsUsed"] = {"KHR_draco_mesh_compression"};
    builder.json["extensionsRequired"] = {"KHR_draco_mesh_compression"};
    return builder;
}

/// Where the corners of the triangles are at a time: draco may give vertices another order.
MatrixX3d corners(const std::shared_ptr<Character>& character, double time) {
    const Body body = make_body(character, BodyOptions{});
    MatrixX3d positions;
    body.positions(time, TimeSampling::exact, Workers(1), positions);
    const auto& triangle = character->meshes[0].mesh.triangles;
    MatrixX3d out(3, 3);
    int first = 0;
    for (int k = 1; k < 3; ++k) {
        if (positions.row(triangle(0, k)).norm() < positions.row(triangle(0, first)).norm()) {
            first = k;
        }
    }
    for (int k = 0; k < 3; ++k) {
        out.row(k) = positions.row(triangle(0, (first + k) % 3));
    }
    return out;
}

class Draco : public testing::TestWithParam<int> {};

TEST_P(Draco, a_compressed_file_is_the_same_character) {
    const auto plain = std::make_shared<Character>(read_gltf(GlbBuilder::skinned_triangle().glb(), "a.glb"));
    const auto packed = std::make_shared<Character>(read_gltf(packed_triangle(GetParam()).glb(), "b.glb"));
    for (const double time : {0.0, 0.3}) {
        EXPECT_LT((corners(packed, time) - corners(plain, time)).cwiseAbs().maxCoeff(), 1e-6);
    }
    // Written again it is not compressed, and says so.
    const Body body = make_body(packed, BodyOptions{});
    ScratchFolder folder;
    test::Bake{&body, 3}.run(*make_sink(folder / "a.glb"));
    const test::GlbFile glb(folder / "a.glb");
    EXPECT_FALSE(glb.json.contains("extensionsRequired"));
    EXPECT_EQ(glb.json.dump().find("draco"), std::string::npos);
    EXPECT_EQ(read_gltf(folder / "a.glb").meshes[0].mesh.positions, packed->meshes[0].mesh.positions);
}

TEST_P(Draco, what_is_broken_or_of_another_size_is_refused_with_its_place) {
    const auto refused = [](const GlbBuilder& builder, const std::string& word) {
        try {
            read_gltf(builder.glb(), "b.glb");
            ADD_FAILURE() << word;
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
            EXPECT_NE(std::string(error.what()).find("meshes[0].primitives[0]"), std::string::npos) << error.what();
        }
    };
    const GlbBuilder good = packed_triangle(GetParam());
    const auto& primitive = good.json["meshes"][0]["primitives"][0];
    const auto& view = good.json["bufferViews"].back();
    const size_t begin = view["byteOffset"];
    GlbBuilder bad = good;
    bad.json["bufferViews"].back()["byteLength"] = view["byteLength"].get<size_t>() - 9;
    refused(bad, "broken");
    bad = good;
    bad.binary[begin] = 'x';
    refused(bad, "others");
    bad = good;
    bad.json["accessors"][primitive["attributes"]["POSITION"].get<size_t>()]["count"] = 4;
    refused(bad, "expected 4 elements");
    bad = good;
    bad.json["accessors"][primitive["indices"].get<size_t>()]["count"] = 6;
    refused(bad, "expected 6 indices");
    bad = good;
    bad.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]["POSITION"] = 9;
    refused(bad, "numbered 9");
    // A bomb: the bytes announce a thousand million triangles. It must not take memory for them.
    bad = good;
    const size_t place = begin + (GetParam() == draco::MESH_EDGEBREAKER_ENCODING ? 13 : 11);
    for (int k = 0; k < 4; ++k) {
        bad.binary[place + static_cast<size_t>(k)] = 0xFF;
    }
    refused(bad, "compressed triangles");
}

INSTANTIATE_TEST_SUITE_P(methods, Draco,
                         testing::Values(int{draco::MESH_SEQUENTIAL_ENCODING}, int{draco::MESH_EDGEBREAKER_ENCODING}));

}  // namespace
}  // namespace cutis
#endif
