#include "actors/files.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <span>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"

namespace cutis {
namespace {

TEST(ActorFiles, every_file_is_listed_and_every_listed_character_is_there) {
    std::set<std::string> names;
    for (const ActorInfo& info : list_actors()) {
        EXPECT_TRUE(names.insert(info.name).second) << info.name << " stands twice";
        EXPECT_NO_THROW(load_actor(info.name)) << info.name;
    }
    for (const auto& [name, bytes] : actor::embedded_actors()) {
        EXPECT_EQ(names.count(name), 1u) << name;
    }
}

TEST(ActorFiles, are_small_enough_for_git) {
    std::size_t total = 0;
    for (const auto& [name, bytes] : actor::embedded_actors()) {
        EXPECT_LE(bytes.size(), 1'000'000u) << name;
        total += bytes.size();
    }
    EXPECT_LE(total, 4'000'000u);
}

/// The file is what any engine reads: cut along seams. load_actor gives back what was cut.
TEST(ActorFiles, joining_keeps_triangles_uvs_and_positions_and_forgets_only_the_cuts) {
    for (const auto& [name, bytes] : actor::embedded_actors()) {
        SCOPED_TRACE(name);
        const Character cut =
            read_gltf(std::span(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()), name);
        const Character whole = load_actor(name);
        EXPECT_TRUE(cut.notes.empty()) << cut.notes.front();
        ASSERT_EQ(cut.meshes.size(), whole.meshes.size());
        for (std::size_t m = 0; m < whole.meshes.size(); ++m) {
            const ArtMesh& a = cut.meshes[m].mesh;
            const ArtMesh& b = whole.meshes[m].mesh;
            EXPECT_LT(b.positions.rows(), a.positions.rows());
            ASSERT_EQ(a.triangles.rows(), b.triangles.rows());
            for (int f = 0; f < a.triangles.rows(); ++f) {
                for (int k = 0; k < 3; ++k) {
                    ASSERT_EQ(a.positions.row(a.triangles(f, k)), b.positions.row(b.triangles(f, k)));
                    ASSERT_EQ(a.uv.row(a.uv_triangles(f, k)), b.uv.row(b.uv_triangles(f, k)));
                }
            }
            EXPECT_TRUE(b.painted.empty());
            for (const MeshPart& part : b.parts) {
                EXPECT_FALSE(part.name.empty());
            }
        }
    }
}

TEST(ActorFiles, a_missing_or_broken_file_is_named) {
    for (const auto& [read, word] : {std::pair<std::function<void()>, std::string>{
                                         [] { actor::read_actor_file("unicorn"); }, "actors/unicorn.glb"},
                                     {[] { actor::read_actor_file("not a file", "unicorn"); }, "actor:unicorn"}}) {
        try {
            read();
            FAIL() << "accepted";
        } catch (const InvalidInput& error) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace cutis
