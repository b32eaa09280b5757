#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>

#include "bench/bench.h"
#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/bake.h"

namespace cutis::bench {

namespace {

constexpr int most_stages = 8;
constexpr int bench_frames = 30;

/// What a bake in a process of its own says.
struct Measured {
    double prepare = 0.0;
    double stages[most_stages] = {};
    double write = 0.0;
    double bytes = 0.0;
    double vertices = 0.0;
    double shown = 0.0;  // of the mesh that a layer refined
    double megabytes = 0.0;
};

double processor_seconds() {
    rusage used = {};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// One thread, in a process of its own: memory of one bake alone.
Measured measure(const std::string& layers, const std::vector<std::string>& formats) {
    void* memory = mmap(nullptr, sizeof(Measured), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* out = new (memory) Measured;
    const pid_t child = fork();
    if (child == 0) {
        int code = 1;
        std::string name = (std::filesystem::temp_directory_path() / "cutis-bench-XXXXXX").string();
        const char* folder = mkdtemp(name.data());
        try {
            Scene scene = parse_scene("[body]\nactor = \"dancer\"\nclip = \"knee_bend\"\n" + layers, "bench");
            scene.last_frame = bench_frames;
            scene.output.formats = formats;
            const Body body = load_body(scene, {}, load_actor);
            const Workers workers(1);
            const auto sinks = make_sinks(formats, folder, "bench", {});
            const double processor = processor_seconds();
            const auto begin = std::chrono::steady_clock::now();
            const BakeReport report = bake(body, scene, sinks, {&workers, {}, nullptr});
            // What else runs on the machine is taken out: stages are measured by the clock.
            const double share = (processor_seconds() - processor) /
                                 std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
            out->vertices = static_cast<double>(body.mesh().positions.rows());
            out->shown = static_cast<double>(report.vertices);
            int stage = 0;
            for (const auto& [what, seconds] : report.stage_seconds) {
                if (what == "prepare") {
                    out->prepare = share * seconds;
                } else if (what == "write") {
                    out->write = share * seconds;
                } else if (stage < most_stages) {
                    out->stages[stage++] = share * seconds;
                }
            }
            for (const OutputFile& file : report.outputs) {
                out->bytes += static_cast<double>(file.bytes);
            }
            rusage used = {};
            getrusage(RUSAGE_SELF, &used);
            out->megabytes = static_cast<double>(used.ru_maxrss) / 1024.0;
            code = 0;
        } catch (const Error& error) {
            std::fprintf(stderr, "bench farm: %s\n", error.what());
        }
        std::error_code ignored;
        std::filesystem::remove_all(name, ignored);
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const Measured measured = *out;
    munmap(memory, sizeof(Measured));
    if (child < 0 || status != 0) {
        throw SolverFailure("bench farm: a bake failed");
    }
    return measured;
}

}  // namespace

std::vector<CostRow> bench_cost() {
    std::vector<CostRow> rows;
    const auto add = [&](const std::string& name, double prepare, double frames, double megabytes, double bytes,
                         double vertices) {
        const double thousands = vertices / 1000.0;
        rows.push_back({name, vertices, 1e3 * prepare / thousands, 1e3 * frames / bench_frames / thousands,
                        std::max(0.0, megabytes) / thousands, bytes / bench_frames / thousands});
    };
    const Measured plain = measure("", {"pc2"});
    add("body", plain.prepare, plain.stages[0], 0.0, 0.0, plain.vertices);
    for (const char* layer : {"curve", "fold", "slide", "wrinkle", "shell"}) {
        const Measured one = measure("[[layer]]\nkind = \"" + std::string(layer) + "\"\n", {"pc2"});
        add(layer, one.prepare - plain.prepare, one.stages[1], one.megabytes - plain.megabytes, 0.0, one.shown);
    }
    for (const std::string& format : known_formats()) {
        const Measured one = measure("", {format});
        add(format, 0.0, one.write, one.megabytes - plain.megabytes, one.bytes, one.vertices);
    }
    return rows;
}

}  // namespace cutis::bench
