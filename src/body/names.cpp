#include "body/names.h"

#include <algorithm>
#include <cctype>

#include "core/edit_distance.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

constexpr size_t longest_list = 12;
constexpr size_t longest_compared = 64;  // names come from files and may be huge

std::string folded(const std::string& name) {
    std::string lower = name.substr(0, longest_compared);
    for (char& c : lower) {
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return lower;
}

}  // namespace

std::string list_nearest_first(const std::string& wanted, std::vector<std::string> names) {
    const std::string target = folded(wanted);
    std::stable_sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
        return edit_distance(target, folded(a)) < edit_distance(target, folded(b));
    });
    std::string text;
    for (size_t i = 0; i < std::min(names.size(), longest_list); ++i) {
        text += (i == 0 ? "\"" : ", \"") + names[i] + "\"";
    }
    if (names.size() > longest_list) {
        text += concat(" and ", names.size() - longest_list, " more");
    }
    return names.empty() ? "none" : text;
}

}  // namespace cutis
