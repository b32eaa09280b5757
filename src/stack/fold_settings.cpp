#include "cutis/stack/fold_layer.h"

namespace cutis {

// One entry is one option.
// clang-format off
Options describe(FoldLayerOptions& o) {
    Options all = {
        {.group = "place", .name = "where", .field = &o.where, .about = "regions with folds"},
        {.name = "poses_per_second", .field = &o.poses_per_second,
         .about = "poses of every clip that folds are laid out from", .unit = "1/s",
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
    return join(std::move(all),
                {
        {.name = "use_normals", .field = &o.use_normals,
         .about = "lift along the surface's own normals instead of turned rest normals",
         .advanced = true}});
}
// clang-format on

}  // namespace cutis
