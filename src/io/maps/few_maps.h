#pragma once

#include <cstdint>
#include <vector>

#include "cutis/stack/sink.h"
#include "io/store/frame_store.h"

namespace cutis {

/// Few pictures in place of one a frame: k exact normal maps of k frames, and k weights for every frame. What is
/// blended are slopes: n.xy / n.z of each map, weighted and added.
class FewMaps {
public:
    /// \param layer  that paints; \param most  maps
    FewMaps(const LayerInfo& layer, const Workers& workers, int most) : layer_(layer), workers_(workers), most_(most) {}

    /// What it needs again of frames.
    void want(FrameStore& frames) const;
    void take(const Frame& frame);

    struct Result {
        int size = 0;
        std::vector<int> frames;                           ///< whose maps they are, places in the bake from 0
        std::vector<std::vector<unsigned char>> pictures;  ///< PNG, 8 bits a number, x along u, y along v up
        std::vector<float> weights;                        ///< frames x maps, each 0 or more
        double error = 0.0;                                ///< degrees: rms over all frames, where there are wrinkles
    };
    /// \param side  pixels of the pictures: maps are halved until they fit
    Result finish(FrameStore& frames, const BakeInfo& info, int side);

private:
    const LayerInfo& layer_;
    const Workers& workers_;
    int most_;
    std::vector<float> normals_;
    struct Slope {
        int texel;
        float x, y;
    };
    std::vector<std::vector<Slope>> slopes_;  // per frame: of a part of all texels, those that have one
    std::vector<bool> is_used_;               // per texel looked at: has a slope in some frame
};

/// Weights of 0 or more with which columns come nearest to a target, in the least-squares sense.
/// \param products  columns' products with each other;  \param with  their products with the target
Eigen::VectorXd nonnegative_weights(const Eigen::MatrixXd& products, const Eigen::VectorXd& with);

}  // namespace cutis
