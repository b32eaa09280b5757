#include "support/allocations.h"

#include <atomic>
#include <cstdlib>

namespace {

std::atomic<long> allocations = 0;

}  // namespace

long allocation_count() {
    return allocations.load();
}

#if CUTIS_COUNTS_ALLOCATIONS

// Eigen calls malloc itself, so that is what is counted; operator new ends there too.
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* malloc(std::size_t size) {
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}

#endif
