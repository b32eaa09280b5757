#include <algorithm>
#include <cctype>

#include "anatomy/shape.h"

namespace cutis::anatomy_detail {

std::vector<std::string> words_of(const std::string& name) {
    std::vector<std::string> words;
    std::string word;
    const auto end = [&] {
        if (!word.empty()) {
            words.push_back(word);
        }
        word.clear();
    };
    for (size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (std::isalpha(c) == 0) {
            end();
            continue;
        }
        if (std::isupper(c) != 0 && i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0) {
            end();
        }
        word.push_back(static_cast<char>(std::tolower(c)));
    }
    end();
    return words;
}

int tissue_of_name(const std::string& name) {
    // Whole words only: with parts of words a "brown" would be a brow, and a dolphin's "Top" cloth.
    static const std::map<std::string, Tissue> known = [] {
        std::map<std::string, Tissue> map;
        const auto add = [&](Tissue tissue, std::vector<std::string> words) {
            for (std::string& word : words) {
                map.emplace(std::move(word), tissue);
            }
        };
        add(Tissue::rigid, {"eye",       "eyes",    "eyeball",  "eyeballs", "iris",  "pupil",   "pupils", "cornea",
                            "sclera",    "tooth",   "teeth",    "fang",     "fangs", "tusk",    "tusks",  "horn",
                            "horns",     "hoof",    "hooves",   "hoofs",    "claw",  "claws",   "nail",   "nails",
                            "beak",      "helmet",  "hat",      "sword",    "staff", "wand",    "shield", "book",
                            "spellbook", "buckle",  "gun",      "weapon",   "armor", "armour",  "glass",  "glasses",
                            "crown",     "lens",    "antler",   "antlers",  "sting", "stinger", "spike",  "spikes",
                            "axe",       "bow",     "arrow",    "quiver",   "knife", "dagger",  "metal",  "wheel",
                            "jewel",     "earring", "earrings", "goggles",  "visor", "mask",    "screw",  "bolt"});
        add(Tissue::hair,
            {"hair", "hairs", "brow", "brows", "eyebrow", "eyebrows", "beard", "mane", "moustache", "mustache", "lash",
             "lashes", "eyelash", "eyelashes", "ponytail", "bangs", "whiskers", "feather", "feathers"});
        add(Tissue::cloth,
            {"cloth",   "clothes",   "clothing", "shirt",   "tshirt",  "pants",   "trousers", "short",     "shorts",
             "jeans",   "skirt",     "dress",    "suit",    "tie",     "coat",    "jacket",   "vest",      "sleeve",
             "sleeves", "boot",      "boots",    "shoe",    "shoes",   "sock",    "socks",    "stocking",  "stockings",
             "tights",  "glove",     "gloves",   "belt",    "cape",    "cloak",   "robe",     "hood",      "scarf",
             "sweater", "hoodie",    "fabric",   "leather", "uniform", "costume", "garment",  "leggings",  "tunic",
             "apron",   "sportsuit", "gown",     "blouse",  "kimono",  "sandals", "bikini",   "underwear", "sneakers"});
        add(Tissue::skin, {"skin", "flesh", "face"});
        return map;
    }();
    int best = -1;
    for (const std::string& word : words_of(name)) {
        const auto found = known.find(word);
        if (found != known.end()) {
            const int tissue = static_cast<int>(found->second);
            // "EyeBrow" is a brow, "skin_suit" a suit: the later word names the thing.
            best = best == static_cast<int>(Tissue::rigid) && tissue == static_cast<int>(Tissue::skin) ? best : tissue;
        }
    }
    return best;
}

std::string mirrored_name(const std::string& name) {
    static const std::vector<std::pair<std::string, std::string>> pairs = {
        {"Left", "Right"}, {"left", "right"}, {"LEFT", "RIGHT"}};
    for (const auto& [a, b] : pairs) {
        const size_t at_a = name.find(a);
        const size_t at_b = name.find(b);
        if (at_a != std::string::npos) {
            return name.substr(0, at_a) + b + name.substr(at_a + a.size());
        }
        if (at_b != std::string::npos) {
            return name.substr(0, at_b) + a + name.substr(at_b + b.size());
        }
    }
    // A single L or R that stands alone or begins a word: Arm.L, arm_l_01, LHipJoint.
    for (size_t i = 0; i < name.size(); ++i) {
        const char c = name[i];
        const char other = c == 'L' ? 'R' : c == 'R' ? 'L' : c == 'l' ? 'r' : c == 'r' ? 'l' : '\0';
        if (other == '\0') {
            continue;
        }
        const auto is_letter = [&](size_t k) {
            return k < name.size() && std::isalpha(static_cast<unsigned char>(name[k])) != 0;
        };
        const bool begins = i == 0 || !is_letter(i - 1);
        const bool alone = begins && !is_letter(i + 1);
        const bool prefix = i == 0 && std::isupper(static_cast<unsigned char>(c)) != 0 && name.size() > 1 &&
                            std::isupper(static_cast<unsigned char>(name[1])) != 0;
        if (alone || prefix) {
            std::string image = name;
            image[i] = other;
            return image;
        }
    }
    return name;
}

}  // namespace cutis::anatomy_detail
