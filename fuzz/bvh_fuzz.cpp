#include <cmath>
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/bvh_read.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        const cutis::BvhMotion motion = cutis::read_bvh({data, size}, "fuzz.bvh");
        for (const cutis::Channel& channel : motion.clip.channels) {
            for (const double value : channel.values) {
                if (!std::isfinite(value)) {
                    std::abort();
                }
            }
        }
    } catch (const cutis::Error&) {
    }
    return 0;
}
