#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cutis/io/json.h"

namespace cutis {

/// Bytes of one buffer view, and what they are.
struct ViewBytes {
    enum class Use {
        other,       ///< pictures and whatever else: as they are
        attributes,  ///< elements of `stride` bytes, a multiple of 4
        triangles,   ///< indices of `stride` bytes, three to a triangle, which may begin with another corner
        indices,     ///< other indices
    };

    std::span<const unsigned char> bytes;
    Use use = Use::other;
    int stride = 0;
    std::optional<int> exponent;  ///< all are floats, whole multiples of 2 to the power of it
};

/// The same in fewer bytes, with what EXT_meshopt_compression says of them.
struct PackedView {
    std::vector<unsigned char> bytes;
    Json about;  ///< mode, filter, stride and count
};

/// \return nothing where it would not get smaller, or this was compiled without meshoptimizer
std::optional<PackedView> pack_view(const ViewBytes& view);

/// What the views of a document hold, from the accessors and primitives that use them.
std::vector<ViewBytes> uses_of_views(const Json& root, std::span<const unsigned char> bytes);

/// Can this number be written with that step by the filter of compressed floats?
bool fits_exponent(std::span<const float> values, int exponent);

}  // namespace cutis
