#include "cutis/core/parallel.h"

#include <vector>

#include "core/thread_pool.h"
#include "cutis/core/error.h"

namespace cutis {
namespace {

void check_range(int count, int chunk) {
    require(chunk >= 1, "chunk size: expected at least 1, found ", chunk);
    require(count >= 0, "item count: expected at least 0, found ", count);
}

// `end` is found by subtraction so that counts near the largest int do not overflow.
int end_of_chunk(int begin, int count, int chunk) {
    return count - begin > chunk ? begin + chunk : count;
}

}  // namespace

struct Workers::Crew {
    explicit Crew(int threads) : pool(threads) {}

    ThreadPool pool;
    std::vector<double> partial_sums;  // belongs to whoever holds the pool
};

Workers::Workers(int threads) {
    require(threads >= 0 && threads <= 1024, "threads: expected 0 (all) to 1024, found ", threads);
    crew_ = std::make_unique<Crew>(threads == 0 ? ThreadPool::machine_threads() : threads);
}

Workers::~Workers() = default;

int Workers::threads() const {
    return crew_->pool.threads();
}

void Workers::for_chunks(int count, int chunk, ChunkJob job) const {
    check_range(count, chunk);
    if (count > chunk && crew_->pool.try_take()) {
        const ThreadPool::Hold hold(crew_->pool);
        const int chunks = (count - 1) / chunk + 1;
        crew_->pool.run(chunks, [&](int index) {
            const int begin = index * chunk;
            job(begin, end_of_chunk(begin, count, chunk));
        });
        return;
    }
    for (int begin = 0, end = 0; begin < count; begin = end) {
        end = end_of_chunk(begin, count, chunk);
        job(begin, end);
    }
}

double Workers::sum_chunks(int count, int chunk, ChunkSum job) const {
    check_range(count, chunk);
    double sum = 0.0;
    if (count > chunk && crew_->pool.try_take()) {
        const ThreadPool::Hold hold(crew_->pool);
        const int chunks = (count - 1) / chunk + 1;
        std::vector<double>& partial = crew_->partial_sums;
        if (partial.size() < static_cast<size_t>(chunks)) {
            partial.resize(static_cast<size_t>(chunks));
        }
        crew_->pool.run(chunks, [&](int index) {
            const int begin = index * chunk;
            partial[index] = job(begin, end_of_chunk(begin, count, chunk));
        });
        for (int index = 0; index < chunks; ++index) {
            sum += partial[index];
        }
        return sum;
    }
    for (int begin = 0, end = 0; begin < count; begin = end) {
        end = end_of_chunk(begin, count, chunk);
        sum += job(begin, end);
    }
    return sum;
}

}  // namespace cutis
