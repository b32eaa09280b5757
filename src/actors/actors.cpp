#include "cutis/actors/actors.h"

#include "actors/files.h"
#include "actors/shapes.h"
#include "cutis/core/error.h"

namespace cutis {

namespace {

struct Entry {
    ActorInfo info;
    Character (*make)() = nullptr;  // null: kept as a file
};

const std::vector<Entry>& cast() {
    static const std::vector<Entry> entries = {
        {{"torus", "24 x 24 torus standing upright", {"bulge", "squash", "twist", "shake"}}, actor::make_torus},
        {{"cylinder", "22 x 30 open cylinder along x", {"bulge", "squash", "twist", "shake", "bend"}},
         actor::make_cylinder},
        {{"arm", "left arm with a fist", {"bend", "twist"}}},
        {{"hand", "right hand with forearm", {"flex", "fist"}}},
        {{"head", "head with neck, jaw and Adam's apple", {"lift", "open_mouth", "swallow"}}},
        {{"torso", "torso with arms", {"lift_arm", "shrug"}}},
        {{"dancer", "dancer in a tight leotard (a mesh of its own)", {"arabesque", "arms", "knee_bend"}}},
        {{"dinosaur", "theropod that walks, stops and roars", {"walk"}}},
        {{"creature", "the dinosaur in a tight suit (a mesh of its own)", {"walk"}}},
        {{"horse", "horse with legs, neck, torso and tail as named parts", {"gallop"}}},
        {{"rabbit", "sitting rabbit", {"listen"}}},
        {{"teapot", "Newell's teapot as one solid", {"pour"}}},
        {{"vase", "vase with a wall", {"sway"}}},
        {{"tower", "tower with battlements, door and windows", {"sway"}}},
        {{"plane", "square sheet that bulges and dents", {"bulge"}}, actor::make_plane},
        {{"box", "box that is drawn to twice its length", {"stretch"}}, actor::make_box},
    };
    return entries;
}

}  // namespace

std::vector<ActorInfo> list_actors() {
    std::vector<ActorInfo> out;
    for (const Entry& entry : cast()) {
        out.push_back(entry.info);
    }
    return out;
}

Character load_actor(const std::string& name) {
    std::string known;
    for (const Entry& entry : cast()) {
        if (name == entry.info.name) {
            return entry.make != nullptr ? entry.make() : actor::read_actor_file(name);
        }
        known += (known.empty() ? "" : ", ") + entry.info.name;
    }
    throw InvalidInput(concat("actor: no character named '", name, "'; there are ", known));
}

}  // namespace cutis
