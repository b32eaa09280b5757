#include "cutis/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "cutis/core/error.h"

namespace cutis {

// Threads wait for a job number to change, then take chunks from a shared counter. Which thread
// works on a chunk is chance; what the chunk holds, and where its result goes, is not.
struct Workers::Crew {
    explicit Crew(int thread_count) : threads(thread_count) {
        for (int i = 1; i < threads; ++i) {
            members.emplace_back([this] { wait_for_work(); });
        }
    }

    ~Crew() {
        {
            const std::lock_guard lock(mutex);
            is_closing = true;
        }
        work_ready.notify_all();
        for (std::thread& member : members) {
            member.join();
        }
    }

    void run(int count, int chunk, const ChunkJob& chunk_job) {
        {
            const std::lock_guard lock(mutex);
            job = &chunk_job;
            item_count = count;
            chunk_size = chunk;
            chunk_count = (count + chunk - 1) / chunk;
            next_chunk.store(0, std::memory_order_relaxed);
            busy_members = static_cast<int>(members.size());
            failed_chunk = chunk_count;
            failure = nullptr;
            ++job_number;
        }
        work_ready.notify_all();
        take_chunks();
        std::unique_lock lock(mutex);
        work_done.wait(lock, [this] { return busy_members == 0; });
        job = nullptr;
        if (failure) {
            std::rethrow_exception(failure);
        }
    }

    void wait_for_work() {
        long seen = 0;
        while (true) {
            {
                std::unique_lock lock(mutex);
                work_ready.wait(lock, [&] { return is_closing || job_number != seen; });
                if (is_closing) {
                    return;
                }
                seen = job_number;
            }
            take_chunks();
            const std::lock_guard lock(mutex);
            if (--busy_members == 0) {
                work_done.notify_one();
            }
        }
    }

    void take_chunks() {
        for (int index = next_chunk.fetch_add(1); index < chunk_count;
             index = next_chunk.fetch_add(1)) {
            const int begin = index * chunk_size;
            try {
                (*job)(begin, std::min(begin + chunk_size, item_count));
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (index < failed_chunk) {
                    failed_chunk = index;
                    failure = std::current_exception();
                }
            }
        }
    }

    const int threads;
    std::vector<std::thread> members;
    std::mutex mutex;
    std::condition_variable work_ready;
    std::condition_variable work_done;
    const ChunkJob* job = nullptr;
    std::atomic<int> next_chunk = 0;
    int item_count = 0;
    int chunk_size = 1;
    int chunk_count = 0;
    int busy_members = 0;
    int failed_chunk = 0;
    long job_number = 0;
    bool is_closing = false;
    std::exception_ptr failure;
    std::vector<double> partial_sums;
};

Workers::Workers(int threads) {
    if (threads < 0 || threads > 1024) {
        throw InvalidInput(say("threads: expected 0 (all) to 1024, found ", threads));
    }
    if (threads == 0) {
        threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    }
    crew_ = std::make_unique<Crew>(threads);
}

Workers::~Workers() = default;

int Workers::threads() const {
    return crew_->threads;
}

void Workers::for_chunks(int count, int chunk, const ChunkJob& job) const {
    if (chunk < 1) {
        throw InvalidInput(say("chunk size: expected at least 1, found ", chunk));
    }
    if (count <= 0) {
        return;
    }
    if (crew_->threads == 1 || count <= chunk) {
        for (int begin = 0; begin < count; begin += chunk) {
            job(begin, std::min(count, begin + chunk));
        }
        return;
    }
    crew_->run(count, chunk, job);
}

double Workers::sum_chunks(int count, int chunk, const ChunkSum& job) const {
    if (count <= 0) {
        return 0.0;
    }
    std::vector<double>& partial = crew_->partial_sums;
    const size_t chunks =
        static_cast<size_t>((count + std::max(chunk, 1) - 1) / std::max(chunk, 1));
    if (partial.size() < chunks) {
        partial.resize(chunks);
    }
    for_chunks(count, chunk, [&](int begin, int end) {
        partial[static_cast<size_t>(begin / chunk)] = job(begin, end);
    });
    double sum = 0.0;
    for (size_t i = 0; i < chunks; ++i) {
        sum += partial[i];
    }
    return sum;
}

}  // namespace cutis
