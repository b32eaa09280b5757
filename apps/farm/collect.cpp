
#include "collect.h"

#include <unistd.h>

#include <algorithm>
#include <map>

#include "apps/cutis/report.h"
#include "apps/cutis/run.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "src/farm/files.h"

namespace cutis::app {

namespace fs = std::filesystem;

namespace {

/// A shot as the pages show it.
struct Entry {
    std::int64_t task = 0;  // the one that writes
    farm::Shot shot;
    bool is_done = false;
    std::string reason;  // of a failure
    std::vector<std::string> files;
    double seconds = 0.0;
};

// One file under a second name where the disk allows that, else a copy; whole or not at all.
void place_file(const fs::path& from, const fs::path& to) {
    const fs::path part = to.string() + ".part" + std::to_string(getpid()) + "-0";
    std::error_code error;
    fs::remove(part, error);
    fs::create_hard_link(from, part, error);
    if (error) {
        error.clear();
        fs::copy_file(from, part, fs::copy_options::overwrite_existing, error);
    }
    if (!error) {
        fs::rename(part, to, error);
    }
    std::error_code ignored;
    fs::remove(part, ignored);  // a rename onto another name of the same file leaves it
    if (error) {
        farm::throw_io(to, "cannot be written", error.value());
    }
}

bool is_result(const std::string& name) {
    return name != "report" && name != "state" && name != "frames" && name != "log" &&
           name.find(".part") == std::string::npos;
}

std::string html_text(const std::string& text) {
    std::string out;
    for (const char c : text) {
        out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : std::string(1, c);
    }
    return out;
}

// A path inside a page: what has a meaning in addresses is escaped.
std::string address(const std::string& path) {
    std::string out;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0 || std::string_view("-_.~/").find(c) != std::string_view::npos) {
            out += c;
        } else {
            char code[4];
            std::snprintf(code, sizeof(code), "%%%02X", byte);
            out += code;
        }
    }
    return out;
}

constexpr const char* page_head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>cutis farm</title>
<style>
:root { color-scheme: light dark; font: 14px system-ui, sans-serif; }
body { margin: 0 16px 24px; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 12px; }
figure { margin: 0; border: 1px solid #8886; border-radius: 6px; overflow: hidden; }
figure img { width: 100%; aspect-ratio: 4 / 3; display: block; background: #8882; }
figcaption { padding: 6px 8px; overflow-wrap: anywhere; }
figcaption b { display: block; }
.bad { border-color: #c33; }
.bad pre { margin: 8px; white-space: pre-wrap; color: #c33; }
nav a { margin-right: 12px; }
</style></head><body>
)";

std::string figure_of(const Entry& entry) {
    const std::string folder = address(entry.shot.folder) + "/";
    const std::string name = html_text(entry.shot.folder);
    if (!entry.is_done) {
        return "<figure class=\"bad\"><pre>" + html_text(entry.reason.empty() ? "not done yet" : entry.reason) +
               "</pre><figcaption><b>" + name + "</b>task " + std::to_string(entry.task) + "</figcaption></figure>\n";
    }
    std::string links;
    for (const std::string& file : entry.files) {
        if (file != "thumbnail.png") {
            links += "<a href=\"" + folder + address(file) + "\">" + html_text(file) + "</a> ";
        }
    }
    return "<figure><img loading=\"lazy\" src=\"" + folder + "thumbnail.png\" alt=\"" + name + "\"><figcaption><b>" +
           name + "</b>" + html_text(entry.shot.label) + (entry.shot.label.empty() ? "" : "<br>") + links +
           "</figcaption></figure>\n";
}

void write_text_file(const fs::path& path, const std::string& text) {
    AtomicFile file(path);
    file.write(text);
    file.commit();
}

// Pages of a few hundred shots each, so that a browser can show them.
std::string write_index(const fs::path& folder, const std::vector<Entry>& entries,
                        const std::vector<std::string>& sheets) {
    constexpr size_t per_page = 500;
    const size_t pages = std::max<size_t>(1, (entries.size() + per_page - 1) / per_page);
    const auto name_of = [](size_t page) {
        return page == 0 ? "index.html" : "index-" + std::to_string(page + 1) + ".html";
    };
    for (size_t page = 0; page < pages; ++page) {
        std::string text = page_head;
        text += "<h1>" + std::to_string(entries.size()) + (entries.size() == 1 ? " shot" : " shots") + "</h1>\n<nav>";
        for (size_t other = 0; pages > 1 && other < pages; ++other) {
            text += other == page ? std::to_string(other + 1) + " "
                                  : "<a href=\"" + name_of(other) + "\">" + std::to_string(other + 1) + "</a>";
        }
        for (const std::string& sheet : sheets) {
            text += "<a href=\"" + address(sheet) + "\">" + html_text(sheet) + "</a>";
        }
        text += "</nav>\n<main>\n";
        for (size_t i = page * per_page; i < std::min(entries.size(), (page + 1) * per_page); ++i) {
            text += figure_of(entries[i]);
        }
        write_text_file(folder / name_of(page), text + "</main></body></html>\n");
    }
    return (folder / "index.html").string();
}

// A sheet that plays the combinations of a wedge beside each other, where all of them are there.
std::vector<std::string> write_sheets(const fs::path& folder, const std::vector<Entry>& entries) {
    std::vector<std::string> sheets;
    for (size_t i = 0; i < entries.size();) {
        const farm::Shot& first = entries[i].shot;
        const size_t end = i + std::max<size_t>(1, static_cast<size_t>(std::max(0, first.wedges)));
        if (first.wedge == 0 && end <= entries.size()) {
            const std::string parent = fs::path(first.folder).parent_path().string();
            std::vector<std::pair<std::string, std::string>> pages;
            for (size_t k = i; k < end; ++k) {
                if (entries[k].is_done) {
                    pages.emplace_back(
                        fs::path(entries[k].shot.folder).filename().string() + "/" + first.name + ".html",
                        entries[k].shot.label);
                }
            }
            if (!pages.empty()) {
                const std::string sheet = parent + "/" + first.name + ".wedges.html";
                write_text_file(folder / sheet, sheet_text(first.name, pages));
                sheets.push_back(sheet);
            }
        }
        i = end;
    }
    return sheets;
}

// What a learned deformer trains on, clip by clip.
void write_training_list(const farm::Plan& plan, const fs::path& folder, const std::vector<Entry>& entries) {
    Json clips = Json::array();
    for (const Entry& entry : entries) {
        if (!entry.is_done || !entry.shot.is_training) {
            continue;
        }
        const fs::path result = farm::result_folder(plan, plan.task(entry.task));
        Json points = Json::array();
        for (const std::string& file : entry.files) {
            if (file != "thumbnail.png" && !file.ends_with(".skeleton.glb")) {
                points.push_back(entry.shot.folder + "/" + file);
            }
        }
        clips.push_back({{"name", entry.shot.folder},
                         {"clip", entry.shot.motion.empty() ? entry.shot.clip : entry.shot.motion},
                         {"skeleton", entry.shot.folder + "/" + entry.shot.name + ".skeleton.glb"},
                         {"points", points},
                         {"frames", static_cast<int>(farm::report_number(result, "frames"))},
                         {"vertices", static_cast<int>(farm::report_number(result, "vertices"))}});
    }
    if (!clips.empty()) {
        const std::string character =
            entries.front().shot.inputs.empty() ? "" : entries.front().shot.inputs.front().path;
        write_text_file(folder / "training.json", json_text({{"version", CUTIS_VERSION},
                                                             {"character", character},
                                                             {"scene", entries.front().shot.scene},
                                                             {"clips", clips}}));
    }
}

}  // namespace

Collected collect(const farm::Plan& plan, const fs::path& folder, int tries) {
    const std::vector<farm::Task> tasks = plan.tasks();
    const std::vector<farm::Standing> standing = farm::standings(plan, tasks, tries);
    std::map<std::int64_t, std::string> reasons;
    for (const auto& [number, failure] : farm::status_of(plan, tasks, tries).failed) {
        const farm::Task& task = tasks[static_cast<size_t>(number)];
        reasons[task.shot] = failure.message;
    }
    Collected report;
    std::vector<Entry> entries;
    for (size_t i = 0; i < tasks.size(); ++i) {
        if (!tasks[i].is_last()) {
            continue;
        }
        Entry entry;
        entry.task = static_cast<std::int64_t>(i);
        entry.shot = plan.shot(tasks[i]);
        entry.is_done = standing[i] == farm::Standing::done;
        ++report.shots;
        if (entry.is_done) {
            const fs::path from = farm::result_folder(plan, tasks[i]);
            const fs::path to = folder / entry.shot.folder;
            farm::make_folder(to);
            for (const auto& file : fs::directory_iterator(from)) {
                const std::string name = file.path().filename().string();
                if (is_result(name)) {
                    place_file(file.path(), to / name);
                    entry.files.push_back(name);
                    ++report.files;
                }
            }
            std::sort(entry.files.begin(), entry.files.end());
        } else {
            ++report.missing;
            entry.reason = reasons.count(tasks[i].shot) > 0 ? reasons[tasks[i].shot] : "";
        }
        entries.push_back(std::move(entry));
    }
    farm::make_folder(folder);
    const std::vector<std::string> sheets = write_sheets(folder, entries);
    write_training_list(plan, folder, entries);
    report.index = write_index(folder, entries, sheets);
    return report;
}

}  // namespace cutis::app
