#pragma once

/// Calls of malloc so far, in all threads of this test program. Sanitizers bring their own malloc:
/// in their builds this stays 0, and "allocates nothing" is tested by the other builds alone.
long allocation_count();
