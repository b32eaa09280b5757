#include "cutis/io/formats.h"

#include <algorithm>

#include "cutis/core/error.h"
#include "io/store/frame_store.h"

namespace cutis {

// A format is said in its own source: name, sentence, how to make its sink. A new one is declared
// here and gets its row below.
Format glb_format();
Format usda_format();
Format obj_format();
Format pc2_format();
Format mdd_format();
Format npz_format();
Format html_format();
Format png_format();

const std::vector<Format>& formats() {
    static const std::vector<Format> table = {glb_format(), usda_format(), obj_format(),  pc2_format(),
                                              mdd_format(), npz_format(),  html_format(), png_format()};
    return table;
}

const std::vector<std::string>& known_formats() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const Format& format : formats()) {
            if (!format.needs_maps) {
                list.push_back(format.name);
            }
        }
        return list;
    }();
    return names;
}

std::vector<std::string> output_formats() {
    std::vector<std::string> list;
    for (const Format& format : formats()) {
        list.push_back(format.name);
    }
    return list;
}

std::unique_ptr<FrameSink> make_sink(const std::filesystem::path& path, const SinkOptions& options) {
    const std::string ending = path.extension().string();
    for (const Format& format : formats()) {
        if (ending == "." + format.name) {
            return format.make(path, options);
        }
    }
    std::string known;
    for (const std::string& one : output_formats()) {
        known += (known.empty() ? "" : ", ") + one;
    }
    throw InvalidInput(concat("output format '", ending.substr(ending.empty() ? 0 : 1), "': expected one of ", known));
}

std::unique_ptr<FrameSink> make_sink(const std::string& format, const std::filesystem::path& folder,
                                     const std::string& name, const SinkOptions& options) {
    require(!name.empty() && name != "." && name != ".." &&
                name.find_first_of(std::string("/\\\0", 3)) == std::string::npos,
            "output name '", name, "': expected a plain file name");
    return make_sink(folder / (name + "." + format), options);
}

std::vector<std::unique_ptr<FrameSink>> make_sinks(const std::vector<std::string>& formats,
                                                   const std::filesystem::path& folder, const std::string& name,
                                                   SinkOptions options) {
    if (options.frames == nullptr) {
        options.frames = std::make_shared<FrameStore>(folder / name);
    }
    std::vector<std::unique_ptr<FrameSink>> sinks;
    for (const std::string& format : formats) {
        sinks.push_back(make_sink(format, folder, name, options));
    }
    return sinks;
}

}  // namespace cutis
