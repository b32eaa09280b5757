#include <cmath>
#include <cstdlib>

#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/io/scene_read.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    try {
        const cutis::Scene scene = cutis::parse_scene({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
        const bool is_sound = scene.fps > 0.0 && std::isfinite(scene.fps) && scene.first_frame >= 1 &&
                              scene.last_frame >= 0 && scene.pre_roll >= 0.0 && scene.body.options.scale > 0.0 &&
                              cutis::sink_options(scene).glb.tolerance > 0.0 && scene.layers.empty();
        if (!is_sound) {
            std::abort();
        }
    } catch (const cutis::Error&) {
    }
    return 0;
}
