#include "cutis/io/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cutis/core/error.h"

namespace cutis {
namespace {

/// Another library's view of what we write.
nlohmann::json seen_by_others(const Json& value, int indent = -1, bool is_ascii = false) {
    return nlohmann::json::parse(value.dump(indent, is_ascii));
}

std::string refusal_of(std::string_view text) {
    try {
        Json::parse(text, "file.gltf");
    } catch (const InvalidInput& error) {
        return error.what();
    }
    return "";
}

TEST(JsonTest, what_is_written_reads_back_in_another_library) {
    const Json value = {{"text", "a \"b\" \\ \n \t \x01 é 😀"},
                        {"numbers", {1, -2, 0.1, 1e300, 3.0F}},
                        {"flags", Json::array({true, false, Json()})},
                        {"empty", Json::object()},
                        {"map", std::map<std::string, double>{{"a", 0.5}}}};
    for (const int indent : {-1, 2}) {
        for (const bool is_ascii : {false, true}) {
            const nlohmann::json other = seen_by_others(value, indent, is_ascii);
            EXPECT_EQ(other["text"], "a \"b\" \\ \n \t \x01 é 😀");
            EXPECT_EQ(other["numbers"], (nlohmann::json{1, -2, 0.1, 1e300, 3.0}));
            EXPECT_EQ(other["flags"], (nlohmann::json{true, false, nullptr}));
            EXPECT_TRUE(other["empty"].is_object());
            EXPECT_EQ(other["map"]["a"], 0.5);
        }
    }
    const std::string ascii = value.dump(-1, true);
    EXPECT_TRUE(std::all_of(ascii.begin(), ascii.end(), [](char c) { return c >= 0x20 && c < 0x7F; })) << ascii;
}

TEST(JsonTest, bytes_that_are_not_utf8_are_replaced_and_infinite_numbers_are_null) {
    const nlohmann::json other = seen_by_others({{"name", "a\xFFz"}, {"far", INFINITY}, {"none", NAN}});
    EXPECT_EQ(other["name"], "a\xEF\xBF\xBDz");
    EXPECT_TRUE(other["far"].is_null());
    EXPECT_TRUE(other["none"].is_null());
}

TEST(JsonTest, what_another_library_writes_is_read_as_it_is) {
    const nlohmann::json other = {
        {"a", {1, 2.5, "x", true, nullptr}}, {"big", 18446744073709551615ULL}, {"b", {{"c", -7}}}};
    const Json value = Json::parse(other.dump(), "file");
    EXPECT_EQ(nlohmann::json::parse(value["a"].dump()), other["a"]);
    EXPECT_EQ(value["big"].as_number(), 18446744073709551615.0);
    EXPECT_EQ(value["b"]["c"].as_number(), -7.0);
    EXPECT_EQ(value["b"]["c"].as_index(), -1);
    EXPECT_FALSE(value["no such member"]["nor this"].is_object());
    EXPECT_EQ(value["a"][2].as_text(), "x");
}

TEST(JsonTest, of_members_with_one_name_the_last_counts_and_order_is_kept) {
    const Json value = Json::parse(R"({"z": 1, "a": 2, "z": 3, "m": 4})", "file");
    EXPECT_EQ(value.dump(), R"({"a":2,"z":3,"m":4})");
}

TEST(JsonTest, text_that_is_no_json_is_refused_with_its_place) {
    EXPECT_NE(refusal_of("{\"a\": 1,}").find("file.gltf: JSON: "), std::string::npos);
    EXPECT_NE(refusal_of("{\"a\": 1,}").find("column 9"), std::string::npos) << refusal_of("{\"a\": 1,}");
    EXPECT_NE(refusal_of(""), "");
    EXPECT_NE(refusal_of("[1] 2"), "");
    EXPECT_NE(refusal_of("\"\xFF\""), "");
    EXPECT_NE(refusal_of(std::string(65, '[') + std::string(65, ']')).find("at most 64 levels"), std::string::npos);
    EXPECT_EQ(refusal_of(std::string(64, '[') + std::string(64, ']')), "");
}

TEST(JsonTest, members_and_elements_can_be_taken_away) {
    Json value = {{"a", 1}, {"b", {1, 2, 3}}, {"c", 3}};
    value.erase("a");
    value.erase("nothing");
    value["b"].erase_at(1);
    value["d"].push_back("new");
    EXPECT_EQ(value.dump(), R"({"b":[1,3],"c":3,"d":["new"]})");
    const Json copy = value;
    value["c"] = 4;
    EXPECT_EQ(copy["c"].as_number(), 3.0);
}

}  // namespace
}  // namespace cutis
