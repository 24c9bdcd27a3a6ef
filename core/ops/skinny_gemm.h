#pragma once

#include "core/base/dtype.h"
#include "core/cpu/gemm.h"

namespace headroom {

/// Up to this many rows a product is limited by how fast the weight is read: decoding.
inline constexpr int64_t kSkinnyRows = 16;

/// Numbers of the accumulator type that skinny_gemm needs beside its operands.
int64_t skinny_gemm_workspace(int64_t m, int64_t n, int64_t k, bool b_transposed);

/// C = A op(B) (+ C) for few rows of A, reading B once from end to end. A is not transposed.
/// Same bits for any number of threads.
template <class T>
void skinny_gemm(const GemmShape& shape, const T* a, const T* b, T* c, accumulator_t<T>* workspace);

}  // namespace headroom
