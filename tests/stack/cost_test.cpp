#include "cutis/stack/cost.h"

#include <gtest/gtest.h>

#include "cutis/stack/bake.h"
#include "cutis/stack/layer.h"
#include "stack/test_body.h"

namespace cutis {
namespace {

TEST(Cost, every_layer_has_a_rate) {
    for (const LayerKind& kind : layer_kinds()) {
        const double without = expected_cost({"glb"}, 5000.0, 100).seconds;
        EXPECT_GT(expected_cost({"glb", kind.kind}, 5000.0, 100).seconds, 1.05 * without) << kind.kind;
    }
}

TEST(Cost, seconds_are_those_of_the_rates_and_formats_cost_what_folds_refine) {
    const auto rate = [](const std::string& name) {
        for (const CostRate& one : cost_rates()) {
            if (one.name == name) {
                return one;
            }
        }
        ADD_FAILURE() << name;
        return CostRate();
    };
    const double nothing = expected_cost({}, 0.0, 0).seconds;
    const double of_body = 2.0 * (rate("body").prepare_ms + 50.0 * rate("body").frame_ms);
    const double of_slide = 2.0 * (rate("slide").prepare_ms + 50.0 * rate("slide").frame_ms);
    const double of_fold = 30.0 * (rate("fold").prepare_ms + 50.0 * rate("fold").frame_ms);
    const double of_page = 30.0 * (rate("html").prepare_ms + 50.0 * rate("html").frame_ms);
    EXPECT_NEAR(expected_cost({"slide", "fold", "html"}, 2000.0, 50, 30000.0).seconds,
                nothing + 1e-3 * (of_body + of_slide + of_fold + of_page), 1e-9);
}

TEST(Cost, a_bake_says_what_it_expects_before_it_prepares_anything) {
    Scene scene;
    scene.fps = 10.0;
    double expected = -1.0;
    bool is_first = true;
    const Workers workers(1);
    BakeControls controls;
    controls.workers = &workers;
    controls.progress = [&](const auto&) {
        is_first = is_first && expected >= 0.0;
        return true;
    };
    controls.expects = [&](double seconds) { expected = seconds; };
    const Body body = test::sliding_square(1.0);
    const BakeReport report = bake(body, scene, {}, controls);
    EXPECT_TRUE(is_first);
    EXPECT_EQ(report.estimated_seconds, expected);
    EXPECT_EQ(expected, expected_scene_cost(scene, static_cast<double>(body.mesh().positions.rows()), 11).seconds);
}

TEST(Cost, times_are_said_in_the_unit_people_would_choose) {
    EXPECT_EQ(rough_time(0.2), "1 s");
    EXPECT_EQ(rough_time(41.6), "42 s");
    EXPECT_EQ(rough_time(150.0), "3 min");
    EXPECT_EQ(rough_time(8000.0), "2 h");
}

}  // namespace
}  // namespace cutis
