#pragma once

#include <array>
#include <cstdint>

#include "core/base/philox.h"
#include "core/ops/dropout.h"
#include "cuda/attention/head_table.h"

namespace headroom::cuda {

/// What all tiled kernels know of one attention. Copied into them.
struct FlashProblem {
    const HeadAt *queries, *keys, *values;  ///< of every query head
    int n_head, seq_len, d_head, d_value;
    float scale;       ///< > 0
    float scale_log2;  ///< scale / ln 2: powers are of two
    bool causal;
    int alignment;  ///< bytes that every row of every head is aligned to: 16, 8, 4 or 2
    const StepContext* step;
    uint64_t stream;
    float kept;  ///< factor of the pairs that the dropout keeps, 1 / (1 - p); 0: no dropout
    uint32_t threshold;

    /// Keys that some query before `end` attends to.
    __device__ int keys_before(int end) const { return causal && end < seq_len ? end : seq_len; }
    /// Whether query i does not attend to key j.
    __device__ bool masks(int i, int j) const { return j >= seq_len || (causal && j > i); }
};

/// Which pairs of one batch row and head the dropout keeps.
class KeptPairs {
  public:
    __device__ KeptPairs(const FlashProblem& p, int b, int h)
        : random_(dropout_stream(*p.step, p.stream)),
          first_((static_cast<uint64_t>(b) * static_cast<uint64_t>(p.n_head) +
                  static_cast<uint64_t>(h)) *
                 static_cast<uint64_t>(p.seq_len)),
          seq_len_(static_cast<uint64_t>(p.seq_len)),
          threshold_(p.threshold) {}

    /// Of keys j, j + 16, ... for query i: bit n for the one at 16 n. They share a block of random
    /// words wherever they lie in one group of 64 elements (core/base/philox.h).
    template <int kCount>
    __device__ uint32_t sixteen_apart(int i, int j) const {
        const uint64_t first =
            (first_ + static_cast<uint64_t>(i)) * seq_len_ + static_cast<uint64_t>(j);
        uint64_t group = ~uint64_t{0};
        std::array<uint32_t, 4> words{};
        uint32_t bits = 0;
#pragma unroll
        for (int n = 0; n < kCount; ++n) {
            const uint64_t element = first + static_cast<uint64_t>(16 * n);
            if (element / DropoutStream::kGroup != group) {
                group = element / DropoutStream::kGroup;
                words = Philox::block(random_.counter(group * DropoutStream::kLanes +
                                                      element % DropoutStream::kLanes),
                                      static_cast<uint32_t>(random_.seed),
                                      static_cast<uint32_t>(random_.seed >> 32));
            }
            const auto w = static_cast<int>(element % DropoutStream::kGroup / 16);
            const uint32_t word =
                w < 2 ? (w == 0 ? words[0] : words[1]) : (w == 2 ? words[2] : words[3]);
            if (word >= threshold_) bits |= 1u << n;
        }
        return bits;
    }

  private:
    DropoutStream random_;
    uint64_t first_, seq_len_;
    uint32_t threshold_;
};

}  // namespace headroom::cuda
