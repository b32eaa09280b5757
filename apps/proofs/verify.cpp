#include "verify/verify.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/cutis/console.h"
#include "layers.h"
#include "apps/cutis/verbs.h"

namespace cutis::app {

namespace {

using VerifyMaker = std::vector<verify::Case> (*)();

const std::vector<LayerOf<VerifyMaker>> verify_makers = {
    {"body", verify::verify_body},   {"curve", verify::verify_curve},
    {"fold", verify::verify_fold},   {"slide", [] { return verify::verify_slide(false); }},
    {"shell", verify::verify_shell}, {"stack", verify::verify_stack},
};

void print_json(const std::vector<verify::Case>& cases) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const verify::Case& one : cases) {
        list.push_back({{"layer", one.layer},
                        {"case", one.name},
                        {"value", one.value},
                        {"limit", one.limit},
                        {"unit", one.unit},
                        {"pass", one.pass},
                        {"source", one.source}});
    }
    std::cout << nlohmann::ordered_json{{"cases", list}}.dump(2) << '\n';
}

void print_table(const std::vector<verify::Case>& cases) {
    std::vector<std::vector<std::string>> rows = {
        {"layer", "case", "value", "limit", "unit", "", "source"}};
    for (const verify::Case& one : cases) {
        rows.push_back({one.layer, one.name, short_number(one.value), short_number(one.limit),
                        one.unit, one.pass ? "pass" : "FAIL", one.source});
    }
    std::cout << table_text(rows);
}

}  // namespace

void add_verify(CLI::App& program, Action& action) {
    struct Flags {
        std::string layer;
        bool json = false;
        bool has_whole_clips = false;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb =
        program.add_subcommand("verify", "compute the cases that prove each layer right");
    verb->add_option("LAYER", flags->layer, "only this layer")->check(CLI::IsMember(layer_names()));
    verb->add_flag("--json", flags->json, "one JSON object");
    verb->add_flag(
        "--whole-clips", flags->has_whole_clips,
        "slide: real characters over their whole clips, with steps of 1 ms too (minutes)");
    verb->callback([flags, &action] {
        if (flags->has_whole_clips && flags->layer != "slide") {
            throw CLI::ValidationError("--whole-clips", "expected the layer slide");
        }
        action = [flags] {
            std::vector<verify::Case> cases;
            for (const LayerOf<VerifyMaker>& maker : verify_makers) {
                if (flags->layer.empty() || flags->layer == maker.layer) {
                    const auto more =
                        flags->has_whole_clips ? verify::verify_slide(true) : maker.make();
                    cases.insert(cases.end(), more.begin(), more.end());
                }
            }
            flags->json ? print_json(cases) : print_table(cases);
            const bool all_pass = std::all_of(cases.begin(), cases.end(),
                                              [](const verify::Case& one) { return one.pass; });
            return all_pass ? exit_good : exit_failure;
        };
    });
}

}  // namespace cutis::app
