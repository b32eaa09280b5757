// What the stack asks of the body over time: how often, how far ahead, and what it does about cuts.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/stack/curve_layer.h"
#include "cutis/stack/fold_layer.h"
#include "cutis/stack/layer_stack.h"
#include "cutis/stack/shell_layer.h"
#include "cutis/stack/slide_layer.h"
#include "support/shapes.h"

namespace cutis {
namespace {

/// What a motion was asked for.
struct Asked {
    int poses = 0;
    int joints = 0;
    double latest = -1e9;
    double shift_from = 1e9;  ///< source time from which on the character stands elsewhere
};

/// A motion that counts, of an actor's own; may teleport by 5 m between two frames.
class Counting : public Motion {
public:
    Counting(std::shared_ptr<const Motion> motion, Asked& asked) : motion_(std::move(motion)), asked_(asked) {}
    int vertex_count() const override { return motion_->vertex_count(); }
    double start() const override { return motion_->start(); }
    double end() const override { return motion_->end(); }
    double key_interval() const override { return motion_->key_interval(); }
    void positions(double time, TimeSampling sampling, const Workers& workers, MatrixX3d& out) const override {
        ++asked_.poses;
        asked_.latest = std::max(asked_.latest, time);
        motion_->positions(time, sampling, workers, out);
        out.col(0).array() += shift(time, sampling);
    }
    void node_frames(double time, TimeSampling sampling, std::vector<Eigen::Affine3d>& out) const override {
        ++asked_.joints;
        asked_.latest = std::max(asked_.latest, time);
        motion_->node_frames(time, sampling, out);
        for (Eigen::Affine3d& frame : out) {
            frame.pretranslate(Vector3d(shift(time, sampling), 0.0, 0.0));
        }
    }

private:
    // Keys are a frame apart; between them as cutis' own samplers do it: a straight line, or a
    // smooth curve that draws the jump out into the frames beside it.
    double shift(double time, TimeSampling sampling) const {
        constexpr double far = 5.0;
        const double t = 30.0 * (time - asked_.shift_from) + 1.0;  // the jump is from 0 to 1
        double share = std::clamp(t, 0.0, 1.0);
        if (sampling == TimeSampling::smooth) {
            const auto overshoot = [](double x) { return 0.5 * x * (1.0 - x) * (1.0 - x); };
            share += t > -1.0 && t < 0.0 ? -overshoot(-t) : t > 1.0 && t < 2.0 ? overshoot(t - 1) : 0;
        }
        return far * share;
    }

    std::shared_ptr<const Motion> motion_;
    Asked& asked_;
};

Body arm(const std::string& clip, Asked& asked) {
    static const auto character = std::make_shared<const Character>(load_actor("arm"));
    BodyOptions options;
    options.clip = clip;
    Body::Source source = make_body(character, options).source();
    source.motion = std::make_shared<Counting>(source.motion, asked);
    return Body(std::move(source), {});
}

/// A kind of layer and how one is made on a surface: no scene is needed.
struct Made {
    std::string kind;
    std::function<std::unique_ptr<Layer>(const LayerInput&)> make;
};

struct Stack {
    Workers workers;
    LayerStack stack;
    Frame frame;

    Stack(const Body& body, const std::vector<Made>& layers, StackOptions options = {}, int threads = 1)
        : workers(threads), stack(body, options, workers) {
        for (const Made& layer : layers) {
            stack.add(layer.kind, layer.make(stack.ground()));
        }
        frame = stack.info().empty_frame();
    }
    const MatrixX3d& advance(int number) {
        stack.advance(number, frame);
        return frame.body().positions;
    }
};

Made curve() {
    CurveLayerOptions options;
    options.part.to = {"hand"};
    options.flesh.curve.free_tip = false;
    return {"curve", [=](const LayerInput& ground) { return make_curve_layer(options, ground); }};
}

Made fold() {
    FoldLayerOptions options;
    options.solver.look.width = Painted(0.03);
    return {"fold", [=](const LayerInput& ground) { return make_fold_layer(options, ground); }};
}

Made slide(SlideOutput output = SlideOutput::vertices, const Region& pins = {}) {
    SlideLayerOptions options;
    options.output = output;
    options.pins = pins;
    return {"slide", [=](const LayerInput& ground) { return make_slide_layer(options, ground); }};
}

Made shell(ShellAnchor anchor = ShellAnchor::surface) {
    ShellLayerOptions options;
    options.size = 0.06;
    options.anchor = anchor;
    return {"shell", [=](const LayerInput& ground) { return make_shell_layer(options, ground); }};
}

TEST(LayerStack, poses_the_body_once_per_step_of_slide_and_once_per_frame) {
    Asked asked;
    const Body body = arm("bend", asked);
    Stack alone(body, {slide()});
    alone.advance(1);
    alone.advance(2);
    asked = {};
    alone.advance(3);
    // 4 steps of at most 1/120 s in a frame of 1/30 s, and the frame itself, posed two frames
    // ahead.
    EXPECT_EQ(asked.poses, 5);
    EXPECT_EQ(asked.joints, 0);
}

TEST(LayerStack, solves_folds_below_slide_once_per_frame) {
    Asked asked;
    const Body body = arm("bend", asked);
    Stack both(body, {fold(), slide()});
    both.advance(1);
    both.advance(2);
    asked = {};
    both.advance(3);
    EXPECT_EQ(asked.poses, 5);
    EXPECT_EQ(asked.joints, 1);  // of fold: the refined mesh and its own skinned once
}

// The largest distance of a layer's result from the body, per frame.
std::vector<double> distances(const Body& body, const Made& layer, int frames, const std::string& channel) {
    Stack run(body, {layer});
    std::vector<double> largest;
    for (int f = 1; f <= frames; ++f) {
        run.advance(f);
        const std::vector<double>& values = *run.stack.info().channel(run.frame, channel);
        largest.push_back(*std::max_element(values.begin(), values.end()));
    }
    return largest;
}

TEST(LayerStack, a_teleport_is_felt_by_no_layer_with_memory) {
    // The arm bends; at frame 13 it is 5 m away. Without the jump both layers move by millimetres.
    for (const auto& [layer, channel] : std::vector<std::pair<Made, std::string>>{
             {curve(), "curve displacement"}, {slide(SlideOutput::uv), "slide distance"}}) {
        Asked asked;
        const Body body = arm("bend", asked);
        const std::vector<double> plain = distances(body, layer, 40, channel);
        asked.shift_from = 12.0 / 30.0;
        const std::vector<double> jumping = distances(body, layer, 40, channel);
        const double usual = *std::max_element(plain.begin(), plain.end());
        for (size_t f = 0; f < 40; ++f) {
            if (f < 10) {
                EXPECT_EQ(jumping[f], plain[f]) << layer.kind << " frame " << f + 1;
            } else {
                // The same motion from another start: never more than it is without the jump.
                EXPECT_LT(jumping[f], 1.2 * usual) << layer.kind << " frame " << f + 1;
            }
        }
    }
}

TEST(LayerStack, says_where_the_body_jumped) {
    Asked asked;
    asked.shift_from = 12.0 / 30.0;
    const Body body = arm("bend", asked);
    Stack run(body, {slide()});
    for (int f = 1; f <= 15; ++f) {
        run.advance(f);
    }
    EXPECT_EQ(run.stack.cuts(), (std::vector<int>{13}));
    EXPECT_EQ(run.stack.layer(0).report().numbers.at("starts"), 2.0);
    // A larger distance makes it a motion.
    StackOptions options;
    options.cut_distance = 100.0;
    Stack patient(body, {curve()}, options);
    for (int f = 1; f <= 15; ++f) {
        patient.advance(f);
    }
    EXPECT_TRUE(patient.stack.cuts().empty());
}

TEST(LayerStack, without_a_look_ahead_nothing_beyond_the_frame_is_asked_for) {
    Asked asked;
    const Body body = arm("bend", asked);
    StackOptions live;
    live.look_ahead = 0;
    Stack run(body, {curve(), slide()}, live);
    asked.latest = -1e9;  // preparing may look at the clip
    double largest = 0.0;
    for (int f = 1; f <= 28; ++f) {
        run.advance(f);
        EXPECT_LE(asked.latest, (f - 1) / 30.0 + 1e-12) << f;
        const std::vector<double>& values = *run.stack.info().channel(run.frame, "curve displacement");
        largest = std::max(largest, *std::max_element(values.begin(), values.end()));
    }
    EXPECT_GT(largest, 5e-5);  // and yet the flesh swings
    // A cut is seen when it happens.
    asked.shift_from = 30.0 / 30.0;
    for (int f = 29; f <= 33; ++f) {
        run.advance(f);
    }
    EXPECT_EQ(run.stack.cuts(), (std::vector<int>{31}));
}

TEST(LayerStack, a_body_held_still_lets_its_layers_go_on) {
    Asked asked;
    const Body body = arm("bend", asked);
    StackOptions live;
    live.look_ahead = 0;
    Stack run(body, {curve(), slide(SlideOutput::uv)}, live);
    constexpr int stop = 27;  // where the arm is fastest, 1.3 m/s at the hand
    for (int f = 0; f <= stop; ++f) {
        run.stack.advance_to(f / 30.0, 1.0 / 30.0, run.frame);
    }
    MatrixX3d still;
    body.positions(stop / 30.0, TimeSampling::exact, Workers(1), still);
    std::vector<double> offsets;
    for (int f = 0; f < 45; ++f) {
        run.stack.advance_to(stop / 30.0, 1.0 / 30.0, run.frame);
        offsets.push_back((run.frame.body().positions - still).rowwise().norm().maxCoeff());
    }
    EXPECT_GT(*std::max_element(offsets.begin(), offsets.begin() + 6), 5e-4);
    EXPECT_LT(offsets.back(), 1e-7);
    EXPECT_THROW(run.stack.advance_to(1.0, 0.0, run.frame), InvalidInput);
    Stack looking(body, {slide()});
    EXPECT_THROW(looking.stack.advance_to(0.0, 0.1, looking.frame), InvalidInput);
}

TEST(LayerStack, a_restored_stack_goes_on_with_the_same_bits) {
    Asked asked;
    asked.shift_from = 8.0 / 30.0;
    const Body body = arm("bend", asked);
    const std::vector<Made> layers = {curve(), fold(), slide()};
    Stack through(body, layers);
    std::vector<std::vector<double>> state;
    for (int f = 1; f <= 12; ++f) {
        through.advance(f);
        if (f == 6) {
            state = through.stack.save();
        }
    }
    Stack resumed(body, layers);
    resumed.stack.restore(state, 6);
    for (int f = 7; f <= 12; ++f) {
        resumed.advance(f);
    }
    EXPECT_EQ(resumed.frame.body().positions, through.frame.body().positions);
    EXPECT_EQ(resumed.frame.body().channels, through.frame.body().channels);
}

TEST(LayerStack, any_number_of_threads_prepares_and_makes_the_same_bits) {
    Asked asked;
    const Body body = arm("bend", asked);
    const std::vector<Made> layers = {curve(), fold(), slide(), shell()};
    Stack one(body, layers, {}, 1);
    Stack three(body, layers, {}, 3);
    for (int f = 1; f <= 4; ++f) {
        one.advance(f);
        three.advance(f);
        ASSERT_EQ(one.frame.meshes.size(), three.frame.meshes.size());
        for (size_t m = 0; m < one.frame.meshes.size(); ++m) {
            EXPECT_EQ(one.frame.meshes[m].positions, three.frame.meshes[m].positions);
            EXPECT_EQ(one.frame.meshes[m].channels, three.frame.meshes[m].channels);
        }
    }
}

#ifdef __linux__
TEST(LayerStack, prepares_layers_with_the_callers_threads_alone) {
    const auto tasks = [] {
        const std::filesystem::directory_iterator all("/proc/self/task");
        return static_cast<int>(std::distance(begin(all), end(all)));
    };
    Asked asked;
    const Body body = arm("bend", asked);
    const int before = tasks();
    std::atomic<bool> has_prepared{false};
    int most = 0;
    std::thread watch([&] {
        while (!has_prepared) {
            most = std::max(most, tasks());
        }
    });
    const Stack one(body, {curve(), fold(), slide(), shell()}, {}, 1);
    has_prepared = true;
    watch.join();
    EXPECT_EQ(most, before + 1);  // the one that watches
}
#endif

TEST(LayerStack, slide_above_fold_moves_the_skin_as_it_does_without_folds) {
    Asked asked;
    const Body body = arm("bend", asked);
    for (const SlideOutput output : {SlideOutput::vertices, SlideOutput::uv}) {
        Stack plain(body, {slide(output)});
        Stack folded(body, {fold(), slide(output)});
        Stack folds(body, {fold()});
        for (int f = 1; f <= 20; ++f) {
            plain.advance(f);
            folded.advance(f);
            folds.advance(f);
        }
        // The same simulation, bit for bit: numbers of the frame are of the simulated surface.
        const size_t numbers = plain.frame.numbers.size();
        for (size_t i = 0; i < numbers; ++i) {
            EXPECT_EQ(plain.frame.numbers[i], folded.frame.numbers[folded.frame.numbers.size() - numbers + i]);
        }
        const double slid = plain.frame.numbers.back();
        EXPECT_GT(slid, 1e-4);
        // Folds stay where they are: the skin slides over them.
        const MatrixX3d moved = folded.frame.body().positions - folds.frame.body().positions;
        if (output == SlideOutput::uv) {
            EXPECT_EQ(moved.cwiseAbs().maxCoeff(), 0.0);
            EXPECT_EQ(folded.frame.body().uv.rows(), folded.stack.info().shown().uv.rows());
        } else {
            EXPECT_GT(moved.rowwise().norm().maxCoeff(), 0.5 * slid);
        }
    }
}

TEST(LayerStack, detail_rides_on_skin_that_slides_over_folds) {
    Asked asked;
    const Body body = arm("bend", asked);
    const auto final_detail = [&](ShellAnchor anchor) {
        Stack run(body, {fold(), slide(SlideOutput::uv), shell(anchor)});
        for (int f = 1; f <= 28; ++f) {
            run.advance(f);
        }
        EXPECT_GT(run.frame.numbers[run.stack.info().layers[1].first_number + 3], 1e-3);
        return run.frame.meshes[1].positions;
    };
    // On the surface it stays with the vertices, on the skin it goes with the material.
    const MatrixX3d moved = final_detail(ShellAnchor::skin) - final_detail(ShellAnchor::surface);
    EXPECT_TRUE(moved.allFinite());
    EXPECT_GT(moved.rowwise().norm().maxCoeff(), 1e-3);
    EXPECT_LT(moved.rowwise().norm().maxCoeff(), 0.05);
}

TEST(LayerStack, held_skin_above_folds_leaves_them_bit_for_bit) {
    Asked asked;
    const Body body = arm("bend", asked);
    Stack folds(body, {fold()});
    Stack both(body, {fold(), slide(SlideOutput::vertices, "all")});
    for (int f = 1; f <= 12; ++f) {
        EXPECT_EQ(folds.advance(f), both.advance(f)) << f;
    }
}

}  // namespace
}  // namespace cutis
