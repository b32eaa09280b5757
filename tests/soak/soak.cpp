// A long bake of a gallop that loops, all layers on: nothing becomes infinite, nothing drifts, and
// memory stays flat.
//   soak [FRAMES]      default 10000
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cutis/actors/actors.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"

namespace {

constexpr const char* scene_text = R"([body]
actor = "horse"
clip = "gallop"
loop = "loop"

[[layer]]
kind = "curve"
from = "tail_1"
frequency = 2

[[layer]]
kind = "fold"
width = 0.08
edges_per_fold = 4
most_levels = 1

[[layer]]
kind = "slide"
step = 0.008

[[layer]]
kind = "shell"
detail = "spike"
size = 0.02
density = [{ box = [-0.2, 1.2, -2, 0.2, 3, 2] }, 1, 0]
)";

double resident_megabytes() {
    std::ifstream file("/proc/self/statm");
    double all = 0.0;
    double resident = 0.0;
    file >> all >> resident;
    return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

/// Largest values of one stretch of frames.
struct Stretch {
    double slide = 0.0;   ///< metres
    double away = 0.0;    ///< of a vertex from the body, metres
    double energy = 0.0;  ///< joules
    double memory = 0.0;  ///< megabytes at its end
};

class Watch final : public cutis::FrameSink {
public:
    explicit Watch(int length) : length_(length) {}
    bool wants_body_positions() const override { return true; }
    void begin(const cutis::BakeInfo& info) override { info_ = info; }
    void write(const cutis::Frame& frame) override {
        for (size_t i = 0; i < frame.numbers.size(); ++i) {
            not_finite += std::isfinite(frame.numbers[i]) ? 0 : 1;
            if (info_.numbers[i].name.find("energy") != std::string::npos) {
                now_.energy = std::max(now_.energy, frame.numbers[i]);
            }
        }
        for (const cutis::MeshFrame& mesh : frame.meshes) {
            not_finite += mesh.positions.allFinite() ? 0 : 1;
        }
        if (const auto* slide = info_.channel(frame, "slide distance")) {
            now_.slide = std::max(now_.slide, *std::max_element(slide->begin(), slide->end()));
        }
        now_.away =
            std::max(now_.away, (frame.body().positions - frame.body().plain_positions).rowwise().norm().maxCoeff());
        if (frame.number % length_ == 0) {
            now_.memory = resident_megabytes();
            std::printf(
                "frame %6d: slide up to %.4f m, %.4f m from the body, energy up to %.4f J, %.0f "
                "MB\n",
                frame.number, now_.slide, now_.away, now_.energy, now_.memory);
            std::fflush(stdout);
            stretches.push_back(now_);
            now_ = {};
        }
    }
    std::vector<cutis::OutputFile> finish() override { return {}; }

    std::vector<Stretch> stretches;
    int not_finite = 0;

private:
    cutis::BakeInfo info_;
    int length_;
    Stretch now_;
};

}  // namespace

int main(int count, char** arguments) {
    const int frames = count > 1 ? std::atoi(arguments[1]) : 10000;
    constexpr int stretches = 5;
    if (frames < 36 * stretches) {
        std::printf("soak: expected at least %d frames\n", 36 * stretches);
        return 2;
    }
    cutis::Scene scene = cutis::parse_scene(scene_text, "soak");
    scene.last_frame = frames;
    const cutis::Body body = cutis::load_body(scene, {}, cutis::load_actor);
    auto sink = std::make_unique<Watch>(frames / stretches);
    const Watch& watch = *sink;
    std::vector<std::unique_ptr<cutis::FrameSink>> sinks;
    sinks.push_back(std::move(sink));
    const cutis::Workers workers(0);
    cutis::BakeControls controls;
    controls.workers = &workers;
    cutis::bake(body, scene, sinks, controls);

    // The first stretch holds the start; after it every stretch repeats the same gallop, so no
    // maximum may grow beyond what rounding and the beat of clip and modes explain.
    constexpr double growth = 1.1;
    const Stretch& early = watch.stretches.at(1);
    const Stretch& late = watch.stretches.back();
    const bool is_steady =
        late.slide <= growth * early.slide && late.away <= growth * early.away && late.energy <= growth * early.energy;
    const bool is_flat = late.memory <= early.memory + 16.0;
    std::printf("%d not finite; %s; memory %s\n", watch.not_finite, is_steady ? "no drift" : "DRIFT",
                is_flat ? "flat" : "GROWS");
    return watch.not_finite == 0 && is_steady && is_flat ? 0 : 1;
}
