// The engine of the live page: one session behind a few C functions, called by web/src/live/worker.js. Built-in
// characters and demos are files of /actors and /demos that the page brings along.
#include <filesystem>
#include <memory>
#include <string>

#include "actors/files.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/live/session.h"

namespace {

namespace fs = std::filesystem;

const cutis::Workers& workers() {
    static const cutis::Workers one(1);
    return one;
}

std::unique_ptr<cutis::Session> session;
std::string answer;

cutis::Character load_actor(const std::string& name) {
    const std::vector<unsigned char> bytes = cutis::read_file("/actors/" + name + ".glb");
    return cutis::actor::read_actor_file({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name);
}

}  // namespace

extern "C" {

/// Once, when all files are there.
void live_begin() {
    cutis::SessionOptions options;
    options.workers = &workers();
    options.actors = load_actor;
    options.folder = "/work";
    options.packs = false;
    for (const fs::directory_entry& entry : fs::directory_iterator("/actors")) {
        options.characters.push_back(entry.path().stem().string());
    }
    for (const fs::directory_entry& entry : fs::directory_iterator("/demos")) {
        const std::vector<unsigned char> bytes = cutis::read_file(entry.path());
        options.demos[entry.path().stem().string()] = std::string(bytes.begin(), bytes.end());
    }
    session = std::make_unique<cutis::Session>(std::move(options));
}

/// JSON in, JSON out; valid until the next call.
const char* live_command(const char* text) {
    try {
        answer = session->apply(cutis::Json::parse(text, "command")).dump();
    } catch (const std::exception& error) {
        answer = cutis::Json{{"error", error.what()}}.dump();
    }
    return answer.c_str();
}

/// 0: no new frame, 1: one, 2: one that says what the meshes are.
int live_step() {
    return session->step() ? (session->announces() ? 2 : 1) : 0;
}

const unsigned char* live_frame() {
    return session->frame().data();
}

int live_frame_size() {
    return static_cast<int>(session->frame().size());
}
}
