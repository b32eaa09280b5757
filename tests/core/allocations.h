#pragma once

/// Calls of operator new so far, in all threads of this test program.
long allocation_count();
