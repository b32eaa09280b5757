#pragma once

#include <memory>
#include <vector>

#include "cutis/slide/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

enum class SlideOutput { vertices, uv, none };

/// A hand that drags the skin, where a scene puts it.
struct SlideDrag {
    Vector3d at = Vector3d::Zero();
    Vector3d force = Vector3d::Zero();
    double radius = 0.05;
};

Options describe(SlideDrag& drag);

/// A slide layer: the skin, and places that are looked up on a body.
struct SlideLayerOptions {
    SlideOptions options;
    Region pins;
    Region glides;
    Vector3d glide_direction = Vector3d::Zero();
    Region pull;
    Vector3d pull_velocity = Vector3d::Zero();
    std::vector<SlideDrag> drags;
    SlideOutput output = SlideOutput::vertices;
    bool has_channels = true;
    bool is_smooth_in_time = true;
    double wrinkle_wavelength = 0.006;

    /// Options for a surface.
    /// \throw InvalidInput  regions that do not exist, values out of range
    SlideOptions options_for(const LayerInput& ground) const;
};

Options describe(SlideLayerOptions& options);

/// Skin that slides and stretches over the body (docs/slide.md).
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_slide_layer(SlideLayerOptions options, const LayerInput& ground);

}  // namespace cutis
