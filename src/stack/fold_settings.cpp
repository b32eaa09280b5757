#include "fold_settings.h"

#include <algorithm>

#include "cutis/core/error.h"

namespace cutis {

namespace {

FoldProfile sampled_profile(const std::vector<double>& heights, const std::string& key) {
    try {
        return FoldProfile::sampled(heights);
    } catch (const InvalidInput& refused) {
        throw InvalidInput(concat("[[layer]] fold: ", key, ": ", refused.what()));
    }
}

FoldProfile plain_profile(FoldShape shape) {
    switch (shape) {
        case FoldShape::flat:
            return FoldProfile::flat();
        case FoldShape::sharp:
            return FoldProfile::sharp();
        default:
            return FoldProfile::blob();
    }
}

}  // namespace

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
        {.name = "heights", .field = &o.heights,
         .about = "custom profile: heights at evenly spaced places across the fold, 0 at both "
                  "ends", .range = {0, 1e6}},
        {.name = "width", .field = &o.width, .about = "across one of its folds", .unit = "m",
         .range = {0.001, 10}, .automatic = "that of the layer"},
        {.name = "length", .field = &o.length,
         .about = "joints: length of the curve; 0: as far as it is compressed", .unit = "m",
         .range = {0, 100}, .automatic = "curve_length of the layer"},
    };
}

Options describe(FoldLayerOptions& o) {
    Options all = {
        {.group = "place", .name = "place",
         .field = choice(o.place, {"field", "joints", "chains", "painted"}),
         .about = "where folds go: compression over the clip (field), the bending of joints, "
                  "chains of vertices, or a painted field"},
        {.name = "where", .field = &o.where, .about = "regions with folds"},
        {.name = "poses_per_second", .field = &o.poses_per_second,
         .about = "poses of the clip that are looked at", .unit = "1/s", .range = {0.1, 240},
         .advanced = true},
        {.name = "painted_field", .field = &o.painted_field,
         .about = "painted: region with a number per vertex, in metres; a fold lies between "
                  "multiples of width"},
        {.name = "chain", .field = tables(o.chains),
         .about = "chains: tables with the vertices of each", .was = {"chains"}},
        {.name = "curve", .field = tables(o.curves),
         .about = "joints and chains: profiles, widths and lengths, which the curves take in turn",
         .was = {"curve_profiles", "curve_widths", "curve_lengths"}},
    };
    all = join(std::move(all), describe(o.field));
    all = join(std::move(all), describe(o.along));
    all = join(std::move(all), describe(o.joints));
    all = join(std::move(all), describe(o.look));
    all = join(
        std::move(all),
        {
        {.name = "profile", .field = choice(o.profile, {"blob", "flat", "sharp", "custom"}),
         .about = "cross-section of a fold"},
        {.name = "profile_heights", .field = &o.profile_heights,
         .about = "custom profile: heights at evenly spaced places across the fold, 0 at both "
                  "ends", .range = {0, 1e6}}});
    all = join(std::move(all), describe(o.solver.rails));
    all = join(std::move(all), describe(o.solver));
    return join(std::move(all),
                {
        {.name = "use_normals", .field = &o.use_normals,
         .about = "lift along the surface's own normals instead of turned rest normals",
         .advanced = true}});
}
// clang-format on

void check_together(const FoldLayerOptions& s) {
    const bool has_curves =
        s.place == FoldLayerOptions::Place::joints || s.place == FoldLayerOptions::Place::chains;
    const auto needs_curves = [&](const char* key, bool is_set) {
        require(!is_set || has_curves, "[[layer]] fold: ", key,
                ": expected place = \"joints\" or \"chains\", which have curves");
    };
    needs_curves("curve", !s.curves.empty());
    needs_curves("one_line", s.along.is_one_line);
    bool is_used = s.profile == FoldShape::custom;
    for (const FoldCurveLook& curve : s.curves) {
        const bool is_custom = curve.profile == FoldCurveLook::Shape::custom;
        is_used = is_used || (is_custom && curve.heights.empty());
        require(curve.heights.empty() || is_custom,
                "[[layer]] fold: curve: heights: expected profile = \"custom\" to use them");
        require(!curve.length || s.place == FoldLayerOptions::Place::joints,
                "[[layer]] fold: curve: length: expected place = \"joints\"");
    }
    require(s.profile_heights.empty() || is_used,
            "[[layer]] fold: profile_heights: expected profile = \"custom\" to use them");
    require(s.place != FoldLayerOptions::Place::painted || !s.painted_field.empty(),
            "fold: place = \"painted\": expected painted_field = \"painted:NAME\", found none");
    const FoldRailOptions& rails = s.solver.rails;
    require(rails.merge_from <= 0.0 || rails.merge_to > rails.merge_from,
            "[[layer]] fold: merge_to: expected more than merge_from (", rails.merge_from,
            "), found ", rails.merge_to);
    require(rails.merge_from != 0.0 || rails.merge_to == FoldRailOptions().merge_to,
            "[[layer]] fold: merge_to: expected merge_from above 0 beside it, found 0: nothing "
            "merges");
}

FoldProfile profile_of(const FoldLayerOptions& settings) {
    return settings.profile == FoldShape::custom
               ? sampled_profile(settings.profile_heights, "profile_heights")
               : plain_profile(settings.profile);
}

void share_looks(const FoldLayerOptions& settings, std::vector<FoldCurve>& curves) {
    for (size_t c = 0; c < curves.size() && !settings.curves.empty(); ++c) {
        const FoldCurveLook& look = settings.curves[c % settings.curves.size()];
        curves[c].width = look.width.value_or(0.0);
        if (look.profile == FoldCurveLook::Shape::custom) {
            curves[c].profile = look.heights.empty()
                                    ? sampled_profile(settings.profile_heights, "profile_heights")
                                    : sampled_profile(look.heights, "curve: heights");
        } else if (look.profile != FoldCurveLook::Shape::layer) {
            curves[c].profile = plain_profile(static_cast<FoldShape>(
                static_cast<int>(look.profile) - static_cast<int>(FoldCurveLook::Shape::blob)));
        }
    }
}

std::vector<double> curve_lengths(const FoldLayerOptions& settings) {
    std::vector<double> lengths;
    for (const FoldCurveLook& curve : settings.curves) {
        lengths.push_back(curve.length.value_or(settings.joints.length));
    }
    return lengths;
}

}  // namespace cutis
