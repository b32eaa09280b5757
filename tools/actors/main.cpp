// Makes the characters that are kept as files.
//   make_actors FOLDER [NAME...]           writes FOLDER/NAME.glb
//   make_actors --check FOLDER [NAME...]   makes them again and compares with what stands there
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "actors/files.h"
#include "cast.h"
#include "cutis/body/body.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "write_glb.h"

namespace cutis::actor {

namespace {

const std::map<std::string, Character (*)()>& makers() {
    static const std::map<std::string, Character (*)()> all = {
        {"arm", make_arm},       {"hand", make_hand},         {"head", make_head},         {"torso", make_torso},
        {"dancer", make_dancer}, {"dinosaur", make_dinosaur}, {"creature", make_creature}, {"horse", make_horse},
        {"rabbit", make_rabbit}, {"teapot", make_teapot},     {"vase", make_vase},         {"tower", make_tower},
    };
    return all;
}

/// Largest distance between vertices of two characters at moments of all clips, metres.
double largest_distance(const std::shared_ptr<const Character>& a, const std::shared_ptr<const Character>& b) {
    double largest = 0.0;
    for (const Clip& clip : a->clips) {
        BodyOptions options;
        options.clip = clip.name;
        const Body first = make_body(a, options);
        const Body second = make_body(b, options);
        if (first.mesh().triangles.rows() != second.mesh().triangles.rows() ||
            first.mesh().triangles != second.mesh().triangles) {
            throw InvalidInput("other triangles");
        }
        constexpr int moments = 40;
        for (int i = 0; i <= moments; ++i) {
            MatrixX3d here, there;
            const double time = first.duration() * i / moments;
            first.positions(time, TimeSampling::exact, Workers(1), here);
            second.positions(time, TimeSampling::exact, Workers(1), there);
            largest = std::max(largest, (here - there).rowwise().norm().maxCoeff());
        }
    }
    return largest;
}

/// Same bytes, or (another compiler rounds otherwise) the same triangles and motion to 0.1 mm.
void check(const std::string& name, const Character& made, const std::string& bytes,
           const std::filesystem::path& path) {
    const std::vector<unsigned char> file = read_file(path);
    const std::string_view stored(reinterpret_cast<const char*>(file.data()), file.size());
    const auto read = std::make_shared<const Character>(read_actor_file(stored, name));
    double distance = 0.0;
    try {
        distance = largest_distance(std::make_shared<const Character>(made), read);
    } catch (const InvalidInput& error) {
        throw InvalidInput(concat(path.string(), ": differs from what tools/actors makes: ", error.what(),
                                  "; `make actors` makes it anew"));
    }
    std::printf("%s: %zu bytes, %s, %.2g mm from its maker\n", name.c_str(), file.size(),
                stored == bytes ? "same bytes" : "other bytes", 1e3 * distance);
    if (!(distance < 1e-4)) {
        throw InvalidInput(concat(path.string(),
                                  ": expected at most 0.1 mm from what tools/actors "
                                  "makes, found ",
                                  1e3 * distance, " mm"));
    }
}

int run(std::vector<std::string> words) {
    const bool is_check = !words.empty() && words.front() == "--check";
    if (is_check) {
        words.erase(words.begin());
    }
    if (words.empty()) {
        throw InvalidInput("expected: make_actors [--check] FOLDER [NAME...]");
    }
    const std::filesystem::path folder = words.front();
    words.erase(words.begin());
    std::size_t total = 0;
    for (const auto& [name, make] : makers()) {
        if (!words.empty() && std::find(words.begin(), words.end(), name) == words.end()) {
            continue;
        }
        const Character character = make();
        const std::string bytes = glb_of(character);
        const std::filesystem::path path = folder / (name + ".glb");
        if (is_check) {
            check(name, character, bytes, path);
        } else {
            AtomicFile file(path);
            file.write(bytes);
            file.commit();
            std::printf("%s: %zu bytes\n", path.string().c_str(), bytes.size());
        }
        total += bytes.size();
    }
    std::printf("%zu bytes in all\n", total);
    return 0;
}

}  // namespace

}  // namespace cutis::actor

int main(int count, char** words) {
    try {
        return cutis::actor::run({words + 1, words + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "make_actors: %s\n", error.what());
        return 1;
    }
}
