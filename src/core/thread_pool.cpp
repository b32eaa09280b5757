#include "core/thread_pool.h"

#ifndef CUTIS_NO_THREADS

#include <algorithm>
#include <system_error>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#include "cutis/core/error.h"

namespace cutis {
namespace {

// Between the parallel loops of one step there are microseconds, and waking a sleeping thread costs
// more than most of these loops: a thread looks around this long before it goes to sleep.
constexpr std::chrono::microseconds longest_spin{40};

void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

int ThreadPool::machine_threads() {
    return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 1024);
}

ThreadPool::ThreadPool(int threads) {
    // With more threads than cores a spinning thread keeps a working one from its core.
    if (threads <= machine_threads()) {
        spin_time_ = longest_spin;
    }
    members_.reserve(static_cast<size_t>(threads - 1));
    try {
        for (int i = 1; i < threads; ++i) {
            members_.emplace_back([this] { member_loop(); });
        }
    } catch (const std::system_error& error) {
        const size_t started = members_.size() + 1;
        dismiss();
        throw InvalidInput(
            concat("threads: asked for ", threads, ", the system allowed ", started, " (", error.what(), ")"));
    }
}

ThreadPool::~ThreadPool() {
    dismiss();
}

void ThreadPool::dismiss() {
    {
        const std::lock_guard lock(mutex_);
        is_closing_.store(true);
    }
    work_ready_.notify_all();
    for (std::thread& member : members_) {
        member.join();
    }
}

template <class Condition>
bool ThreadPool::spin_until(Condition condition) const {
    if (condition()) {
        return true;
    }
    if (spin_time_ == Clock::duration::zero()) {
        return false;
    }
    const Clock::time_point limit = Clock::now() + spin_time_;
    do {
        for (int i = 0; i < 16; ++i) {
            pause_briefly();
            if (condition()) {
                return true;
            }
        }
    } while (Clock::now() < limit);
    return false;
}

void ThreadPool::run(int chunks, FunctionRef<void(int)> job) {
    job_ = &job;
    chunk_count_ = chunks;
    failed_chunk_ = chunks;
    next_chunk_.store(0, std::memory_order_relaxed);
    // Opening the gate publishes the lines above. Sequentially consistent against `sleepers_`:
    // either this thread sees the sleeper, or the sleeper-to-be sees the open gate.
    gate_.fetch_add(job_step + open_bit);
    if (sleepers_.load() > 0) {
        { const std::lock_guard lock(mutex_); }
        const int useful = std::min(chunks - 1, static_cast<int>(members_.size()));
        if (useful == static_cast<int>(members_.size())) {
            work_ready_.notify_all();
        } else {
            for (int i = 0; i < useful; ++i) {
                work_ready_.notify_one();
            }
        }
    }
    take_chunks();
    gate_.fetch_sub(open_bit);
    wait_until_empty();
    job_ = nullptr;
    if (failure_) {
        std::rethrow_exception(std::exchange(failure_, nullptr));
    }
}

void ThreadPool::wait_until_empty() {
    const auto is_empty = [this] { return (gate_.load() & inside_mask) == 0; };
    if (spin_until(is_empty)) {
        return;
    }
    std::unique_lock lock(mutex_);
    is_caller_asleep_.store(true);
    work_done_.wait(lock, is_empty);
    is_caller_asleep_.store(false);
}

void ThreadPool::member_loop() {
    std::uint64_t last_job = 0;
    const auto has_news = [&] {
        const std::uint64_t gate = gate_.load();
        return is_closing_.load() || ((gate & open_bit) != 0 && gate / job_step != last_job);
    };
    while (true) {
        if (!spin_until(has_news)) {
            std::unique_lock lock(mutex_);
            sleepers_.fetch_add(1);
            work_ready_.wait(lock, has_news);
            sleepers_.fetch_sub(1);
        }
        if (is_closing_.load()) {
            return;
        }
        if (enter(last_job)) {
            take_chunks();
            leave();
        }
    }
}

bool ThreadPool::enter(std::uint64_t& last_job) {
    std::uint64_t gate = gate_.load();
    while ((gate & open_bit) != 0 && gate / job_step != last_job) {
        if (gate_.compare_exchange_weak(gate, gate + 1)) {
            last_job = gate / job_step;
            return true;
        }
    }
    return false;
}

void ThreadPool::leave() {
    gate_.fetch_sub(1);
    if (is_caller_asleep_.load()) {
        { const std::lock_guard lock(mutex_); }
        work_done_.notify_one();
    }
}

void ThreadPool::take_chunks() {
    for (std::int64_t index = next_chunk_.fetch_add(1, std::memory_order_relaxed); index < chunk_count_;
         index = next_chunk_.fetch_add(1, std::memory_order_relaxed)) {
        try {
            (*job_)(static_cast<int>(index));
        } catch (...) {
            // Chunks are handed out in order, so every lower chunk has been begun and will report
            // here too if it fails: the lowest failure is found although later chunks are dropped.
            next_chunk_.store(chunk_count_, std::memory_order_relaxed);
            const std::lock_guard lock(mutex_);
            if (index < failed_chunk_) {
                failed_chunk_ = static_cast<int>(index);
                failure_ = std::current_exception();
            }
        }
    }
}

}  // namespace cutis

#endif
