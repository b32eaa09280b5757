#include "cutis/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "cutis/core/error.h"
#include "support/allocations.h"

namespace cutis {
namespace {

const std::vector<int> thread_counts = {1, 2, 3, 7};

// Numbers of very different size: any other order of addition gives other bits.
std::vector<double> rounding_sensitive_numbers(int count) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> mantissa(-1.0, 1.0);
    std::uniform_int_distribution<int> exponent(-30, 30);
    std::vector<double> numbers(static_cast<size_t>(count));
    for (double& number : numbers) {
        number = std::ldexp(mantissa(random), exponent(random));
    }
    return numbers;
}

double sum_range(const std::vector<double>& numbers, int begin, int end) {
    double sum = 0.0;
    for (int i = begin; i < end; ++i) {
        sum += numbers[i];
    }
    return sum;
}

TEST(workers, every_chunk_is_visited_exactly_once_with_borders_that_ignore_the_thread_count) {
    for (const int threads : thread_counts) {
        const Workers workers(threads);
        EXPECT_EQ(workers.threads(), threads);
        for (const int count : {0, 1, 9, 10, 11, 1003}) {
            std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
            std::atomic<int> wrong_borders = 0;
            workers.for_chunks(count, 10, [&](int begin, int end) {
                if (begin % 10 != 0 || end != std::min(begin + 10, count)) {
                    ++wrong_borders;
                }
                for (int i = begin; i < end; ++i) {
                    ++visits[i];
                }
            });
            EXPECT_EQ(wrong_borders, 0);
            for (const std::atomic<int>& visit : visits) {
                ASSERT_EQ(visit, 1) << threads << " threads, " << count << " items";
            }
        }
    }
}

TEST(workers, ordered_sums_have_the_same_bits_for_1_2_3_and_7_threads) {
    const std::vector<double> numbers = rounding_sensitive_numbers(10007);
    const auto sum_of = [&](int begin, int end) { return sum_range(numbers, begin, end); };
    double expected = 0.0;
    for (int begin = 0; begin < 10007; begin += 13) {
        expected += sum_of(begin, std::min(begin + 13, 10007));
    }
    EXPECT_NE(expected, sum_of(0, 10007)) << "the numbers do not show the order of addition";
    for (const int threads : thread_counts) {
        const Workers workers(threads);
        for (int repeat = 0; repeat < 50; ++repeat) {
            ASSERT_EQ(workers.sum_chunks(10007, 13, sum_of), expected) << threads << " threads";
        }
    }
}

// No chunk ends before all have begun, so `threads` threads must be at work: returns only if so.
void meet(const Workers& workers, int threads) {
    std::atomic<int> present = 0;
    workers.for_chunks(threads, 1, [&](int, int) {
        ++present;
        while (present < threads) {
            std::this_thread::yield();
        }
    });
}

TEST(workers, thousands_of_jobs_back_to_back_lose_no_chunk) {
    for (const int threads : {2, 3}) {
        const Workers workers(threads);
        std::atomic<long> visited = 0;
        for (int repeat = 0; repeat < 5000; ++repeat) {
            if (repeat % 100 == 0) {
                meet(workers, threads);
            }
            workers.for_chunks(5, 1, [&](int, int) { visited.fetch_add(1); });
        }
        EXPECT_EQ(visited, 25000);
    }
}

TEST(workers, members_that_fell_asleep_between_jobs_wake_up_again) {
    for (const int threads : {2, 3}) {
        const Workers workers(threads);
        for (int repeat = 0; repeat < 5; ++repeat) {
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            meet(workers, threads);
        }
    }
}

TEST(workers, the_exception_of_the_lowest_chunk_reaches_the_caller_and_work_goes_on_afterwards) {
    for (const int threads : thread_counts) {
        const Workers workers(threads);
        for (int repeat = 0; repeat < 20; ++repeat) {
            try {
                workers.for_chunks(400, 4, [](int begin, int) {
                    if (begin == 40 || begin == 44 || begin >= 300) {
                        throw InvalidInput(concat("chunk at ", begin));
                    }
                });
                FAIL() << "nothing was thrown";
            } catch (const InvalidInput& error) {
                EXPECT_STREQ(error.what(), "chunk at 40");
            }
            EXPECT_EQ(workers.sum_chunks(100, 1, [](int, int) { return 1.0; }), 100.0);
        }
    }
}

TEST(workers, an_exception_ends_the_job_early) {
    for (const int threads : thread_counts) {
        const Workers workers(threads);
        std::atomic<int> begun = 0;
        EXPECT_THROW(workers.for_chunks(1000000, 1,
                                        [&](int, int) {
                                            ++begun;
                                            throw InvalidInput("stop");
                                        }),
                     InvalidInput);
        EXPECT_LE(begun, threads);
    }
}

TEST(workers, nothing_is_allocated_after_the_first_call_whatever_the_lambda_captures) {
    for (const int threads : thread_counts) {
        const Workers workers(threads);
        std::vector<double> a(1000, 1.0);
        std::vector<double> b(1000, 2.0);
        std::vector<double> c(1000, 3.0);
        double scale = 0.5;
        const auto work = [&] {
            workers.for_chunks(1000, 10, [&](int begin, int end) {
                for (int i = begin; i < end; ++i) {
                    const auto k = static_cast<size_t>(i);
                    a[k] = b[k] + scale * c[k];
                }
            });
            return workers.sum_chunks(1000, 10, [&](int begin, int end) {
                return scale * (sum_range(a, begin, end) + sum_range(b, begin, end));
            });
        };
        double total = work();
        const long before = allocation_count();
        for (int repeat = 0; repeat < 100; ++repeat) {
            total += work();
        }
        EXPECT_EQ(allocation_count(), before) << threads << " threads";
        EXPECT_EQ(total, 101 * 0.5 * 5500.0);
    }
}

TEST(workers, a_loop_inside_a_chunk_gives_the_same_sum_instead_of_a_deadlock) {
    const std::vector<double> numbers = rounding_sensitive_numbers(500);
    const auto inner = [&](int begin, int end) { return sum_range(numbers, begin, end); };
    const Workers alone(1);
    const double expected = alone.sum_chunks(500, 7, inner);
    const Workers workers(3);
    std::vector<double> sums(20);
    workers.for_chunks(20, 1, [&](int begin, int) { sums[begin] = workers.sum_chunks(500, 7, inner); });
    for (const double sum : sums) {
        EXPECT_EQ(sum, expected);
    }
}

TEST(workers, two_callers_at_once_both_get_their_sum) {
    const Workers workers(2);
    const auto count_items = [](int begin, int end) { return static_cast<double>(end - begin); };
    int wrong = 0;
    std::thread other([&] {
        for (int repeat = 0; repeat < 2000; ++repeat) {
            wrong += workers.sum_chunks(100, 3, count_items) == 100.0 ? 0 : 1;
        }
    });
    for (int repeat = 0; repeat < 2000; ++repeat) {
        EXPECT_EQ(workers.sum_chunks(70, 3, count_items), 70.0);
    }
    other.join();
    EXPECT_EQ(wrong, 0);
}

TEST(workers, counts_near_the_largest_int_do_not_overflow) {
    constexpr int largest = std::numeric_limits<int>::max();
    for (const int threads : {1, 2}) {
        const Workers workers(threads);
        const auto count_items = [](int begin, int end) { return static_cast<double>(end - begin); };
        EXPECT_EQ(workers.sum_chunks(largest, 1 << 30, count_items), double{largest});
        EXPECT_EQ(workers.sum_chunks(largest, largest, count_items), double{largest});
    }
}

TEST(workers, zero_threads_takes_what_the_machine_has) {
    EXPECT_EQ(Workers(0).threads(), std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
}

TEST(workers, impossible_thread_counts_chunk_sizes_and_item_counts_are_refused) {
    EXPECT_THROW(Workers(-1), InvalidInput);
    EXPECT_THROW(Workers(1025), InvalidInput);
    const Workers workers(2);
    EXPECT_THROW(workers.for_chunks(10, 0, [](int, int) {}), InvalidInput);
    EXPECT_THROW(workers.for_chunks(-1, 1, [](int, int) {}), InvalidInput);
    EXPECT_THROW(workers.sum_chunks(10, -5, [](int, int) { return 1.0; }), InvalidInput);
}

TEST(function_ref, calls_the_callers_own_object_not_a_copy) {
    int calls = 0;
    auto counter = [calls]() mutable { return ++calls; };
    const auto call_twice = [](FunctionRef<int()> function) {
        function();
        return function();
    };
    EXPECT_EQ(call_twice(counter), 2);
    EXPECT_EQ(counter(), 3);
}

}  // namespace
}  // namespace cutis
