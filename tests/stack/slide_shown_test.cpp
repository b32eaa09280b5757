// What slide shows: the body's shape kept, two views of one state, forces that change over time.

#include <gtest/gtest.h>

#include <cmath>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/layer_stack.h"
#include "cutis/stack/slide_layer.h"

namespace cutis {
namespace {

Body actor(const char* name, const char* clip) {
    Scene scene;
    scene.body.actor = name;
    scene.body.options.clip = clip;
    return load_body(scene, {}, load_actor);
}

std::vector<Frame> frames_of(const Body& body, const SlideLayerOptions& options, int count, double fps = 30.0) {
    const Workers workers(1);
    LayerStack stack(body, {.fps = fps}, workers);
    stack.add("slide", make_slide_layer(options, stack.ground()));
    std::vector<Frame> frames;
    for (int number = 1; number <= count; ++number) {
        frames.push_back(stack.info().empty_frame());
        stack.advance(number, frames.back());
    }
    return frames;
}

// A torus of 0.35 and 0.14 m is shaken: 192 mm of slide, all of it along the torus.
TEST(SlideShown, vertices_that_slide_round_a_torus_stay_on_it) {
    const Body body = actor("torus", "shake");
    SlideLayerOptions options;
    options.options.stickiness = 0.0;
    options.options.tether = 0.0;
    options.options.damping = 1.0;
    options.options.longest_step = 0.001;
    options.has_channels = false;
    const Workers workers(1);
    MatrixX3d plain;
    double furthest = 0.0;
    double largest = 0.0;
    for (const Frame& frame : frames_of(body, options, 34)) {
        body.positions(frame.time, TimeSampling::exact, workers, plain);
        const Vector3d centre = plain.colwise().mean() - body.mesh().positions.colwise().mean();
        const MatrixX3d& shown = frame.body().positions;
        for (Eigen::Index v = 0; v < shown.rows(); ++v) {
            const Vector3d p = shown.row(v).transpose() - centre;
            furthest = std::max(furthest, std::abs(std::hypot(std::hypot(p.x(), p.y()) - 0.35, p.z()) - 0.14));
        }
        largest = std::max(largest, (shown - plain).rowwise().norm().maxCoeff());
    }
    EXPECT_GT(largest, 0.1);
    EXPECT_LT(furthest, 1e-3);
}

TEST(SlideShown, both_outputs_are_those_of_either_alone) {
    const Body body = actor("cylinder", "shake");
    SlideLayerOptions options;
    options.has_channels = false;
    const std::vector<Frame> moved = frames_of(body, options, 6);
    options.output = SlideOutput::uv;
    const std::vector<Frame> slid = frames_of(body, options, 6);
    options.output = SlideOutput::both;
    const std::vector<Frame> both = frames_of(body, options, 6);
    for (size_t i = 0; i < both.size(); ++i) {
        ASSERT_EQ(both[i].meshes.size(), 2U);
        EXPECT_EQ(both[i].body().positions, moved[i].body().positions);
        EXPECT_EQ(both[i].body().uv.rows(), 0);
        EXPECT_EQ(both[i].meshes[1].positions, slid[i].body().positions);
        EXPECT_EQ(both[i].meshes[1].uv, slid[i].body().uv);
    }
    EXPECT_GT((slid[5].body().uv - body.mesh().uv).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(SlideShown, keys_of_one_value_are_that_value_and_forces_wait_for_their_time) {
    const Body body = actor("cylinder", "twist");
    SlideLayerOptions options;
    options.has_channels = false;
    options.options.wind_drag = 5.0;
    SlideDrag drag;
    drag.at = body.mesh().positions.row(300);
    const std::vector<Frame> calm = frames_of(body, options, 8);
    const Vector3d down(0, -9.81, 0);
    const Vector3d air(2, 0, 1);
    options.options.gravity = down;
    options.options.wind = air;
    drag.force = Vector3d(0.1, 0, 0);
    options.drags = {drag};
    const std::vector<Frame> constant = frames_of(body, options, 8);
    options.gravity_over_time = {{0.0, down}};
    options.wind_over_time = {{0.0, air}, {9.0, air}};
    options.drags[0].over_time = {{0.0, drag.force}};
    const std::vector<Frame> keyed = frames_of(body, options, 8);
    EXPECT_EQ(keyed.back().body().positions, constant.back().body().positions);
    EXPECT_GT((constant.back().body().positions - calm.back().body().positions).cwiseAbs().maxCoeff(), 1e-4);
    // Nothing until 0.15 s (frames 1 to 5 end at 4/30 s), then more and more.
    options.gravity_over_time = {{0.15, Vector3d::Zero()}, {0.2, down}};
    options.wind_over_time = {{0.15, Vector3d::Zero()}, {0.2, air}};
    options.drags[0].over_time = {{0.15, Vector3d::Zero()}, {0.2, drag.force}};
    const std::vector<Frame> late = frames_of(body, options, 8);
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(late[i].body().positions, calm[i].body().positions) << i;
    }
    // The seventh frame feels what keys give at 0.183 s, between them.
    EXPECT_GT((late[6].body().positions - calm[6].body().positions).cwiseAbs().maxCoeff(), 1e-7);
    EXPECT_GT((late.back().body().positions - calm.back().body().positions).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(SlideShown, a_pull_follows_its_factor_over_time) {
    const Body body = actor("cylinder", "twist");
    SlideLayerOptions options;
    options.has_channels = false;
    options.output = SlideOutput::vertices;
    options.options.rim = RimMode::glide;
    options.pull.box = {0.49, -1, -1, 0.51, 1, 1};
    const MatrixX3d& rest = body.mesh().positions;
    if (((rest.col(0).array() - 0.5).abs() < 0.01).count() == 0) {
        options.pull.box = {-0.02, -1, -1, 0.02, 1, 1};
    }
    options.pull_velocity = Vector3d(0.2, 0, 0);
    const auto slide = [&] {
        const Frame last = frames_of(body, options, 8).back();
        MatrixX3d plain;
        body.positions(last.time, TimeSampling::exact, Workers(1), plain);
        return (last.body().positions - plain).col(0).maxCoeff();
    };
    const double full = slide();
    options.pull_over_time = {{0.0, 0.5}};
    const double half = slide();
    options.pull_over_time = {{0.0, 0.0}};
    const double none = slide();
    // 0.2 m/s for 7 frames of 1/30 s are 0.047 m at the ring; vertices beside it come along less, and what is shown
    // follows braked skin by up to 2 v / w = 0.012 m.
    EXPECT_GT(full, 0.025);
    EXPECT_LT(full, 0.048);
    EXPECT_NEAR(half, 0.5 * full, 0.1 * full);
    EXPECT_LT(none, 0.2 * full);
}

// Skin of a ring is let go, held where it lies then, and let go again: while it is held nothing on it slides.
TEST(SlideShown, pins_hold_and_let_go_by_their_keys) {
    const Body body = actor("cylinder", "twist");
    SlideLayerOptions options;
    options.output = SlideOutput::none;
    options.options.rim = RimMode::glide;
    options.options.tolerance = 1e-10;
    options.options.use_sleeping = false;  // pins that may be let go keep skin awake, and this compares with no pins
    options.pins.box = {0.1, -1, -1, 0.2, 1, 1};
    const MatrixX3d& rest = body.mesh().positions;
    std::vector<Eigen::Index> ring;
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        if (rest(v, 0) >= 0.1 && rest(v, 0) <= 0.2) {
            ring.push_back(v);
        }
    }
    ASSERT_GT(ring.size(), 10U);
    const auto slid = [&](const Frame& frame, Eigen::Index v) {
        return frame.body().channels[5][static_cast<size_t>(v)];  // slide distance
    };
    const std::vector<Frame> held = frames_of(body, options, 20);
    options.pins_over_time = {{0.0, 1.0}};
    const std::vector<Frame> always = frames_of(body, options, 20);
    options.pins_over_time = {{0.0, 0.0}};
    const std::vector<Frame> never = frames_of(body, options, 20);
    // Frames to the 11th (half way at 0.317 s) free, 12 to 17 (0.35 to 0.517 s) held, then free.
    options.pins_over_time = {{0.33, 0.0}, {0.34, 1.0}, {0.52, 1.0}, {0.53, 0.0}};
    const std::vector<Frame> changing = frames_of(body, options, 20);
    options.pins_over_time.clear();
    options.pins = {};
    const std::vector<Frame> without = frames_of(body, options, 20);
    double moved = 0.0;
    double after = 0.0;
    for (const Eigen::Index v : ring) {
        EXPECT_EQ(slid(held[19], v), 0.0);
        EXPECT_EQ(slid(always[19], v), 0.0);
        EXPECT_NEAR(slid(never[19], v), slid(without[19], v), 1e-9);
        EXPECT_NEAR(slid(changing[10], v), slid(without[10], v), 1e-9);
        for (int i = 11; i < 17; ++i) {
            EXPECT_EQ(slid(changing[i], v), slid(changing[10], v)) << i;
        }
        moved = std::max(moved, slid(changing[10], v));
        after = std::max(after, std::abs(slid(changing[19], v) - slid(changing[10], v)));
    }
    EXPECT_GT(moved, 1e-4);
    EXPECT_GT(after, 1e-5);
}

// The hand turns about the forearm. Skin that goes along with a node that stays keeps its place in space; skin that
// goes along with the hand is as good as pinned.
TEST(SlideShown, pulled_skin_goes_along_with_its_node) {
    const Body body = actor("arm", "twist");
    const Workers workers(1);
    MatrixX3d first;
    MatrixX3d plain;
    body.positions(0.0, TimeSampling::exact, workers, first);
    const SkinWeights& weights = body.rig()->weights;
    const int hand = body.rig()->joint_count() - 1;
    ASSERT_EQ(body.rig()->name[static_cast<size_t>(hand)], "hand");
    SlideLayerOptions options;
    options.has_channels = false;
    options.pull = "joint:hand";
    for (const char* name : {"arm", "hand"}) {
        options.pull_node = name;
        const std::vector<Frame> frames = frames_of(body, options, 24);  // it begins to turn at 0.3 s
        const Frame& last = frames.back();
        body.positions(last.time, TimeSampling::exact, workers, plain);
        double off = 0.0;
        double turned = 0.0;
        int count = 0;
        for (int v = 0; v < plain.rows(); ++v) {
            const size_t strongest = static_cast<size_t>(v) * static_cast<size_t>(weights.influences);
            if (weights.joints[strongest] != hand || weights.weights[strongest] < 0.95 ||
                (first.row(v) - plain.row(v)).norm() < 0.01) {
                continue;
            }
            const MatrixX3d& expected = std::string(name) == "arm" ? first : plain;
            off += (last.body().positions.row(v) - expected.row(v)).norm();
            turned += (plain.row(v) - first.row(v)).norm();
            ++count;
        }
        ASSERT_GT(count, 20) << name;
        // Shown vertices are behind their skin by their springs, as long as it moves.
        EXPECT_LT(off, 0.5 * turned) << name;
    }
}

// The force of a hand that goes with a node is its stiffness times the way of the node from the body since the start.
TEST(SlideShown, a_hand_draws_skin_after_its_node) {
    const Body body = actor("arm", "twist");
    const Workers workers(1);
    const SkinWeights& weights = body.rig()->weights;
    const int hand = body.rig()->joint_count() - 1;
    MatrixX3d first;
    MatrixX3d last;
    body.positions(0.0, TimeSampling::exact, workers, first);
    body.positions(14.0 / 30.0, TimeSampling::exact, workers, last);
    int there = -1;
    for (int v = 0; v < first.rows(); ++v) {
        const size_t strongest = static_cast<size_t>(v) * static_cast<size_t>(weights.influences);
        const bool is_of_hand = weights.joints[strongest] == hand && weights.weights[strongest] > 0.95;
        if (is_of_hand &&
            (there < 0 || (last.row(v) - first.row(v)).norm() > (last.row(there) - first.row(there)).norm())) {
            there = v;
        }
    }
    ASSERT_GE(there, 0);
    SlideLayerOptions options;
    options.has_channels = false;
    options.is_smooth_in_time = false;
    options.options.tolerance = 1e-10;
    const MatrixX3d without = frames_of(body, options, 15).back().body().positions;
    SlideDrag drag;
    drag.at = body.mesh().positions.row(there);
    drag.stiffness = 40.0;
    drag.node = "hand";
    options.drags = {drag};
    const double beside = (frames_of(body, options, 15).back().body().positions - without).cwiseAbs().maxCoeff();
    options.drags[0].node = "arm";
    const MatrixX3d drawn = frames_of(body, options, 15).back().body().positions;
    options.drags[0].node.clear();
    for (int k = 0; k < 15; ++k) {
        body.positions(k / 30.0, TimeSampling::exact, workers, last);
        const Vector3d way = first.row(there) - last.row(there);
        options.drags[0].over_time.push_back({k == 0 ? 0.0 : (k - 0.5) / 30.0, 40.0 * way});
    }
    // The same force by keys; where it brakes, rounding decides.
    EXPECT_LT((frames_of(body, options, 15).back().body().positions - drawn).cwiseAbs().maxCoeff(),
              0.1 * (drawn - without).cwiseAbs().maxCoeff());
    EXPECT_GT((drawn - without).cwiseAbs().maxCoeff(), 1e-5);
    // There the body itself goes with the hand, nearly: it draws next to nothing.
    EXPECT_LT(beside, 0.2 * (drawn - without).cwiseAbs().maxCoeff());
}

std::string refusal(const std::string& keys) {
    try {
        const Scene scene = parse_scene("[body]\nactor = \"cylinder\"\n[[layer]]\nkind = \"slide\"\n" + keys, "a.toml");
        const Body body = load_body(scene, {}, load_actor);
        const Workers workers(1);
        LayerStack stack(body, {}, workers);
        scene.layers[0].plan->prepare(stack.ground(), {});
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

TEST(SlideShown, bad_forces_regions_and_masks_are_refused_by_name) {
    const auto expect = [](const std::string& keys, const std::vector<std::string>& words) {
        const std::string text = refusal(keys);
        for (const std::string& word : words) {
            EXPECT_NE(text.find(word), std::string::npos) << "expected \"" << word << "\" in: " << text;
        }
    };
    expect("wind = [nan, 0, 0]\nwind_drag = 1\n", {"a.toml:5", "wind", "finite"});
    expect("wind_drag = 1\nwind_over_time = [{ time = 0, value = [0, inf, 0] }]\n", {"a.toml", "value", "finite"});
    expect("wind_over_time = [{ time = 0, value = [1, 0, 0] }]\n", {"wind_over_time", "wind_drag"});
    expect("gravity_over_time = [{ time = 1, value = [0, 0, 0] }, { time = 0.5, value = [0, 0, 0] }]\n",
           {"gravity_over_time", "rising times", "0.5"});
    expect("pull_over_time = [{ time = 1, value = 2 }]\n", {"pull_over_time", "expected pull"});
    expect("pins_over_time = [{ time = 1, value = 0 }]\n", {"pins_over_time", "expected pins"});
    expect("pull = \"all\"\npull_node = \"hand\"\n", {"pull_node", "expected a node", "hand"});
    expect("pull_node = \"hand\"\n", {"pull_node", "expected pull"});
    expect("drag = [{ at = [0.5, 0.25, 0], node = \"hand\" }]\n", {"drag node", "expected a node", "hand"});
    expect("region_rim = \"glide\"\n", {"region_rim", "expected a region"});
    expect("stretch_angle = 20\n", {"stretch_angle", "directed_stretch"});
    expect("region = [{ box = [8, 8, 8, 9, 9, 9] }, 1, 0]\n", {"region", "found none"});
    expect("pins = { box = [8, 8, 8, 9, 9, 9] }\n", {"pins", "at least one vertex", "found none"});
    expect("tether = \"painted:MASK_OF_ANOTHER\"\n",
           {"painted:MASK_OF_ANOTHER", "expected a painted vertex attribute"});
    expect("output = \"uvs\"\n", {"output", "uvs", "both"});
}

}  // namespace
}  // namespace cutis
