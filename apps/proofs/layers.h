#pragma once

#include <string>
#include <vector>

namespace cutis::app {

/// Names `verify` and `bench` accept, whether or not they hold something yet.
inline std::vector<std::string> layer_names() {
    return {"body", "slide", "curve", "fold", "wrinkle", "shell", "stack"};
}

/// A layer's part of a verb; later layers add a line to the verb's list.
template <class Maker>
struct LayerOf {
    std::string layer;
    Maker make;
};

}  // namespace cutis::app
