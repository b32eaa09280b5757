#include "cutis/core/error.h"

#include <gtest/gtest.h>
#include "cutis/stack/bake.h"
#include "stack/test_body.h"

namespace cutis {
namespace {

// Follows the body with a lag: every frame depends on all before it.
class Lag : public Layer {
public:
    Lag() {
        facts_.numbers = {{"lag", "m"}};
        facts_.has_memory = true;
        facts_.changes_shape = true;
    }
    const LayerFacts& facts() const override { return facts_; }
    void advance(const LayerStep& step, MatrixX3d& surface, LayerFrame& frame) override {
        if (step.reset) {
            memory_ = surface;
        }
        memory_ += 0.3 * (surface - memory_);
        surface = memory_;
        frame.number(0) = memory_.norm();
    }
    std::vector<double> save() const override { return {memory_.data(), memory_.data() + memory_.size()}; }
    void restore(const std::vector<double>& state) override {
        if (state.size() % 3 != 0 || state.empty()) {
            throw InvalidInput("lag: not a state");
        }
        memory_ = Eigen::Map<const MatrixX3d>(state.data(), static_cast<Eigen::Index>(state.size() / 3), 3);
    }

private:
    LayerFacts facts_;
    MatrixX3d memory_;
};

class LagPlan : public LayerPlan {
public:
    Options options() override { return {}; }
    std::unique_ptr<Layer> prepare(const LayerInput& /*ground*/, const LayerMeshes& /*meshes*/) const override {
        return std::make_unique<Lag>();
    }
};

class PlainTape : public FrameSink {
public:
    explicit PlainTape(std::vector<Frame>& frames) : frames_(frames) {}
    void begin(const BakeInfo& /*info*/) override { frames_.clear(); }
    void write(const Frame& frame) override { frames_.push_back(frame); }
    std::vector<OutputFile> finish() override { return {}; }

private:
    std::vector<Frame>& frames_;
};

class MemoryKeeper : public CheckpointStore {
public:
    const BakeState* past() const override { return has_past_ ? &state_ : nullptr; }
    bool read_frame(Frame& frame) override {
        if (next_ >= known_) {
            return false;
        }
        frame = frames_[next_++];
        return true;
    }
    void keep(const Frame& frame) override { frames_.push_back(frame); }
    void save(const BakeState& state) override {
        state_ = state;
        saved_ = frames_.size();
        ++saves;
    }
    // The program ends and starts again: what was not saved is lost.
    void restart() {
        has_past_ = saves > 0;
        frames_.resize(saved_);
        known_ = saved_;
        next_ = 0;
    }
    int saves = 0;

private:
    bool has_past_ = false;
    BakeState state_;
    std::vector<Frame> frames_;
    size_t saved_ = 0;
    size_t known_ = 0;
    size_t next_ = 0;
};

BakeReport run(std::vector<Frame>& frames, CheckpointStore* keeper, int every, int stop_after, int first_frame = 1) {
    Scene scene;
    scene.fps = 10.0;
    scene.first_frame = first_frame;
    scene.pre_roll = 0.3;
    scene.layers.push_back({"lag", {}, 0, 0});
    const std::vector<LayerKind> kinds = {{"lag", "", [] { return std::make_unique<LagPlan>(); }}};
    std::vector<std::unique_ptr<FrameSink>> sinks;
    sinks.push_back(std::make_unique<PlainTape>(frames));
    const Workers workers(1);
    BakeControls controls;
    controls.workers = &workers;
    controls.progress = [=](const Progress& progress) { return stop_after == 0 || progress.done < stop_after; };
    controls.kinds = &kinds;
    controls.keeper = keeper;
    controls.keep_every = every;
    return bake(test::sliding_square(1.0), scene, sinks, controls);
}

void expect_same(const std::vector<Frame>& a, const std::vector<Frame>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].number, b[i].number);
        EXPECT_EQ(a[i].body().positions, b[i].body().positions);
        EXPECT_EQ(a[i].numbers, b[i].numbers);
    }
}

TEST(Resume, after_a_stop_at_any_frame_gives_the_frames_of_an_uninterrupted_bake) {
    std::vector<Frame> expected;
    run(expected, nullptr, 0, 0, 3);
    ASSERT_EQ(expected.size(), 9u);
    for (int stop = 1; stop < 14; ++stop) {  // 3 frames of pre-roll, 2 before the first, 9 written
        MemoryKeeper keeper;
        std::vector<Frame> frames;
        EXPECT_TRUE(run(frames, &keeper, 0, stop, 3).cancelled);
        keeper.restart();
        const BakeReport report = run(frames, &keeper, 0, 0, 3);
        EXPECT_EQ(report.frames_done, 9);
        EXPECT_EQ(report.frames_resumed, std::max(0, stop - 5));
        expect_same(frames, expected);
    }
}

TEST(Resume, from_the_last_saved_state_when_killed_between_two) {
    std::vector<Frame> expected;
    run(expected, nullptr, 0, 0);
    MemoryKeeper keeper;
    std::vector<Frame> frames;
    run(frames, &keeper, 4, 0);
    EXPECT_EQ(keeper.saves, 3);  // after 4, 8 and 12 of 14 frames
    keeper.restart();
    EXPECT_EQ(run(frames, &keeper, 4, 0).frames_resumed, 9);
    expect_same(frames, expected);
}

}  // namespace
}  // namespace cutis
