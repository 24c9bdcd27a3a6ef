#pragma once

#include <cstdint>
#include <initializer_list>

namespace headroom {

/// Random numbers as a pure function of a key: SplitMix64 (Steele, Lea and Flood 2014) started from
/// a mixture of the key's words. Any (seed, step, micro-batch, row) has its own stream without
/// state to save, and only integer arithmetic is used, so every machine draws the same numbers.
class CounterRandom {
  public:
    CounterRandom(std::initializer_list<uint64_t> key) {
        for (const uint64_t word : key) state_ = mix(state_ + kGolden + mix(word + kGolden));
    }

    uint64_t next() {
        state_ += kGolden;
        return mix(state_);
    }
    /// Uniform in [0, count). REQUIRES: count > 0.
    int64_t below(int64_t count) {
        const auto product =
            static_cast<unsigned __int128>(next()) * static_cast<unsigned __int128>(count);
        return static_cast<int64_t>(product >> 64);
    }
    /// Uniform in [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
    bool chance(double probability) { return uniform() < probability; }

  private:
    static constexpr uint64_t kGolden = 0x9e3779b97f4a7c15u;
    static constexpr uint64_t mix(uint64_t z) {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    uint64_t state_ = 0;
};

}  // namespace headroom
