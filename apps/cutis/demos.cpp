#include "demos.h"

#include <cstdlib>
#include <filesystem>

#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/scene.h"

namespace cutis::app {

namespace {

constexpr const char* data_word = "$DATA/";

std::filesystem::path data_folder() {
    const char* chosen = std::getenv("CUTIS_DATA");
    return chosen != nullptr && *chosen != '\0' ? chosen : "../shared/data";
}

}  // namespace

const std::vector<Demo>& demos() {
    static const std::vector<Demo> table = [] {
        std::vector<Demo> all;
        for (auto* layer : {stack_demos, slide_demos, curve_demos, fold_demos, shell_demos}) {
            for (Demo& demo : layer()) {
                all.push_back(std::move(demo));
            }
        }
        return all;
    }();
    return table;
}

const Demo& find_demo(const std::string& name) {
    std::vector<std::string> names;
    for (const Demo& demo : demos()) {
        if (demo.name == name) {
            return demo;
        }
        names.push_back(demo.name);
    }
    throw InvalidInput(say("demo: expected one of ", word_list(names), "; found \"", name, "\""));
}

std::vector<std::string> data_files(const Demo& demo) {
    std::vector<std::string> files;
    const std::string word = data_word;
    for (std::size_t at = demo.scene.find(word); at != std::string::npos;
         at = demo.scene.find(word, at + 1)) {
        const std::size_t begin = at + word.size();
        files.push_back(demo.scene.substr(begin, demo.scene.find('"', begin) - begin));
    }
    return files;
}

Scene demo_scene(const Demo& demo) {
    std::string text = demo.scene;
    for (const std::string& file : data_files(demo)) {
        const std::filesystem::path path = data_folder() / file;
        // Of a sequence the folder must be there.
        const bool is_sequence = file.find('*') != std::string::npos;
        if (!std::filesystem::exists(is_sequence ? path.parent_path() : path)) {
            throw IoError(say("demo ", demo.name, ": expected the file \"", path.generic_string(),
                              "\", which is not there; CUTIS_DATA names the folder of characters "
                              "(default ../shared/data)"));
        }
        const std::string named = data_word + file;
        text.replace(text.find(named), named.size(), path.generic_string());
    }
    Scene scene = parse_scene(text, "demo " + demo.name);
    scene.output.formats = {"html", "glb", "pc2"};
    check_scene(scene);
    load_layer_meshes(scene);
    return scene;
}

PageOptions demo_page(const Demo& demo) {
    PageOptions page;
    page.title = demo.name;
    page.caption = demo.about + (demo.figure.empty() ? "" : "; beside " + demo.figure);
    page.paint = demo.paint;
    page.camera_direction = demo.camera;
    page.follow = demo.follow;
    page.camera_focus = demo.focus;
    return page;
}

}  // namespace cutis::app
