#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "anatomy/shape.h"
#include "anatomy/truth.h"
#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"
#include "cutis/stack/simulation_surface.h"

namespace cutis {
namespace {

using test::Truth;

const bool talks = std::getenv("CUTIS_TALK") != nullptr;

Body body_of(const Truth& truth) {
    return make_body(std::make_shared<const Character>(read_gltf(truth.path())), {});
}

bool is_right(const Truth& truth, const Patch& patch) {
    for (const test::Said& said : truth.tissues) {
        if (patch.material == said.name || patch.mesh.starts_with(said.name)) {
            return std::string(said.tissues).find(name_of(patch.tissue)[0]) != std::string::npos;
        }
    }
    return false;
}

struct Score {
    int files = 0;
    int builds = 0;
    double right = 0.0;  // area, each character counts as one
};

Score score(bool use_names) {
    Score sum;
    for (const Truth& truth : test::truths()) {
        if (!std::filesystem::exists(truth.path())) {
            continue;
        }
        std::optional<Body> body;
        try {
            body = body_of(truth);
        } catch (const InvalidInput& refused) {  // what the reader refuses is no case of anatomy
            std::printf("%s\n", refused.what());
            continue;
        }
        AnatomyOptions options;
        options.use_names = use_names;
        const Anatomy found = find_anatomy(*body, options);
        double right = 0.0;
        for (const Patch& patch : found.patches) {
            right += is_right(truth, patch) ? patch.share : 0.0;
            if (talks && !is_right(truth, patch) && patch.share > 0.001) {
                std::printf("  %s/%s island %d %.4f %s: %s\n", patch.mesh.c_str(), patch.material.c_str(), patch.island,
                            patch.share, name_of(patch.tissue), patch.why.c_str());
            }
        }
        if (talks) {
            std::map<std::string, int> parts;
            for (const SoftPart& part : found.parts) {
                ++parts[name_of(part.kind)];
            }
            std::string text;
            for (const auto& [kind, count] : parts) {
                text += concat(" ", kind, " ", count);
            }
            std::printf("%s %s%s, head %s, right %.4f, strays %d, size %.3g:%s\n", truth.file, name_of(found.build),
                        found.build == truth.build ? "" : " WRONG", found.head.c_str(), right, found.stray_joints,
                        found.size, text.c_str());
        }
        ++sum.files;
        sum.builds += found.build == truth.build ? 1 : 0;
        sum.right += right;
    }
    if (talks) {
        std::printf("%s: %d of %d builds, %.2f %% of the area\n", use_names ? "with names" : "without names",
                    sum.builds, sum.files, 100.0 * sum.right / sum.files);
    }
    return sum;
}

TEST(anatomy_of_characters, is_what_a_person_says) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    const Score sum = score(true);
    EXPECT_EQ(sum.builds, sum.files);
    EXPECT_GE(sum.right, 0.98 * sum.files);
}

TEST(anatomy_of_characters, needs_no_names) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    const Score sum = score(false);
    EXPECT_EQ(sum.builds, sum.files);
    EXPECT_GE(sum.right, 0.97 * sum.files);
}

// All thresholds are ratios: a character of a millimetre and of a kilometre is the same one.
TEST(anatomy_of_characters, does_not_depend_on_their_size) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    for (const Truth& truth : test::truths()) {
        if (!std::filesystem::exists(truth.path()) || std::string(truth.file) == "Wasp.glb") {
            continue;
        }
        const auto character = std::make_shared<const Character>(read_gltf(truth.path()));
        const Anatomy as_it_is = find_anatomy(make_body(character, {}));
        for (const double scale : {1e-3, 1e3}) {
            BodyOptions options;
            options.scale = scale;
            const Anatomy scaled = find_anatomy(make_body(character, options));
            EXPECT_EQ(scaled.build, as_it_is.build) << truth.file;
            EXPECT_EQ(scaled.head, as_it_is.head) << truth.file;
            EXPECT_NEAR(scaled.size, scale * as_it_is.size, 1e-9 * scale * as_it_is.size) << truth.file;
            ASSERT_EQ(scaled.patches.size(), as_it_is.patches.size()) << truth.file;
            for (size_t p = 0; p < scaled.patches.size(); ++p) {
                EXPECT_EQ(scaled.patches[p].tissue, as_it_is.patches[p].tissue) << truth.file << " patch " << p;
            }
            ASSERT_EQ(scaled.parts.size(), as_it_is.parts.size()) << truth.file;
            for (size_t p = 0; p < scaled.parts.size(); ++p) {
                EXPECT_EQ(scaled.parts[p].from, as_it_is.parts[p].from) << truth.file;
                EXPECT_EQ(scaled.parts[p].to, as_it_is.parts[p].to) << truth.file;
            }
        }
    }
}

// Legs that stand while an arm waves are as soft as they were: what no clip bends is not called rigid for it.
TEST(anatomy_of_characters, does_not_take_what_stands_still_for_rigid) {
    const std::filesystem::path path = test::characters_folder() / "Mage.glb";
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << "no " << path;
    }
    Character mage = read_gltf(path);
    Clip wave = mage.clips.front();
    std::erase_if(wave.channels, [&](const Channel& channel) {
        return mage.skeleton.nodes[static_cast<size_t>(channel.node)].name != "lowerarm.l";
    });
    ASSERT_FALSE(wave.channels.empty());
    Channel& channel = wave.channels.front();
    wave.channels = {channel};
    mage.clips = {wave};
    AnatomyOptions options;
    options.use_names = false;
    const Anatomy found = find_anatomy(make_body(std::make_shared<const Character>(std::move(mage)), {}), options);
    int legs = 0;
    for (const Patch& patch : found.patches) {
        if (patch.mesh.starts_with("Mage_Leg")) {
            ++legs;
            EXPECT_NE(patch.tissue, Tissue::rigid) << patch.why;
        }
        if (patch.mesh.starts_with("Mage_Hat")) {
            EXPECT_EQ(patch.tissue, Tissue::rigid) << patch.why;
        }
    }
    EXPECT_GE(legs, 2);
}

TEST(anatomy_of_characters, takes_the_scenes_word) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    BodyOptions options;
    options.rigid = {"tights"};
    options.cloth = {"skin"};
    const auto character = std::make_shared<const Character>(read_gltf(data_path));
    const Anatomy found = find_anatomy(make_body(character, options));
    for (const Patch& patch : found.patches) {
        EXPECT_EQ(patch.tissue, patch.material == "tights" ? Tissue::rigid : Tissue::cloth) << patch.material;
    }
}

/// A box of 12 triangles.
ArtMesh box_mesh(const Vector3d& half) {
    ArtMesh box;
    box.positions.resize(8, 3);
    for (int v = 0; v < 8; ++v) {
        box.positions.row(v) << half.x() * ((v & 1) != 0 ? 1 : -1), half.y() * ((v & 2) != 0 ? 1 : -1),
            half.z() * ((v & 4) != 0 ? 1 : -1);
    }
    box.triangles.resize(12, 3);
    box.triangles << 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5,
        3, 7, 5;
    return box;
}

MeshInstance instance_of(const std::string& name, ArtMesh mesh, int node) {
    MeshInstance instance;
    instance.name = name;
    mesh.name = name;
    instance.mesh = std::move(mesh);
    instance.node = node;
    return instance;
}

// A beam along x whose halves have different triangles, and whose section is not quite its mirror image in z: the
// plane is that of its surface, x = 0, though its vertices are nearer to their images in z.
TEST(anatomy_of_characters, finds_the_mirror_plane_of_the_surface_whatever_its_triangles) {
    const std::vector<double> rings = {-3.0, -0.2, 0.4, 1.0, 1.6, 2.2, 2.6, 3.0};
    const std::vector<Vector3d> section = {{0, 0, -0.3}, {0, 0, 0.3}, {0, 1, 0.36}, {0, 1, -0.3}};
    ArtMesh beam;
    const auto sides = static_cast<int>(section.size());
    const auto count = static_cast<int>(rings.size());
    beam.positions.resize(count * sides, 3);
    for (int r = 0; r < count; ++r) {
        for (int s = 0; s < sides; ++s) {
            const Vector3d place = section[static_cast<size_t>(s)] + Vector3d(rings[static_cast<size_t>(r)], 0, 0);
            beam.positions.row(r * sides + s) = place;
        }
    }
    std::vector<int> corners = {0, 1, 2, 0, 2, 3};
    const int last = (count - 1) * sides;
    for (const int v : {0, 2, 1, 0, 3, 2}) {
        corners.push_back(last + v);
    }
    for (int r = 0; r + 1 < count; ++r) {
        for (int s = 0; s < sides; ++s) {
            const int a = r * sides + s;
            const int b = r * sides + (s + 1) % sides;
            corners.insert(corners.end(), {a, a + sides, b, b, a + sides, b + sides});
        }
    }
    beam.triangles = Eigen::Map<const MatrixX3i>(corners.data(), static_cast<Eigen::Index>(corners.size() / 3), 3);
    const anatomy_detail::Mirror mirror =
        anatomy_detail::find_mirror(anatomy_detail::make_shape(make_body(beam, {}, {}), true));
    EXPECT_EQ(mirror.axis, 0);
    EXPECT_NEAR(mirror.offset, 0.0, 1e-12);
    EXPECT_LT(mirror.error, 1e-9);
}

// A floor a hundred times as large as the character changes nothing that is said of the character.
TEST(anatomy_of_characters, leaves_scenery_out) {
    CUTIS_NEED_DATA("quaternius/Horse.glb");
    Character horse = read_gltf(data_path);
    const Body plain = make_body(std::make_shared<const Character>(horse), {});
    const Anatomy expected = find_anatomy(plain);
    Node ground;
    ground.name = "Ground";
    horse.skeleton.nodes.push_back(ground);
    const int node = static_cast<int>(horse.skeleton.nodes.size()) - 1;
    horse.meshes.push_back(instance_of("Ground", box_mesh({900.0, 0.1, 900.0}), node));
    const Body with_floor = make_body(std::make_shared<const Character>(std::move(horse)), {});
    const Anatomy found = find_anatomy(with_floor);
    EXPECT_EQ(found.build, expected.build);
    EXPECT_EQ(found.parts.size(), expected.parts.size());
    EXPECT_NEAR(found.size, expected.size, 1e-9 * expected.size);
    EXPECT_NEAR(found.share(Tissue::skin), expected.share(Tissue::skin), 1e-9);
    EXPECT_TRUE(
        (SimulationSurface::repaired(with_floor, {}).main_box() == SimulationSurface::repaired(plain, {}).main_box()));
}

// Boxes on swinging joints do not bend, whatever most of their surface is: a robot is rigid.
TEST(anatomy_of_characters, takes_pieces_that_only_swing_for_rigid) {
    Character robot;
    Skin skin;
    Clip swing;
    swing.name = "swing";
    for (int j = 0; j < 4; ++j) {
        Node node;
        node.name = "joint" + std::to_string(j);
        node.parent = j - 1;
        node.rest.translation = Vector3d(0.0, j == 0 ? 0.0 : 1.0, 0.0);
        robot.skeleton.nodes.push_back(node);
        skin.joints.push_back(j);
        skin.inverse_bind.emplace_back(Eigen::Translation3d(0.0, -j, 0.0));
        Channel channel;
        channel.node = j;
        channel.target = ChannelTarget::rotation;
        channel.width = 4;
        channel.times = {0.0, 1.0};
        channel.values = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.4, std::sqrt(0.84)};
        swing.channels.push_back(channel);
    }
    robot.skins.push_back(skin);
    robot.clips.push_back(swing);
    for (int j = 0; j < 4; ++j) {
        MeshInstance piece = instance_of("piece" + std::to_string(j), box_mesh({0.2, 0.4, 0.3}), 0);
        piece.mesh.positions.col(1).array() += j + 0.5;
        piece.skin = 0;
        piece.weights.influences = 1;
        piece.weights.joints.assign(8, static_cast<std::uint16_t>(j));
        piece.weights.weights.assign(8, 1.0);
        robot.meshes.push_back(std::move(piece));
    }
    const Anatomy found = find_anatomy(make_body(std::make_shared<const Character>(std::move(robot)), {}));
    EXPECT_NEAR(found.share(Tissue::rigid), 1.0, 1e-12);
    for (const Patch& patch : found.patches) {
        EXPECT_EQ(patch.tissue, Tissue::rigid) << patch.why;
    }
}

TEST(clips_of_characters, that_show_most_are_lively_and_upright) {
    CUTIS_NEED_DATA("quaternius/Horse.glb");
    for (const char* file :
         {"quaternius/Horse.glb", "quaternius/Trex.glb", "quaternius/Apatosaurus.glb", "khronos-gltf/Fox.glb"}) {
        const Body body = make_body(std::make_shared<const Character>(read_gltf(test::data_folder() / file)), {});
        const std::vector<ClipScore> clips = score_clips(body, find_anatomy(body));
        ASSERT_FALSE(clips.empty());
        if (talks) {
            for (const ClipScore& clip : clips) {
                std::printf("%s %s: strain %.3f speed %.3f score %.3f\n", file, clip.name.c_str(), clip.strain,
                            clip.speed, clip.score);
            }
        }
        EXPECT_EQ(clips.front().name.find("Idle"), std::string::npos) << file;
        EXPECT_EQ(clips.front().name.find("Death"), std::string::npos) << file;
        EXPECT_EQ(clips.front().name.find("Survey"), std::string::npos) << file;
        EXPECT_NEAR(clips.front().view.norm(), 1.0, 1e-12);
        // What lags has had time to: never the first frame.
        EXPECT_GE(clips.front().moment, 0.29 * std::min(1.0, clips.front().seconds)) << file;
    }
}

}  // namespace
}  // namespace cutis
