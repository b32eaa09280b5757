#include <gtest/gtest.h>

#include <cstring>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "support/mesh_checks.h"

namespace cutis {
namespace {

class EveryActor : public testing::TestWithParam<std::string> {};

/// All numbers of a character as one string of bytes.
std::string bytes_of(const Character& character) {
    std::string out;
    const auto put = [&](const void* data, size_t size) { out.append(static_cast<const char*>(data), size); };
    for (const MeshInstance& m : character.meshes) {
        put(m.mesh.positions.data(), sizeof(double) * static_cast<size_t>(m.mesh.positions.size()));
        put(m.mesh.triangles.data(), sizeof(int) * static_cast<size_t>(m.mesh.triangles.size()));
        put(m.mesh.uv.data(), sizeof(double) * static_cast<size_t>(m.mesh.uv.size()));
        put(m.mesh.uv_triangles.data(), sizeof(int) * static_cast<size_t>(m.mesh.uv_triangles.size()));
        put(m.weights.joints.data(), sizeof(std::uint16_t) * m.weights.joints.size());
        put(m.weights.weights.data(), sizeof(double) * m.weights.weights.size());
        for (const MorphTarget& target : m.morphs) {
            put(target.offsets.data(), sizeof(double) * static_cast<size_t>(target.offsets.size()));
        }
    }
    for (const Clip& clip : character.clips) {
        for (const Channel& channel : clip.channels) {
            put(channel.times.data(), sizeof(double) * channel.times.size());
            put(channel.values.data(), sizeof(double) * channel.values.size());
        }
    }
    return out;
}

void expect_sound_surface(const MeshInstance& instance, bool is_open) {
    SCOPED_TRACE(instance.name);
    const ArtMesh& mesh = instance.mesh;
    ASSERT_TRUE(mesh.positions.allFinite());
    const test::ManifoldCheck manifold = test::check_manifold(mesh.positions, mesh.triangles);
    EXPECT_EQ(manifold.crowded_sides, 0);
    EXPECT_EQ(manifold.bow_ties, 0);
    EXPECT_EQ(manifold.unused_vertices, 0);
    if (is_open) {
        EXPECT_GT(manifold.open_sides, 0);
    } else {
        EXPECT_EQ(manifold.open_sides, 0);
        EXPECT_GT(manifold.volume, 0.0) << "windings must point outwards";
    }
    EXPECT_GT(test::worst_angle_deg(mesh.positions, mesh.triangles), 15.0);
    const auto cuts = test::self_intersections(mesh.positions, mesh.triangles);
    EXPECT_TRUE(cuts.empty()) << cuts.size() << " pairs, first at "
                              << mesh.positions.row(mesh.triangles(cuts.empty() ? 0 : cuts[0].first, 0));
}

void expect_sound_uv(const ArtMesh& mesh) {
    SCOPED_TRACE(mesh.name);
    ASSERT_EQ(mesh.uv_triangles.rows(), mesh.triangles.rows());
    ASSERT_TRUE(mesh.uv.allFinite());
    const test::UvCheck uv = test::check_uv(mesh);
    EXPECT_EQ(uv.flipped, 0);
    EXPECT_EQ(uv.outside, 0);
    EXPECT_EQ(uv.overlaps, 0);
    EXPECT_LE(uv.charts, 12) << "few seams";
}

void expect_sound_weights(const Character& character, const MeshInstance& instance) {
    const int joints = static_cast<int>(character.skins[instance.skin].joints.size());
    const SkinWeights& w = instance.weights;
    ASSERT_EQ(w.vertex_count(), instance.mesh.positions.rows());
    EXPECT_LE(w.influences, 4);
    for (int v = 0; v < w.vertex_count(); ++v) {
        double sum = 0.0;
        for (int k = 0; k < w.influences; ++k) {
            const size_t i = static_cast<size_t>(v * w.influences + k);
            ASSERT_GE(w.weights[i], 0.0);
            ASSERT_LT(w.joints[i], joints);
            sum += w.weights[i];
        }
        ASSERT_NEAR(sum, 1.0, 1e-12) << instance.name << " vertex " << v;
    }
}

void expect_sound_clips(const Character& character, const std::vector<std::string>& promised) {
    ASSERT_EQ(character.clips.size(), promised.size());
    for (size_t c = 0; c < promised.size(); ++c) {
        const Clip& clip = character.clips[c];
        EXPECT_EQ(clip.name, promised[c]);
        ASSERT_FALSE(clip.channels.empty());
        bool moves = false;
        for (const Channel& channel : clip.channels) {
            ASSERT_LT(channel.node, static_cast<int>(character.skeleton.nodes.size()));
            ASSERT_EQ(channel.values.size(), channel.times.size() * static_cast<size_t>(channel.width));
            for (size_t i = 0; i < channel.values.size(); ++i) {
                ASSERT_TRUE(std::isfinite(channel.values[i])) << clip.name;
                moves = moves || channel.values[i] != channel.values[i % static_cast<size_t>(channel.width)];
            }
            for (size_t k = 0; channel.target == ChannelTarget::rotation && k < channel.times.size(); ++k) {
                const Eigen::Map<const Eigen::Vector4d> q(&channel.values[4 * k]);
                ASSERT_NEAR(q.norm(), 1.0, 1e-12);
                if (k > 0) {
                    // Under 60 degrees from key to key: slerp and smooth sampling stay unambiguous.
                    const Eigen::Map<const Eigen::Vector4d> before(&channel.values[4 * k - 4]);
                    ASSERT_GT(q.dot(before), std::cos(M_PI / 6.0)) << clip.name << " node " << channel.node;
                }
            }
        }
        EXPECT_TRUE(moves) << clip.name;
    }
}

TEST_P(EveryActor, is_closed_manifold_even_weighted_charted_and_the_same_every_time) {
    const std::string name = GetParam();
    const Character character = load_actor(name);
    ASSERT_FALSE(character.meshes.empty());
    for (const MeshInstance& instance : character.meshes) {
        expect_sound_surface(
            instance, name == "cylinder" || name == "plane" || instance.name == "leotard" || instance.name == "suit");
        expect_sound_uv(instance.mesh);
        expect_sound_weights(character, instance);
        int triangles = 0;
        for (const MeshPart& part : instance.mesh.parts) {
            EXPECT_EQ(part.first_triangle, triangles);
            triangles += part.triangle_count;
        }
        EXPECT_EQ(triangles, instance.mesh.triangles.rows());
        EXPECT_LE(instance.mesh.positions.rows(), 8000);
    }
    for (size_t i = 0; i < character.skeleton.nodes.size(); ++i) {
        EXPECT_LT(character.skeleton.nodes[i].parent, static_cast<int>(i));
    }
    for (const ActorInfo& info : list_actors()) {
        if (info.name == name) {
            expect_sound_clips(character, info.clips);
        }
    }
    EXPECT_EQ(bytes_of(character), bytes_of(load_actor(name)));
}

std::vector<std::string> actor_names() {
    std::vector<std::string> names;
    for (const ActorInfo& info : list_actors()) {
        names.push_back(info.name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Actors, EveryActor, testing::ValuesIn(actor_names()),
                         [](const testing::TestParamInfo<std::string>& name) { return name.param; });

TEST(Actors, unknown_name_is_refused_with_the_list) {
    try {
        load_actor("unicorn");
        FAIL() << "expected InvalidInput";
    } catch (const InvalidInput& error) {
        EXPECT_NE(std::string(error.what()).find("unicorn"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("horse"), std::string::npos);
    }
}

}  // namespace
}  // namespace cutis
