#include "cutis/stack/bake.h"

#include <gtest/gtest.h>

#include "cutis/core/error.h"
#include "stack/test_body.h"

namespace cutis {
namespace {

// Keeps what it is given.
class Recorder : public FrameSink {
public:
    struct Tape {
        BakeInfo info;
        std::vector<Frame> frames;
        bool is_finished = false;
        bool wants_body = false;
    };
    explicit Recorder(Tape& tape) : tape_(tape) {}
    bool wants_body_positions() const override { return tape_.wants_body; }
    void begin(const BakeInfo& info) override { tape_.info = info; }
    void write(const Frame& frame) override { tape_.frames.push_back(frame); }
    std::vector<OutputFile> finish() override {
        tape_.is_finished = true;
        OutputFile file;
        file.format = "tape";
        return {file};
    }

private:
    Tape& tape_;
};

// Lifts the surface by a fixed height and remembers which times it was asked for.
struct LiftOptions {
    double height = 0.5;
    bool has_memory = true;
};

struct LiftLog {
    std::vector<LayerStep> steps;
    MatrixX3d middle;  // what the layer stood on half way through the last step
};

class Lift : public Layer {
public:
    Lift(const LiftOptions& options, LiftLog& log) : options_(options), log_(log) {
        facts_.channels = {{"lift", "m"}};
        facts_.has_memory = options.has_memory;
        facts_.changes_shape = options.height != 0.0;
        report_ = {"lift", {{"height", options.height}}, {}};
    }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        log_.steps.push_back(step);
        step.ground->positions(0.5 * (step.from + step.to), step.sampling, log_.middle);
        surface.col(1).array() += options_.height;
        frame.channel(0).assign(6, options_.height);
    }

private:
    LiftOptions options_;
    LiftLog& log_;
    LayerFacts facts_;
};

class LiftPlan : public LayerPlan {
public:
    explicit LiftPlan(LiftLog& log) : log_(log) {}
    Options options() override {
        return {{.name = "height", .field = &options_.height, .about = "how far up", .unit = "m", .range = {-10, 10}},
                {.name = "memory", .field = &options_.has_memory, .about = "as if it had one"}};
    }
    std::unique_ptr<Layer> prepare(const LayerInput& /*ground*/, const LayerMeshes& /*meshes*/) const override {
        return std::make_unique<Lift>(options_, log_);
    }

private:
    LiftOptions options_;
    LiftLog& log_;
};

struct Bakery {
    Scene scene;
    Workers workers{1};
    Recorder::Tape tape;
    LiftLog log;
    std::vector<LayerKind> kinds = {{"lift", "", [this] { return std::make_unique<LiftPlan>(log); }}};
    ProgressCallback progress;
    int sink_count = 1;

    Bakery() { scene.fps = 10.0; }

    void add_lift(double height, bool has_memory) {
        LayerScene layer;
        layer.kind = "lift";
        layer.values["height"].kind = Value::Kind::number;
        layer.values["height"].number = height;
        layer.values["memory"].kind = Value::Kind::boolean;
        layer.values["memory"].boolean = has_memory;
        scene.layers.push_back(layer);
    }

    BakeReport run(const Body& body) {
        std::vector<std::unique_ptr<FrameSink>> sinks;
        for (int i = 0; i < sink_count; ++i) {
            sinks.push_back(std::make_unique<Recorder>(tape));
        }
        return bake(body, scene, sinks, {&workers, progress, &kinds});
    }
};

TEST(Bake, without_layers_every_frame_is_the_body_bit_for_bit) {
    Bakery bakery;
    const Body body = test::sliding_square(1.0);
    const BakeReport report = bakery.run(body);
    // 1 s at 10 frames per second: both ends are frames.
    ASSERT_EQ(report.frames.count(), 11);
    ASSERT_EQ(bakery.tape.frames.size(), 11u);
    EXPECT_TRUE(bakery.tape.is_finished);
    EXPECT_FALSE(bakery.tape.info.meshes.front().shape_changed);
    for (int i = 0; i < 11; ++i) {
        const Frame& frame = bakery.tape.frames[i];
        EXPECT_EQ(frame.number, i + 1);
        EXPECT_DOUBLE_EQ(frame.time, i / 10.0);
        MatrixX3d expected;
        body.positions(frame.time, TimeSampling::exact, bakery.workers, expected);
        EXPECT_EQ(frame.body().positions, expected);
    }
}

/// Refuses every body, or fails on it.
class FussyPlan : public LayerPlan {
public:
    explicit FussyPlan(bool fails) : fails_(fails) {}
    Options options() override { return {{.name = "width", .field = &width_, .about = "as chosen", .unit = "m"}}; }
    std::unique_ptr<Layer> prepare(const LayerInput& /*ground*/, const LayerMeshes& /*meshes*/) const override {
        if (fails_) {
            throw SolverFailure("no pivot");
        }
        throw InvalidInput("expected a tube");
    }

private:
    bool fails_;
    double width_ = 1.0;
};

TEST(Bake, goes_on_without_a_layer_that_refuses_the_body_where_nothing_of_it_was_chosen) {
    for (const bool fails : {false, true}) {
        Bakery bakery;
        bakery.kinds.push_back({"fussy", "", [fails] { return std::make_unique<FussyPlan>(fails); }});
        LayerScene fussy;
        fussy.kind = "fussy";
        bakery.scene.layers.push_back(fussy);
        bakery.add_lift(1.0, false);
        const BakeReport report = bakery.run(test::sliding_square(1.0));
        EXPECT_NE(std::find(report.notes.begin(), report.notes.end(),
                            concat("layer fussy is left out: ", fails ? "no pivot" : "expected a tube")),
                  report.notes.end());
        ASSERT_EQ(report.layers.size(), 1u);  // the other layer works
        EXPECT_EQ(bakery.tape.frames.size(), 11u);

        Value& width = bakery.scene.layers.front().values["width"];
        width.kind = Value::Kind::number;
        width.number = 2.0;
        Bakery chosen;
        chosen.kinds = bakery.kinds;
        chosen.scene.layers = {bakery.scene.layers.front()};
        if (!fails) {
            EXPECT_THROW(chosen.run(test::sliding_square(1.0)), InvalidInput);
        }
        chosen.scene.body.leave_out = true;
        const std::vector<std::string> notes = chosen.run(test::sliding_square(1.0)).notes;
        ASSERT_FALSE(notes.empty());
        EXPECT_EQ(notes.back(), concat("layer fussy is left out: ", fails ? "no pivot" : "expected a tube"));
    }
}

TEST(Bake, a_sink_that_asks_gets_the_body_before_layers_and_what_each_stage_took) {
    const Body body = test::sliding_square(1.0);
    for (const bool wants_body : {true, false}) {
        Bakery bakery;
        bakery.tape.wants_body = wants_body;
        bakery.add_lift(0.5, false);
        bakery.run(body);
        for (const Frame& frame : bakery.tape.frames) {
            MatrixX3d expected;
            body.positions(frame.time, TimeSampling::exact, bakery.workers, expected);
            EXPECT_EQ(frame.body().plain_positions.rows(), wants_body ? expected.rows() : 0);
            if (wants_body) {
                EXPECT_EQ(frame.body().plain_positions, expected);
                EXPECT_NE(frame.body().positions, expected);
            }
            ASSERT_EQ(frame.stage_seconds.size(), 2u);
            EXPECT_GE(frame.stage_seconds[0], 0.0);
            EXPECT_EQ(bakery.tape.info.layers[0].name, "lift");
            EXPECT_GE(frame.stage_seconds[1], 0.0);
        }
    }
}

TEST(Bake, a_range_of_frames_starts_at_its_own_time) {
    Bakery bakery;
    bakery.scene.first_frame = 4;
    bakery.scene.last_frame = 6;
    bakery.run(test::sliding_square(1.0));
    ASSERT_EQ(bakery.tape.frames.size(), 3u);
    EXPECT_EQ(bakery.tape.frames.front().number, 4);
    EXPECT_DOUBLE_EQ(bakery.tape.frames.front().time, 0.3);
}

TEST(Bake, a_still_body_has_one_frame_and_a_first_frame_past_the_end_is_refused) {
    Bakery bakery;
    EXPECT_EQ(bakery.run(test::sliding_square(0.0)).frames.count(), 1);
    bakery.scene.first_frame = 12;
    EXPECT_THROW(bakery.run(test::sliding_square(1.0)), InvalidInput);
    bakery.scene.first_frame = 1;
    bakery.scene.fps = 1e5;
    EXPECT_THROW(bakery.run(test::sliding_square(1e4)), InvalidInput);
}

TEST(Bake, a_looping_body_gives_one_period_without_its_first_frame_again) {
    Bakery bakery;
    ClockOptions clock;
    clock.loop = LoopMode::loop;
    clock.jump_limit = 0.1;
    const Body body = test::sliding_square(1.0, clock);
    const FrameRange range = frames_of(body, bakery.scene);
    EXPECT_LT((range.last - 1) / bakery.scene.fps, body.duration());
    EXPECT_GE(range.last / bakery.scene.fps, body.duration() - 1e-9);
}

TEST(Bake, a_layer_moves_the_frame_and_leaves_its_channel_and_report) {
    Bakery bakery;
    bakery.add_lift(0.25, false);
    bakery.add_lift(0.5, false);
    const Body body = test::sliding_square(0.2);
    const BakeReport report = bakery.run(body);
    EXPECT_TRUE(bakery.tape.info.meshes.front().shape_changed);
    ASSERT_EQ(report.layers.size(), 2u);
    EXPECT_EQ(report.layers[1].numbers.at("height"), 0.5);
    for (const Frame& frame : bakery.tape.frames) {
        MatrixX3d expected;
        body.positions(frame.time, TimeSampling::exact, bakery.workers, expected);
        expected.col(1).array() += 0.75;
        EXPECT_LT((frame.body().positions - expected).norm(), 1e-14);
        EXPECT_EQ(bakery.tape.info.channel(frame, "lift")->at(0), 0.25);
        EXPECT_EQ(bakery.tape.info.channel(frame, "lift 2")->at(0), 0.5);
    }
}

TEST(Bake, a_layer_that_moves_nothing_gives_back_the_body_bit_for_bit) {
    Bakery bakery;
    bakery.add_lift(0.0, true);
    const Body body = test::sliding_square(0.5);
    bakery.run(body);
    for (const Frame& frame : bakery.tape.frames) {
        MatrixX3d expected;
        body.positions(frame.time, TimeSampling::exact, bakery.workers, expected);
        EXPECT_EQ(frame.body().positions, expected);
        EXPECT_TRUE(std::signbit(frame.body().positions(0, 1)));
    }
}

TEST(Bake, memory_starts_with_the_pre_roll_and_runs_through_frames_not_written) {
    Bakery bakery;
    bakery.add_lift(0.5, true);
    bakery.scene.pre_roll = 0.3;
    bakery.scene.first_frame = 3;
    bakery.scene.last_frame = 4;
    bakery.run(test::sliding_square(1.0));
    EXPECT_EQ(bakery.tape.frames.size(), 2u);
    // Three frames of pre-roll (-0.3, -0.2, -0.1 s), then frames 1 to 4.
    ASSERT_EQ(bakery.log.steps.size(), 7u);
    EXPECT_TRUE(bakery.log.steps[0].reset);
    EXPECT_NEAR(bakery.log.steps[0].to, -0.3, 1e-12);
    for (size_t i = 1; i < bakery.log.steps.size(); ++i) {
        EXPECT_FALSE(bakery.log.steps[i].reset);
        EXPECT_EQ(bakery.log.steps[i].from, bakery.log.steps[i - 1].to);
    }
    bakery.log.steps.clear();
    bakery.scene.layers.clear();
    bakery.add_lift(0.5, false);
    bakery.run(test::sliding_square(1.0));
    EXPECT_EQ(bakery.log.steps.size(), 2u);  // without memory only what is written
}

TEST(Bake, a_cut_of_a_looping_body_resets_the_layers) {
    Bakery bakery;
    bakery.add_lift(0.5, true);
    bakery.scene.last_frame = 25;
    ClockOptions clock;
    clock.loop = LoopMode::loop;
    clock.jump_limit = 0.1;  // moves 1 m in a box of 1.4 m: no blend can close that
    const Body body = test::sliding_square(1.0, clock);
    ASSERT_TRUE(body.seam_is_jump());
    bakery.run(body);
    int resets = 0;
    for (const LayerStep& step : bakery.log.steps) {
        resets += step.reset ? 1 : 0;
    }
    EXPECT_GE(resets, 2);  // the first advance and at least one seam in 2.5 s
}

TEST(Bake, a_caller_that_says_stop_gets_no_output) {
    Bakery bakery;
    std::vector<int> done;
    bakery.progress = [&](const Progress& progress) {
        done.push_back(progress.done);
        EXPECT_EQ(progress.total, 11);
        return progress.done < 4;
    };
    const BakeReport report = bakery.run(test::sliding_square(1.0));
    EXPECT_TRUE(report.cancelled);
    EXPECT_EQ(report.frames_done, 4);
    EXPECT_TRUE(report.outputs.empty());
    EXPECT_FALSE(bakery.tape.is_finished);
    EXPECT_EQ(done, (std::vector<int>{1, 2, 3, 4}));
}

TEST(Bake, positions_that_are_not_finite_stop_the_bake_with_frame_and_vertex) {
    Body::Source source;
    source.mesh = test::split_square();
    MatrixX3d broken = source.mesh.positions;
    broken(4, 2) = std::nan("");
    source.motion = std::make_shared<test::SlidingMotion>(broken, 1.0);
    Bakery bakery;
    try {
        bakery.run(Body(std::move(source), {}));
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("vertex 4"), std::string::npos) << error.what();
    }
}

TEST(Bake, seconds_are_reported_for_every_stage) {
    Bakery bakery;
    bakery.add_lift(0.5, false);
    const BakeReport report = bakery.run(test::sliding_square(1.0));
    std::vector<std::string> stages;
    for (const auto& [stage, seconds] : report.stage_seconds) {
        stages.push_back(stage);
        EXPECT_GE(seconds, 0.0);
    }
    EXPECT_EQ(stages, (std::vector<std::string>{"prepare", "body", "lift", "write"}));
}

// Trails behind the body by a share of where it was: forgets its beginning by half each frame.
class Trail : public Layer {
public:
    explicit Trail(bool grows) : grows_(grows) {
        facts_.has_memory = true;
        facts_.changes_shape = true;
    }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& /*frame*/) override {
        const double x = surface(0, 0);
        memory_ = step.reset ? x : grows_ ? memory_ + 0.001 : 0.5 * (memory_ + x);
        surface.col(1).array() += memory_;
    }
    std::vector<double> save() const override { return {memory_}; }
    void restore(const std::vector<double>& state) override { memory_ = state.at(0); }

private:
    bool grows_;
    double memory_ = 0.0;
    LayerFacts facts_;
};

class TrailPlan : public LayerPlan {
public:
    explicit TrailPlan(bool grows) : grows_(grows) {}
    Options options() override { return {}; }
    std::unique_ptr<Layer> prepare(const LayerInput&, const LayerMeshes&) const override {
        return std::make_unique<Trail>(grows_);
    }

private:
    bool grows_;
};

/// To and fro along x: one cycle a second, at most 0.1 m a frame of ten.
class SwingMotion : public Motion {
public:
    explicit SwingMotion(MatrixX3d rest) : rest_(std::move(rest)) {}
    int vertex_count() const override { return static_cast<int>(rest_.rows()); }
    double start() const override { return 0.0; }
    double end() const override { return 1.0; }
    double key_interval() const override { return 0.1; }
    void positions(double time, TimeSampling, const Workers&, MatrixX3d& out) const override {
        out = rest_;
        out.col(0).array() += 0.1 * std::sin(2.0 * 3.14159265358979323846 * time);
    }
    std::shared_ptr<const Motion> repeating(double) const override { return std::make_shared<SwingMotion>(rest_); }

private:
    MatrixX3d rest_;
};

Body swinging_square() {
    Body::Source source;
    source.mesh = test::split_square();
    source.motion = std::make_shared<SwingMotion>(source.mesh.positions);
    ClockOptions clock;
    clock.loop = LoopMode::loop;
    return Body(std::move(source), clock);
}

TEST(Bake, each_output_that_is_written_is_a_stage_of_its_own) {
    Bakery bakery;
    bakery.sink_count = 2;
    std::vector<std::string> stages;
    bakery.progress = [&](const Progress& progress) {
        if (progress.begins) {
            stages.emplace_back(progress.stage);
        }
        return true;
    };
    bakery.run(swinging_square());
    EXPECT_EQ(stages, (std::vector<std::string>{"writing 1 of 2", "writing 2 of 2"}));
}

TEST(BakeLoop, a_layer_that_forgets_comes_back_as_a_loop_and_every_cycle_is_the_same) {
    const Body body = swinging_square();
    Bakery bakery;
    bakery.kinds = {{"trail", "", [] { return std::make_unique<TrailPlan>(false); }}};
    bakery.scene.layers.emplace_back();
    bakery.scene.layers.back().kind = "trail";
    bakery.scene.last_frame = 30;
    const BakeReport report = bakery.run(body);
    ASSERT_EQ(bakery.tape.frames.size(), 30U);
    for (size_t f = 0; f < 10; ++f) {
        EXPECT_EQ(bakery.tape.frames[f].body().positions, bakery.tape.frames[f + 10].body().positions);
        EXPECT_EQ(bakery.tape.frames[f].body().positions, bakery.tape.frames[f + 20].body().positions);
        EXPECT_EQ(bakery.tape.frames[f + 10].number, static_cast<int>(f) + 11);
    }
    // The exponential filter of a sine is a sine again: amplitude 0.05 / |1 - e^(-iw) / 2|, w = 2 pi / 10.
    double most = 0.0;
    for (const Frame& frame : bakery.tape.frames) {
        most = std::max(most, std::abs(frame.body().positions(0, 1) - 0.1));
    }
    EXPECT_NEAR(most, 0.05 / std::sqrt(1.25 - std::cos(0.2 * 3.14159265358979323846)), 2e-3);
    ASSERT_FALSE(report.notes.empty());
    EXPECT_NE(report.notes.back().find("loop: "), std::string::npos);
}

TEST(BakeLoop, what_never_repeats_is_blended_so_that_the_last_frame_leads_to_the_first) {
    const Body body = swinging_square();
    Bakery bakery;
    bakery.kinds = {{"trail", "", [] { return std::make_unique<TrailPlan>(true); }}};
    bakery.scene.layers.emplace_back();
    bakery.scene.layers.back().kind = "trail";
    bakery.run(body);
    ASSERT_EQ(bakery.tape.frames.size(), 10U);
    // Simulated frames rise by 1 mm each; without the blend the seam would fall by 9 mm.
    const auto height = [&](size_t f) { return bakery.tape.frames[f].body().positions(0, 1); };
    EXPECT_NEAR(height(1) - height(0), 0.001, 1e-9);
    EXPECT_NEAR(height(0) - height(9), 0.001, 1e-12);  // at the speed it has everywhere
}

}  // namespace
}  // namespace cutis
