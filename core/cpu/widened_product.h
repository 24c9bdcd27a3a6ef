#pragma once

#include <vector>

#include "core/cpu/gemm.h"

namespace headroom {

/// bfloat16 products on a processor that has none: the factors are widened to float, which is
/// exact, multiplied in float32, and the result is rounded once. Takes room for both factors, and
/// for the result where it is bfloat16, which is kept for the next product. Not thread-safe.
class WidenedProduct {
  public:
    void run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c);
    void run(const GemmShape& shape, const bf16* a, const bf16* b, float* c);

  private:
    std::vector<float> a_, b_, c_;
};

}  // namespace headroom
