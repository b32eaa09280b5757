// What the engine in a browser has no use for: it writes no files and decodes no pictures, which the browser draws
// itself.
#include <map>

#include "actors/files.h"
#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "io/picture/picture.h"

namespace cutis {

const std::vector<Format>& formats() {
    static const std::vector<Format> none;
    return none;
}

/// Scenes may name them: they say what a bake writes.
const std::vector<std::string>& known_formats() {
    static const std::vector<std::string> names = {"glb", "usda", "obj", "pc2", "mdd", "npz", "html", "png"};
    return names;
}

std::vector<std::string> output_formats() {
    return known_formats();
}

Picture read_picture(std::span<const unsigned char> /*bytes*/, const std::string& where) {
    throw InvalidInput(concat(where, ": pictures are not looked at in the browser"));
}

std::vector<unsigned char> write_png(const Picture& /*picture*/) {
    throw InvalidInput("pictures are not painted in the browser");
}

namespace actor {

const std::map<std::string, std::string_view>& embedded_actors() {
    static const std::map<std::string, std::string_view> none;
    return none;
}

}  // namespace actor

}  // namespace cutis
