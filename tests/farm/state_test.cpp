#include "farm/state.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "farm/files.h"
#include "support/data.h"

namespace cutis::farm {
namespace {

namespace fs = std::filesystem;
using test::ScratchFolder;

constexpr std::uint64_t task = 0x3f00000000000001U;

// Runs `work` in a process of its own. \return its answer
template <class Work>
pid_t in_process(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(work() ? 1 : 0);
    }
    return child;
}

int answer_of(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

void write_work(const fs::path& folder, const std::string& text) {
    std::ofstream(folder / "result") << text;
    std::ofstream(folder / "report") << "worker: " << own_token() << "\n";
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(FarmState, of_many_workers_that_claim_a_task_at_once_one_has_it) {
    const ScratchFolder scratch;
    const State state(scratch.path());
    std::vector<pid_t> workers;
    for (int i = 0; i < 16; ++i) {
        workers.push_back(in_process([&] {
            const bool has_it = state.claim(task, 60.0);
            usleep(300'000);  // alive while the others look
            return has_it;
        }));
    }
    int owners = 0;
    for (const pid_t worker : workers) {
        owners += answer_of(worker);
    }
    EXPECT_EQ(owners, 1);
    EXPECT_EQ(names_in_folder(shard(scratch.path() / "claims", task)).size(), 1u) << "nothing else stays there";
}

TEST(FarmState, a_dead_worker_of_this_machine_gives_its_task_up_at_once) {
    const ScratchFolder scratch;
    const State state(scratch.path());
    EXPECT_EQ(answer_of(in_process([&] { return state.claim(task, 60.0); })), 1);
    EXPECT_TRUE(state.claim(task, 60.0));
    EXPECT_EQ(answer_of(in_process([&] { return state.claim(task, 60.0); })), 0) << "its new owner lives";
}

TEST(FarmState, a_silent_worker_of_another_machine_gives_it_up_when_its_time_is_over) {
    const ScratchFolder scratch;
    const State state(scratch.path());
    const fs::path claim = shard(scratch.path() / "claims", task) / hex(task);
    fs::create_directories(claim.parent_path());
    std::ofstream(claim) << "worker: far-1-00\nnode: far\nprocess: 1\njob: \nstart: \n";
    EXPECT_FALSE(state.claim(task, 60.0));
    const timespec times[2] = {{time(nullptr) - 61, 0}, {time(nullptr) - 61, 0}};
    utimensat(AT_FDCWD, claim.c_str(), times, 0);
    EXPECT_NEAR(age_on_server(claim), 61.0, 2.0);
    EXPECT_FALSE(state.claim(task, 120.0));
    EXPECT_TRUE(state.claim(task, 60.0));
    EXPECT_EQ(line_of(text_of(claim), "node"), node_name());
    state.release(task);
    EXPECT_FALSE(fs::exists(claim));
}

TEST(FarmState, a_claim_of_another_worker_is_not_released) {
    const ScratchFolder scratch;
    const State state(scratch.path());
    ASSERT_TRUE(state.claim(task, 60.0));
    answer_of(in_process([&] {
        state.release(task);
        return true;
    }));
    EXPECT_TRUE(fs::exists(shard(scratch.path() / "claims", task) / hex(task)));
}

TEST(FarmState, the_first_of_two_results_stays_as_it_is) {
    const ScratchFolder scratch;
    const State state(scratch.path());
    const fs::path first = state.make_work_folder(task);
    const fs::path second = state.make_work_folder(task);
    ASSERT_NE(first, second);
    write_work(first, "first");
    write_work(second, "second");
    EXPECT_FALSE(state.is_done(task));
    EXPECT_TRUE(state.commit(first, task));
    EXPECT_TRUE(state.is_done(task));
    EXPECT_EQ(answer_of(in_process([&] { return state.commit(second, task); })), 0);
    EXPECT_EQ(text_of(state.done_folder(task) / "result"), "first");
    state.clean(task);
    EXPECT_TRUE(state.other_work_folders(task).empty());
}

TEST(FarmState, a_failure_is_read_as_it_was_written_and_goes_when_the_task_is_done) {
    const ScratchFolder scratch;
    const State state(scratch.path());
    state.fail(task, {"place", "n3", "n3: no such file\nmount it", "line 1\nline 2\n"});
    state.fail(task, {"input", "n1", "bad region", ""});
    const std::vector<Failure> failures = state.failures(task);
    ASSERT_EQ(failures.size(), 2u);
    const Failure& place = failures[failures[0].kind == "place" ? 0 : 1];
    EXPECT_EQ(place.message, "n3: no such file\nmount it");
    EXPECT_EQ(place.log, "line 1\nline 2\n");
    EXPECT_EQ(place.node, "n3");
    EXPECT_FALSE(place.is_final());
    EXPECT_TRUE(failures[failures[0].kind == "place" ? 1 : 0].is_final());
    EXPECT_TRUE(state.failures(task + 1).empty());
    state.clean(task);
    EXPECT_TRUE(state.failures(task).empty());
}

TEST(FarmFiles, words_survive_tabs_and_line_ends) {
    const std::vector<std::string> words = {"a\tb", "c\nd", "e\\n", ""};
    std::string line;
    for (const std::string& word : words) {
        line += (line.empty() ? "" : "\t") + escaped(word);
    }
    EXPECT_EQ(split_escaped(line), words);
    EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace cutis::farm
