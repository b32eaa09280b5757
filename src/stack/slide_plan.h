#pragma once

#include <string>
#include <vector>

#include "cutis/slide/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

enum class SlideOutput { vertices, uv, none };

/// The keys of a slide layer as a scene gives them.
struct SlideSettings {
    SlideOptions options;  ///< what needs no surface is filled in directly

    Paintable young_modulus = everywhere(0.0);
    double lame_lambda = 0.0;
    double lame_mu = 0.0;
    Paintable poisson_ratio = everywhere(0.5);
    Paintable density = everywhere(2.0);
    Paintable fung_exponent = everywhere(1.0);
    Paintable area_preservation = everywhere(0.0);
    Paintable damping = everywhere(5.0);
    Paintable stickiness = everywhere(0.5);
    Paintable tether = everywhere(2000.0);
    Paintable tether_radius = everywhere(0.0);
    Paintable initial_stretch = everywhere(1.0);
    double directed_stretch = 1.0;
    std::vector<double> stretch_direction = {0.0, 0.0, 0.0};
    double slip_speed_limit = 0.0;
    double carried_speed_limit = 0.0;
    double body_size = 0.0;

    std::vector<std::string> region = {"all"};
    std::vector<std::string> pins;
    std::vector<std::string> glides;
    std::vector<double> glide_direction = {0.0, 0.0, 0.0};
    std::vector<std::string> pull;
    std::vector<double> pull_velocity = {0.0, 0.0, 0.0};

    std::vector<double> gravity = {0.0, 0.0, 0.0};
    std::vector<double> wind = {0.0, 0.0, 0.0};
    std::vector<double> drag_at = {0.0, 0.0, 0.0};
    std::vector<double> drag_force = {0.0, 0.0, 0.0};
    double drag_radius = 0.05;

    SlideOutput output = SlideOutput::vertices;
    bool has_channels = true;
    bool is_smooth_in_time = true;
    double wrinkle_wavelength = 0.006;

    /// All keys, bound to the fields above.
    std::vector<Setting> table();

    /// Options for a surface. `notes` says what was chosen for it.
    /// \throw InvalidInput  regions that do not exist, values out of range
    SlideOptions options_for(const LayerGround& ground, std::vector<std::string>& notes) const;
};

}  // namespace cutis
