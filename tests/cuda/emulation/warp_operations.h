#pragma once

// The tensor core operations of a warp, from the figures of the PTX ISA alone ("Matrix Fragments
// for mma.m16n8k16", "Warp-level matrix load instruction: ldmatrix"). Lane n of the warp is entry
// n.

#include <array>
#include <cstdint>

namespace headroom::cuda::simt {

template <class T, int kRegisters>
using WarpRegisters = std::array<std::array<T, kRegisters>, 32>;

/// a: 16 x 16 bfloat16, b: 16 x 8 bfloat16, c and the result: 16 x 8 float32.
WarpRegisters<float, 4> mma_m16n8k16(const WarpRegisters<uint32_t, 4>& a,
                                     const WarpRegisters<uint32_t, 2>& b,
                                     const WarpRegisters<float, 4>& c);

/// One row of 8 numbers of 16 bits.
using MatrixRow = std::array<uint16_t, 8>;

/// rows[8 m + r]: row r of matrix m.
WarpRegisters<uint32_t, 4> ldmatrix_x4(const std::array<MatrixRow, 32>& rows, bool transposed);

}  // namespace headroom::cuda::simt
