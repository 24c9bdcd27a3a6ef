#pragma once

#include "core/cpu/amx_pack.h"

namespace headroom {

#if HEADROOM_AMX

/// Two by two tiles of sums of float32 products, from packed squares of both factors: six of the
/// nine products of their parts. What is left out are products of two small parts, less than 2^-24
/// of the whole. REQUIRES tiles of 16 rows, no x.add, and left_stride and right_stride of packed
/// squares.
[[gnu::noinline]] inline void amx_block_of_parts(const AmxBlock& x) {
    asm volatile("" ::: "memory");  // as in amx_block
    float* const lower = x.sums + kAmxRows * x.sums_stride / static_cast<int64_t>(sizeof(float));
    _tile_zero(0);
    tile_gap();
    _tile_zero(1);
    tile_gap();
    _tile_zero(2);
    tile_gap();
    _tile_zero(3);
    const auto multiply = [] {
        _tile_dpbf16ps(0, 4, 6);
        tile_gap();
        _tile_dpbf16ps(1, 4, 7);
        tile_gap();
        _tile_dpbf16ps(2, 5, 6);
        tile_gap();
        _tile_dpbf16ps(3, 5, 7);
        tile_gap();
    };
    const bf16 *left = x.left, *right = x.right;
    for (int64_t l = 0; l < x.depth; ++l, left += x.left_step, right += kPackedSquare<float>) {
        const auto load_left = [&](int64_t part) {
            _tile_loadd(4, left + part * kSquare, x.left_stride);
            tile_gap();
            _tile_loadd(5, left + part * kSquare + kSquare / 2, x.left_stride);
            tile_gap();
        };
        const auto load_right = [&](int64_t part) {
            _tile_loadd(6, right + part * kSquare, x.right_stride);
            tile_gap();
            _tile_loadd(7, right + part * kSquare + kAmxDepth, x.right_stride);
            tile_gap();
        };
        // The small ones first, and one factor of two products that follow each other the same.
        load_left(2);
        load_right(0);
        multiply();
        load_left(1);
        multiply();
        load_right(1);
        multiply();
        load_left(0);
        multiply();
        load_right(2);
        multiply();
        x.wanted[0].fetch(l);
        x.wanted[1].fetch(l);
        load_right(0);
        multiply();
    }
    _tile_stored(0, x.sums, x.sums_stride);
    tile_gap();
    _tile_stored(1, x.sums + kAmxRows, x.sums_stride);
    tile_gap();
    _tile_stored(2, lower, x.sums_stride);
    tile_gap();
    _tile_stored(3, lower + kAmxRows, x.sums_stride);
}

#endif

}  // namespace headroom
