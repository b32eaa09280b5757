#include "body/names.h"

#include <algorithm>
#include <cctype>

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

// Levenshtein distance, one row of the table at a time.
size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t above = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? size_t{0} : size_t{1})});
            diagonal = above;
        }
    }
    return row[b.size()];
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
