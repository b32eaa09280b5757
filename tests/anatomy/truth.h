#pragma once

// What a person who looks at the shared characters says of them, written by hand from pictures.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cutis/anatomy/anatomy.h"
#include "support/data.h"

namespace cutis::test {

/// Tissue of a material or mesh: letters of skin, cloth, hair, rigid; several where several answers
/// are right (shoes, a head that moves as one).
struct Said {
    const char* name;
    const char* tissues;
};

struct Truth {
    const char* file;  // in the folder of characters, or of data
    Build build;
    std::map<PartKind, int> parts;  // of a body of no kind: tube stands for any
    std::vector<Said> tissues;      // the first that names a patch's material or mesh counts, "" names all

    std::filesystem::path path() const {
        const auto own = characters_folder() / file;
        return std::filesystem::exists(own) ? own : data_folder() / file;
    }
};

inline const std::vector<Truth>& truths() {
    using K = PartKind;
    const std::map<PartKind, int> person = {{K::arm, 2}, {K::leg, 2}, {K::torso, 1}};
    const std::map<PartKind, int> animal = {{K::leg, 4}, {K::tail, 1}, {K::neck, 1}, {K::torso, 1}};
    static const std::vector<Truth> all = {
        {"HVGirl.glb",
         Build::human,
         person,
         {{"skin", "s"},
          {"T-shirt", "c"},
          {"short", "c"},
          {"brown", "ch"},
          {"black", "cr"},
          {"belt", "cr"},
          {"hair", "h"},
          {"", "r"}}},
        // The head moves as one piece: as skin, hair or rigid it stays as it is.
        {"Mage.glb",
         Build::human,
         person,
         {{"Mage_Hat", "r"}, {"Mage_Cape", "rc"}, {"Mage_Head", "shr"}, {"Mage_", "c"}, {"", "r"}}},
        {"Man_Casual.glb",
         Build::human,
         person,
         {{"Skin", "s"}, {"Eyebrows", "hr"}, {"Eye", "r"}, {"Hair", "h"}, {"", "c"}}},
        {"Man_Suit.glb",
         Build::human,
         person,
         {{"Skin", "s"}, {"Eyebrows", "hr"}, {"Eye", "r"}, {"Hair", "h"}, {"", "c"}}},
        {"Woman_Formal.glb",
         Build::human,
         person,
         {{"Skin", "s"}, {"Brown", "hr"}, {"Formal_Head", "h"}, {"Gold", "cr"}, {"", "c"}}},
        {"dancer/dancer.glb", Build::human, person, {{"skin", "s"}, {"", "c"}}},
        {"khronos-gltf/CesiumMan.glb", Build::human, person, {{"", "sc"}}},
        {"khronos-gltf/RiggedFigure.glb", Build::human, person, {{"", "sc"}}},
        {"quaternius/Superhero_Female_FullBody.glb",
         Build::human,
         person,
         {{"Eyebrows", "hr"}, {"Eyes", "r"}, {"", "sc"}}},
        {"Bull.glb", Build::quadruped, animal, {{"Main_Light", "sr"}, {"Main", "s"}, {"Muzzle", "sr"}, {"", "r"}}},
        {"quaternius/Horse.glb",
         Build::quadruped,
         {{K::leg, 4}, {K::tail, 1}, {K::neck, 1}, {K::torso, 1}, {K::ear, 2}},
         {{"Hair", "h"}, {"Main_Light", "sr"}, {"Main_Dark", "sr"}, {"Main", "s"}, {"Muzzle", "sr"}, {"", "r"}}},
        {"Triceratops.glb", Build::quadruped, {{K::leg, 4}, {K::tail, 1}, {K::torso, 1}}, {{"Brown", "r"}, {"", "s"}}},
        {"quaternius/Apatosaurus.glb", Build::quadruped, animal, {{"", "s"}}},
        {"quaternius/Trex.glb",
         Build::biped,
         {{K::leg, 2}, {K::arm, 2}, {K::tail, 1}, {K::neck, 1}, {K::torso, 1}},
         {{"LightYellow", "sr"}, {"Black", "r"}, {"Red", "sr"}, {"", "s"}}},
        {"Frog.glb", Build::quadruped, {{K::leg, 4}, {K::torso, 1}}, {{"Red", "sr"}, {"Black", "r"}, {"", "s"}}},
        {"khronos-gltf/Fox.glb", Build::quadruped, animal, {{"", "s"}}},
        {"Snake.glb",
         Build::tube,
         {{K::tube, 1}},
         {{"Teeth", "r"}, {"Yellow", "r"}, {"Purple", "sr"}, {"DarkRed", "sr"}, {"Red", "sr"}, {"", "s"}}},
        {"Dolphin.glb", Build::swimmer, {{K::fin, 2}, {K::tail, 1}, {K::torso, 1}}, {{"", "s"}}},
        {"Wasp.glb", Build::insect, {{K::leg, 6}, {K::tail, 1}}, {{"LightBlue", "r"}, {"", "sr"}}},
        {"webxr-hand/left.glb", Build::other, {{K::tube, 5}}, {{"", "s"}}},
        {"webxr-hand/right.glb", Build::other, {{K::tube, 5}}, {{"", "s"}}},
        {"khronos-gltf/RiggedSimple.glb", Build::tube, {{K::tube, 1}}, {{"", "s"}}},
    };
    return all;
}

}  // namespace cutis::test
