#include "bench/bench.h"
#include "bench/resized.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "apps/cutis/console.h"
#include "apps/cutis/demos.h"
#include "apps/cutis/verbs.h"
#include "bench/curve_compare.h"
#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/json.h"
#include "cutis/io/scene_read.h"
#include "cutis/io/suggest.h"
#include "cutis/stack/cost.h"
#include "layers.h"
#include "verify/data.h"

namespace cutis::app {

namespace {

using BenchMaker = std::vector<bench::Row> (*)();

/// Built-in characters; NAME@COUNT has that many triangles.
Character sized_actor(const std::string& name) {
    const size_t at = name.find('@');
    return at == std::string::npos ? load_actor(name)
                                   : bench::resized(load_actor(name.substr(0, at)), std::stoi(name.substr(at + 1)));
}

/// A character as `cutis bake CHARACTER --layers curve,fold,slide,shell` takes it, a second of it.
Scene first_try(const std::string& character) {
    SuggestOptions options;
    options.layers = {"curve", "fold", "slide", "shell"};
    Scene scene = parse_scene(suggest_scene(character, {}, options, sized_actor).scene, character);
    scene.last_frame = scene.last_frame == 0 ? 30 : std::min(scene.last_frame, 30);
    return scene;
}

// What the demos with all layers cost, with one and two threads; then characters nobody wrote a scene for: built-in
// ones of 2,000 and 28,000 triangles, and those beside the project.
std::vector<bench::Row> bench_stack() {
    std::vector<bench::Row> rows;
    const auto add = [&](const std::string& name, const std::vector<int>& threads, const auto& make) {
        try {
            const Scene scene = make();
            for (const int count : threads) {
                const auto more = bench::bench_scene(name, scene, count, sized_actor);
                rows.insert(rows.end(), more.begin(), more.end());
            }
        } catch (const IoError& absent) {
            std::cerr << "left out: " << absent.what() << "\n";
        }
    };
    for (const char* name : {"creature-walk", "dancer-dance"}) {
        add(name, {1, 2}, [&] { return demo_scene(find_demo(name)); });
    }
    std::vector<std::string> characters = {"actor:creature@2000", "actor:dancer@28000"};
    const std::filesystem::path folder = verify::characters_folder();
    for (const char* name : {"Bull.glb", "Triceratops.glb", "HVGirl.glb", "Man_Suit.glb"}) {
        if (std::filesystem::exists(folder / name)) {
            characters.push_back((folder / name).string());
        }
    }
    for (const std::string& character : characters) {
        add(std::filesystem::path(character).filename().string(), {2}, [&] { return first_try(character); });
    }
    return rows;
}

const std::vector<LayerOf<BenchMaker>> bench_makers = {
    {"body", bench::bench_body},   {"curve", bench::bench_curve}, {"fold", bench::bench_fold},
    {"slide", bench::bench_slide}, {"shell", bench::bench_shell}, {"wrinkle", bench::bench_wrinkle},
    {"stack", bench_stack},
};

void print_json(const std::vector<bench::Row>& rows) {
    Json list = Json::array();
    for (const bench::Row& row : rows) {
        Json one = {{"layer", row.layer},   {"row", row.row},           {"size", row.size},
                    {"ms", row.ms},         {"baseline", row.baseline}, {"baseline_ms", row.baseline_ms},
                    {"ratio", row.ratio()}, {"paper_ms", Json()}};
        if (row.paper_ms) {
            one["paper_ms"] = *row.paper_ms;
        }
        list.push_back(std::move(one));
    }
    std::cout << Json{{"rows", list}}.dump(2) << '\n';
}

void print_table(const std::vector<bench::Row>& rows) {
    std::vector<std::vector<std::string>> cells = {
        {"layer", "row", "size", "ms", "baseline", "baseline ms", "ratio", "paper ms"}};
    for (const bench::Row& row : rows) {
        std::string size;
        for (const auto& [name, count] : row.size) {
            size += (size.empty() ? "" : ", ") + std::to_string(static_cast<long long>(count)) + " " + name;
        }
        cells.push_back({row.layer, row.row, size, short_number(row.ms), row.baseline, short_number(row.baseline_ms),
                         short_number(row.ratio()), row.paper_ms ? short_number(*row.paper_ms) : ""});
    }
    std::cout << table_text(cells);
}

/// Held-out frames between examples: every method of the curve layer side by side.
void print_comparison(bool is_json) {
    const std::vector<bench::CompareRow> rows = bench::compare_curve();
    if (is_json) {
        Json list = Json::array();
        for (const bench::CompareRow& row : rows) {
            list.push_back({{"sequence", row.sequence},
                            {"method", row.method},
                            {"examples", row.examples},
                            {"e_rms", row.rms},
                            {"largest", row.largest},
                            {"velocity_jump", row.jump},
                            {"kilobytes", row.kilobytes},
                            {"chosen", row.chosen}});
        }
        std::cout << Json{{"rows", list}}.dump(2) << '\n';
        return;
    }
    std::vector<std::vector<std::string>> cells = {
        {"sequence", "method", "examples", "E_RMS", "max", "jump", "kB", "chosen on other frames"}};
    for (const bench::CompareRow& row : rows) {
        cells.push_back({row.sequence, row.method, std::to_string(row.examples), short_number(row.rms),
                         short_number(row.largest), short_number(row.jump), short_number(row.kilobytes), row.chosen});
    }
    std::cout << table_text(cells);
}

/// The farm's model of cost: what was measured now, and what plans expect.
void print_costs(bool is_json) {
    Json list = Json::array();
    std::vector<std::vector<std::string>> cells = {{"per 1,000 vertices", "prepare ms", "expected", "frame ms",
                                                    "expected", "MB", "expected", "bytes a frame", "expected"}};
    for (const bench::CostRow& row : bench::bench_cost()) {
        CostRate rate;
        for (const CostRate& one : cost_rates()) {
            rate = one.name == row.name ? one : rate;
        }
        list.push_back({{"name", row.name},
                        {"vertices", row.vertices},
                        {"prepare_ms", row.prepare_ms},
                        {"frame_ms", row.frame_ms},
                        {"megabytes", row.megabytes},
                        {"frame_bytes", row.frame_bytes},
                        {"expected",
                         {{"prepare_ms", rate.prepare_ms},
                          {"frame_ms", rate.frame_ms},
                          {"megabytes", rate.megabytes},
                          {"frame_bytes", rate.frame_bytes}}}});
        cells.push_back({row.name, short_number(row.prepare_ms), short_number(rate.prepare_ms),
                         short_number(row.frame_ms), short_number(rate.frame_ms), short_number(row.megabytes),
                         short_number(rate.megabytes), short_number(row.frame_bytes), short_number(rate.frame_bytes)});
    }
    std::cout << (is_json ? Json{{"rows", list}}.dump(2) + "\n" : table_text(cells));
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
    struct Flags {
        std::string layer;
        bool json = false;
        bool compare = false;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("bench", "measure each layer against a baseline");
    verb->add_option("LAYER", flags->layer, "only this layer, or farm: what tasks cost")->check(CLI::IsMember([] {
        std::vector<std::string> names = layer_names();
        names.emplace_back("farm");
        return names;
    }()));
    verb->add_flag("--json", flags->json, "one JSON object");
    verb->add_flag("--compare", flags->compare, "curve: error on held-out frames of every method, instead of times");
    verb->callback([flags, &action] {
        if (flags->compare && flags->layer != "curve") {
            throw CLI::ValidationError("--compare", "expected the layer curve");
        }
        action = [flags] {
            if (flags->layer == "farm") {
                print_costs(flags->json);
                return exit_good;
            }
            if (flags->compare) {
                print_comparison(flags->json);
                return exit_good;
            }
            std::vector<bench::Row> rows;
            for (const LayerOf<BenchMaker>& maker : bench_makers) {
                if (flags->layer.empty() || flags->layer == maker.layer) {
                    const auto more = maker.make();
                    rows.insert(rows.end(), more.begin(), more.end());
                }
            }
            flags->json ? print_json(rows) : print_table(rows);
            return exit_good;
        };
    });
}

}  // namespace cutis::app
