#pragma once

/// Calls of malloc (with sanitizers: of operator new) so far, in all threads of this test program.
long allocation_count();
