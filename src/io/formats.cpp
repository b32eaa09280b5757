#include "cutis/io/sinks.h"

#include "cutis/core/error.h"
#include "cutis/io/glb_write.h"
#include "cutis/io/mdd_write.h"
#include "cutis/io/npz_write.h"
#include "cutis/io/obj_write.h"
#include "cutis/io/page_write.h"
#include "cutis/io/pc2_write.h"
#include "cutis/io/usda_write.h"

namespace cutis {

const std::vector<std::string>& known_formats() {
    static const std::vector<std::string> formats = {"glb", "usda", "obj", "pc2",
                                                     "mdd", "npz",  "html"};
    return formats;
}

std::unique_ptr<FrameSink> make_sink(const std::string& format, const std::filesystem::path& folder,
                                     const std::string& name, const SinkOptions& options) {
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(std::string("/\\\0", 3)) != std::string::npos) {
        throw InvalidInput(say("output name '", name, "': expected a plain file name"));
    }
    const std::filesystem::path path = folder / (name + "." + format);
    if (format == "glb") {
        return make_glb_sink(path, options.glb);
    }
    if (format == "usda") {
        return make_usda_sink(path);
    }
    if (format == "obj") {
        return make_obj_sink(path);
    }
    if (format == "pc2") {
        return make_pc2_sink(path);
    }
    if (format == "mdd") {
        return make_mdd_sink(path);
    }
    if (format == "npz") {
        return make_npz_sink(path, options.npz);
    }
    if (format == "html") {
        return make_page_sink(path, options.html);
    }
    std::string known;
    for (const std::string& one : known_formats()) {
        known += (known.empty() ? "" : ", ") + one;
    }
    throw InvalidInput(say("output format '", format, "': expected one of ", known));
}

}  // namespace cutis
