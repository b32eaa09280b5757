#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cutis/core/options.h"
#include "cutis/curve/options.h"
#include "cutis/stack/layer.h"

namespace cutis {

/// A shape to reach: a morph target, a mesh file, or the body's own shape at that time.
struct CurveExample {
    double time = 0.0;
    std::string morph;
    std::string file;
};

Options describe(CurveExample& example);

/// A force given by hand.
struct CurveForce {
    double time = 0.0;
    Vector3d push = Vector3d::Zero();
    Region region;  ///< empty: the whole part
};

Options describe(CurveForce& force);

/// A curve layer.
struct CurveLayerOptions {
    PartNames part;
    std::vector<std::string> parts;  ///< kinds found by themselves where no part is named; empty: all
    Region region;
    CurveLayout layout;
    FleshOptions flesh;
    Painted softness = 1.0;
    std::optional<double> a1;
    double a2 = 1.0;
    std::vector<CurveExample> examples;
    bool morph_examples = false;  ///< targets keyed in the clip are examples of the pose at which they are strongest
    std::vector<CurveForce> forces;
    bool collide = true;  ///< parts stay out of the rest of the body
    std::vector<FleshCollider> colliders;
    std::string preset;  ///< body part whose numbers are taken; empty: none
    /// Knobs from 0 to 1 in place of frequency, inertia and damping.
    std::optional<double> soft, lively, damped;
    bool loop = true;  ///< flesh of a body that repeats does so from its first frame on
};

Options describe(CurveLayerOptions& options);

/// Flesh that deforms between examples with its own dynamics (docs/curve.md).
/// \param meshes  files that examples name, by name
/// \throw InvalidInput  options that do not fit the surface
std::unique_ptr<Layer> make_curve_layer(CurveLayerOptions options, const LayerInput& ground,
                                        const LayerMeshes& meshes = {});

}  // namespace cutis
