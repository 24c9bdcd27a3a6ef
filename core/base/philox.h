#pragma once

#include <array>
#include <cstdint>

namespace headroom {

/// Philox4x32-10, a counter-based generator: Salmon, Moraes, Dror, Shaw 2011, "Parallel random
/// numbers: as easy as 1, 2, 3" (SC11), section 3.3. A number depends on its counter and key alone,
/// so that any element of any mask can be made again, in any order, on any device.
struct Philox {
    static constexpr uint32_t kMultiplier0 = 0xD2511F53u, kMultiplier1 = 0xCD9E8D57u;
    static constexpr uint32_t kWeyl0 = 0x9E3779B9u, kWeyl1 = 0xBB67AE85u;

    /// Four independent uniform 32-bit numbers.
    static constexpr std::array<uint32_t, 4> block(std::array<uint32_t, 4> counter, uint32_t key0,
                                                   uint32_t key1) {
        for (int round = 0; round < 10; ++round) {
            const uint64_t a = static_cast<uint64_t>(kMultiplier0) * counter[0];
            const uint64_t b = static_cast<uint64_t>(kMultiplier1) * counter[2];
            counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(b),
                       static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key1,
                       static_cast<uint32_t>(a)};
            key0 += kWeyl0;
            key1 += kWeyl1;
        }
        return counter;
    }
};

/// The stream of random numbers of one dropout site in one micro-batch. Elements go in groups of
/// 64: element 64 n + 16 w + i takes word w of the block with counter {16 n + i (48 bits), micro
/// (16 bits), step, stream} under the key `seed`, so that sixteen blocks made side by side in
/// vector registers are 64 consecutive elements. Masks are part of what a seed means: do not change
/// this.
struct DropoutStream {
    static constexpr uint64_t kGroup = 64, kLanes = 16;

    uint64_t seed = 0;
    uint32_t step = 0;
    uint32_t micro = 0;  ///< below 2^16
    uint32_t stream = 0;

    constexpr std::array<uint32_t, 4> counter(uint64_t block) const {
        return {static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32) | (micro << 16),
                step, stream};
    }
    constexpr uint32_t word(uint64_t element) const {
        const uint64_t block = element / kGroup * kLanes + element % kLanes;
        return Philox::block(counter(block), static_cast<uint32_t>(seed),
                             static_cast<uint32_t>(seed >> 32))[element % kGroup / kLanes];
    }
};

/// An element is dropped if its word is below this; 0 <= p < 1.
constexpr uint32_t dropout_threshold(double p) {
    return static_cast<uint32_t>(p * 4294967296.0);
}

}  // namespace headroom
