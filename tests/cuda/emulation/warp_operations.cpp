#include "tests/cuda/emulation/warp_operations.h"

#include <cstddef>

#include "core/base/bf16.h"

namespace headroom::cuda::simt {
namespace {

struct Place {
    int row, column;
};

// Element i of a lane's fragment, as the PTX ISA has it. groupID = lane / 4, threadID = lane % 4.
Place place_in_a(int lane, int i) {
    const int row = lane / 4 + ((i >= 2 && i < 4) || i >= 6 ? 8 : 0);
    return {row, lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
Place place_in_b(int lane, int i) {
    return {lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4};
}
Place place_in_c(int lane, int i) {
    return {lane / 4 + (i >= 2 ? 8 : 0), lane % 4 * 2 + (i & 1)};
}

/// Elements i and i + 1 of a fragment are the lower and the upper half of a register.
float element(const uint32_t* registers, int i) {
    bf16 value;
    value.bits = static_cast<uint16_t>(registers[i / 2] >> (i % 2 * 16));
    return value;
}

}  // namespace

WarpRegisters<float, 4> mma_m16n8k16(const WarpRegisters<uint32_t, 4>& a,
                                     const WarpRegisters<uint32_t, 2>& b,
                                     const WarpRegisters<float, 4>& c) {
    float left[16][16], right[16][8];
    for (int lane = 0; lane < 32; ++lane) {
        const auto n = static_cast<size_t>(lane);
        for (int i = 0; i < 8; ++i) {
            const Place at = place_in_a(lane, i);
            left[at.row][at.column] = element(a[n].data(), i);
        }
        for (int i = 0; i < 4; ++i) {
            const Place at = place_in_b(lane, i);
            right[at.row][at.column] = element(b[n].data(), i);
        }
    }
    // The order and the width of the sums are the hardware's own: here they are exact and rounded
    // once.
    double sums[16][8] = {};
    for (int i = 0; i < 16; ++i)
        for (int k = 0; k < 16; ++k)
            for (int j = 0; j < 8; ++j)
                sums[i][j] += static_cast<double>(left[i][k]) * static_cast<double>(right[k][j]);
    WarpRegisters<float, 4> d;
    for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
            const Place at = place_in_c(lane, i);
            const auto n = static_cast<size_t>(lane), e = static_cast<size_t>(i);
            d[n][e] = static_cast<float>(sums[at.row][at.column] + static_cast<double>(c[n][e]));
        }
    return d;
}

WarpRegisters<uint32_t, 4> ldmatrix_x4(const std::array<MatrixRow, 32>& rows, bool transposed) {
    WarpRegisters<uint32_t, 4> registers;
    for (size_t m = 0; m < 4; ++m)
        for (size_t lane = 0; lane < 32; ++lane) {
            const auto at = [&](size_t row, size_t column) {
                return uint32_t{transposed ? rows[8 * m + column][row] : rows[8 * m + row][column]};
            };
            const size_t row = lane / 4, column = lane % 4 * 2;
            registers[lane][m] = at(row, column) | at(row, column + 1) << 16;
        }
    return registers;
}

}  // namespace headroom::cuda::simt
