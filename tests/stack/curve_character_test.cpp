// What a curve layer makes of presets, knobs, colliders, loops and stray joints.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "stack/curve_settings.h"
#include "support/expect_error.h"

namespace cutis {
namespace {

struct CharacterStage {
    Body body;
    SimulationSurface surface;
    LayerInput ground;
    CurveBody view;

    explicit CharacterStage(Body made)
        : body(std::move(made)),
          surface(SimulationSurface::repaired(body, {})),
          ground{&body, &surface, &body.mesh(), &body.source().rig.weights, 30.0},
          view{&body, &surface.rest(), &surface.topology(), &surface.mesh().art_of_vertex,
               &surface.mesh().vertex_of_art} {}

    std::unique_ptr<FleshGroup> flesh(const CurveLayerOptions& options) const {
        std::vector<std::string> notes;
        return make_flesh(ground, view, options, {}, notes);
    }
};

Body dinosaur(LoopMode loop = LoopMode::hold, double scale = 1.0) {
    BodyOptions options;
    options.scale = scale;
    options.clip = "walk";
    options.clock.loop = loop;
    options.clock.jump_limit = 10.0;  // it walks away: the seam is blended, not cut
    return make_body(std::make_shared<Character>(load_actor("dinosaur")), options);
}

CurveLayerOptions tail() {
    CurveLayerOptions options;
    options.part.from = "tail_1";
    return options;
}

TEST(curve_character, knobs_stand_for_frequency_inertia_and_damping) {
    const CharacterStage stage(dinosaur());
    CurveLayerOptions options = tail();
    options.soft = 0.0;
    options.lively = 0.5;
    options.damped = 1.0;
    const auto firm = stage.flesh(options);
    const CurveOptions& one = firm->parts().front()->solver().options();
    const double length = firm->parts().front()->part().length;
    const double thigh = 0.45 / 1.7 * stage.surface.main_box().maxCoeff();  // of a body of this size
    EXPECT_NEAR(one.frequency_hz, 5.0 * std::sqrt(thigh / length), 1e-12);  // a free tip
    EXPECT_NEAR(one.inertia_gain, 0.3, 1e-15);
    EXPECT_NEAR(one.damping, 0.8, 1e-12);
    options.soft = 1.0;
    options.damped = 0.0;
    const auto soft = stage.flesh(options);
    EXPECT_NEAR(soft->parts().front()->solver().options().frequency_hz, 0.2 * one.frequency_hz, 1e-12);
    EXPECT_NEAR(soft->parts().front()->solver().options().damping, 0.05, 1e-15);
    options.flesh.curve.frequency_hz = 3.0;
    test::expect_error<InvalidInput>([&] { stage.flesh(options); }, {"soft or frequency", "both"});
}

TEST(curve_character, softness_of_a_part_does_not_depend_on_the_units_of_the_file) {
    CurveLayerOptions options = tail();
    options.soft = 0.5;
    const CharacterStage metres(dinosaur());
    const CharacterStage millimetres(dinosaur(LoopMode::hold, 1000.0));
    EXPECT_NEAR(millimetres.flesh(options)->parts().front()->solver().options().frequency_hz,
                metres.flesh(options)->parts().front()->solver().options().frequency_hz, 1e-9);
}

TEST(curve_character, a_preset_gives_the_numbers_that_are_not_given) {
    const CharacterStage stage(dinosaur());
    CurveLayerOptions options = tail();
    options.preset = "tail";
    options.flesh.curve.damping = 0.6;
    const auto flesh = stage.flesh(options);
    const CurveOptions& one = flesh->parts().front()->solver().options();
    EXPECT_EQ(one.frequency_hz, 2.0);
    EXPECT_EQ(one.inertia_gain, 0.25);
    EXPECT_EQ(one.damping, 0.6);
}

TEST(curve_character, softness_zero_is_bone) {
    const CharacterStage stage(dinosaur());
    CurveLayerOptions options = tail();
    options.softness = 0.25;
    const auto flesh = stage.flesh(options);
    const CurveSolver& solver = flesh->parts().front()->solver();
    for (int i = 0; i < flesh->parts().front()->part().rows(); ++i) {
        EXPECT_NEAR(solver.softness(i), 0.25, 1e-12);
    }
}

TEST(curve_character, extra_joints_belong_to_the_part_though_they_hang_elsewhere) {
    const CharacterStage stage(dinosaur());
    CurveLayerOptions options;
    options.part.from = "tail_3";
    const auto short_tail = stage.flesh(options);
    options.part.extra = {"tail_1"};
    const auto whole = stage.flesh(options);
    const auto tail_1 = stage.flesh(tail());
    EXPECT_GT(whole->parts().front()->part().length, 1.2 * short_tail->parts().front()->part().length);
    EXPECT_EQ(whole->parts().front()->part().vertices, tail_1->parts().front()->part().vertices);
}

TEST(curve_character, morph_targets_keyed_in_the_clip_are_examples_of_their_pose) {
    BodyOptions chosen;
    chosen.clip = "bend";  // keys the target "biceps" with the forearm's bend
    const CharacterStage stage(make_body(std::make_shared<Character>(load_actor("arm")), chosen));
    CurveLayerOptions options;
    options.part.to = {"hand"};
    options.flesh.curve.free_tip = false;
    options.morph_examples = true;
    FleshOptions found;
    const auto flesh = stage.flesh(options);
    ASSERT_TRUE(examples_from_morphs(stage.view, flesh->parts().front()->part(), found));
    ASSERT_EQ(found.pose_joints, std::vector<std::string>{"forearm_1"});
    ASSERT_EQ(found.examples.size(), 1U);
    // The strongest weight of all is there: the body's shape beyond its skinning is the largest.
    Pose pose;
    double most = 0.0;
    const int node = stage.body.source().character->meshes.front().node;
    for (int i = 0; i <= 400; ++i) {
        stage.body.pose(stage.body.duration() * i / 400, TimeSampling::exact, pose);
        most = std::max(most, pose.morph_weights[static_cast<size_t>(node)].front());
    }
    stage.body.pose(found.examples.front().time, TimeSampling::exact, pose);
    EXPECT_NEAR(pose.morph_weights[static_cast<size_t>(node)].front(), most, 1e-3);
    // The same as the example given by hand.
    CurveLayerOptions by_hand = options;
    by_hand.morph_examples = false;
    by_hand.examples = {{found.examples.front().time, "", ""}};
    by_hand.flesh.pose_joints = {"forearm_1"};
    by_hand.flesh.baseline = CurveBaseline::linear_blend;
    by_hand.flesh.follow = false;
    const auto expected = stage.flesh(by_hand);
    const Workers workers(1);
    MatrixX3d a = stage.surface.rest();
    MatrixX3d b = a;
    for (int f = 0; f <= 10; ++f) {
        const FleshStep step = {.to = f / 10.0, .body_to = f / 10.0, .reset = f == 0};
        flesh->advance(step, workers);
        expected->advance(step, workers);
    }
    flesh->displace(1.0, TimeSampling::smooth, workers, a);
    expected->displace(1.0, TimeSampling::smooth, workers, b);
    EXPECT_GT((a - stage.surface.rest()).cwiseAbs().maxCoeff(),
              1e-4);  // the arm is bending: flesh lags behind the target
    EXPECT_EQ(a, b);
    options.examples = by_hand.examples;
    test::expect_error<InvalidInput>([&] { stage.flesh(options); }, {"example or morph_examples", "both"});
}

TEST(curve_character, a_clip_that_loops_has_a_grid_that_fits_its_period) {
    const CharacterStage stage(dinosaur(LoopMode::loop));
    ASSERT_FALSE(stage.body.seam_is_jump());
    const auto flesh = stage.flesh(tail());
    const double steps = stage.body.duration() * flesh->parts().front()->solver().options().rate_hz;
    EXPECT_NEAR(steps, std::round(steps), 1e-9);
    CurveLayerOptions options = tail();
    options.loop = false;
    EXPECT_EQ(stage.flesh(options)->parts().front()->solver().options().rate_hz, 120.0);
}

TEST(curve_character, a_collider_rides_on_its_node) {
    const CharacterStage stage(dinosaur());
    CurveLayerOptions options = tail();
    options.collide = false;
    options.colliders.resize(1);
    options.colliders[0].node = "thigh_left";
    options.colliders[0].at = Vector3d(0.0, -0.1, 0.0);
    const auto flesh = stage.flesh(options);
    ColliderPoses poses(stage.body);
    std::vector<Eigen::Affine3d> frames;
    const auto node = static_cast<size_t>(stage.body.source().character->skeleton.find("thigh_left"));
    stage.body.node_frames(0.0, TimeSampling::exact, frames);
    const Eigen::Affine3d start = frames[node];
    for (const double time : {0.0, 0.4, 1.1}) {
        std::vector<Collider> now;
        poses.at(flesh->colliders(), time, TimeSampling::exact, now);
        stage.body.node_frames(time, TimeSampling::exact, frames);
        const Vector3d wanted = frames[node] * (start.inverse() * (start.translation() + Vector3d(0.0, -0.1, 0.0)));
        EXPECT_LT((now[0].a - wanted).norm(), 1e-12);
    }
    options.colliders[0].node = "thigh";
    test::expect_error<InvalidInput>([&] { stage.flesh(options); }, {"collider 1", "thigh_left", "\"thigh\""});
}

}  // namespace
}  // namespace cutis
