#pragma once

#include <memory>

#include "core/cpu/gemm.h"

namespace headroom {

/// bfloat16 products with float32 sums by oneDNN, on a processor that multiplies bfloat16. Its
/// primitives are made on first use and kept, so that a training step makes none after the first.
/// Throws EnvironmentError if the library fails. Not thread-safe.
class OneDnnProduct {
  public:
    OneDnnProduct();
    ~OneDnnProduct();
    OneDnnProduct(const OneDnnProduct&) = delete;
    OneDnnProduct& operator=(const OneDnnProduct&) = delete;

    void run(const GemmShape& shape, const bf16* a, const bf16* b, bf16* c);
    void run(const GemmShape& shape, const bf16* a, const bf16* b, float* c);

  private:
    struct Cache;
    std::unique_ptr<Cache> cache_;
};

}  // namespace headroom
