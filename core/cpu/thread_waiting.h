#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace headroom {

/// The settings of a program that is to spin while it is alone: GNU's OpenMP reads them.
inline constexpr const char *kSpinVariable = "GOMP_SPINCOUNT", *kSpinsAlone = "10000";

/// Makes OpenMP threads that wait for one another spin for some tenths of a millisecond before they
/// sleep: by default it is much longer, which starves every other program as soon as the machine
/// has more to do than cores. The OpenMP library reads its settings when it is loaded, so the
/// program starts itself once more with them in the environment; settings of the user's are kept.
/// Returns if nothing needs to be done (or can be).
void limit_thread_spinning(char** argv);

/// Thread-seconds for which threads were ready and had no core, summed over the threads in
/// `threads`, as /proc/self/task. Nothing where the kernel does not count them.
std::optional<double> seconds_without_core(const std::filesystem::path& threads);

/// While it lives, and while other programs want the cores, too, threads of OpenMP that wait sleep
/// almost at once: one that spins then keeps from its core the very thread that it waits for
/// (core/bench/README.md). To be made after limit_thread_spinning, whose settings it goes by;
/// nothing where kernels leave so many cores free that it would take many threads.
class SpinningWhileAlone {
  public:
    SpinningWhileAlone();
    ~SpinningWhileAlone();
    SpinningWhileAlone(const SpinningWhileAlone&) = delete;
    SpinningWhileAlone& operator=(const SpinningWhileAlone&) = delete;

    /// Whether others wanted the cores when that was looked at last. Thread-safe.
    bool cores_are_shared() const;

  private:
    class SleepingThreads;
    void watch(int threads);

    mutable std::mutex mutex_;
    std::condition_variable ends_;
    bool ended_ = false;
    std::unique_ptr<SleepingThreads> sleeping_;  ///< while cores are shared
    std::thread watcher_;
};

}  // namespace headroom
