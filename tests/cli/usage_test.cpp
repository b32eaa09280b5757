#include "cli/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

namespace cutis::test {
namespace {

TEST(Usage, version_and_help_are_good) {
    const Outcome version = run({"--version"});
    EXPECT_EQ(version.code, 0);
    EXPECT_EQ(version.out.rfind("cutis 0.", 0), 0u) << version.out;
    const Outcome help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const char* verb : {"bake", "demo", "inspect", "convert", "verify", "bench"}) {
        EXPECT_TRUE(contains(help.out, verb)) << verb;
        EXPECT_EQ(run({verb, "--help"}).code, 0) << verb;
    }
}

TEST(Usage, wrong_usage_ends_with_2_and_a_word_on_stderr) {
    const std::vector<std::vector<std::string>> uses = {
        {},
        {"dance"},
        {"bake"},
        {"bake", "a.toml"},
        {"bake", "--no-such-flag"},
        {"bake", "a.toml", "-o", "out", "--threads", "-1"},
        {"bake", "a.toml", "-o", "out", "--threads", "many"},
        {"inspect"},
        {"convert", "a.obj"},
        {"convert", "a.obj", "b.obj", "--skinning", "magic"},
        {"verify", "nonsense"},
        {"bench", "nonsense"},
        {"demo", "nonsense"},
    };
    for (const auto& use : uses) {
        const Outcome outcome = run(use);
        EXPECT_EQ(outcome.code, 2) << (use.empty() ? "" : use.front());
        EXPECT_FALSE(outcome.err.empty());
    }
    EXPECT_TRUE(contains(run({"demo", "nonsense"}).err, "expected one of creature-walk, apatosaurus"));
}

TEST(Usage, a_missing_input_is_bad_input) {
    const ScratchFolder scratch;
    for (const char* name : {"none.glb", "none.obj", "none.pc2", "none.mdd", "none.bvh", "none.toml"}) {
        const Outcome outcome = run({"inspect", scratch / name});
        EXPECT_EQ(outcome.code, 2) << name;
        EXPECT_TRUE(contains(outcome.err, "no such file")) << outcome.err;
    }
    EXPECT_EQ(run({"bake", scratch / "none.toml", "-o", scratch / "out"}).code, 2);
    EXPECT_EQ(run({"convert", scratch / "none.glb", scratch / "out.obj"}).code, 2);
    EXPECT_EQ(run({"inspect", scratch.path()}).code, 2);
    EXPECT_TRUE(names_in(scratch.path()).empty());
}

TEST(Usage, an_unknown_extension_is_refused_with_what_there_is) {
    const ScratchFolder scratch;
    write_text(scratch / "a.max", "x");
    const Outcome inspect = run({"inspect", scratch / "a.max"});
    EXPECT_EQ(inspect.code, 2);
    EXPECT_TRUE(contains(inspect.err, ".glb")) << inspect.err;
    write_text(scratch / "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const Outcome convert = run({"convert", scratch / "a.obj", scratch / "a.max"});
    EXPECT_EQ(convert.code, 2);
    EXPECT_TRUE(contains(convert.err, "usda")) << convert.err;
}

class VerifyOf : public ::testing::TestWithParam<std::string> {};

TEST_P(VerifyOf, slow_a_layer_prints_the_agreed_json_and_passes) {
    const Outcome outcome = run({"verify", GetParam(), "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    ASSERT_TRUE(json.at("cases").is_array());
    EXPECT_FALSE(json.at("cases").empty());
    for (const auto& one : json.at("cases")) {
        EXPECT_EQ(one.at("layer"), GetParam());
        EXPECT_TRUE(one.at("case").is_string());
        if (one.value("skipped", false)) {
            EXPECT_FALSE(is_ci()) << one.at("case");
            EXPECT_FALSE(one.contains("pass"));
            continue;
        }
        EXPECT_TRUE(one.at("value").is_number());
        EXPECT_TRUE(one.at("bound") == "at most" || one.at("bound") == "at least");
        EXPECT_TRUE(one.at("limit").is_number());
        EXPECT_TRUE(one.at("unit").is_string());
        EXPECT_TRUE(one.at("pass").get<bool>()) << one.at("case");
        EXPECT_TRUE(one.at("source").is_string());
    }
}

INSTANTIATE_TEST_SUITE_P(Layers, VerifyOf, ::testing::Values("body", "curve", "fold", "slide", "shell", "stack"),
                         [](const auto& layer) { return layer.param; });

/// A variable of the environment as long as the object lives.
class Variable {
public:
    Variable(const char* name, const char* value) : name_(name) {
        const char* before = std::getenv(name);
        before_ = before == nullptr ? std::nullopt : std::optional<std::string>(before);
        value == nullptr ? unsetenv(name) : setenv(name, value, 1);
    }
    ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* name_;
    std::optional<std::string> before_;
};

TEST(Usage, verify_says_what_it_skipped_and_fails_on_it_when_asked_to) {
    const Variable data("CUTIS_DATA", "/nowhere");
    const Variable no_ci("CI", nullptr);
    const Outcome plain = run({"verify", "curve", "--json"});
    EXPECT_EQ(plain.code, 0) << plain.err;
    int skipped = 0;
    const nlohmann::json report = nlohmann::json::parse(plain.out);
    for (const auto& one : report.at("cases")) {
        if (one.value("skipped", false)) {
            ++skipped;
            EXPECT_FALSE(one.contains("pass"));
            EXPECT_TRUE(contains(one.at("source"), "/nowhere"));
        } else {
            EXPECT_TRUE(one.at("pass").get<bool>()) << one.at("case");
        }
    }
    EXPECT_GT(skipped, 0);
    const Outcome strict = run({"verify", "curve", "--no-skips"});
    EXPECT_EQ(strict.code, 1);
    EXPECT_TRUE(contains(strict.out, std::to_string(skipped) + " skipped")) << strict.out;
    const Variable ci("CI", "true");
    EXPECT_EQ(run({"verify", "curve"}).code, 1);
}

TEST(Usage, verify_prints_a_table_for_people) {
    EXPECT_TRUE(contains(run({"verify", "body"}).out, "pass"));
}

TEST(Usage, slow_bench_prints_the_agreed_json) {
    const Outcome outcome = run({"bench", "body", "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_FALSE(json.at("rows").empty());
    for (const auto& row : json.at("rows")) {
        EXPECT_TRUE(row.at("layer").is_string());
        EXPECT_TRUE(row.at("row").is_string());
        EXPECT_TRUE(row.at("size").is_object());
        EXPECT_TRUE(row.at("baseline").is_string());
        EXPECT_TRUE(row.contains("paper_ms"));
        EXPECT_NEAR(row.at("ratio").get<double>(), row.at("baseline_ms").get<double>() / row.at("ms").get<double>(),
                    1e-9);
    }
}

}  // namespace
}  // namespace cutis::test
