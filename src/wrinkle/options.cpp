#include "cutis/wrinkle/options.h"

#include <cmath>
#include <numbers>

#include "core/math.h"

namespace cutis {

double wrinkle_wavelength(double stiffness_ratio) {
    return 2.0 * std::numbers::pi * math::cbrt(stiffness_ratio / 3.0);
}

double wrinkle_onset(double stiffness_ratio) {
    return 0.25 * math::pow(3.0 / stiffness_ratio, 2.0 / 3.0);
}

WrinkleOptions WrinkleOptions::of_skin() const {
    // Scale, onset, share, slack, irregularity, fine.
    constexpr double skins[][6] = {
        {1.0, 0.07, 0.6, 0.5, 1.0, 0.35},    // plain
        {0.35, 0.10, 0.35, 0.0, 0.9, 0.15},  // forehead
        {0.20, 0.08, 0.35, 0.0, 1.0, 0.20},  // eye
        {0.7, 0.04, 0.6, 0.3, 1.0, 0.4},     // neck
        {0.9, 0.07, 0.6, 0.7, 1.3, 0.35},    // knuckle
        {0.8, 0.10, 0.5, 0.8, 1.4, 0.5},     // elbow
        {0.9, 0.03, 0.75, 0.8, 1.3, 0.7},    // old
        {0.8, 0.12, 0.35, 0.3, 0.8, 0.15},   // young
    };
    const double* values = skins[static_cast<int>(skin)];
    const WrinkleOptions plain;
    WrinkleOptions style = *this;
    const auto paint = [](Painted& field, const Painted& otherwise, double value) {
        if (field.is_uniform() && field.value == otherwise.value) {
            field = value;
        }
    };
    const auto set = [](double& field, double otherwise, double value) { field = field == otherwise ? value : field; };
    if (!wavelength && !thickness) {  // a length that is given stays
        paint(style.scale, plain.scale, values[0]);
    }
    paint(style.share, plain.share, values[2]);
    paint(style.slack, plain.slack, values[3]);
    set(style.irregularity, plain.irregularity, values[4]);
    set(style.fine, plain.fine, values[5]);
    if (!style.onset) {
        style.onset = style.stiffness_ratio ? wrinkle_onset(*style.stiffness_ratio) : values[1];
    }
    return style;
}

// One entry is one option.
// clang-format off
Options describe(WrinkleOptions& o) {
    return {
        {.group = "look", .name = "skin",
         .field = choice(o.skin, {"plain", "forehead", "eye", "neck", "knuckle", "elbow", "old", "young"}),
         .about = "a style to start from: sets scale, onset, share, slack, irregularity and fine where they are left at their defaults"},
        {.name = "wavelength", .field = &o.wavelength, .about = "from valley to valley", .unit = "m",
         .range = {1e-6, 1e6}, .soft = {0.001, 0.02},
         .automatic = "from thickness and stiffness_ratio, or from how thick the body is there"},
        {.name = "scale", .field = &o.scale, .about = "factor on the wavelength", .range = {0.05, 20},
         .soft = {0.3, 3}},
        {.name = "thickness", .field = &o.thickness,
         .about = "thickness of the skin's stiff outer layer; with stiffness_ratio it gives the wavelength", .unit = "m",
         .range = {1e-7, 1e3}, .soft = {0.0001, 0.003}, .automatic = "not used"},
        {.name = "stiffness_ratio", .field = &o.stiffness_ratio,
         .about = "how many times stiffer the outer layer is than what lies below: gives onset, and with thickness "
                  "the wavelength", .range = {3, 1e6}, .soft = {3, 50}, .automatic = "not used"},
        {.name = "onset", .field = &o.onset, .about = "compression at which wrinkles begin", .range = {0, 0.9},
         .soft = {0, 0.25}, .automatic = "from stiffness_ratio, or that of the skin"},
        {.name = "strength", .field = &o.strength, .about = "factor on heights", .range = {0, 10}, .soft = {0, 2}},
        {.name = "share", .field = &o.share,
         .about = "share of the compression that wrinkles take up; the rest thickens the skin", .range = {0, 1}},
        {.name = "irregularity", .field = &o.irregularity, .about = "how much neighbouring wrinkles differ",
         .range = {0, 1.5}},
        {.name = "fine", .field = &o.fine, .about = "height of fine lines between the wrinkles", .range = {0, 2}},
        {.group = "skin", .name = "tension", .field = &o.tension,
         .about = "skin pulled to s times its length may narrow by s to the power of minus this without wrinkling",
         .range = {0, 1}},
        {.name = "slack", .field = &o.slack,
         .about = "part of the largest stretch of the body that skin keeps in reserve: knuckles and elbows wrinkle "
                  "when straight", .range = {0, 1}},
        {.name = "slack_from", .field = &o.slack_from, .about = "stretch beyond which skin keeps a reserve",
         .range = {1, 10}, .advanced = true},
        {.name = "softness", .field = &o.softness,
         .about = "range of compression over which heights start gently instead of like a square root; wider "
                  "where poses press skin far", .range = {0, 0.5},
         .advanced = true},
        {.name = "cone", .field = &o.cone, .about = "compression up to this far off the wrinkles' own direction counts too",
         .unit = "degrees", .range = {0, 45}, .advanced = true},
        {.name = "height_cap", .field = &o.height_cap, .about = "highest wrinkle, in wavelengths", .range = {0.01, 2},
         .advanced = true},
        {.name = "calm", .field = &o.calm,
         .about = "time constant of each of two low-pass filters on the heights, which lag behind by both; heights speed up and "
                  "slow down by at most 0.035 wavelengths per calm squared",
         .unit = "s", .range = {0, 1}, .automatic = "0.03 where the skin slides or joints move it, else 0"},
        {.name = "most_vertices", .field = &o.most_vertices,
         .about = "most vertices of the mesh that wrinkles are laid out on: beyond it they get wider", .range = {1000, 1000000},
         .advanced = true},
    };
}
// clang-format on

}  // namespace cutis
