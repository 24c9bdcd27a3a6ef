#include "core/cpu/thread_waiting.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "core/cpu/parallel.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kThreads = "/proc/self/task";
constexpr const char* kVariable = "GOMP_SPINCOUNT";
constexpr const char* kSpins = "10000";      ///< some tenths of a millisecond
constexpr const char* kSpinsBlind = "1000";  ///< where nobody sees whether cores are shared

}  // namespace

void limit_thread_spinning(char** argv) {
    if (std::getenv(kVariable) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    if (setenv(kVariable, seconds_without_core(kThreads) ? kSpins : kSpinsBlind, 0) != 0) return;
    // By its real path, so that the process keeps its name.
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (!failed) execv(program.c_str(), argv);
}

std::optional<double> seconds_without_core(const fs::path& threads) {
    std::optional<double> seconds;
    std::error_code failed;
    fs::directory_iterator each(threads, failed);
    for (; !failed && each != fs::directory_iterator(); each.increment(failed)) {
        std::ifstream file(each->path() / "schedstat");
        int64_t ran_ns = 0, waited_ns = 0;
        if (file >> ran_ns >> waited_ns)
            seconds = seconds.value_or(0) + static_cast<double>(waited_ns) * 1e-9;
    }
    return seconds;
}

/// GNU's OpenMP spins a hundredth as often while a process has more of its threads than there are
/// cores. These are so many, and sleep.
class SpinningWhileAlone::SleepingThreads {
  public:
    SleepingThreads() : first_([this] { sleep(); }) {}
    ~SleepingThreads() {
        {
            const std::lock_guard lock(mutex_);
            ended_ = true;
        }
        wake_.notify_all();
        first_.join();
    }
    SleepingThreads(const SleepingThreads&) = delete;
    SleepingThreads& operator=(const SleepingThreads&) = delete;

  private:
    void sleep() {
#pragma omp parallel num_threads(omp_get_num_procs() + 1)
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return ended_; });
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    bool ended_ = false;
    std::thread first_;
};

SpinningWhileAlone::SpinningWhileAlone() {
    const char* spins = std::getenv(kVariable);
    if (spins == nullptr || std::string_view(spins) != kSpins || cpu_threads() < 2) return;
    watcher_ = std::thread([this] { watch(); });
}

SpinningWhileAlone::~SpinningWhileAlone() {
    if (!watcher_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    ends_.notify_all();
    watcher_.join();
}

bool SpinningWhileAlone::cores_are_shared() const {
    const std::lock_guard lock(mutex_);
    return sleeping_ != nullptr;
}

void SpinningWhileAlone::watch() {
    using std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kPeriod(250);
    // Of the threads of a process that is alone, each waits for some thousandths of the time.
    const double tolerated = 0.1 + 0.01 * cpu_threads();
    double before = seconds_without_core(kThreads).value_or(0);
    steady_clock::time_point since = steady_clock::now();
    std::unique_lock lock(mutex_);
    while (!ends_.wait_for(lock, kPeriod, [this] { return ended_; })) {
        const double waited = seconds_without_core(kThreads).value_or(0);
        const steady_clock::time_point now = steady_clock::now();
        const double elapsed = std::chrono::duration<double>(now - since).count();
        const bool shared = waited - before > tolerated * elapsed;
        if (!shared)
            sleeping_.reset();
        else if (sleeping_ == nullptr)
            sleeping_ = std::make_unique<SleepingThreads>();
        before = waited;
        since = now;
    }
}

}  // namespace headroom
