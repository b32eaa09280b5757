#include "demos.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "cutis/core/error.h"
#include "cutis/io/formats.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/scene.h"

namespace cutis::app {

/// By name; made by cmake/EmbedFiles.cmake.
const std::map<std::string, std::string_view>& embedded_examples();

const std::vector<Demo>& demos() {
    static const std::vector<Demo> all = [] {
        std::vector<Demo> list;
        for (const auto& [name, bytes] : embedded_examples()) {
            const std::string text(bytes);
            const Scene scene = parse_scene(text, "demo " + name);
            list.push_back({name, text, scene, sink_options(scene).html});
        }
        std::stable_partition(list.begin(), list.end(), [](const Demo& demo) { return demo.name == default_demo; });
        return list;
    }();
    return all;
}

const Demo& find_demo(const std::string& name) {
    std::vector<std::string> names;
    for (const Demo& demo : demos()) {
        if (demo.name == name) {
            return demo;
        }
        names.push_back(demo.name);
    }
    throw InvalidInput(concat("demo: expected one of ", word_list(names), "; found \"", name, "\""));
}

Scene demo_scene(const Demo& demo) {
    Scene scene = demo.scene;
    check_scene(scene);
    load_layer_meshes(scene);
    return scene;
}

std::vector<std::string> data_files(const Demo& demo) {
    std::vector<std::string> files;
    const std::string word = "\"$DATA/";
    for (std::size_t at = demo.text.find(word); at != std::string::npos; at = demo.text.find(word, at + 1)) {
        const std::size_t begin = at + word.size();
        files.push_back(demo.text.substr(begin, demo.text.find('"', begin) - begin));
    }
    return files;
}

}  // namespace cutis::app
