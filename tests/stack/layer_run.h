#pragma once

#include "cutis/stack/layer.h"
#include "cutis/stack/sink.h"

namespace cutis::test {

/// A frame for one layer by itself, with room for what it announces.
struct LayerRun {
    explicit LayerRun(const Layer& layer) : info(announced(layer)), whole(info.empty_frame()) {}

    const std::vector<double>* channel(const std::string& name) const { return info.channel(whole, name); }

    BakeInfo info;
    Frame whole;
    LayerFrame frame{whole, info.layers.front()};

private:
    static BakeInfo announced(const Layer& layer) {
        BakeInfo info;
        info.meshes.resize(1);
        info.add_layer("layer", layer.facts());
        return info;
    }
};

}  // namespace cutis::test
