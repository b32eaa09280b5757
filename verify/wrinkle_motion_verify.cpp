#include "verify/wrinkle_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "cutis/actors/actors.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/layer_stack.h"

// Wrinkles on a person that moves: a hand closes to a fist within three quarters of a second, and opens.

namespace cutis::verify {

namespace {

constexpr double seconds = 1.5;  // of the clip: it closes
constexpr int slowest = 60;      // frames a second

/// Largest second difference of heights from frame to frame, metres, and the highest wrinkle.
struct Motion {
    double second = 0.0;
    double highest = 0.0;
};
Motion motion_of(const std::string& layers, int fps) {
    const Scene scene = parse_scene("[body]\nactor = \"hand\"\nclip = \"fist\"\n" + layers, "verify");
    const Body body = load_body(scene, {}, load_actor);
    const Workers two(2);
    StackOptions how;
    how.fps = fps;
    LayerStack stack(body, how, two);
    for (const LayerScene& layer : scene.layers) {
        stack.add(layer.kind, layer.plan->prepare(stack.ground(), {}));
    }
    Frame frame = stack.info().empty_frame();
    std::array<std::vector<double>, 2> last;
    Motion motion;
    for (int number = 1; number <= static_cast<int>(seconds * fps); ++number) {
        stack.advance(number, frame);
        const std::vector<double>& now = *stack.info().channel(frame, "wrinkle height");
        for (size_t v = 0; v < now.size(); ++v) {
            motion.highest = worse(now[v], motion.highest);
            if (number > 2) {
                motion.second = worse(std::abs(now[v] - 2.0 * last[1][v] + last[0][v]), motion.second);
            }
        }
        last[0].swap(last[1]);
        last[1] = now;
    }
    return motion;
}

}  // namespace

void add_wrinkles_of_a_hand(std::vector<Case>& cases) {
    const std::string wrinkle = "[[layer]]\nkind = \"wrinkle\"\nskin = \"knuckle\"\nmap_size = 64\n";
    std::array<Motion, 4> rates;
    for (size_t i = 0; i < rates.size(); ++i) {
        rates[i] = motion_of(wrinkle, slowest << i);
    }
    cases.push_back(case_at_least("wrinkle", "a hand closes within 0.75 s: its highest wrinkle", rates[1].highest, 1e-3,
                                  "m", "so that the next cases have something to measure"));
    cases.push_back(case_at_most("wrinkle", "largest second difference of its heights at 120 frames a second",
                                 rates[1].second, 1e-4, "m", "skinning alone presses its palm to a third"));
    double falls = 1e30;
    for (size_t i = 0; i + 1 < rates.size(); ++i) {
        falls = std::min(falls, rates[i].second / std::max(rates[i + 1].second, 1e-12));
    }
    cases.push_back(case_at_least("wrinkle", "its least fall per halving of the step, 60 to 480 frames a second", falls,
                                  1.6, "", "the clip's own keys have kinks"));
    const Motion slid = motion_of("[[layer]]\nkind = \"slide\"\n" + wrinkle, 2 * slowest);
    cases.push_back(case_at_most("wrinkle", "the same over skin that slides, at 120 frames a second", slid.second, 1e-4,
                                 "m", "skin hops; two low passes"));
}

}  // namespace cutis::verify
