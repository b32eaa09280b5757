// A session with all cores, shown by a page in a browser: apart from `cutis`, which is built without it. `cutis live`
// starts this program.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string_view>
#include <thread>

#include "apps/cutis/console.h"
#include "apps/cutis/demos.h"
#include "apps/cutis/verbs.h"
#include "cutis/actors/actors.h"
#include "cutis/core/error.h"
#include "cutis/io/files.h"
#include "cutis/io/suggest.h"
#include "cutis/live/session.h"
#include "server.h"

namespace cutis {
extern const std::string_view live_page;
}

namespace cutis::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct LiveFlags {
    std::string what;
    int port = 0;
    int threads = 0;
    bool no_browser = false;
    double grace = 10.0;
};

/// A folder of its own for files that a page hands in; gone at the end.
class OwnFolder {
public:
    OwnFolder() {
        std::string name = (fs::temp_directory_path() / "cutis-live-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw IoError(concat(name, ": cannot be made"));
        }
        path_ = name;
    }
    ~OwnFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

void open_browser(const std::string& address) {
    if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) {
        return;
    }
    if (fork() == 0) {
        const bool is_quiet =
            std::freopen("/dev/null", "w", stdout) != nullptr && std::freopen("/dev/null", "w", stderr) != nullptr;
        if (!is_quiet) {
            _exit(127);
        }
        execlp("xdg-open", "xdg-open", address.c_str(), nullptr);
        _exit(127);
    }
}

/// What is opened first: a scene file, a character, a demo; creature-walk where nothing is named.
void open_first(const std::string& what, Session& session) {
    const auto check = [](const Json& answer) {
        if (answer.contains("error")) {
            throw InvalidInput(answer["error"].as_text());
        }
    };
    if (what.empty()) {
        check(session.apply({{"do", "open"}, {"demo", default_demo}}));
        return;
    }
    const fs::path path(what);
    if (path.extension() == ".toml") {
        const std::vector<unsigned char> bytes = read_file(path);
        const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
        check(session.open(std::string(bytes.begin(), bytes.end()), folder));
    } else if (path.has_extension() || what.compare(0, 6, "actor:") == 0) {
        check(session.open(suggest_scene(what, "", {}, load_actor).scene, "."));
    } else {
        find_demo(what);  // says what there is
        check(session.apply({{"do", "open"}, {"demo", what}}));
    }
}

int run_live(const LiveFlags& flags) {
    const Workers workers(flags.threads);
    const OwnFolder folder;
    SessionOptions options;
    constexpr double picture_may_stop = 0.03;  // seconds
    options.patience = picture_may_stop;
    options.workers = &workers;
    options.actors = load_actor;
    for (const ActorInfo& actor : list_actors()) {
        options.characters.push_back(actor.name);
    }
    options.folder = folder.path();
    for (const Demo& demo : demos()) {
        if (data_files(demo).empty()) {
            options.demos[demo.name] = demo.text;
        }
    }
    Session session(options);
    open_first(flags.what, session);
    LiveServer server(std::string(live_page), flags.port);
    std::cout << "cutis live: " << server.address() << "\n"
              << "It stops " << flags.grace << " s after its page is closed, or with Ctrl-C." << std::endl;
    catch_signals();
    if (!flags.no_browser) {
        open_browser(server.address());
    }
    auto next = Clock::now();
    int visits = 0;
    while (caught_signal() == 0 && server.seconds_alone() < flags.grace) {
        if (server.visits() != visits) {  // a page that comes back knows nothing
            visits = server.visits();
            session.apply({{"do", "hello"}});
        }
        for (const PageMessage& message : server.take_messages()) {
            Json answer;
            if (message.command.empty()) {
                answer = session.take_file(message.file, message.bytes);
                answer["file"] = message.file;
            } else {
                try {
                    answer = session.apply(Json::parse(message.command, "command"));
                } catch (const InvalidInput& error) {
                    answer = Json{{"error", error.what()}};
                }
            }
            server.answer(answer.dump());
        }
        const auto now = Clock::now();
        if (now < next || !server.has_page()) {  // nobody looks: time stands still
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            next = server.has_page() ? next : now;
            continue;
        }
        if (session.step()) {
            server.show(session.frame(), session.announces());
        }
        // What cannot keep up goes slower instead of catching up.
        next = std::max(
            next + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(session.interval())),
            Clock::now());
    }
    return caught_signal() == 0 ? exit_good : exit_signal + caught_signal();
}

}  // namespace

}  // namespace cutis::app

int main(int argc, char** argv) {
    using namespace cutis::app;
    CLI::App program{"a live scene in the browser: drag, pull, tune"};
    program.name("cutis live");
    program.set_version_flag("--version", "cutis " CUTIS_VERSION);
    LiveFlags flags;
    program.add_option("WHAT", flags.what, "a scene (.toml), a character (.glb .gltf .obj, actor:NAME) or a demo");
    program.add_option("--port", flags.port, "port on 127.0.0.1; 0: any free one")->check(CLI::Range(0, 65535));
    program.add_option("--threads", flags.threads, "number of threads; 0: as many as the machine has")
        ->check(CLI::Range(0, 1024));
    program.add_option("--grace", flags.grace, "seconds to keep running after the page is closed")
        ->check(CLI::Range(0.0, 86400.0));
    program.add_flag("--no-browser", flags.no_browser, "print the address, open no browser");
    Action action = [&flags] { return run_live(flags); };
    return run_program(program, action, argc, argv);
}
