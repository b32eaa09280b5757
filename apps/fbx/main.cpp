// FBX to GLB. `cutis` starts this program where it is given an FBX file.
#include <cstdio>
#include <exception>

#include "apps/fbx/convert.h"

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fputs("usage: cutis-fbx FILE.fbx FILE.glb\n", stderr);
        return 2;
    }
    try {
        for (const std::string& note : cutis::app::convert_fbx(argv[1], argv[2])) {
            std::printf("%s\n", note.c_str());
        }
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
