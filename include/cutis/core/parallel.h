#pragma once

#include <functional>
#include <memory>

namespace cutis {

/// Threads that work through fixed chunks.
///
/// Chunk borders depend on the item count and the chunk size alone, never on the number of threads,
/// and sums are taken chunk by chunk in order: the same input gives the same bits for any thread
/// count. One job runs at a time; a Workers object must not be used from two threads at once. An
/// exception thrown by a chunk ends the job; the one from the lowest chunk is rethrown to the
/// caller.
class Workers {
public:
    /// \param threads  at least 1; 0 takes what the machine has. 1 starts no thread at all.
    explicit Workers(int threads = 1);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const;

    using ChunkJob = std::function<void(int begin, int end)>;
    using ChunkSum = std::function<double(int begin, int end)>;

    /// Calls `job` once for each chunk [begin, end) of [0, count). No allocation after the first
    /// call.
    void for_chunks(int count, int chunk, const ChunkJob& job) const;

    /// Sum over chunks of what `job` returns, added in chunk order.
    double sum_chunks(int count, int chunk, const ChunkSum& job) const;

private:
    struct Crew;
    std::unique_ptr<Crew> crew_;
};

}  // namespace cutis
