#include "core/cpu/thread_waiting.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/file_descriptor.h"
#include "core/cpu/parallel.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

constexpr const char* kThreads = "/proc/self/task";
constexpr const char* kSpinsBlind = "1000";  ///< where nobody sees whether cores are shared
constexpr int kMostSleeping = 16;

/// How many threads more than a team of `kernel_threads` are more than there are cores, with the
/// one that begins them.
int sleeping_threads(int kernel_threads) {
    return std::max(2, omp_get_num_procs() - kernel_threads + 2);
}

}  // namespace

void limit_thread_spinning(char** argv) {
    if (std::getenv(kSpinVariable) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    if (setenv(kSpinVariable, seconds_without_core(kThreads) ? kSpinsAlone : kSpinsBlind, 0) != 0)
        return;
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
        const FileDescriptor file(
            ::open((each->path() / "schedstat").c_str(), O_RDONLY | O_CLOEXEC));
        char text[128] = {};
        long long ran_ns = 0, waited_ns = 0;
        if (::read(file.get(), text, sizeof(text) - 1) <= 0) continue;
        if (std::sscanf(text, "%lld %lld", &ran_ns, &waited_ns) != 2) continue;
        if (ran_ns > 0)  // zeros are written where it is switched off
            seconds = seconds.value_or(0) + static_cast<double>(waited_ns) * 1e-9;
    }
    return seconds;
}

/// GNU's OpenMP spins a hundredth as often while a process has more of its threads than there are
/// cores: these are as many more as it takes, and sleep.
class SpinningWhileAlone::SleepingThreads {
  public:
    explicit SleepingThreads(int kernel_threads)
        : count_(sleeping_threads(kernel_threads)), first_([this] { sleep(); }) {}
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
#pragma omp parallel num_threads(count_)
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return ended_; });
        }
    }

    int count_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool ended_ = false;
    std::thread first_;
};

SpinningWhileAlone::SpinningWhileAlone() {
    const char* spins = std::getenv(kSpinVariable);
    const int threads = cpu_threads();
    if (spins == nullptr || std::string_view(spins) != kSpinsAlone || threads < 2) return;
    if (sleeping_threads(threads) > kMostSleeping) return;
    // Signals are for the threads of the program (app/stop_signals.h).
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        watcher_ = std::thread([this, threads] { watch(threads); });
    } catch (const std::system_error&) {  // no thread to be had: threads go on to spin
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
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

void SpinningWhileAlone::watch(int threads) {
    using std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kPeriod(250);
    // Of the threads of a process that is alone, each waits for some thousandths of the time.
    const double tolerated = 0.1 + 0.01 * threads;
    std::unique_lock lock(mutex_);
    double before = 0;
    steady_clock::time_point since = steady_clock::now();
    while (!ends_.wait_for(lock, kPeriod, [this] { return ended_; })) {
        try {
            const double waited = seconds_without_core(kThreads).value_or(before);
            const steady_clock::time_point now = steady_clock::now();
            const double elapsed = std::chrono::duration<double>(now - since).count();
            const bool shared = waited - before > tolerated * elapsed;
            before = waited;
            since = now;
            if (!shared)
                sleeping_.reset();
            else if (sleeping_ == nullptr)
                sleeping_ = std::make_unique<SleepingThreads>(threads);
        } catch (const std::exception&) {  // no memory or thread to be had, now
        }
    }
}

}  // namespace headroom
