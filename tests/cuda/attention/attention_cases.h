#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/op_cases/op_cases.h"
#include "core/ops/attention.h"

namespace headroom {

struct AttentionCase {
    std::string name;
    AttentionOptions options;
    int64_t seq_len;
    std::vector<int64_t> heads;               ///< of inputs 1, 2, ...
    size_t shared_limit = size_t{163} << 10;  ///< bytes, of the emulated device
};

/// Every width of head that the CUDA kernels have tiles for, and some that fit none.
std::vector<AttentionCase> width_cases();
/// Heads that are grouped, shared, zero, or named twice; dropout; no causal mask.
std::vector<AttentionCase> wiring_cases();

/// Own heads: key and value head g are head g of inputs 1 and 2.
AttentionOptions own_heads(int64_t n_head, int64_t n_kv_head, int64_t d_head, int64_t d_value);

OpCase op_case_of(const AttentionCase& c, DType dtype);

}  // namespace headroom
