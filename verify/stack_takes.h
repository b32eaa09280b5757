#pragma once

#include <limits>

#include "cutis/stack/bake.h"
#include "verify/verify.h"

// Takes of a scene kept in memory, and how far two of them differ.

namespace cutis::verify {

class Tape final : public FrameSink {
public:
    explicit Tape(std::vector<Frame>& frames) : frames_(frames) {}
    void begin(const BakeInfo& /*info*/) override { frames_.clear(); }
    void write(const Frame& frame) override { frames_.push_back(frame); }
    std::vector<OutputFile> finish() override { return {}; }

private:
    std::vector<Frame>& frames_;
};

// Stands for a program that ends and starts again: what was saved is all that is left.
class MemoryKeeper final : public CheckpointStore {
public:
    const BakeState* past() const override { return has_past_ ? &state_ : nullptr; }
    bool read_frame(Frame& frame) override {
        if (next_ >= frames_.size()) {
            return false;
        }
        frame = frames_[next_++];
        return true;
    }
    void keep(const Frame& frame) override { frames_.push_back(frame); }
    void save(const BakeState& state) override { state_ = state; }
    void restart() { has_past_ = true; }

private:
    bool has_past_ = false;
    BakeState state_;
    std::vector<Frame> frames_;
    size_t next_ = 0;
};

struct Run {
    const Body& body;
    Scene scene;

    std::vector<Frame> frames(int threads, CheckpointStore* keeper = nullptr, int stop_after = 0) const {
        std::vector<Frame> tape;
        std::vector<std::unique_ptr<FrameSink>> sinks;
        sinks.push_back(std::make_unique<Tape>(tape));
        const Workers workers(threads);
        BakeControls controls;
        controls.workers = &workers;
        controls.progress = [=](const Progress& progress) { return stop_after == 0 || progress.done < stop_after; };
        controls.keeper = keeper;
        bake(body, scene, sinks, controls);
        return tape;
    }
};

inline double distance(const MatrixX3d& a, const MatrixX3d& b) {
    return a.rows() == b.rows() ? (a - b).cwiseAbs().maxCoeff() : std::numeric_limits<double>::infinity();
}

// Largest difference of anything in two takes; 0 where every bit is the same.
inline double distance(const std::vector<Frame>& a, const std::vector<Frame>& b) {
    if (a.size() != b.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double largest = 0.0;
    const auto take = [&](double value) { largest = value <= largest ? largest : value; };
    for (size_t f = 0; f < a.size(); ++f) {
        for (size_t m = 0; m < a[f].meshes.size(); ++m) {
            const MeshFrame& other = b[f].meshes.at(m);
            take(distance(a[f].meshes[m].positions, other.positions));
            take(a[f].meshes[m].channels == other.channels ? 0.0 : 1.0);
        }
    }
    return largest;
}

}  // namespace cutis::verify
