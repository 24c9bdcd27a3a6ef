#include "panels/inspector/loading_cache.h"

#include <atomic>
#include <chrono>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/patience.h"

namespace headroom {
namespace {

struct Block {
    int value = 0;
    size_t size = 10;
    size_t bytes() const { return size; }
};
using Cache = LoadingCache<int, Block>;

Cache::LoadRequest wish(int key, size_t size = 10) {
    return {key, [key, size] { return Block{key, size}; }};
}

template <class Condition>
bool wait_for(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20 * kPatience);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

TEST(LoadingCache, WhatIsWantedArrives) {
    std::atomic<int> arrived = 0;
    Cache cache(100, [&] { ++arrived; });
    EXPECT_EQ(cache.find(1), nullptr);
    cache.want({wish(1), wish(2)});
    ASSERT_TRUE(wait_for([&] { return arrived == 2; }));
    ASSERT_NE(cache.find(2), nullptr);
    EXPECT_EQ(cache.find(2)->value, 2);
    EXPECT_TRUE(cache.idle());
}

TEST(LoadingCache, MemoryStaysWithinTheLimit) {
    std::atomic<int> arrived = 0;
    Cache cache(55, [&] { ++arrived; });
    std::vector<Cache::LoadRequest> wishes;
    for (int i = 0; i < 20; ++i) wishes.push_back(wish(i));
    cache.want(std::move(wishes));
    ASSERT_TRUE(wait_for([&] { return arrived == 20; }));
    EXPECT_EQ(cache.bytes(), 50u);
    EXPECT_EQ(cache.find(0), nullptr);
    EXPECT_NE(cache.find(19), nullptr);
}

TEST(LoadingCache, WhatWasUsedLatelyStays) {
    std::atomic<int> arrived = 0;
    Cache cache(30, [&] { ++arrived; });
    cache.want({wish(1), wish(2), wish(3)});
    ASSERT_TRUE(wait_for([&] { return arrived == 3; }));
    cache.find(1);
    cache.want({wish(4)});
    ASSERT_TRUE(wait_for([&] { return arrived == 4; }));
    EXPECT_NE(cache.find(1), nullptr);
    EXPECT_EQ(cache.find(2), nullptr);
}

TEST(LoadingCache, WhatIsNoLongerWantedIsNotLoaded) {
    std::promise<void> go;
    const std::shared_future<void> gate = go.get_future().share();
    std::atomic<bool> began = false;
    std::atomic<int> arrived = 0;
    Cache cache(100, [&] { ++arrived; });
    cache.want({{1,
                 [&, gate] {
                     began = true;
                     gate.wait();
                     return Block{1};
                 }},
                wish(2)});
    ASSERT_TRUE(wait_for([&] { return began.load(); }));
    cache.want({wish(3)});
    go.set_value();
    ASSERT_TRUE(wait_for([&] { return arrived == 2; }));
    EXPECT_NE(cache.find(1), nullptr);
    EXPECT_EQ(cache.find(2), nullptr);
    EXPECT_NE(cache.find(3), nullptr);
}

TEST(LoadingCache, TheMostUrgentComesFirst) {
    std::vector<int> order;
    std::atomic<int> arrived = 0;
    Cache cache(1000, [&] { ++arrived; });
    std::vector<Cache::LoadRequest> wishes;
    for (const int key : {5, 3, 9})
        wishes.push_back({key, [&order, key] {
                              order.push_back(key);
                              return Block{key};
                          }});
    cache.want(std::move(wishes));
    ASSERT_TRUE(wait_for([&] { return arrived == 3; }));
    EXPECT_THAT(order, testing::ElementsAre(5, 3, 9));
}

}  // namespace
}  // namespace headroom
