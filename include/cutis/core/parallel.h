#pragma once

#include <memory>

#include "cutis/core/function_ref.h"

namespace cutis {

/// Threads that work through fixed chunks.
///
/// Chunk borders depend on the item count and the chunk size alone, never on the number of threads,
/// and sums are taken chunk by chunk in order: the same input gives the same bits for any thread
/// count. An exception thrown by a chunk ends the job: no further chunk is begun, those under way
/// are finished, and the exception of the lowest chunk that threw reaches the caller; it is the
/// same one for any thread count. One job uses the threads at a time: a call made meanwhile, from
/// inside a chunk or from another thread, does all its chunks itself, with the same result.
class Workers {
public:
    /// \param threads  1 to 1024; 0 takes what the machine has. 1 starts no thread at all. Where
    ///                 threads do not exist (WebAssembly without them) any number means 1.
    /// \throw InvalidInput  threads out of range, or more than the system lets us start
    explicit Workers(int threads = 1);
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    int threads() const;

    using ChunkJob = FunctionRef<void(int begin, int end)>;
    using ChunkSum = FunctionRef<double(int begin, int end)>;

    /// Calls `job` once for each chunk [begin, end) of [0, count). Allocates nothing.
    /// \throw InvalidInput  chunk below 1, count below 0
    void for_chunks(int count, int chunk, ChunkJob job) const;

    /// Sum over chunks of what `job` returns, added in chunk order. Allocates only when there are
    /// more chunks than in any call before.
    /// \throw InvalidInput  chunk below 1, count below 0
    double sum_chunks(int count, int chunk, ChunkSum job) const;

private:
    struct Crew;
    std::unique_ptr<Crew> crew_;
};

}  // namespace cutis
