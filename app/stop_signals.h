#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include <signal.h>

namespace headroom {

/// Those that ask a program to end: Ctrl-C (SIGINT), SIGTERM, and a terminal that closes (SIGHUP)
/// unless that is ignored, as nohup has it.
std::vector<int> stop_signals();

/// Takes the stop signals in a thread that does nothing else. A handler would run on the
/// stack of whatever thread computes, and products of oneDNN point that into a buffer of the heap:
/// the frame of the handler would overwrite what lies around it. Make it before anything is
/// computed: threads that were begun earlier may still be interrupted. One at a time.
class StopSignals {
  public:
    /// Until note() they end the program, as without this.
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// From now on they are noted, and the program goes on.
    void note() { notes_.store(true); }
    /// Becomes true with the first that is noted.
    const std::atomic<bool>& noted() const { return noted_; }

  private:
    void wait_for_them();

    sigset_t signals_{}, blocked_before_{};
    std::atomic<bool> notes_{false}, noted_{false}, done_{false};
    std::thread thread_;
};

}  // namespace headroom
