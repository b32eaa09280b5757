#pragma once

#include <chrono>
#include <ctime>
#include <functional>
#include <vector>

#include "cutis/core/parallel.h"

namespace cutis::bench {

inline double milliseconds(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
    return passed.count();
}

/// Of the processor, all threads together: says the same on a busy machine.
inline double processor_milliseconds(const std::function<void()>& work) {
    const std::clock_t begin = std::clock();
    work();
    return 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/// a = b + s c over arrays far larger than the caches, as STREAM does it.
class Triad {
public:
    Triad() : a_(count, 0.0), b_(count, 1.0), c_(count, 2.0) {}

    double run_ms(const Workers& workers) {
        const auto add = [this](int begin, int end) {
            const double* b = b_.data();
            const double* c = c_.data();
            double* __restrict a = a_.data();
            for (int i = begin; i < end; ++i) {
                a[i] = b[i] + 3.0 * c[i];
            }
        };
        return milliseconds([&] { workers.for_chunks(count, 1 << 14, std::ref(add)); });
    }

    // Two arrays read, one written; a written line is read first (write-allocate), here and in the
    // skinning kernels alike, so it counts twice in both.
    static double bytes() { return 4.0 * sizeof(double) * count; }

private:
    static constexpr int count = 6'000'000;
    std::vector<double> a_;
    std::vector<double> b_;
    std::vector<double> c_;
};

}  // namespace cutis::bench
