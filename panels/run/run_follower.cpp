#include "panels/run/run_follower.h"

#include <utility>

#include "panels/run/run_set.h"

namespace headroom {

RunFollower::RunFollower(Deliver deliver, std::chrono::milliseconds period)
    : deliver_(std::move(deliver)),
      period_(period),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

RunFollower::~RunFollower() = default;

void RunFollower::follow(std::vector<std::filesystem::path> run_folders) {
    {
        const std::lock_guard lock(mutex_);
        wanted_ = std::move(run_folders);
    }
    wake_.notify_all();
}

void RunFollower::run(const std::stop_token& stop) {
    RunSet runs;
    while (!stop.stop_requested()) {
        std::optional<std::vector<std::filesystem::path>> wanted;
        {
            std::unique_lock lock(mutex_);
            wake_.wait_for(lock, stop, period_, [this] { return wanted_.has_value(); });
            wanted.swap(wanted_);
        }
        if (stop.stop_requested()) return;
        if (wanted) runs.follow(*wanted);
        if (runs.poll() && !stop.stop_requested()) deliver_(runs.runs());
    }
}

}  // namespace headroom
