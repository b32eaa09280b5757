#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "anatomy/truth.h"
#include "cutis/core/error.h"
#include "cutis/io/gltf_read.h"
#include "cutis/stack/layer_stack.h"
#include "stack/curve_settings.h"

namespace cutis {
namespace {

// A part counts where curves lie on it from end to end: the layer could cut it out as a tube.
/// Legs of a wasp in flight hang like arms: to flesh a limb is a limb.
PartKind limb_or(PartKind kind) {
    return kind == PartKind::arm || kind == PartKind::fin ? PartKind::leg : kind;
}

TEST(soft_parts_of_characters, slow_are_those_a_person_lists) {
    CUTIS_NEED_DATA("dancer/dancer.glb");
    int wanted = 0;
    int found = 0;
    int parts = 0;
    int flipped = 0;
    const Workers workers(2);
    for (const test::Truth& truth : test::truths()) {
        if (!std::filesystem::exists(truth.path())) {
            continue;
        }
        std::optional<Body> body;
        std::optional<LayerStack> stack;
        try {
            body.emplace(make_body(std::make_shared<const Character>(read_gltf(truth.path())), {}));
            stack.emplace(*body, StackOptions(), workers);
            stack->ground();
        } catch (const InvalidInput& refused) {  // what the reader or the repair refuses is no case of parts
            std::printf("%s: %s\n", truth.file, refused.what());
            continue;
        }
        const LayerInput& ground = stack->ground();
        if (3 * ground.surface->topology().part_count() > ground.surface->topology().triangle_count()) {
            std::printf("%s: the repair left it in single triangles\n", truth.file);
            continue;
        }
        const CurveBody curve{&*body, &ground.surface->rest(), &ground.surface->topology(),
                              &ground.surface->mesh().art_of_vertex, &ground.surface->mesh().vertex_of_art};
        std::vector<std::string> notes;
        std::map<PartKind, int> counts;
        for (const FoundPart& part : find_soft_parts(ground, curve, {}, notes)) {
            ++counts[truth.build == Build::other ? PartKind::tube : limb_or(part.kind)];
            parts += 1;
            flipped += part.tube.flipped > 0 ? 1 : 0;
        }
        std::map<PartKind, int> listed;
        for (const auto& [kind, count] : truth.parts) {
            listed[limb_or(kind)] += count;
        }
        for (const auto& [kind, count] : listed) {
            wanted += count;
            found += std::min(count, counts[kind]);
            if (counts[kind] < count) {
                std::printf("%s: %d of %d %s; %s\n", truth.file, counts[kind], count, name_of(kind),
                            notes.back().c_str());
            }
        }
    }
    std::printf("%d of %d parts, %d of %d with inverted triangles\n", found, wanted, flipped, parts);
    EXPECT_GE(found, 0.97 * wanted);
    // Trunks with wide hips may turn some triangles of their map over; limbs never.
    EXPECT_LE(flipped, 0.05 * parts);
}

}  // namespace
}  // namespace cutis
