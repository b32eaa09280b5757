// Small good files to start each fuzzer from: make_seeds FOLDER writes FOLDER/<reader>/<n>.
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "cutis/io/scene_describe.h"
#include "support/glb_builder.h"

namespace {

using cutis::test::Bytes;
using cutis::test::GlbBuilder;

class Seeds {
public:
    explicit Seeds(std::filesystem::path folder) : folder_(std::move(folder)) {}

    template <class Content>
    void add(const std::string& reader, const Content& content) {
        std::filesystem::create_directories(folder_ / reader);
        std::ofstream file(folder_ / reader / std::to_string(count_++), std::ios::binary);
        file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
    }

private:
    std::filesystem::path folder_;
    int count_ = 0;
};

void add_gltf(Seeds& seeds) {
    seeds.add("gltf", GlbBuilder::triangle().glb());
    seeds.add("gltf", GlbBuilder::skinned_triangle().glb());
    seeds.add("gltf", GlbBuilder::skinned_triangle().gltf());
    GlbBuilder rich = GlbBuilder::skinned_triangle();
    auto& primitive = rich.json["meshes"][0]["primitives"][0];
    const int offsets = rich.add_accessor(GlbBuilder::i8, "VEC3", {0, 0, 1, 0, 0, 2, 0, 0, 3}, true);
    const int uv = rich.add_accessor(GlbBuilder::u16, "VEC2", {0, 0, 1, 2, 3, 4}, true);
    const int indices = rich.add_view(GlbBuilder::pack(GlbBuilder::u8, {1}));
    const int values = rich.add_view(GlbBuilder::pack(GlbBuilder::f32, {5, 6, 7}));
    rich.json["accessors"][0]["sparse"] = {{"count", 1},
                                           {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
                                           {"values", {{"bufferView", values}}}};
    primitive["targets"] = {{{"POSITION", offsets}}};
    primitive["attributes"]["TEXCOORD_0"] = uv;
    primitive["attributes"]["COLOR_0"] = rich.add_accessor(GlbBuilder::f32, "VEC3", {1, 0, 0, 0, 1, 0, 0, 0, 1});
    primitive["attributes"]["_SOFT"] = rich.add_accessor(GlbBuilder::f32, "SCALAR", {1, 2, 3});
    primitive["material"] = 0;
    rich.json["materials"] = {{{"normalTexture", {{"index", 0}}}}};
    rich.json["textures"] = {{{"source", 0}}};
    rich.json["images"] = {{{"uri", "ab"}}, {{"bufferView", 0}, {"mimeType", "image/png"}}};
    rich.json["nodes"][1]["matrix"] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const int times = rich.json["animations"][0]["samplers"][0]["input"];
    const int weights = rich.add_accessor(GlbBuilder::f32, "SCALAR", {0, 1, 2, 3, 4, 5});
    rich.json["animations"][0]["samplers"].push_back(
        {{"input", times}, {"output", weights}, {"interpolation", "CUBICSPLINE"}});
    rich.json["animations"][0]["channels"].push_back({{"sampler", 1}, {"target", {{"node", 0}, {"path", "weights"}}}});
    seeds.add("gltf", rich.glb());
    seeds.add("gltf", rich.gltf());
    auto strip = GlbBuilder::triangle();
    strip.json["meshes"][0]["primitives"][0]["mode"] = 5;
    strip.json["buffers"] = {{{"byteLength", 48}, {"uri", "ab"}}};
    seeds.add("gltf", strip.json.dump());
}

void add_text(Seeds& seeds) {
    const std::string obj =
        "# c\no a\nv 0 0 0\nv 1 0 0 1 0.5 0\nv 1 1e0 0\nv 0 1 \\\n0\nvt 0 1\nvn 0 0 1\ng b c\n"
        "usemtl m\nf 1/1/1 2/1/1 3/1/1 4/1/1\ns off\nf -1//1 -2//1 -3//1\r\nf 1 2 3\n";
    seeds.add("obj", obj);
    const std::string bvh =
        "HIERARCHY\nROOT hip\n{\n\tOFFSET 0 1 0\n\tCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\n\tJOINT knee\n\t{\n\t\tOFFSET 0 -1 0\n\t\tCHANNELS 3 "
        "Yrotation Zrotation Xrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -1 0\n\t\t}\n\t}\n}\n"
        "MOTION\nFrames: 2\nFrame Time: .5\n1 2 3 10 20 30 40 50 60\n4 5 6 0 0 0 90 0 0\n";
    seeds.add("bvh", bvh);
    seeds.add("scene", cutis::SceneDescription().sample());
    seeds.add("scene", std::string("[body]\nactor = 'tube'\nfps = 0x1F\n[[layer]]\nkind = \"a\"\n"));
}

void add_caches(Seeds& seeds) {
    Bytes pc2 = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', 0};
    const auto append = [&pc2](const Bytes& bytes) { pc2.insert(pc2.end(), bytes.begin(), bytes.end()); };
    append(GlbBuilder::pack(GlbBuilder::u32, {1, 2}));
    append(GlbBuilder::pack(GlbBuilder::f32, {0, 1}));
    append(GlbBuilder::pack(GlbBuilder::u32, {2}));
    append(GlbBuilder::pack(GlbBuilder::f32, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
    seeds.add("pc2", pc2);
    Bytes mdd = GlbBuilder::pack(GlbBuilder::u32, {3, 1});
    const Bytes numbers = GlbBuilder::pack(GlbBuilder::f32, {0, 0.5, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    mdd.insert(mdd.end(), numbers.begin(), numbers.end());
    for (std::size_t i = 0; i + 3 < mdd.size(); i += 4) {
        std::swap(mdd[i], mdd[i + 3]);
        std::swap(mdd[i + 1], mdd[i + 2]);
    }
    seeds.add("mdd", mdd);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: make_seeds FOLDER\n");
        return 2;
    }
    Seeds seeds(argv[1]);
    add_gltf(seeds);
    add_text(seeds);
    add_caches(seeds);
    return 0;
}
