#pragma once

#include <bit>
#include <cstdint>

#include "core/base/bf16.h"
#include "core/ops/activation_map.h"

namespace headroom {

/// True for activations that take longer to compute than to read from a table.
template <ActivationKind kKind>
inline constexpr bool kWorthATable =
    kKind != ActivationKind::kRelu&& kKind != ActivationKind::kRelu2;

/// act and act' of every bfloat16 number, at its bits, as activate() computes them: 512 KiB, of
/// which the numbers of a layer lie in some 10.
template <ActivationKind kKind>
class ActivationTable {
  public:
    /// Made on the first call.
    static const ActivationTable& get() {
        static const ActivationTable table;
        return table;
    }
    const float* values() const { return values_; }
    const float* slopes() const { return slopes_; }

  private:
    static constexpr uint32_t kNumbers = 1 << 16;

    ActivationTable() {
        float *values = values_, *slopes = slopes_;
#pragma omp simd
        for (uint32_t bits = 0; bits < kNumbers; ++bits) {
            const auto act = activate<kKind>(std::bit_cast<float>(bits << 16));
            values[bits] = act.value;
            slopes[bits] = act.slope;
        }
    }

    float values_[kNumbers], slopes_[kNumbers];  ///< static: kernels allocate nothing
};

}  // namespace headroom
