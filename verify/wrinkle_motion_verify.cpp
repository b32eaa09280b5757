#include "verify/wrinkle_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>

#include "cutis/actors/actors.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/layer_stack.h"
#include "verify/data.h"

// Wrinkles on people that move, in the heights of vertices and in the pictures: a hand closes to a fist within three
// quarters of a second, an arm is lifted, a dancer turns. Skinning opens and closes armpits within a few frames.

namespace cutis::verify {

namespace {

constexpr int slowest = 60;  // frames a second

struct Subject {
    std::string name, scene;
    double begin, end;  // seconds of the clip
};

/// Largest second differences from frame to frame, metres, and the highest wrinkle.
struct Motion {
    double vertices = 0.0;  // of their heights, valley to crest
    double texels = 0.0;    // of what the picture shows
    double highest = 0.0;
};

/// Second differences of rows of numbers that come one after the other.
template <class Number>
class Second {
public:
    /// Of this row, the one before and the one before that; 0 as long as there are none.
    double next(const std::vector<Number>& now) {
        double most = 0.0;
        for (size_t i = 0; rows_ >= 2 && i < now.size(); ++i) {
            most = worse(std::abs(static_cast<double>(now[i]) - 2.0 * static_cast<double>(last_[1][i]) +
                                  static_cast<double>(last_[0][i])),
                         most);
        }
        last_[0].swap(last_[1]);
        last_[1] = now;
        ++rows_;
        return most;
    }

private:
    std::array<std::vector<Number>, 2> last_;
    int rows_ = 0;
};

Motion motion_of(const Subject& subject, const std::string& below, int fps) {
    const Scene scene = parse_scene(
        "[body]\n" + subject.scene + below + "[[layer]]\nkind = \"wrinkle\"\nskin = \"knuckle\"\nmap_size = 256\n",
        "verify");
    const Body body = load_body(scene, {}, load_actor);
    const Workers two(2);
    StackOptions how;
    how.fps = fps;
    LayerStack stack(body, how, two);
    for (const LayerScene& layer : scene.layers) {
        stack.add(layer.kind, layer.plan->prepare(stack.ground(), {}));
    }
    const LayerInfo& wrinkles = stack.info().layers.back();
    Frame frame = stack.info().empty_frame();
    std::vector<float> picture;
    Second<double> of_vertices;
    Second<float> of_texels;
    Motion motion;
    for (int number = static_cast<int>(subject.begin * fps) + 1; number <= static_cast<int>(subject.end * fps);
         ++number) {
        stack.advance(number, frame);
        const std::vector<double>& heights = frame.body().channels[wrinkles.first_channel];
        motion.highest = std::max(motion.highest, *std::max_element(heights.begin(), heights.end()));
        motion.vertices = worse(of_vertices.next(heights), motion.vertices);
        wrinkles.maps->paint(frame.body(), wrinkles.first_channel, two, &picture, nullptr);
        motion.texels = worse(of_texels.next(picture), motion.texels);
    }
    return motion;
}

void add_subject(const Subject& subject, std::vector<Case>& cases) {
    std::array<Motion, 4> rates;
    for (size_t i = 0; i < rates.size(); ++i) {
        rates[i] = motion_of(subject, "", slowest << i);
    }
    const auto add = [&](const std::string& what, const Motion& motion) {
        cases.push_back(case_at_most(
            "wrinkle", subject.name + ": largest second difference of heights at 120 frames " + "a second" + what,
            motion.vertices, 1e-4, "m", "heights start and stop no faster than `calm` allows"));
        cases.push_back(case_at_most("wrinkle", subject.name + ": the same in the picture" + what, motion.texels, 1e-4,
                                     "m", "profiles change their shape as calmly"));
    };
    cases.push_back(case_at_least("wrinkle", subject.name + ": its highest wrinkle", rates[1].highest, 1e-3, "m",
                                  "so that the next cases have something to measure"));
    add("", rates[1]);
    double falls = 1e30;
    for (size_t i = 0; i + 1 < rates.size(); ++i) {
        falls = std::min({falls, rates[i].vertices / std::max(rates[i + 1].vertices, 1e-12),
                          rates[i].texels / std::max(rates[i + 1].texels, 1e-12)});
    }
    cases.push_back(
        case_at_least("wrinkle", subject.name + ": their least fall per halving of the step, 60 to 480 frames a second",
                      falls, 1.6, "", "a pop stays as it is (1), a kink halves, a smooth way quarters"));
    add(", over skin that slides", motion_of(subject, "[[layer]]\nkind = \"slide\"\n", 2 * slowest));
}

}  // namespace

void add_wrinkles_of_people(std::vector<Case>& cases) {
    add_subject({"a hand closes within 0.75 s", "actor = \"hand\"\nclip = \"fist\"\n", 0.0, 1.5}, cases);
    add_subject({"an arm is lifted", "actor = \"torso\"\nclip = \"lift_arm\"\n", 0.8, 1.5}, cases);
    const std::filesystem::path dancer = data_folder() / "dancer/dancer.glb";
    if (std::filesystem::exists(dancer)) {
        add_subject({"a dancer turns", "file = '" + dancer.string() + "'\nmesh = \"body\"\n", 6.3, 6.9}, cases);
    } else {
        cases.push_back(case_skipped("wrinkle", "a dancer turns: her wrinkles", missing(dancer)));
    }
}

}  // namespace cutis::verify
