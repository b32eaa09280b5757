#pragma once

#include <cstdlib>  // says whether this is glibc, whose malloc can be stood in for

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CUTIS_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define CUTIS_COUNTS_ALLOCATIONS 0
#endif
#endif
#if !defined(CUTIS_COUNTS_ALLOCATIONS) && defined(__GLIBC__)
#define CUTIS_COUNTS_ALLOCATIONS 1
#elif !defined(CUTIS_COUNTS_ALLOCATIONS)
#define CUTIS_COUNTS_ALLOCATIONS 0
#endif

/// Calls of malloc so far, in all threads of this test program. Sanitizers bring their own malloc:
/// in their builds this stays 0, and "allocates nothing" is tested by the other builds alone.
long allocation_count();
