#pragma once

#include <optional>

#include "cutis/core/options.h"

namespace cutis {

/// Skin by name: a style to start from.
enum class WrinkleSkin { plain, forehead, eye, neck, knuckle, elbow, old, young };

/// How skin wrinkles.
struct WrinkleOptions {
    WrinkleSkin skin = WrinkleSkin::plain;
    /// Metres from valley to valley. None: from thickness and stiffness_ratio, or from how thick the body is.
    std::optional<Painted> wavelength;
    Painted scale = 1.0;                    ///< factor to the wavelength
    std::optional<double> thickness;        ///< of the stiff outer layer, metres
    std::optional<double> stiffness_ratio;  ///< of that layer to what lies below it
    std::optional<double> onset;            ///< strain at which wrinkles begin
    Painted strength = 1.0;                 ///< factor to heights
    Painted share = 0.6;                    ///< of the compression that wrinkles take up; the rest thickens the skin
    double tension = 0.5;                   ///< skin pulled by a factor s is ready to narrow by s^-tension
    Painted slack = 0.5;                    ///< part of the largest stretch that skin keeps in reserve
    double slack_from = 1.15;               ///< stretch from which it does
    double irregularity = 1.0;              ///< how much neighbouring wrinkles differ
    double fine = 0.35;                     ///< height of fine lines between the wrinkles
    double softness = 0.03;                 ///< compression over which heights start gently
    double cone = 30.0;                     ///< degrees to each side in which compression counts
    double height_cap = 0.45;               ///< highest wrinkle, in wavelengths
    std::optional<double>
        calm;  ///< seconds of each of two low passes; none: 0.03 on skin that slides or has joints, else 0
    int most_vertices = 60000;  ///< of the mesh that wrinkles are laid out on

    /// With the values of its skin in place of those that still have their default.
    WrinkleOptions of_skin() const;
};

Options describe(WrinkleOptions& options);

/// Wavelength of a stiff layer of a thickness on a soft foundation, both incompressible, over that thickness:
/// 2 pi (R / 3)^(1/3) (Allen 1969; Genzer and Groenewold 2006, eq. 6).
double wrinkle_wavelength(double stiffness_ratio);
/// Strain at which it buckles: 1/4 (3 / R)^(2/3) = (pi thickness / wavelength)^2.
double wrinkle_onset(double stiffness_ratio);

}  // namespace cutis
