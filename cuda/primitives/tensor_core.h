#pragma once

#include <cstdint>

#include "core/base/bf16.h"
#include "cuda/primitives/block_thread.h"

namespace headroom::cuda {

// Tensor cores by warps: PTX ISA, mma.m16n8k16 and ldmatrix. Lane n of a warp, with g = n / 4 and
// t = n % 4, holds of
//     A, 16 x 16: rows g and g + 8, columns 2t, 2t+1 (registers 0, 1) and 2t+8, 2t+9 (2, 3),
//     B, 16 x 8:  column g, rows 2t, 2t+1 (register 0) and 2t+8, 2t+9 (1),
//     C, 16 x 8:  row g, columns 2t, 2t+1 (numbers 0, 1), and row g + 8 (2, 3).

/// Four matrices of 8 x 8 bfloat16 out of shared memory: lane 8 m + r passes the offset of row r
/// of matrix m. Register m of lane n: row n / 4, columns 2 (n % 4) and the next of matrix m; of its
/// transpose, if so asked.
template <bool kTransposed>
__device__ inline void load_matrices(const BlockThread& t, uint32_t (&to)[4], uint32_t offset) {
#ifdef HEADROOM_CUDA_EMULATED
    (void)t;
    const auto registers = simt::ldmatrix(offset, kTransposed);
    for (size_t i = 0; i < 4; ++i) to[i] = registers[i];
#else
    if constexpr (kTransposed)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(t.address(offset))
                     : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(t.address(offset))
                     : "memory");
#endif
}

/// c += a b: bfloat16 factors, float32 sums.
__device__ inline void multiply_add(float (&c)[4], const uint32_t (&a)[4], uint32_t b0,
                                    uint32_t b1) {
#ifdef HEADROOM_CUDA_EMULATED
    const auto d = simt::mma({a[0], a[1], a[2], a[3]}, {b0, b1}, {c[0], c[1], c[2], c[3]});
    for (size_t i = 0; i < 4; ++i) c[i] = d[i];
#else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

/// Two numbers rounded to bfloat16, `low` in the lower half.
__device__ inline uint32_t pack(float low, float high) {
#ifdef HEADROOM_CUDA_EMULATED
    return bf16(low).bits | static_cast<uint32_t>(bf16(high).bits) << 16;
#else
    uint32_t packed;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;\n" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
#endif
}
__device__ inline float low_of(uint32_t packed) {
    bf16 value;
    value.bits = static_cast<uint16_t>(packed);
    return value;
}
__device__ inline float high_of(uint32_t packed) {
    bf16 value;
    value.bits = static_cast<uint16_t>(packed >> 16);
    return value;
}

/// 2^x to about two units in the last place; 0 for -infinity.
__device__ inline float power_of_two(float x) {
#ifdef HEADROOM_CUDA_EMULATED
    return exp2f(x);
#else
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
    return y;
#endif
}

}  // namespace headroom::cuda
