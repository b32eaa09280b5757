#pragma once

#include <exception>
#include <functional>
#include <optional>

#include "core/thread_pool.h"

namespace cutis {

/// A call that is made on a thread of its own; where there are none, at once.
template <class Result>
class Beside {
public:
    explicit Beside(std::function<Result()> call) : call_(std::move(call)) {
#ifdef CUTIS_NO_THREADS
        run();
#else
        thread_ = std::thread([this] {
            run();
            is_done_.store(true);
        });
#endif
    }
    Beside(const Beside&) = delete;
    Beside& operator=(const Beside&) = delete;

#ifdef CUTIS_NO_THREADS
    bool is_done() const {
        return true;
    }
#else
    ~Beside() {
        if (thread_.joinable()) {
            thread_.join();
        }
    }
    bool is_done() const {
        return is_done_.load();
    }
#endif

    /// Once it is done. \throw what the call threw
    Result result() {
#ifndef CUTIS_NO_THREADS
        thread_.join();
#endif
        if (error_) {
            std::rethrow_exception(error_);
        }
        return std::move(*result_);
    }

private:
    void run() {
        try {
            result_.emplace(call_());
        } catch (...) {
            error_ = std::current_exception();
        }
    }

    std::function<Result()> call_;
    std::optional<Result> result_;
    std::exception_ptr error_;
#ifndef CUTIS_NO_THREADS
    std::atomic<bool> is_done_{false};
    std::thread thread_;
#endif
};

}  // namespace cutis
