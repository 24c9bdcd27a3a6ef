#include "app/stop_signals.h"

#include <csignal>
#include <ctime>

#include <unistd.h>

namespace headroom {

std::vector<int> stop_signals() {
    std::vector<int> signals{SIGINT, SIGTERM};
    struct sigaction hangup {};
    if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        signals.push_back(SIGHUP);
    return signals;
}

StopSignals::StopSignals() {
    sigemptyset(&signals_);
    for (const int signal : stop_signals()) sigaddset(&signals_, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &blocked_before_);
    thread_ = std::thread([this] { wait_for_them(); });
}

StopSignals::~StopSignals() {
    done_.store(true);
    // It is blocked there and waited for: it ends no thread.
    ::pthread_kill(thread_.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
    thread_.join();
    // One that came while the thread ended was to be noted, not to end the program.
    const timespec at_once{};
    while (notes_.load() && ::sigtimedwait(&signals_, nullptr, &at_once) > 0) noted_.store(true);
    ::pthread_sigmask(SIG_SETMASK, &blocked_before_, nullptr);
}

void StopSignals::wait_for_them() {
    for (int signal = 0; ::sigwait(&signals_, &signal) == 0 && !done_.load();) {
        if (notes_.load()) {
            noted_.store(true);
            continue;
        }
        std::signal(signal, SIG_DFL);
        ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
        ::kill(::getpid(), signal);
    }
}

}  // namespace headroom
