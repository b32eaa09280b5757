#include "cutis/io/character_read.h"

#include <unistd.h>

#include <system_error>

#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/gltf_read.h"
#include "cutis/io/inspect.h"

namespace cutis {

namespace fs = std::filesystem;

namespace {

FbxConverter& converter() {
    static FbxConverter one;
    return one;
}

/// A folder that goes away.
class ScratchPlace {
public:
    ScratchPlace() {
        std::string pattern = (fs::temp_directory_path() / "cutis-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) {
            throw IoError(concat(pattern, ": folder cannot be made"));
        }
        path_ = pattern;
    }
    ~ScratchPlace() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    ScratchPlace(const ScratchPlace&) = delete;
    ScratchPlace& operator=(const ScratchPlace&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

}  // namespace

void set_fbx_converter(FbxConverter made) {
    converter() = std::move(made);
}

bool is_character_ending(const std::string& ending) {
    return ending == "glb" || ending == "gltf" || ending == "vrm" || ending == "fbx";
}

Character read_character(const fs::path& path) {
    if (extension_of(path) != "fbx") {
        return read_gltf(path);
    }
    if (!converter()) {
        throw InvalidInput(concat(path.string(), ": expected glTF, since this program has no FBX reader; found FBX"));
    }
    read_file(path);  // missing or unreadable is said here
    const ScratchPlace scratch;
    const fs::path glb = scratch.path() / (path.stem().string() + ".glb");
    const std::vector<std::string> notes = converter()(path, glb);
    Character character = read_gltf(glb);
    character.source = path.filename().string();
    character.notes.insert(character.notes.begin(), notes.begin(), notes.end());
    return character;
}

}  // namespace cutis
