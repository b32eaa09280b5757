#pragma once

#include "io/gltf/write_document.h"

namespace cutis {

/// The one animation "bake" of a file: linear keys at every frame, the first at time 0.
class GlbAnimation {
public:
    GlbAnimation(GlbDocument& document, int frame_count, double fps)
        : document_(document), frame_count_(frame_count), fps_(fps) {}

    /// \param path    "weights", "translation", "rotation" or "scale"
    /// \param values  the same count of numbers for every frame
    /// \param type    of the accessor
    void add_channel(int node, const char* path, std::span<const float> values, const char* type);

    /// Puts it into the document, where there is anything in it.
    void finish();

private:
    GlbDocument& document_;
    int frame_count_;
    double fps_;
    int times_ = -1;  ///< accessor
    GlbDocument::Json channels_ = GlbDocument::Json::array();
    GlbDocument::Json samplers_ = GlbDocument::Json::array();
};

}  // namespace cutis
