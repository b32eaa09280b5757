#pragma once

#include "cutis/core/function_ref.h"

// Emscripten without -pthread has the headers of <thread>, but starting one fails.
#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__) && !defined(CUTIS_NO_THREADS)
#define CUTIS_NO_THREADS
#endif

#ifndef CUTIS_NO_THREADS
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace cutis {

#ifdef CUTIS_NO_THREADS

/// One thread: can never be taken, so every caller works alone.
class ThreadPool {
public:
    explicit ThreadPool(int /*threads*/) {}
    static int machine_threads() { return 1; }
    int threads() const { return 1; }
    bool try_take() { return false; }
    void let_go() {}
    void run(int /*chunks*/, FunctionRef<void(int)> /*job*/) {}

    struct Hold {
        explicit Hold(ThreadPool& /*pool*/) {}
    };
};

#else

/// The threads behind Workers: members take chunk numbers from a shared counter. Which thread works
/// on a chunk is chance; what the chunk holds, and where its result goes, is not.
///
/// `gate_` carries the whole protocol in one word: how many members are inside the job (low bits),
/// whether it is open, and the job's number (high bits). A member enters by compare-and-swap and
/// only while the gate is open; the caller closes it when the chunks have run out and waits for
/// those inside, never for members that did not wake in time. Tiny jobs therefore cost no more
/// than the caller's own work and a wake-up call.
class ThreadPool {
public:
    explicit ThreadPool(int threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    static int machine_threads();
    int threads() const { return static_cast<int>(members_.size()) + 1; }

    /// True when there are members and nobody else is using them; then call let_go when done.
    bool try_take() { return !members_.empty() && !is_taken_.exchange(true, std::memory_order_acquire); }
    void let_go() { is_taken_.store(false, std::memory_order_release); }

    struct Hold {
        explicit Hold(ThreadPool& held) : pool(held) {}
        ~Hold() { pool.let_go(); }
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ThreadPool& pool;
    };

    /// Calls `job` for 0 .. chunks-1. Only for the holder.
    void run(int chunks, FunctionRef<void(int)> job);

private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t open_bit = 1U << 16;
    static constexpr std::uint64_t inside_mask = open_bit - 1;
    static constexpr std::uint64_t job_step = open_bit << 1;

    void member_loop();
    bool enter(std::uint64_t& last_job);
    void leave();
    void take_chunks();
    void wait_until_empty();
    void dismiss();
    template <class Condition>
    bool spin_until(Condition condition) const;

    std::vector<std::thread> members_;
    Clock::duration spin_time_{};
    std::atomic<bool> is_taken_ = false;

    // Written by the caller while the gate is closed and nobody is inside.
    const FunctionRef<void(int)>* job_ = nullptr;
    int chunk_count_ = 0;

    // Apart from each other: everyone polls the first, everyone writes the second.
    alignas(64) std::atomic<std::uint64_t> gate_ = 0;
    alignas(64) std::atomic<std::int64_t> next_chunk_ = 0;
    alignas(64) std::atomic<int> sleepers_ = 0;
    std::atomic<bool> is_caller_asleep_ = false;
    std::atomic<bool> is_closing_ = false;
    std::mutex mutex_;
    std::condition_variable work_ready_;
    std::condition_variable work_done_;
    int failed_chunk_ = 0;
    std::exception_ptr failure_;
};

#endif

}  // namespace cutis
