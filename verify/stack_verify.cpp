#include <cmath>

#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"
#include "verify/verify.h"

// What must hold for layers together, on an actor that has joints and a garment of its own: frames
// of every subset of the layers this build has, compared with each other.

namespace cutis::verify {

namespace {

Case at_most(std::string name, double value, double limit, std::string unit, std::string source) {
    return case_at_most("stack", std::move(name), value, limit, std::move(unit), std::move(source));
}

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
class MemoryKeeper final : public BakeKeeper {
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

    std::vector<Frame> frames(int threads, BakeKeeper* keeper = nullptr, int stop_after = 0) const {
        std::vector<Frame> tape;
        std::vector<std::unique_ptr<FrameSink>> sinks;
        sinks.push_back(std::make_unique<Tape>(tape));
        const Workers workers(threads);
        BakeControls controls;
        controls.workers = &workers;
        controls.progress = [=](const Progress& progress) {
            return stop_after == 0 || progress.done < stop_after;
        };
        controls.keeper = keeper;
        bake(body, scene, sinks, controls);
        return tape;
    }
};

double distance(const MatrixX3d& a, const MatrixX3d& b) {
    return a.rows() == b.rows() ? (a - b).cwiseAbs().maxCoeff()
                                : std::numeric_limits<double>::infinity();
}

// Largest difference of anything in two takes; 0 where every bit is the same.
double distance(const std::vector<Frame>& a, const std::vector<Frame>& b) {
    if (a.size() != b.size()) {
        return std::numeric_limits<double>::infinity();
    }
    double largest = 0.0;
    const auto take = [&](double value) { largest = value <= largest ? largest : value; };
    for (size_t f = 0; f < a.size(); ++f) {
        take(distance(a[f].positions, b[f].positions));
        for (const auto& [name, channel] : a[f].channels) {
            const auto other = b[f].channels.find(name);
            take(other != b[f].channels.end() && other->second.values == channel.values ? 0.0
                                                                                        : 1.0);
        }
        for (size_t d = 0; d < a[f].details.size(); ++d) {
            take(distance(a[f].details[d].positions, b[f].details.at(d).positions));
        }
    }
    return largest;
}

// Settings that suit an arm, as a scene would write them.
const std::map<std::string, std::string> settings = {
    {"curve", "to = [\"hand\"]\nfree_tip = false\ninertia = 0.6\n"},
    {"fold", "width = 0.03\n"},
    {"slide", ""},
    {"shell", "detail = \"spike\"\nplace = \"scatter\"\nheight = 0.01\n"},
};

std::string layer_text(const std::string& kind) {
    const auto found = settings.find(kind);
    return "[[layer]]\nkind = \"" + kind + "\"\n" + (found == settings.end() ? "" : found->second);
}

std::string subset_name(const std::vector<LayerKind>& kinds, unsigned subset) {
    std::string name;
    for (size_t k = 0; k < kinds.size(); ++k) {
        if ((subset >> k & 1U) != 0) {
            name += (name.empty() ? "" : " + ") + kinds[k].kind;
        }
    }
    return name.empty() ? "no layer" : name;
}

}  // namespace

std::vector<Case> verify_stack() {
    const std::string shot =
        "[body]\nactor = \"arm\"\nclip = \"bend\"\ntime_scale = 4.0\n[output]\nlast_frame = 8\n";
    const Scene plain = parse_scene(shot, "verify");
    const Body body = load_body(plain);
    const std::vector<LayerKind>& kinds = layer_kinds();
    std::vector<Case> cases;
    for (unsigned subset = 0; subset < 1U << kinds.size(); ++subset) {
        std::string text = shot;
        for (size_t k = 0; k < kinds.size(); ++k) {
            if ((subset >> k & 1U) != 0) {
                text += layer_text(kinds[k].kind);
            }
        }
        const Run run{body, parse_scene(text, "verify")};
        const std::string name = subset_name(kinds, subset);
        const std::vector<Frame> one = run.frames(1);
        double not_finite = 0.0;
        for (const Frame& frame : one) {
            not_finite += frame.positions.allFinite() ? 0.0 : 1.0;
        }
        cases.push_back(at_most(name + ": frames with a number that is not finite", not_finite, 0.0,
                                "", "8 frames of an arm that bends"));
        cases.push_back(at_most(name + ": difference between one and two threads",
                                distance(one, run.frames(2)), 0.0, "m", "same bits"));
        MemoryKeeper keeper;
        run.frames(1, &keeper, 4);
        keeper.restart();
        cases.push_back(at_most(name + ": difference after a stop at frame 4 and resume",
                                distance(one, run.frames(2, &keeper)), 0.0, "m", "same bits"));
        if (subset == 0) {
            MatrixX3d positions;
            double largest = 0.0;
            for (const Frame& frame : one) {
                body.positions(frame.time, plain.body.sampling, Workers(1), positions);
                largest = std::max(largest, distance(frame.positions, positions));
            }
            cases.push_back(at_most("no layer: difference from the body", largest, 0.0, "m",
                                    "identity in, identity out"));
        }
    }
    return cases;
}

}  // namespace cutis::verify
