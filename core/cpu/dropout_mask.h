#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/philox.h"

namespace headroom {

/// The 64 words of group `group` of a dropout stream: sixteen blocks side by side, so that the
/// compiler can use vector instructions.
inline void dropout_group(const DropoutStream& random, uint64_t group, uint32_t* words) {
    constexpr int kLanes = DropoutStream::kLanes;
    // Sixteen consecutive blocks differ in the lowest word of their counters only.
    const auto first = random.counter(group * kLanes);
    auto key0 = static_cast<uint32_t>(random.seed);
    auto key1 = static_cast<uint32_t>(random.seed >> 32);
    uint32_t *c0 = words, *c1 = c0 + kLanes, *c2 = c1 + kLanes, *c3 = c2 + kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
        c0[lane] = first[0] + static_cast<uint32_t>(lane);
        c1[lane] = first[1];
        c2[lane] = first[2];
        c3[lane] = first[3];
    }
    for (int round = 0; round < 10; ++round) {
#pragma omp simd
        for (int lane = 0; lane < kLanes; ++lane) {
            const uint64_t a = static_cast<uint64_t>(Philox::kMultiplier0) * c0[lane];
            const uint64_t b = static_cast<uint64_t>(Philox::kMultiplier1) * c2[lane];
            c0[lane] = static_cast<uint32_t>(b >> 32) ^ c1[lane] ^ key0;
            c2[lane] = static_cast<uint32_t>(a >> 32) ^ c3[lane] ^ key1;
            c1[lane] = static_cast<uint32_t>(b);
            c3[lane] = static_cast<uint32_t>(a);
        }
        key0 += Philox::kWeyl0;
        key1 += Philox::kWeyl1;
    }
}

/// kept[i] = 0 if element `first` + i is dropped with probability p, else 1 / (1 - p).
template <class A>
void dropout_factors(const DropoutStream& random, double p, uint64_t first, int64_t count,
                     A* kept) {
    constexpr int64_t kGroup = DropoutStream::kGroup;
    const uint32_t threshold = dropout_threshold(p);
    const A scale = static_cast<A>(1.0 / (1.0 - p));
    alignas(64) uint32_t words[kGroup];
    for (int64_t done = 0; done < count;) {
        const uint64_t element = first + static_cast<uint64_t>(done);
        const auto skip = static_cast<int64_t>(element % DropoutStream::kGroup);
        const int64_t now = std::min(kGroup - skip, count - done);
        dropout_group(random, element / DropoutStream::kGroup, words);
#pragma omp simd
        for (int64_t i = 0; i < now; ++i)
            kept[done + i] = words[skip + i] >= threshold ? scale : A{0};
        done += now;
    }
}

}  // namespace headroom
