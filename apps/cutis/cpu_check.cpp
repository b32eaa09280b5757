// A plain sentence instead of an illegal instruction on a processor older than the build. Runs
// before any other constructor, and is itself compiled for the oldest x86-64.
#if defined(__x86_64__) && defined(__AVX2__)

#include <unistd.h>

namespace {

__attribute__((target("arch=x86-64"), constructor(101))) void check_processor() {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        return;
    }
    static const char message[] =
        "cutis: this build needs a processor with AVX2, FMA and BMI2 (x86-64-v3); "
        "build it for this one with cmake -DCUTIS_ARCH=x86-64\n";
    [[maybe_unused]] const auto written = write(2, message, sizeof message - 1);
    _exit(1);
}

}  // namespace

#endif
