#include "cutis/core/options.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "cutis/core/error.h"
#include "support/expect_error.h"
#include "support/undescribed.h"

namespace cutis {
namespace {

using test::expect_error;

Value number(double value, int line = 1, int column = 1) {
    Value out;
    out.kind = Value::Kind::number;
    out.number = value;
    out.line = line;
    out.column = column;
    return out;
}

Value whole(double value) {
    Value out = number(value);
    out.kind = Value::Kind::integer;
    return out;
}

Value text(const std::string& value) {
    Value out;
    out.text = value;
    return out;
}

Value items(std::vector<Value> values) {
    Value out;
    out.kind = Value::Kind::list;
    out.list = std::move(values);
    return out;
}

Value words(const std::vector<std::string>& list) {
    std::vector<Value> values;
    for (const std::string& word : list) {
        values.push_back(text(word));
    }
    return items(values);
}

Value entries(Table table, int line = 1) {
    Value out;
    out.kind = Value::Kind::table;
    out.table = std::move(table);
    out.line = line;
    return out;
}

Value box(std::vector<double> numbers) {
    std::vector<Value> values;
    for (const double one : numbers) {
        values.push_back(number(one));
    }
    return entries({{"box", items(values)}});
}

struct Hook {
    std::string name = "a";
    Painted pull = 1.0;
};

Options describe(Hook& o) {
    return {{.name = "name", .field = &o.name, .about = "what it is called", .is_file = true},
            {.name = "pull", .field = &o.pull, .about = "how hard", .range = {0, 5}}};
}

enum class Rim { pin, glide, free };

struct Sample {
    bool use_history = true;
    int count = 3;
    double stickiness = 0.3;
    std::string name = "a";
    std::vector<std::string> words = {"x"};
    char axis = 'y';
    Rim rim = Rim::pin;
    Vector3d direction = {0.0, -1.0, 0.0};
    std::vector<int> vertices = {};
    Painted density = 1.5;
    std::optional<double> radius = {};
    std::optional<Painted> modulus = {};
    Region regions = "all";
    std::vector<Hook> hooks = {};
    Hook main_hook = {};
    MatrixX3d metric = {};
};

Options describe(Sample& o) {
    return {
        {.group = "first",
         .name = "use_history",
         .field = &o.use_history,
         .about = "a switch",
         .change = Change::start},
        {.name = "count", .field = &o.count, .about = "a count", .range = {1, 10}},
        {.name = "stickiness",
         .field = &o.stickiness,
         .about = "a share",
         .unit = "1",
         .range = {0, 1},
         .soft = {0.2, 0.8},
         .change = Change::live},
        {.name = "name", .field = &o.name, .about = "a text"},
        {.name = "words", .field = &o.words, .about = "some words", .choices = {"x", "yes"}},
        {.name = "axis", .field = choice(o.axis, {"y", "z"}, {'y', 'z'}), .about = "an axis"},
        {.name = "rim", .field = choice(o.rim, {"pin", "glide", "free"}), .about = "at borders"},
        {.name = "direction", .field = &o.direction, .about = "a direction", .range = {-1, 1}},
        {.name = "vertices", .field = &o.vertices, .about = "a chain", .range = {0, 1e6}},
        {.group = "second",
         .name = "density",
         .field = &o.density,
         .about = "a number that may be painted",
         .unit = "kg/m^2",
         .range = {0, 9}},
        {.name = "radius",
         .field = &o.radius,
         .about = "a length",
         .unit = "m",
         .range = {0, 1e3, true},
         .automatic = "a third of the body",
         .was = {"bond_radius"}},
        {.name = "modulus",
         .field = &o.modulus,
         .about = "a modulus",
         .range = {0, 100},
         .advanced = true,
         .automatic = "from the size"},
        {.name = "regions", .field = &o.regions, .about = "where"},
        {.name = "hooks", .field = tables(o.hooks), .about = "hooks in the skin"},
        {.name = "main", .field = table(o.main_hook), .about = "the first hook"},
        {.name = "metric", .field = in_code(o.metric), .about = "an array"},
        {.name = "gone", .field = MovedField{"gone in [body]"}},
    };
}

Sample read(const Table& values) {
    Sample sample;
    read_options(values, describe(sample), "[test]", "shot.toml");
    return sample;
}

std::string refusal(const Table& values) {
    try {
        read(values);
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "accepted";
}

void expect_part(const std::string& whole_text, const std::string& part) {
    EXPECT_NE(whole_text.find(part), std::string::npos) << "lacks: " << part << "\n" << whole_text;
}

TEST(Options, every_kind_of_value_reaches_its_field) {
    Value off;
    off.kind = Value::Kind::boolean;
    const Sample sample = read({{"use_history", off},
                                {"count", whole(7)},
                                {"stickiness", number(0.25)},
                                {"name", text("b")},
                                {"words", words({"yes", "x"})},
                                {"axis", text("z")},
                                {"rim", text("free")},
                                {"direction", items({number(1), whole(0), number(0.5)})},
                                {"vertices", items({whole(4), whole(2)})},
                                {"radius", whole(2)},
                                {"modulus", text("painted:stiff")},
                                {"regions", items({text("joint:jaw"), box({0, 0, 0, 1, 1, 1})})},
                                {"hooks", items({entries({{"name", text("c")}}), entries({{"pull", number(3)}})})},
                                {"main", entries({{"pull", items({text("all"), number(2), number(1)})}})}});
    EXPECT_FALSE(sample.use_history);
    EXPECT_EQ(sample.count, 7);
    EXPECT_EQ(sample.stickiness, 0.25);
    EXPECT_EQ(sample.name, "b");
    EXPECT_EQ(sample.words, (std::vector<std::string>{"yes", "x"}));
    EXPECT_EQ(sample.axis, 'z');
    EXPECT_EQ(sample.rim, Rim::free);
    EXPECT_EQ(sample.direction, Vector3d(1.0, 0.0, 0.5));
    EXPECT_EQ(sample.vertices, (std::vector<int>{4, 2}));
    EXPECT_EQ(sample.radius, 2.0);
    ASSERT_TRUE(sample.modulus.has_value());
    EXPECT_EQ(sample.modulus->mask.name, "painted:stiff");
    ASSERT_EQ(sample.regions.any.size(), 2U);
    EXPECT_EQ(sample.regions.any[1].box, (std::vector<double>{0, 0, 0, 1, 1, 1}));
    ASSERT_EQ(sample.hooks.size(), 2U);
    EXPECT_EQ(sample.hooks[0].name, "c");
    EXPECT_EQ(sample.hooks[1].pull.value, 3.0);
    EXPECT_EQ(sample.main_hook.pull.inside, 2.0);
}

TEST(Options, paintable_numbers_are_read_and_written_in_all_their_forms) {
    Sample sample = read({{"density", number(2.0)}});
    EXPECT_EQ(sample.density.value, 2.0);
    EXPECT_TRUE(sample.density.is_uniform());
    sample = read({{"density", text("painted:thick")}});
    EXPECT_EQ(sample.density.mask.name, "painted:thick");
    expect_part(options_sample(describe(sample), "[test]", "test"), "density = \"painted:thick\"");
    sample = read({{"density", items({text("joint:jaw"), number(3), number(1)})}});
    EXPECT_EQ(sample.density.inside, 3.0);
    EXPECT_EQ(sample.density.outside, 1.0);
    expect_part(options_sample(describe(sample), "[test]", "test"), "density = [\"joint:jaw\", 3.0, 1.0]");
    sample = read({{"density", words({"joint:jaw", "part:lip"})}});
    EXPECT_EQ(sample.density.mask.any.size(), 2U);
    expect_part(options_sample(describe(sample), "[test]", "test"), "density = [\"joint:jaw\", \"part:lip\"]");
    EXPECT_NE(refusal({{"density", items({text("all"), number(30), number(1)})}}), "accepted");
    EXPECT_NE(refusal({{"density", items({text("all"), number(3)})}}), "accepted");
    EXPECT_NE(refusal({{"direction", items({number(2), number(0), number(0)})}}), "accepted");
    EXPECT_NE(refusal({{"direction", items({number(1), number(0)})}}), "accepted");
}

TEST(Options, a_whole_number_is_a_number_but_not_the_other_way_round) {
    EXPECT_EQ(read({{"stickiness", whole(1)}}).stickiness, 1.0);
    EXPECT_EQ(refusal({{"count", number(2.5, 4, 9)}}),
              "shot.toml:4:9: [test] count: expected a whole number, found a number");
}

TEST(Options, an_unknown_key_names_the_nearest_one) {
    EXPECT_EQ(refusal({{"stickines", number(0.1, 5, 2)}}),
              "shot.toml:5:2: [test] has no key 'stickines'; did you mean 'stickiness'?");
    expect_part(refusal({{"use-history", number(1)}}), "'use_history'");
    expect_part(refusal({{"cuont", number(1)}}), "'count'");
    expect_part(refusal({{"qqqqqqqqqqqq", number(1)}}),
                "it has use_history, count, stickiness, name, words, axis, rim, direction, "
                "vertices, density, radius, modulus, regions, hooks and main");
    expect_part(refusal({{"hooks", items({entries({{"pul", number(1, 8, 3)}}, 7)})}}),
                "shot.toml:8:3: [test] hooks has no key 'pul'; did you mean 'pull'?");
}

TEST(Options, what_only_code_can_give_is_no_key) {
    expect_part(refusal({{"metric", number(1)}}), "has no key 'metric'");
}

TEST(Options, an_old_spelling_is_refused_with_the_new_one) {
    expect_part(refusal({{"bond_radius", number(1, 3, 1)}}),
                "shot.toml:3:1: [test] has no key 'bond_radius' any more; it is 'radius' now");
    expect_part(refusal({{"gone", number(1)}}), "[test] has no key 'gone' any more; it is gone in [body] now");
    expect_part(refusal({{"regions", words({"box:0,0,0,1,1,1"})}}), "{ box = [0,0,0,1,1,1] }, found the old spelling");
    expect_part(refusal({{"regions", words({"not box:0,0,0,1,1,1"})}}), "{ box = [0,0,0,1,1,1], outside = true }");
    expect_part(refusal({{"hooks", words({"a 3"})}}), "write hooks = [{ name = ..., pull = ... }]");
}

TEST(Options, numbers_out_of_range_and_not_finite_are_refused) {
    EXPECT_EQ(refusal({{"stickiness", number(1.5, 2, 3)}}),
              "shot.toml:2:3: [test] stickiness: expected a number from 0 to 1, found 1.5");
    EXPECT_NE(refusal({{"stickiness", number(std::nan(""))}}), "accepted");
    EXPECT_NE(refusal({{"count", whole(0)}}), "accepted");
    EXPECT_NE(refusal({{"count", whole(1e18)}}), "accepted");
    expect_part(refusal({{"radius", number(0)}}), "a number above 0 and at most 1000, found 0");
    expect_part(refusal({{"regions", items({box({0, 0, 0, 1, 1})})}}), "5 numbers");
    expect_part(refusal({{"regions", items({box({2, 0, 0, 1, 1, 1})})}}), "lower corner first");
}

TEST(Options, regions_of_several_are_tables_with_one_shape) {
    const auto put_together = [](const char* key) {
        return items({entries({{key, words({"skin", "joint:arm"})}, {"except", text("hair")}})});
    };
    EXPECT_EQ(refusal({{"regions", put_together("all")}}), "accepted");
    EXPECT_EQ(refusal({{"regions", put_together("any")}}), "accepted");
    Region region;
    read_options({{"where", put_together("all").list[0]}}, {{.name = "where", .field = &region}}, "[test]",
                 "shot.toml");
    EXPECT_EQ(region_text(region), "{ all = [\"skin\", \"joint:arm\"], except = [\"hair\"] }");
    int seen = 0;
    for_regions({{.name = "where", .field = &region}}, [&](const Region& one) { seen += one.name.empty() ? 1 : 10; });
    EXPECT_EQ(seen, 31);  // the table, and three names
    const auto ball = [](std::vector<Value> numbers) {
        return items({entries({{"sphere", items(std::move(numbers))}})});
    };
    EXPECT_EQ(refusal({{"regions", ball({number(0), number(1), number(2), number(0.5)})}}), "accepted");
    expect_part(refusal({{"regions", ball({number(0), number(1), number(2), number(0)})}}), "radius above 0, found 0");
    expect_part(refusal({{"regions", ball({number(0), number(1)})}}), "found 2 numbers");
    expect_part(refusal({{"regions", items({entries({{"except", text("hair")}})})}}), "found none");
    expect_part(refusal({{"regions", items({entries({{"any", text("a")}, {"all", text("b")}})})}}), "found several");
    expect_part(refusal({{"regions", items({entries({{"ball", text("a")}})})}}), "box, sphere, any or all");
}

TEST(Options, words_outside_the_choices_and_repeated_words_are_refused) {
    expect_part(refusal({{"axis", text("x")}}), "expected one of y and z, found \"x\"");
    expect_part(refusal({{"rim", text("glid")}}), "did you mean \"glide\"?");
    expect_part(refusal({{"words", words({"ye"})}}), "did you mean \"yes\"?");
    expect_part(refusal({{"words", words({"x", "x"})}}), "twice");
    expect_part(refusal({{"words", text("x")}}), "expected a list, found a text");
}

TEST(Options, a_check_finds_what_code_put_out_of_range) {
    Sample sample;
    check_options(describe(sample), "skin", 4);
    sample.stickiness = 1.5;
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin"); },
                               {"skin stickiness: expected a number from 0 to 1, found 1.5"});
    sample = {};
    sample.density.per_vertex = VectorXd::Ones(3);
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin", 4); },
                               {"density: expected 4 painted values, found 3"});
    sample.density.per_vertex = Eigen::Vector4d(1, 2, 10, 3);
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin", 4); },
                               {"density", "found 10 at vertex 2"});
    sample = {};
    sample.modulus = Painted(-1.0);
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin"); }, {"modulus"});
    sample = {};
    sample.hooks.resize(2);
    sample.hooks[1].pull = std::nan("");
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin"); }, {"skin hooks pull"});
    sample = {};
    sample.main_hook.pull.mask = "all";
    EXPECT_NO_THROW(check_options(describe(sample), "skin"));  // before vertices are known
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin", 4); }, {"has not been looked up"});
    sample.main_hook.pull.inside = 6.0;
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin"); }, {"skin main pull", "found 6"});
    sample = {};
    sample.rim = static_cast<Rim>(7);
    expect_error<InvalidInput>([&] { check_options(describe(sample), "skin"); }, {"pin, glide or free"});
}

TEST(Options, the_hash_is_that_of_the_values_not_of_how_they_were_written) {
    const auto hash_of = [](const Table& values) {
        Sample sample = read(values);
        return hash_options(describe(sample));
    };
    const std::uint64_t plain = hash_of({});
    EXPECT_EQ(hash_of({{"stickiness", number(0.3)}, {"count", whole(3)}}), plain);
    EXPECT_EQ(hash_of({{"stickiness", whole(1)}}), hash_of({{"stickiness", number(1.0)}}));
    EXPECT_EQ(hash_of({{"stickiness", number(-0.0)}}), hash_of({{"stickiness", whole(0)}}));
    const std::vector<Table> others = {
        {{"count", whole(4)}},
        {{"name", text("b")}},
        {{"words", words({"x", "yes"})}},
        {{"axis", text("z")}},
        {{"direction", items({number(0), number(-1), number(1)})}},
        {{"density", text("all")}},
        {{"density", items({text("all"), number(2), number(0)})}},
        {{"radius", number(1)}},
        {{"modulus", number(1)}},
        {{"regions", items({box({0, 0, 0, 1, 1, 1})})}},
        {{"regions", words({})}},
        {{"hooks", items({entries({})})}},
        {{"hooks", items({entries({{"pull", number(2)}})})}},
        {{"main", entries({{"pull", number(2)}})}},
    };
    std::vector<std::uint64_t> seen = {plain};
    for (const Table& other : others) {
        seen.push_back(hash_of(other));
        EXPECT_EQ(std::count(seen.begin(), seen.end(), seen.back()), 1)
            << other.begin()->first << " is not part of the hash";
    }
}

TEST(Options, masks_of_all_painted_fields_become_values_per_vertex) {
    Sample sample;
    sample.density.mask = "joint:arm";
    sample.density.inside = 3.0;
    sample.density.outside = 1.0;
    sample.modulus = Painted(0.0);
    sample.modulus->mask = "all";
    sample.hooks.resize(1);
    sample.hooks[0].pull.mask = "all";
    sample.main_hook.pull.mask = "all";
    const auto half = [](const Region&) { return VectorXd(Eigen::Vector2d(0.5, 1.0)); };
    resolve_masks(describe(sample), "[test]", half);
    EXPECT_EQ(sample.density.per_vertex, Eigen::Vector2d(2.0, 3.0));
    EXPECT_EQ(sample.modulus->per_vertex, Eigen::Vector2d(0.5, 1.0));
    EXPECT_EQ(sample.hooks[0].pull.per_vertex, Eigen::Vector2d(0.5, 1.0));
    EXPECT_EQ(sample.main_hook.pull.per_vertex, Eigen::Vector2d(0.5, 1.0));
    const std::vector<int> order = {1, 0};
    renumber_painted(describe(sample), order);
    EXPECT_EQ(sample.density.per_vertex, Eigen::Vector2d(3.0, 2.0));
    EXPECT_EQ(sample.hooks[0].pull.per_vertex, Eigen::Vector2d(1.0, 0.5));
}

TEST(Options, painted_values_beyond_their_range_by_rounding_are_brought_back) {
    // Single-precision weights of one joint that sum to a little more than 1.
    Sample sample;
    sample.density.mask = "joints:neck";
    sample.density.inside = 9.0;
    const double above = 1.0 + 6e-8;
    resolve_masks(describe(sample), "[test]", [&](const Region&) { return VectorXd(Eigen::Vector2d(above, 0.5)); });
    EXPECT_EQ(sample.density.per_vertex, Eigen::Vector2d(9.0, 4.5));
    const std::vector<int> shown = {7, 8};
    expect_error<InvalidInput>(
        [&] {
            resolve_masks(
                describe(sample), "[test]", [&](const Region&) { return VectorXd(Eigen::Vector2d(0.5, 1.01)); }, shown);
        },
        {"[test] density = \"joints:neck\"", "0 to 9", "at vertex 8"});
}

TEST(Options, files_that_options_name_are_listed) {
    Sample sample;
    sample.hooks.resize(2);
    sample.hooks[0].name = "a.obj";
    sample.hooks[1].name = "";
    sample.main_hook.name = "b.obj";
    EXPECT_EQ(named_files(describe(sample)), (std::vector<std::string>{"a.obj", "b.obj"}));
}

TEST(Options, the_sample_shows_value_unit_range_and_choices) {
    Sample sample;
    sample.name = "a\"b\\c\n";
    const std::string shown = options_sample(describe(sample), "[test]", "test");
    expect_part(shown, "stickiness = 0.3");
    expect_part(shown, "# a share [1], 0 to 1");
    expect_part(shown, "axis = \"y\"");
    expect_part(shown, "# an axis: y or z");
    expect_part(shown, "name = \"a\\\"b\\\\c\\u000A\"");
    expect_part(shown, "\n# radius = ");
    expect_part(shown, "above 0 to 1000; left out: a third of the body");
    expect_part(shown, "# [[test.hooks]]\n# name = \"a\"");
    expect_part(shown, "\n[test.main]\n");
}

TEST(Options, the_markdown_table_has_a_row_for_every_key) {
    Sample sample;
    const std::string table = options_markdown(describe(sample));
    expect_part(table, "| **first** |");
    expect_part(table,
                "| `density` | `1.5` | kg/m^2 | 0 to 9 | a number that may be painted "
                "(paintable) |");
    expect_part(table, "| `radius` | a third of the body | m | above 0 to 1000 | a length |");
    expect_part(table, "| `rim` | `\"pin\"` |  | `pin`, `glide`, `free` | at borders |");
    expect_part(table, "Each `hooks`:");
    EXPECT_EQ(table.find("metric"), std::string::npos);
}

TEST(Options, the_schema_is_json_and_says_everything) {
    Sample sample;
    const auto schema = nlohmann::json::parse("{" + options_schema(describe(sample), 2) +
                                              ", \"$defs\": {\"region\": {" + region_schema(4) + "}}}");
    const auto& keys = schema.at("properties");
    EXPECT_EQ(keys.size(), 15U);
    EXPECT_EQ(schema.at("additionalProperties"), false);
    EXPECT_EQ(keys.at("count").at("type"), "integer");
    EXPECT_EQ(keys.at("count").at("minimum"), 1);
    EXPECT_EQ(keys.at("stickiness").at("default"), 0.3);
    EXPECT_EQ(keys.at("stickiness").at("x-change"), "live");
    EXPECT_EQ(keys.at("stickiness").at("x-soft-maximum"), 0.8);
    EXPECT_EQ(keys.at("stickiness").at("x-group"), "first");
    EXPECT_EQ(keys.at("density").at("x-group"), "second");
    EXPECT_EQ(keys.at("density").at("x-paintable"), true);
    EXPECT_EQ(keys.at("density").at("x-unit"), "kg/m^2");
    EXPECT_EQ(keys.at("radius").at("exclusiveMinimum"), 0);
    EXPECT_FALSE(keys.at("radius").contains("default"));
    EXPECT_EQ(keys.at("radius").at("x-automatic"), "a third of the body");
    EXPECT_EQ(keys.at("radius").at("x-old-names").at(0), "bond_radius");
    EXPECT_EQ(keys.at("rim").at("enum").size(), 3U);
    EXPECT_EQ(keys.at("modulus").at("x-advanced"), true);
    EXPECT_EQ(keys.at("hooks").at("items").at("properties").at("pull").at("description"), "how hard");
    EXPECT_EQ(keys.at("main").at("properties").at("name").at("x-file"), true);
    for (const auto& [name, key] : keys.items()) {
        EXPECT_FALSE(key.at("description").get<std::string>().empty()) << name;
    }
}

TEST(Options, a_field_that_is_left_undescribed_is_noticed) {
    const auto all = [](Sample& o) { return describe(o); };
    EXPECT_TRUE(test::undescribed_bytes<Sample>(all).empty());
    for (size_t left_out = 0; left_out < 16; ++left_out) {
        const auto some = [&](Sample& o) {
            Options options = describe(o);
            options.erase(options.begin() + static_cast<std::ptrdiff_t>(left_out));
            return options;
        };
        EXPECT_FALSE(test::undescribed_bytes<Sample>(some).empty()) << left_out;
    }
}

}  // namespace
}  // namespace cutis
