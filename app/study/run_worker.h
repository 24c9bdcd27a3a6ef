#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/study/child_process.h"
#include "app/study/run_slots.h"
#include "core/study/run_folder.h"

namespace headroom {

/// One run of a study at work: `headroom train` on its folder.
class RunWorker {
  public:
    using Say = std::function<void(const std::string&)>;

    /// Starts the run, or goes on with it where it has a log.
    RunWorker(const std::string& headroom, const RunFolder& run, const RunSlot& slot);

    const RunFolder& run() const { return run_; }
    bool has_ended() { return child_.poll().has_value(); }

    /// A line about how far it is, at most every `seconds`.
    void report(double seconds, const Say& say);

    /// Asks it to save a checkpoint and to end; finish() then leaves the run to the next scheduler.
    void give_up();

    /// Waits for its end and says how it was. Whether the run has its result.
    bool finish(const Say& say);

  private:
    std::string name() const { return run_.root.filename().string(); }

    RunFolder run_;
    ChildProcess child_;
    bool given_up_ = false;
    std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
};

}  // namespace headroom
