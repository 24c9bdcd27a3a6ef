#pragma once

#include <condition_variable>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace headroom {

/// A thread that works on the newest request only: one that arrives while another is being worked
/// on waits, and replaces any that waits already. For views that are built off the UI thread. Work
/// that can fail says so in its Result; what it throws all the same is written to standard error,
/// and that request stays without an answer.
template <class Request, class Result>
class LatestTask {
  public:
    using Work = std::function<Result(const Request&)>;
    /// Called on the task's thread.
    using Deliver = std::function<void(Result)>;

    LatestTask(Work work, Deliver deliver)
        : work_(std::move(work)),
          deliver_(std::move(deliver)),
          thread_([this](const std::stop_token& stop) { run(stop); }) {}

    /// Any thread.
    void request(Request request) {
        {
            const std::lock_guard lock(mutex_);
            waiting_ = std::move(request);
        }
        wake_.notify_one();
    }

  private:
    void run(const std::stop_token& stop) {
        while (true) {
            std::optional<Request> request;
            {
                std::unique_lock lock(mutex_);
                if (!wake_.wait(lock, stop, [this] { return waiting_.has_value(); })) return;
                request.swap(waiting_);
            }
            try {
                Result result = work_(*request);
                if (stop.stop_requested()) return;
                deliver_(std::move(result));
            } catch (const std::exception& error) {
                std::fprintf(stderr, "a view is not brought up to date: %s\n", error.what());
            }
        }
    }

    Work work_;
    Deliver deliver_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<Request> waiting_;
    std::jthread thread_;  ///< last: it stops before the rest goes
};

}  // namespace headroom
