#include <atomic>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>

#include "console.h"
#include "cutis/io/files.h"
#include "cutis/stack/wedge.h"
#include "run.h"
#include "verbs.h"

namespace cutis::app {

namespace {

// One progress for bakes that run at the same time: shares of a whole.
class SharedProgress {
public:
    SharedProgress(ProgressCallback show, size_t bakes) : show_(std::move(show)), done_(bakes) {}

    ProgressCallback callback(size_t bake) {
        return [this, bake](const Progress& progress) {
            const std::lock_guard lock(mutex_);
            if (progress.begins) {
                return caught_signal() == 0;
            }
            done_[bake] = static_cast<double>(progress.done) / std::max(1, progress.total);
            double sum = 0.0;
            for (const double share : done_) {
                sum += share;
            }
            constexpr int steps = 1000;
            const int done = static_cast<int>(steps * sum / static_cast<double>(done_.size()));
            return show_({"step", done, steps});
        };
    }

private:
    std::mutex mutex_;
    ProgressCallback show_;
    std::vector<double> done_;
};

}  // namespace

int run_wedges(const Scene& scene, const RunOptions& options) {
    require(options.checkpoint_every <= 0 && !options.resume,
            "bake: --checkpoint and --resume are for a scene without [wedge]");
    catch_signals();
    std::vector<WedgeScene> wedges = wedge_scenes(scene);
    ProgressDisplay show(options.json ? stderr : stdout, end_at_once, false);
    SharedProgress progress(show.callback(), wedges.size());
    const auto folder_of = [&](size_t i) { return wedge_folder(static_cast<int>(i), static_cast<int>(wedges.size())); };
    std::vector<RunReport> reports(wedges.size());
    std::vector<std::exception_ptr> failures(wedges.size());
    std::atomic<size_t> next = 0;
    const auto work = [&] {
        for (size_t i = next++; i < wedges.size() && caught_signal() == 0; i = next++) {
            RunOptions one = options;
            one.folder = options.folder / folder_of(i);
            one.threads = 1;
            one.title = wedges[i].label;
            add_page(wedges[i].scene);
            try {
                reports[i] = bake_scene(wedges[i].scene, one, progress.callback(i));
            } catch (...) {
                failures[i] = std::current_exception();
            }
        }
    };
    const int threads = std::min(Workers(options.threads).threads(), static_cast<int>(wedges.size()));
    std::vector<std::thread> team;
    for (int t = 1; t < threads; ++t) {
        team.emplace_back(work);
    }
    work();
    for (std::thread& thread : team) {
        thread.join();
    }
    for (const std::exception_ptr& failure : failures) {
        if (failure) {
            std::rethrow_exception(failure);
        }
    }
    if (caught_signal() != 0) {
        std::cerr << "cutis: stopped by signal " << caught_signal() << ", completed wedges are kept\n";
        return exit_signal + caught_signal();
    }
    std::vector<std::pair<std::string, std::string>> pages;
    Json list = Json::array();
    for (size_t i = 0; i < wedges.size(); ++i) {
        pages.emplace_back(folder_of(i) + "/" + options.name + ".html", wedges[i].label);
        Json json = report_json(reports[i]);
        json["wedge"] = wedges[i].label;
        list.push_back(std::move(json));
    }
    const std::filesystem::path sheet = options.folder / (options.name + ".wedges.html");
    AtomicFile file(sheet);
    file.write(sheet_text(options.name, pages));
    file.commit();
    if (options.json) {
        std::cout << json_text({{"sheet", sheet.string()}, {"wedges", list}});
    } else {
        std::cout << wedges.size() << " combinations; open " << sheet.string()
                  << " in a browser to see them beside each other\n";
    }
    return exit_good;
}

}  // namespace cutis::app
