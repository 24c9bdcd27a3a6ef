#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/philox.h"

namespace headroom {

/// Sixteen consecutive blocks of a dropout stream, lane by lane so that the compiler can use vector
/// instructions: words[4 lane + word].
inline void philox_lanes(const DropoutStream& random, uint64_t first_block, uint32_t* words) {
    constexpr int kLanes = 16;
    uint32_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        const auto counter = random.counter(first_block + static_cast<uint64_t>(lane));
        c0[lane] = counter[0];
        c1[lane] = counter[1];
        c2[lane] = counter[2];
        c3[lane] = counter[3];
    }
    auto key0 = static_cast<uint32_t>(random.seed), key1 = static_cast<uint32_t>(random.seed >> 32);
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
    for (int lane = 0; lane < kLanes; ++lane) {
        words[4 * lane] = c0[lane];
        words[4 * lane + 1] = c1[lane];
        words[4 * lane + 2] = c2[lane];
        words[4 * lane + 3] = c3[lane];
    }
}

/// kept[i] = 0 if element `first` + i is dropped with probability p, else 1 / (1 - p).
template <class A>
void dropout_factors(const DropoutStream& random, double p, uint64_t first, int64_t count,
                     A* kept) {
    constexpr int64_t kWords = 64;
    const uint32_t threshold = dropout_threshold(p);
    const A scale = static_cast<A>(1.0 / (1.0 - p));
    uint32_t words[kWords];
    for (int64_t done = 0; done < count;) {
        const uint64_t element = first + static_cast<uint64_t>(done);
        const auto skip = static_cast<int64_t>(element % 4);
        const int64_t now = std::min(kWords - skip, count - done);
        philox_lanes(random, element / 4, words);
#pragma omp simd
        for (int64_t i = 0; i < now; ++i)
            kept[done + i] = words[skip + i] >= threshold ? scale : A{0};
        done += now;
    }
}

}  // namespace headroom
