#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "panels/run/run_snapshot.h"

namespace headroom {

/// Follows the logs of several runs on a thread of its own. Any thread may call follow().
class RunFollower {
  public:
    /// Called on the follower's thread with all runs, in the order of the folders, whenever one of
    /// them changed. Must not block for long, nor destroy the follower.
    using Deliver = std::function<void(std::vector<RunPointer>)>;

    explicit RunFollower(Deliver deliver,
                         std::chrono::milliseconds period = std::chrono::milliseconds(400));
    /// Waits for a read that is under way; nothing is delivered afterwards.
    ~RunFollower();

    /// Follows exactly these run folders from now on; delivers soon, even if there is no log yet.
    void follow(std::vector<std::filesystem::path> run_folders);

  private:
    void run(const std::stop_token& stop);

    Deliver deliver_;
    std::chrono::milliseconds period_;
    std::mutex mutex_;
    std::condition_variable_any wake_;
    std::optional<std::vector<std::filesystem::path>> wanted_;  ///< set by follow(), not yet taken
    std::jthread thread_;  ///< last: stops before the rest goes
};

}  // namespace headroom
