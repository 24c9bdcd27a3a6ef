// Ctrl-C and SIGTERM while the program computes.
#include "app/stop_signals.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/cpu/gemm.h"
#include "core/cpu/thread_waiting.h"

namespace headroom {
namespace {

using namespace std::chrono_literals;

/// Sends SIGTERM to the whole program again and again.
class Pesterer {
  public:
    ~Pesterer() {
        done_ = true;
        thread_.join();
    }
    int sent() const { return sent_; }

  private:
    std::atomic<bool> done_{false};
    std::atomic<int> sent_{0};
    std::thread thread_{[this] {
        while (!done_) {
            ::kill(::getpid(), SIGTERM);
            ++sent_;
            std::this_thread::sleep_for(300us);
        }
    }};
};

/// As the products of a small model: weights of 64 × 256 from 512 tokens.
std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b) {
    std::vector<float> c(64 * 256);
    gemm({.m = 64, .n = 256, .k = 512, .a_transposed = true, .lda = 64, .ldb = 256, .ldc = 256},
         a.data(), b.data(), c.data());
    return c;
}

/// Multiplies under a rain of signals, and ends with 0 if every product was right and they were
/// noted.
[[noreturn]] void multiply_under_signals() {
    StopSignals signals;
    signals.note();
    std::vector<float> a(512 * 64), b(512 * 256);
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i * 7919 % 101) / 101 - 0.5f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i * 104729 % 97) / 97 - 0.5f;
    const std::vector<float> expected = multiply(a, b);
    bool right = !signals.noted();
    {
        const Pesterer pesterer;
        for (int i = 0; i < 200 || pesterer.sent() < 1000; ++i)
            right = right && multiply(a, b) == expected;
    }
    std::exit(right && signals.noted() ? 0 : 1);
}

// In a program of its own: threads that other tests have begun are not spared.
TEST(StopSignalsDeathTest, ProductsAndTheHeapSurviveThem) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(multiply_under_signals(), testing::ExitedWithCode(0), "");
}

TEST(StopSignalsDeathTest, OneThatComesAtTheEndDoesNotEndTheProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto begin_and_end = [] {
        for (int i = 0; i < 200; ++i) {
            StopSignals signals;
            signals.note();
            ::kill(::getpid(), SIGTERM);
        }
        std::exit(0);
    };
    EXPECT_EXIT(begin_and_end(), testing::ExitedWithCode(0), "");
}

TEST(StopSignalsDeathTest, EndTheProgramUntilTheyAreNoted) {
    const auto interrupt = [] {
        const StopSignals signals;
        ::kill(::getpid(), SIGINT);
        std::this_thread::sleep_for(60s);
    };
    EXPECT_EXIT(interrupt(), testing::KilledBySignal(SIGINT), "");
}

// As main() begins it, before signals are taken.
TEST(StopSignalsDeathTest, AreNotedWhereCoresAreWatched) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    ::setenv("OMP_NUM_THREADS", "2", 1);
    ::setenv(kSpinVariable, kSpinsAlone, 1);
    const auto be_stopped = [] {
        const SpinningWhileAlone spinning;
        StopSignals signals;
        signals.note();
        ::kill(::getpid(), SIGTERM);
        while (!signals.noted()) std::this_thread::sleep_for(1ms);
        std::exit(0);
    };
    EXPECT_EXIT(be_stopped(), testing::ExitedWithCode(0), "");
}

TEST(StopSignalsTest, WhatWasBlockedBeforeIsBlockedAfterwards) {
    sigset_t blocked;
    { const StopSignals signals; }
    ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGTERM), 0);
}

}  // namespace
}  // namespace headroom
