#pragma once

#include <vector>

#include "core/op_cases/op_cases.h"

namespace headroom {

/// Cases at the edges of the CUDA kernels, beside those of core: rows that are whole packs of 16
/// bytes and rows that are not (62, 65, 50257 numbers), shorter and longer than the registers of a
/// warp and of a block, sums over more rows than a slice has, tokens that most places hold.
std::vector<OpCase> awkward_cases(DType dtype);

}  // namespace headroom
