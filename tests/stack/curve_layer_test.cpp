#include <gtest/gtest.h>

#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/stack/layer.h"
#include "stack/layer_run.h"
#include "support/expect_error.h"

// The curve layer through the stack's own words, on the built-in arm (its biceps is a morph
// target).

namespace cutis {
namespace {

struct Stage {
    Body body;
    SimulationSurface surface;
    LayerInput ground;

    explicit Stage(Body made)
        : body(std::move(made)),
          surface(SimulationSurface::repaired(body, {})),
          ground{&body, &surface, &body.mesh(), &body.source().rig.weights, 30.0} {}
};

const std::shared_ptr<const Character>& arm_character() {
    static const auto character = std::make_shared<const Character>(load_actor("arm"));
    return character;
}

std::unique_ptr<Stage> arm(const std::string& clip, std::shared_ptr<const Character> character = arm_character()) {
    BodyOptions options;
    options.clip = clip;
    return std::make_unique<Stage>(make_body(std::move(character), options));
}

Value text(const std::string& value) {
    Value out;
    out.kind = Value::Kind::text;
    out.text = value;
    return out;
}

Value number(double value) {
    Value out;
    out.kind = Value::Kind::number;
    out.number = value;
    return out;
}

Value boolean(bool value) {
    Value out;
    out.kind = Value::Kind::boolean;
    out.boolean = value;
    return out;
}

Value list(const std::vector<std::string>& values) {
    Value out;
    out.kind = Value::Kind::list;
    for (const std::string& value : values) {
        out.list.push_back(text(value));
    }
    return out;
}

Value entry(Table values) {
    Value out;
    out.kind = Value::Kind::table;
    out.table = std::move(values);
    return out;
}

Value entries(std::vector<Value> values) {
    Value out;
    out.kind = Value::Kind::list;
    out.list = std::move(values);
    return out;
}

/// A shape of the body itself, or of a file.
Value example(double time, const std::string& key = "", const std::string& name = "") {
    Table values = {{"time", number(time)}};
    if (!key.empty()) {
        values[key] = text(name);
    }
    return entry(values);
}

/// A push upwards.
Value push(double up, double time) {
    return entry({{"time", number(time)}, {"push", entries({number(0.0), number(up), number(0.0)})}});
}

std::unique_ptr<Layer> make_layer(const Stage& stage, const Table& values,
                                  const std::map<std::string, std::shared_ptr<const ArtMesh>>& meshes = {}) {
    LayerScene scene;
    scene.meshes = meshes;
    scene.kind = "curve";
    scene.values = values;
    return plan_layer(scene, "test.toml")->prepare(stage.ground, scene.meshes);
}

/// Whole arm up to the wrist.
Table arm_part() {
    return {{"to", list({"hand"})}, {"free_tip", boolean(false)}};
}

/// Workers outlive the layers that borrow them, as in a bake.
const Workers& workers_of(int threads) {
    static std::map<int, std::unique_ptr<Workers>> made;
    std::unique_ptr<Workers>& workers = made[threads];
    if (!workers) {
        workers = std::make_unique<Workers>(threads);
    }
    return *workers;
}

LayerStep step_to(const Stage& stage, const Workers& workers, double from, double to, bool reset) {
    LayerStep step;
    step.body = &stage.body;
    step.workers = &workers;
    step.between = TimeSampling::smooth;
    step.from = step.clock_from = from;
    step.to = step.clock_to = to;
    step.reset = reset;
    return step;
}

/// Positions of the surface with the layer at frame times 0, 1/30, ..., last.
std::vector<MatrixX3d> run(Stage& stage, Layer& layer, int frames, int threads = 1, int first = 0) {
    const Workers& workers = workers_of(threads);
    std::vector<MatrixX3d> result;
    test::LayerRun part(layer);
    MatrixX3d art;
    MatrixX3d surface;
    for (int f = first; f < frames; ++f) {
        const double time = f / 30.0;
        stage.body.positions(time, TimeSampling::exact, workers, art);
        stage.surface.from_art().values(art, workers, surface);
        layer.advance(step_to(stage, workers, f == 0 ? 0.0 : (f - 1) / 30.0, time, f == 0), surface, part.frame);
        result.push_back(surface);
    }
    return result;
}

MatrixX3d body_at(const Stage& stage, double time) {
    MatrixX3d art;
    MatrixX3d surface;
    stage.body.positions(time, TimeSampling::exact, Workers(1), art);
    stage.surface.from_art().values(art, Workers(1), surface);
    return surface;
}

TEST(curve_layer, without_a_drive_the_body_stays_bit_for_bit) {
    const auto stage = arm("twist");
    Table values = arm_part();
    values["inertia"] = number(0.0);
    const auto layer = make_layer(*stage, values);
    const auto frames = run(*stage, *layer, 20);
    for (int f = 0; f < 20; ++f) {
        EXPECT_EQ(frames[f], body_at(*stage, f / 30.0)) << f;
    }
}

TEST(curve_layer, a_moving_limb_makes_the_flesh_swing_and_come_to_rest) {
    const auto stage = arm("bend");
    Table values = arm_part();
    values["inertia"] = number(2.0);
    const auto layer = make_layer(*stage, values);
    const auto frames = run(*stage, *layer, 109);
    double largest = 0.0;
    for (size_t f = 0; f < frames.size(); ++f) {
        largest =
            std::max(largest, (frames[f] - body_at(*stage, static_cast<double>(f) / 30.0)).rowwise().norm().maxCoeff());
    }
    EXPECT_GT(largest, 5e-4);
    EXPECT_LT((frames[108] - body_at(*stage, 108 / 30.0)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(curve_layer, the_shape_at_the_end_of_an_advance_is_what_it_gave) {
    const auto stage = arm("bend");
    const auto layer = make_layer(*stage, arm_part());
    const auto frames = run(*stage, *layer, 30);
    MatrixX3d again = body_at(*stage, 29 / 30.0);
    layer->shape_at(29 / 30.0, TimeSampling::exact, again);
    EXPECT_EQ(again, frames.back());
    // Between frames it is what a bake with twice the frames gives there.
    MatrixX3d middle = body_at(*stage, 28.5 / 30.0);
    layer->shape_at(28.5 / 30.0, TimeSampling::exact, middle);
    const auto finer = make_layer(*stage, arm_part());
    run(*stage, *finer, 29);
    MatrixX3d direct = body_at(*stage, 28.5 / 30.0);
    const Workers& workers = workers_of(1);
    test::LayerRun part(*finer);
    finer->advance(step_to(*stage, workers, 28 / 30.0, 28.5 / 30.0, false), direct, part.frame);
    EXPECT_LT((middle - direct).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(curve_layer, a_saved_state_goes_on_bit_by_bit) {
    const auto stage = arm("bend");
    const auto whole = make_layer(*stage, arm_part());
    const auto frames = run(*stage, *whole, 40);
    const auto first = make_layer(*stage, arm_part());
    run(*stage, *first, 25);
    const auto second = make_layer(*stage, arm_part());
    second->restore(first->save());
    const auto rest = run(*stage, *second, 40, 1, 25);
    for (size_t i = 0; i < rest.size(); ++i) {
        EXPECT_EQ(rest[i], frames[25 + i]) << i;
    }
}

TEST(curve_layer, same_bits_for_any_number_of_threads) {
    const auto stage = arm("bend");
    Table values = arm_part();
    values["baseline"] = text("dual-quaternion");
    const auto one = make_layer(*stage, values);
    const auto two = make_layer(*stage, values);
    const auto a = run(*stage, *one, 12, 1);
    const auto b = run(*stage, *two, 12, 3);
    for (size_t f = 0; f < a.size(); ++f) {
        EXPECT_EQ(a[f], b[f]);
    }
}

TEST(curve_layer, an_example_keyed_by_pose_is_reached_when_the_pose_holds) {
    // The clip's own biceps is at full weight from 1.5 to 2.1 s; the body without it plus the
    // example must come to the same place.
    auto character = std::make_shared<Character>(load_actor("arm"));
    const auto with = arm("bend");
    for (Clip& clip : character->clips) {
        std::erase_if(clip.channels,
                      [](const Channel& channel) { return channel.target == ChannelTarget::morph_weights; });
    }
    const auto without = arm("bend", character);
    Table values = arm_part();
    values["example"] = entries({example(1.8, "morph", "biceps")});
    values["pose_joints"] = list({"forearm_1"});
    values["inertia"] = number(0.0);
    values["frequency"] = number(8.0);
    const auto layer = make_layer(*without, values);
    const auto frames = run(*without, *layer, 62);
    const MatrixX3d wanted = body_at(*with, 61 / 30.0);
    const MatrixX3d plain = body_at(*without, 61 / 30.0);
    const double bulge = (wanted - plain).rowwise().norm().maxCoeff();
    EXPECT_GT(bulge, 0.02);
    // What is left is the interpolation between nodes.
    EXPECT_LT((frames[61] - wanted).norm(), 0.1 * (wanted - plain).norm());
}

TEST(curve_layer, examples_in_time_replace_the_bulge_and_meet_it_at_their_times) {
    const auto stage = arm("bend");
    Table values = arm_part();
    values["baseline"] = text("linear-blend");
    values["follow"] = boolean(false);
    values["example"] = entries({example(0.0), example(0.9), example(1.8)});
    const auto layer = make_layer(*stage, values);
    EXPECT_FALSE(layer->facts().has_memory);
    const auto frames = run(*stage, *layer, 55);
    for (const int f : {0, 27, 54}) {
        EXPECT_LT((frames[f] - body_at(*stage, f / 30.0)).cwiseAbs().maxCoeff(), 1e-10) << f;
    }
}

TEST(curve_layer, a_sculpted_file_is_reached_at_its_time) {
    // The sculpted shapes are the body itself, as files: what `body@SECONDS` gives.
    const auto stage = arm("bend");
    std::map<std::string, std::shared_ptr<const ArtMesh>> meshes;
    for (const double time : {0.0, 1.8}) {
        auto mesh = std::make_shared<ArtMesh>(stage->body.mesh());
        stage->body.positions(time, TimeSampling::exact, Workers(1), mesh->positions);
        meshes[time == 0.0 ? "a.obj" : "b.obj"] = mesh;
    }
    Table values = arm_part();
    values["baseline"] = text("dual-quaternion");
    values["follow"] = boolean(false);
    values["example"] = entries({example(0.0, "file", "a.obj"), example(1.8, "file", "b.obj")});
    const auto layer = make_layer(*stage, values, meshes);
    const auto frames = run(*stage, *layer, 55);
    EXPECT_LT((frames[54] - body_at(*stage, 1.8)).cwiseAbs().maxCoeff(), 1e-10);
    values["example"] = entries({example(0.0), example(1.8)});
    const auto own = make_layer(*stage, values);
    const auto same = run(*stage, *own, 30);
    EXPECT_LT((frames[20] - same[20]).cwiseAbs().maxCoeff(), 1e-12);

    auto other = std::make_shared<ArtMesh>(stage->body.mesh());
    other->positions.conservativeResize(7, 3);
    meshes["b.obj"] = other;
    values["example"] = entries({example(0.0, "file", "a.obj"), example(1.8, "file", "b.obj")});
    test::expect_error<InvalidInput>([&] { make_layer(*stage, values, meshes); }, {"vertices", "found 7"});
}

TEST(curve_layer, a_force_by_hand_pushes_between_its_times_and_in_its_region) {
    const auto stage = arm("bend");
    Table values = arm_part();
    values["inertia"] = number(0.0);
    values["joint_hold"] = number(0.0);
    const auto still = make_layer(*stage, values);
    const auto plain = run(*stage, *still, 40);
    values["force"] = entries({push(0, 0.5), push(20, 0.6), push(20, 0.8), push(0, 0.9)});
    const auto pushed_layer = make_layer(*stage, values);
    const auto pushed = run(*stage, *pushed_layer, 40);
    const auto lift = [&](int f) {
        const auto i = static_cast<size_t>(f);
        return (pushed[i] - plain[i]).col(1).maxCoeff();
    };
    EXPECT_EQ(lift(15), 0.0);  // 0.5 s: not yet
    EXPECT_GT(lift(22), 1e-3);
    EXPECT_LT(std::abs(lift(39)), 0.2 * lift(22));  // 0.4 s after it ended

    Value far_away = push(20, 0);
    far_away.table["region"] =
        entry({{"box", entries({number(-9), number(-9), number(-9), number(-8), number(-8), number(-8)})}});
    values["force"] = entries({far_away});
    const auto elsewhere = make_layer(*stage, values);
    const auto untouched = run(*stage, *elsewhere, 10);
    EXPECT_EQ((untouched[9] - plain[9]).cwiseAbs().maxCoeff(), 0.0);

    values["force"] = entries({entry({{"push", entries({number(0), number(20)})}})});
    test::expect_error<InvalidInput>([&] { make_layer(*stage, values); }, {"push", "three numbers"});
    values["force"] = entries({push(std::nan(""), 1.0)});
    test::expect_error<InvalidInput>([&] { make_layer(*stage, values); }, {"push", "finite"});
    values["force"] = list({"0,20,0@1"});
    test::expect_error<InvalidInput>([&] { make_layer(*stage, values); },
                                     {"0,20,0@1", "time = ..., push = ..., region = ..."});
    values.erase("force");
    values["forces"] = list({"0,20,0@1"});
    test::expect_error<InvalidInput>([&] { make_layer(*stage, values); }, {"'forces'", "it is 'force' now"});
    values.erase("forces");
    values["force"] = entries({push(1, 1.0), push(1, 0.5)});
    test::expect_error<InvalidInput>([&] { make_layer(*stage, values); }, {"increasing", "0.5"});
}

TEST(curve_layer, joint_hold_calms_the_elbow_and_leaves_the_middle_of_the_bones) {
    const auto stage = arm("bend");
    std::vector<MatrixX3d> free_swing, held_swing;
    for (const double hold : {0.0, 1.0}) {
        Table values = arm_part();
        values["inertia"] = number(0.0);
        values["limit"] = number(1e3);
        values["joint_hold"] = number(hold);
        values["force"] = entries({push(20, 0)});
        const auto layer = make_layer(*stage, values);
        (hold == 0.0 ? free_swing : held_swing) = run(*stage, *layer, 6);
    }
    const MatrixX3d plain = body_at(*stage, 5 / 30.0);
    const MatrixX3d& rest = stage->surface.rest();
    const Body::Source& source = stage->body.source();
    const int elbow_node = source.character->skeleton.find("forearm_1");
    Vector3d elbow = Vector3d::Zero();
    for (size_t j = 0; j < source.rig.node.size(); ++j) {
        if (source.rig.node[j] == elbow_node) {
            elbow = source.rig.inverse_bind[j].inverse().translation();
        }
    }
    double ratio_near = 0.0;
    double ratio_far = 0.0;
    double near = 1e9;
    double largest = 0.0;
    for (Eigen::Index v = 0; v < rest.rows(); ++v) {
        const double swing = (free_swing[5].row(v) - plain.row(v)).norm();
        const double held = (held_swing[5].row(v) - plain.row(v)).norm();
        const double distance = (rest.row(v).transpose() - elbow).norm();
        if (swing > 1e-4 && distance < near) {
            near = distance;
            ratio_near = held / swing;
        }
        if (swing > 1e-4 && distance > 0.15 && swing > largest) {
            largest = swing;
            ratio_far = held / swing;
        }
    }
    EXPECT_LT(ratio_near, 0.2);
    EXPECT_GT(ratio_far, 0.6);
}

TEST(curve_layer, bad_settings_are_refused_with_what_there_is) {
    const auto stage = arm("bend");
    const auto refuse = [&](const Table& values, const std::vector<std::string>& pieces) {
        test::expect_error<InvalidInput>([&] { make_layer(*stage, values); }, pieces);
    };
    refuse({{"from", text("elbow")}}, {"forearm_1", "\"elbow\""});
    refuse({{"nodes", number(2.0)}}, {"nodes"});  // also where the part is not named
    refuse({{"to", list({"hand"})}, {"parts", list({"tail"})}}, {"parts", "both"});
    refuse({{"to", list({"hand"})}, {"group", text("x")}}, {"more than one"});
    refuse({{"group", text("nobody")}}, {"group", "\"nobody\""});
    refuse({{"attribute", text("none")}}, {"attribute", "\"none\""});
    refuse({{"to", list({"hand"})}, {"examples", list({"biceps"})}}, {"'example'", "time and morph"});
    refuse({{"to", list({"hand"})},
            {"example", entries({example(1.0, "morph", "triceps")})},
            {"pose_joints", list({"forearm_1"})}},
           {"biceps", "\"triceps\""});
    refuse({{"to", list({"hand"})},
            {"example", entries({example(1.8, "morph", "biceps"), example(1.9, "morph", "biceps")})},
            {"pose_joints", list({"forearm_1"})}},
           {"alike"});
    refuse({{"to", list({"hand"})},
            {"baseline", text("linear-blend")},
            {"follow", boolean(false)},
            {"example", entries({example(1.0), example(0.5)})}},
           {"increasing"});
    refuse({{"to", list({"hand"})}, {"frequency", number(0.01)}}, {"frequency"});
    refuse({{"to", list({"hand"})}, {"nodes", number(2.0)}}, {"nodes"});
    refuse({{"to", list({"hand"})}, {"dynamics", text("spline")}}, {"examples in time"});
}

TEST(curve_layer, finds_its_own_parts_or_says_that_there_are_none) {
    const auto notes_of = [](const Stage& stage, const Table& values) {
        std::string all;
        const auto layer = make_layer(stage, values);
        for (const std::string& note : layer->report().notes) {
            all += note + "; ";
        }
        return all;
    };
    const auto stage = arm("bend");
    EXPECT_NE(notes_of(*stage, {}).find("flesh on 1 "), std::string::npos) << notes_of(*stage, {});
    // Kinds the body does not have, and a closed surface without joints: a note, no refusal.
    EXPECT_NE(notes_of(*stage, {{"parts", list({"ear"})}}).find("no soft part"), std::string::npos);
    const Stage plain(make_body(stage->body.mesh(), PointCache{}, BodyOptions{}));
    EXPECT_NE(notes_of(plain, {}).find("no soft part"), std::string::npos) << notes_of(plain, {});
}

TEST(curve_layer, a_body_without_skeleton_says_so) {
    const Stage plain(make_body(arm("bend")->body.mesh(), PointCache{}, BodyOptions{}));
    test::expect_error<InvalidInput>([&] { make_layer(plain, {{"to", list({"hand"})}}); }, {"skeleton"});
}

}  // namespace
}  // namespace cutis
