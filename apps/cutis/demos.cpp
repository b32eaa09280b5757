#include "demos.h"

#include "cutis/core/error.h"
#include "cutis/io/scene_read.h"
#include "cutis/stack/settings.h"

namespace cutis::app {

const std::vector<Demo>& demos() {
    static const std::vector<Demo> table = {
        {.name = "tube",
         .about = "a tube on three joints that bends and twists, dual quaternion skinning",
         .figure = "",
         .scene = "[body]\nactor = \"tube\"\nskinning = \"dual-quaternion\"\n"},
    };
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

Scene demo_scene(const Demo& demo) {
    Scene scene = parse_scene(demo.scene, "demo " + demo.name);
    scene.output.formats = {"html", "glb", "usda", "pc2"};
    check_scene(scene);
    return scene;
}

PageOptions demo_page(const Demo& demo) {
    PageOptions page;
    page.title = demo.name;
    page.caption = demo.about + (demo.figure.empty() ? "" : " (" + demo.figure + ")");
    page.paint = demo.paint;
    page.camera_direction = demo.camera;
    return page;
}

}  // namespace cutis::app
