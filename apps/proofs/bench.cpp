#include "bench/bench.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/cutis/console.h"
#include "apps/cutis/demos.h"
#include "apps/cutis/verbs.h"
#include "bench/curve_compare.h"
#include "cutis/core/error.h"
#include "layers.h"

namespace cutis::app {

namespace {

using BenchMaker = std::vector<bench::Row> (*)();

// What the demos with all layers cost, with one and two threads.
std::vector<bench::Row> bench_stack() {
    std::vector<bench::Row> rows;
    for (const char* name : {"creature-walk", "dancer-dance"}) {
        try {
            const Scene scene = demo_scene(find_demo(name));
            for (const int threads : {1, 2}) {
                const auto more = bench::bench_scene(name, scene, threads);
                rows.insert(rows.end(), more.begin(), more.end());
            }
        } catch (const IoError& absent) {
            std::cerr << "left out: " << absent.what() << "\n";
        }
    }
    return rows;
}

const std::vector<LayerOf<BenchMaker>> bench_makers = {
    {"body", bench::bench_body},   {"curve", bench::bench_curve}, {"fold", bench::bench_fold},
    {"slide", bench::bench_slide}, {"shell", bench::bench_shell}, {"stack", bench_stack},
};

void print_json(const std::vector<bench::Row>& rows) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const bench::Row& row : rows) {
        nlohmann::ordered_json one = {{"layer", row.layer},       {"row", row.row},
                                      {"size", row.size},         {"ms", row.ms},
                                      {"baseline", row.baseline}, {"baseline_ms", row.baseline_ms},
                                      {"ratio", row.ratio()},     {"paper_ms", nullptr}};
        if (row.paper_ms) {
            one["paper_ms"] = *row.paper_ms;
        }
        list.push_back(std::move(one));
    }
    std::cout << nlohmann::ordered_json{{"rows", list}}.dump(2) << '\n';
}

void print_table(const std::vector<bench::Row>& rows) {
    std::vector<std::vector<std::string>> cells = {
        {"layer", "row", "size", "ms", "baseline", "baseline ms", "ratio", "paper ms"}};
    for (const bench::Row& row : rows) {
        std::string size;
        for (const auto& [name, count] : row.size) {
            size += (size.empty() ? "" : ", ") + std::to_string(static_cast<long long>(count)) +
                    " " + name;
        }
        cells.push_back({row.layer, row.row, size, short_number(row.ms), row.baseline,
                         short_number(row.baseline_ms), short_number(row.ratio()),
                         row.paper_ms ? short_number(*row.paper_ms) : ""});
    }
    std::cout << table_text(cells);
}

/// Held-out frames between examples: every method of the curve layer side by side.
void print_comparison(bool is_json) {
    const std::vector<bench::CompareRow> rows = bench::compare_curve();
    if (is_json) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
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
        std::cout << nlohmann::ordered_json{{"rows", list}}.dump(2) << '\n';
        return;
    }
    std::vector<std::vector<std::string>> cells = {
        {"sequence", "method", "examples", "E_RMS", "max", "jump", "kB", "chosen on other frames"}};
    for (const bench::CompareRow& row : rows) {
        cells.push_back({row.sequence, row.method, std::to_string(row.examples),
                         short_number(row.rms), short_number(row.largest), short_number(row.jump),
                         short_number(row.kilobytes), row.chosen});
    }
    std::cout << table_text(cells);
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
    struct Flags {
        std::string layer;
        bool json = false;
        bool compare = false;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("bench", "measure each layer beside a baseline");
    verb->add_option("LAYER", flags->layer, "only this layer")->check(CLI::IsMember(layer_names()));
    verb->add_flag("--json", flags->json, "one JSON object");
    verb->add_flag("--compare", flags->compare,
                   "curve: error on held-out frames of every method, instead of times");
    verb->callback([flags, &action] {
        if (flags->compare && flags->layer != "curve") {
            throw CLI::ValidationError("--compare", "expected the layer curve");
        }
        action = [flags] {
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
