#include "verify/verify.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "apps/cutis/console.h"
#include "apps/cutis/verbs.h"
#include "cutis/io/json.h"
#include "layers.h"

namespace cutis::app {

namespace {

using VerifyMaker = std::vector<verify::Case> (*)();

const char* bound_name(verify::Bound bound) {
    return bound == verify::Bound::at_most ? "at most" : "at least";
}

const std::vector<LayerOf<VerifyMaker>> verify_makers = {
    {"body", verify::verify_body},       {"curve", verify::verify_curve},
    {"fold", verify::verify_fold},       {"slide", [] { return verify::verify_slide(false); }},
    {"wrinkle", verify::verify_wrinkle}, {"shell", verify::verify_shell},
    {"stack", verify::verify_stack},
};

void print_json(const std::vector<verify::Case>& cases) {
    Json list = Json::array();
    for (const verify::Case& one : cases) {
        Json entry = {{"layer", one.layer}, {"case", one.name}};
        if (one.is_skipped) {
            entry["skipped"] = true;
        } else {
            entry["value"] = one.value;
            entry["bound"] = bound_name(one.bound);
            entry["limit"] = one.limit;
            entry["unit"] = one.unit;
            entry["pass"] = one.passes();
        }
        entry["source"] = one.source;
        list.push_back(std::move(entry));
    }
    std::cout << Json{{"cases", list}}.dump(2) << '\n';
}

void print_table(const std::vector<verify::Case>& cases, long failures, long skips) {
    std::vector<std::vector<std::string>> rows = {{"layer", "case", "value", "", "limit", "unit", "", "source"}};
    for (const verify::Case& one : cases) {
        if (one.is_skipped) {
            rows.push_back({one.layer, one.name, "", "", "", "", "skipped", one.source});
        } else {
            rows.push_back({one.layer, one.name, short_number(one.value), bound_name(one.bound),
                            short_number(one.limit), one.unit, one.passes() ? "pass" : "FAIL", one.source});
        }
    }
    std::cout << table_text(rows) << static_cast<long>(cases.size()) - failures - skips << " cases pass, " << failures
              << " fail, " << skips << " skipped\n";
}

bool is_ci() {
    const char* ci = std::getenv("CI");
    return ci != nullptr && std::string_view(ci) == "true";
}

}  // namespace

void add_verify(CLI::App& program, Action& action) {
    struct Flags {
        std::string layer;
        bool json = false;
        bool needs_all = false;
        bool has_whole_clips = false;
    };
    const auto flags = std::make_shared<Flags>();
    CLI::App* verb = program.add_subcommand("verify", "run the cases that prove each layer correct");
    verb->add_option("LAYER", flags->layer, "only this layer")->check(CLI::IsMember(layer_names()));
    verb->add_flag("--json", flags->json, "one JSON object");
    verb->add_flag("--no-skips", flags->needs_all, "fail where a case is skipped for lack of data, as with CI=true");
    verb->add_flag("--whole-clips", flags->has_whole_clips,
                   "slide: real characters over their whole clips, with steps of 1 ms too (minutes)");
    verb->callback([flags, &action] {
        if (flags->has_whole_clips && flags->layer != "slide") {
            throw CLI::ValidationError("--whole-clips", "expected the layer slide");
        }
        action = [flags] {
            std::vector<verify::Case> cases;
            for (const LayerOf<VerifyMaker>& maker : verify_makers) {
                if (flags->layer.empty() || flags->layer == maker.layer) {
                    const auto more = flags->has_whole_clips ? verify::verify_slide(true) : maker.make();
                    cases.insert(cases.end(), more.begin(), more.end());
                }
            }
            const auto failures =
                std::count_if(cases.begin(), cases.end(), [](const verify::Case& one) { return one.fails(); });
            const auto skips =
                std::count_if(cases.begin(), cases.end(), [](const verify::Case& one) { return one.is_skipped; });
            flags->json ? print_json(cases) : print_table(cases, failures, skips);
            const bool is_whole = skips == 0 || !(flags->needs_all || is_ci());
            return failures == 0 && is_whole ? exit_good : exit_failure;
        };
    });
}

}  // namespace cutis::app
