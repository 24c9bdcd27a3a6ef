#include "core/cpu/parallel.h"

#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Parallel, CoversEverythingOnce) {
    std::vector<std::atomic<int>> seen(1000);
    parallel_for(1000, 10, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    });
    for (const auto& count : seen) EXPECT_EQ(count, 1);
}

TEST(Parallel, WhatAPieceThrowsComesOut) {
    const auto fail = [](int64_t begin, int64_t) {
        if (begin == 0) throw std::runtime_error("the first piece");
    };
    EXPECT_THROW(parallel_for(1000, 10, fail), std::runtime_error);
    EXPECT_THROW(parallel_for(1, 10, fail), std::runtime_error);
}

TEST(Parallel, WhatATaskThrowsComesOutWhenAllHaveEnded) {
    std::atomic<int> ended = 0;
    const auto run = [&](int64_t task, int) {
        if (task % 2 == 1) throw std::bad_alloc();
        ++ended;
    };
    EXPECT_THROW(parallel_tasks(100, run), std::bad_alloc);
    EXPECT_EQ(ended, 50);
}

}  // namespace
}  // namespace headroom
