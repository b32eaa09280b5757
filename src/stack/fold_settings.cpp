#include "cutis/stack/fold_layer.h"

namespace cutis {

// One entry is one option.
// clang-format off
Options describe(FoldChain& o) {
    return {
        {.name = "vertices", .field = &o.vertices,
         .about = "vertices of the artist's mesh, each joined to the next by an edge",
         .range = {0, 2147483647}}};
}

Options describe(FoldCurveLook& o) {
    return {
        {.name = "profile",
         .field = choice(o.profile, {"layer", "blob", "flat", "sharp", "custom"}),
         .about = "cross-section of its folds; layer: that of the layer"},
        {.name = "width", .field = &o.width, .about = "across one of its folds", .unit = "m",
         .range = {1e-6, 1e6}, .automatic = "that of the layer"},
    };
}

Options describe(FoldLayerOptions& o) {
    Options all = {
        {.group = "place", .name = "layout", .field = choice(o.layout, {"stripes", "paper"}),
         .about = "stripes over the whole garment, or the paper's own folds along curves of bending joints (or chains), one line each", .was = {"place"}},
        {.name = "where", .field = &o.where, .about = "stripes: regions with folds"},
        {.name = "poses", .field = choice(o.poses, {"all", "clip"}),
         .about = "what folds are laid out from: every clip and random poses, or the clip that is baked alone"},
        {.name = "poses_per_second", .field = &o.poses_per_second,
         .about = "poses per second of every clip that folds are laid out from", .unit = "1/s",
         .range = {0.1, 240}, .advanced = true},
        {.name = "random_poses", .field = &o.random_poses,
         .about = "random poses within the joints' range that folds are laid out from, so that "
                  "other clips find folds, too", .range = {0, 1000}},
    };
    all = join(std::move(all), describe(o.solver.look));
    all = join(
        std::move(all),
        {
        {.name = "profile", .field = choice(o.profile, {"blob", "flat", "sharp", "custom"}),
         .about = "cross-section of a fold"},
        {.name = "profile_heights", .field = &o.profile_heights,
         .about = "custom profile: heights at evenly spaced places across the fold, 0 at both "
                  "ends", .range = {0, 1e6}}});
    all = join(std::move(all), describe(o.solver));
    all = join(std::move(all), describe(o.joints));
    all = join(
        std::move(all),
        {
        {.name = "chain", .field = tables(o.chains),
         .about = "fold curves along vertices instead of joints: tables with the vertices of each",
         .was = {"chains"}},
        {.name = "curve", .field = tables(o.curves),
         .about = "profiles and widths, assigned to the curves in turn",
         .was = {"curve_profiles", "curve_widths", "curve_lengths"}},
        {.name = "reach", .field = &o.reach,
         .about = "folds fade out this far to each side of a curve", .unit = "m",
         .range = {0, 1e6, true}, .soft = {0.01, 0.3}, .automatic = "0.05 scaled with size / 1.7 m"}});
    return join(std::move(all),
                {
        {.group = "mesh", .name = "use_normals", .field = &o.use_normals,
         .about = "lift along the surface's own normals instead of turned rest normals",
         .advanced = true}});
}
// clang-format on

}  // namespace cutis
