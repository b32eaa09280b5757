#include <cmath>
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/point_cache_read.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        const cutis::PointCache cache = cutis::read_mdd({data, size}, "fuzz.mdd");
        if (cache.frame_count() < 1 || !std::isfinite(cache.start) || !(cache.rate > 0.0) ||
            !std::isfinite(cache.rate)) {
            std::abort();
        }
    } catch (const cutis::Error&) {
    }
    return 0;
}
