#include <array>

#include "body/actor_cast.h"
#include "cutis/body/actors.h"
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
    static const std::vector<Entry> entries = {
        {"arm", "a left arm with a fist, stretched sideways", {"bend", "twist"}, actor::make_arm},
        {"hand", "a right hand with forearm stump", {"flex", "fist"}, actor::make_hand},
        {"torso", "a torso with arms", {"lift_arm", "shrug"}, actor::make_torso},
        {"dancer", "a dancer with a tight leotard as its own mesh", {"arabesque", "arms", "knee_bend"}, actor::make_dancer},
        {"dinosaur", "a theropod", {"walk"}, actor::make_dinosaur},
        {"horse", "a horse with legs, neck, torso and tail as named parts", {"gallop"}, actor::make_horse},
        {"head", "a head with neck, jaw and Adam's apple", {"lift", "open_mouth", "swallow"}, actor::make_head},
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

Character make_actor(const std::string& name) {
    std::string known;
    for (const Entry& entry : cast()) {
        if (name == entry.name) {
            return entry.make();
        }
        known += (known.empty() ? "" : ", ") + std::string(entry.name);
    }
    throw InvalidInput(say("actor: no character named '", name, "'; there are ", known));
}

ArtMesh make_detail(const std::string&) { throw InvalidInput("none"); }

}  // namespace cutis
