#pragma once

#include <cstdint>
#include <initializer_list>

#include "datasets/counter_random.h"

namespace headroom {

/// A permutation of 0, 1, ..., count - 1 as a pure function of a key, any element at a time: six
/// rounds of a Feistel network over the next power of four, walked along until it falls below
/// `count` (Black, Rogaway 2002, Ciphers with arbitrary finite domains, section 4).
class Shuffle {
  public:
    Shuffle(int64_t count, std::initializer_list<uint64_t> key)
        : count_(static_cast<uint64_t>(count)), key_(CounterRandom(key).next()) {
        while ((uint64_t{1} << (2 * half_)) < count_) ++half_;
    }

    /// REQUIRES: 0 <= i < count.
    int64_t at(int64_t i) const {
        auto x = static_cast<uint64_t>(i);
        do x = scramble(x);
        while (x >= count_);
        return static_cast<int64_t>(x);
    }

  private:
    uint64_t scramble(uint64_t x) const {
        constexpr uint64_t kRounds = 6;
        const uint64_t mask = (uint64_t{1} << half_) - 1;
        uint64_t left = x >> half_, right = x & mask;
        for (uint64_t round = 0; round < kRounds; ++round) {
            const uint64_t next = left ^ (CounterRandom{key_, round, right}.next() & mask);
            left = right;
            right = next;
        }
        return left << half_ | right;
    }

    uint64_t count_, key_;
    int half_ = 1;
};

}  // namespace headroom
