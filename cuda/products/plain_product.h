#pragma once

#include "cuda/products/products.h"

namespace headroom::cuda {

/// A product that the library has no kernel for: a thread for each number of C. Slow, any strides.
void run_plain_product(const Product& product, cudaStream_t stream);

}  // namespace headroom::cuda
