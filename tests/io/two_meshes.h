#pragma once

#include "cutis/io/gltf_read.h"
#include "io/write_support.h"
#include "support/glb_builder.h"

namespace cutis::test {

/// Two skinned triangles, the first with a morph target that a second clip moves; a camera, extras and an extension
/// that nobody knows.
inline GlbBuilder two_meshes() {
    GlbBuilder builder = GlbBuilder::skinned_triangle();
    nlohmann::json& json = builder.json;
    json["meshes"].push_back(json["meshes"][0]);
    json["meshes"][0]["name"] = "shirt";
    json["meshes"][1]["name"] = "hat";
    json["nodes"].push_back({{"name", "hat"}, {"mesh", 1}, {"skin", 0}, {"extras", {{"size", 7}}}});
    json["nodes"].push_back({{"name", "eye"}, {"camera", 0}});
    json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}}};
    json["scenes"][0]["nodes"] = {0, 1, 3, 4};
    json["extensionsUsed"] = {"XYZ_unknown"};
    json["extensions"] = {{"XYZ_unknown", {{"kept", true}}}};
    builder.primitive()["targets"] = {
        {{"POSITION", builder.add_accessor(GlbBuilder::f32, "VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1})}}};
    json["meshes"][0]["extras"] = {{"targetNames", {"smile"}}};
    const int times = builder.add_accessor(GlbBuilder::f32, "SCALAR", {0, 1});
    const int weights = builder.add_accessor(GlbBuilder::f32, "SCALAR", {0, 0.5});
    json["animations"].push_back({{"name", "smile"},
                                  {"samplers", {{{"input", times}, {"output", weights}}}},
                                  {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}}});
    return builder;
}

inline Body body_of(const GlbBuilder& builder, double scale = 1.0) {
    BodyOptions options;
    options.scale = scale;
    return make_body(std::make_shared<Character>(read_gltf(builder.glb(), "two.glb")), options);
}

/// The first mesh is moved by a layer, the second is not.
inline Bake moved_shirt(const Body& body, int frames) {
    Bake bake{&body, frames};
    bake.fps = 10.0;
    bake.shape_changed = true;
    bake.change = [](Frame& frame) {
        frame.body().positions.topRows(3).col(2).array() += 0.2 * std::sin(3.0 * frame.time + 0.3);
        frame.body().positions(1, 0) += 0.1 * std::cos(7.0 * frame.time);
    };
    return bake;
}

}  // namespace cutis::test
