#include <array>

#include "actors/cast.h"
#include "cutis/actors/actors.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

struct Entry {
    const char* name;
    const char* line;
    std::vector<std::string> clips;
    Character (*make)();
};

const std::vector<Entry>& cast() {
    static const std::vector<std::string> tests = {"bulge", "squash", "twist", "shake"};
    static const std::vector<Entry> entries = {
        {"torus", "24 x 24 torus standing upright", tests, actor::make_torus},
        {"cylinder",
         "22 x 30 open cylinder along x",
         {"bulge", "squash", "twist", "shake", "bend"},
         actor::make_cylinder},
        {"arm", "left arm with a fist", {"bend", "twist"}, actor::make_arm},
        {"hand", "right hand with forearm", {"flex", "fist"}, actor::make_hand},
        {"head",
         "head with neck, jaw and Adam's apple",
         {"lift", "open_mouth", "swallow"},
         actor::make_head},
        {"torso", "torso with arms", {"lift_arm", "shrug"}, actor::make_torso},
        {"dancer",
         "dancer in a tight leotard (a mesh of its own)",
         {"arabesque", "arms", "knee_bend"},
         actor::make_dancer},
        {"dinosaur", "theropod that walks, stops and roars", {"walk"}, actor::make_dinosaur},
        {"creature",
         "the dinosaur in a tight suit (a mesh of its own)",
         {"walk"},
         actor::make_creature},
        {"horse",
         "horse with legs, neck, torso and tail as named parts",
         {"gallop"},
         actor::make_horse},
        {"rabbit", "sitting rabbit", {"listen"}, actor::make_rabbit},
        {"teapot", "Newell's teapot as one solid", {"pour"}, actor::make_teapot},
        {"vase", "vase with a wall", {"sway"}, actor::make_vase},
        {"tower", "tower with battlements, door and windows", {"sway"}, actor::make_tower},
        {"plane", "square sheet that bulges and dents", {"bulge"}, actor::make_plane},
        {"box", "box that is drawn to twice its length", {"stretch"}, actor::make_box},
    };
    return entries;
}

}  // namespace

std::vector<ActorInfo> list_actors() {
    std::vector<ActorInfo> out;
    for (const Entry& entry : cast()) {
        out.push_back({entry.name, entry.line, entry.clips});
    }
    return out;
}

Character load_actor(const std::string& name) {
    std::string known;
    for (const Entry& entry : cast()) {
        if (name == entry.name) {
            return entry.make();
        }
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw InvalidInput(say("actor: no character named '", name, "'; there are ", known));
}

}  // namespace cutis
