// EXT_meshopt_compression through meshoptimizer, an optional part of the build.
#include "io/gltf/file.h"

#ifdef CUTIS_MESHOPT
#include <meshoptimizer.h>
#endif

#include "cutis/core/error.h"

namespace cutis {

#ifdef CUTIS_MESHOPT

bool knows_meshopt() {
    return true;
}

Bytes decode_meshopt(const JsonAt& at, std::span<const unsigned char> packed, std::size_t length) {
    const auto stride = static_cast<std::size_t>(at.at("byteStride").integer(1, 256));
    const auto count = static_cast<std::size_t>(at.at("count").integer(1, (std::int64_t{1} << 31) - 1));
    const std::string mode = at.at("mode").text();
    const auto filter_at = at.find("filter");
    const std::string filter = filter_at ? filter_at->text() : "NONE";
    if (stride * count > length) {
        at.fail(concat("expected ", count, " elements of ", stride, " bytes in a view of ", length, " bytes"));
    }
    Bytes out(length, 0);
    int error = 0;
    if (mode == "ATTRIBUTES") {
        if (stride % 4 != 0) {
            at.at("byteStride").wrong("a multiple of 4");
        }
        error = meshopt_decodeVertexBuffer(out.data(), count, stride, packed.data(), packed.size());
    } else if (mode == "TRIANGLES" || mode == "INDICES") {
        if (stride != 2 && stride != 4) {
            at.at("byteStride").wrong("2 or 4");
        }
        if (mode == "TRIANGLES" && count % 3 != 0) {
            at.at("count").wrong("a multiple of 3");
        }
        error = mode == "TRIANGLES"
                    ? meshopt_decodeIndexBuffer(out.data(), count, stride, packed.data(), packed.size())
                    : meshopt_decodeIndexSequence(out.data(), count, stride, packed.data(), packed.size());
    } else {
        at.at("mode").wrong("ATTRIBUTES, TRIANGLES or INDICES");
    }
    if (error != 0) {
        at.fail(concat("expected ", count, " elements of ", stride, " bytes, found ", packed.size(),
                       " broken compressed bytes"));
    }
    if (filter == "OCTAHEDRAL" && (stride == 4 || stride == 8)) {
        meshopt_decodeFilterOct(out.data(), count, stride);
    } else if (filter == "QUATERNION" && stride == 8) {
        meshopt_decodeFilterQuat(out.data(), count, stride);
    } else if (filter == "EXPONENTIAL" && stride % 4 == 0) {
        meshopt_decodeFilterExp(out.data(), count, stride);
    } else if (filter != "NONE") {
        filter_at->wrong("NONE, OCTAHEDRAL (4 or 8 bytes), QUATERNION (8 bytes) or EXPONENTIAL");
    }
    return out;
}

#else

bool knows_meshopt() {
    return false;
}

Bytes decode_meshopt(const JsonAt& at, std::span<const unsigned char>, std::size_t) {
    at.fail("expected uncompressed meshes");
}

#endif

}  // namespace cutis
