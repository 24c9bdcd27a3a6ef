#pragma once

namespace headroom {

/// The instruction sets that the compiler was told to use in the CPU kernels.
struct KernelFeatures {
    bool popcnt, sse42, avx, avx2, bmi2, fma;
    bool avx512f, avx512bw, avx512dq, avx512vl, avx512vbmi, avx512vnni, avx512bf16;
};

/// Plain data, so that reading it executes none of the instructions that it is about.
extern const KernelFeatures kKernelFeatures;

}  // namespace headroom
