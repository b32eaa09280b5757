#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/slide/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

enum class SlideOutput { vertices, uv, none, both };

/// A value at a time; between keys it changes evenly, before the first and after the last it stays.
struct VectorKey {
    double time = 0.0;
    Vector3d value = Vector3d::Zero();
};
struct NumberKey {
    double time = 0.0;
    double value = 0.0;
};

Options describe(VectorKey& key);
Options describe(NumberKey& key);

/// A hand that drags the skin, where a scene puts it.
struct SlideDrag {
    Vector3d at = Vector3d::Zero();
    Vector3d force = Vector3d::Zero();
    double radius = 0.05;
    std::vector<VectorKey> over_time;  ///< its force instead
    std::string node;                  ///< of the character: the hand goes with it, and draws the skin after it
    double stiffness = 10.0;           ///< N/m, with a node
};

Options describe(SlideDrag& drag);

/// A slide layer: the skin, and places that are looked up on a body.
struct SlideLayerOptions {
    SlideOptions options;
    Region pins;
    bool leaves_rigid = true;  ///< rigid parts and hair keep to the body
    Region glides;
    Vector3d glide_direction = Vector3d::Zero();
    Region pull;
    Vector3d pull_velocity = Vector3d::Zero();
    std::string pull_node;  ///< of the character: pulled skin goes along with it instead
    std::vector<SlideDrag> drags;
    std::vector<VectorKey> gravity_over_time, wind_over_time;  ///< instead of the constants
    std::vector<NumberKey> pull_over_time;                     ///< factors of pull_velocity
    std::vector<NumberKey> pins_over_time;                     ///< from 0.5 on pins hold, below they let go
    SlideOutput output = SlideOutput::vertices;
    bool has_channels = true;
    bool is_smooth_in_time = true;
    std::optional<double> wrinkle_wavelength;  ///< metres

    /// Options for a surface.
    /// \throw InvalidInput  regions that do not exist, values out of range
    SlideOptions options_for(const LayerInput& ground) const;
};

Options describe(SlideLayerOptions& options);

/// Skin that slides and stretches over the body (docs/slide.md).
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_slide_layer(SlideLayerOptions options, const LayerInput& ground);
/// See LayerPlan::change.
bool change_slide_layer(Layer& layer, const SlideLayerOptions& options, const std::string& key);

}  // namespace cutis
