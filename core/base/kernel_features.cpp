// Compiled with the flags of the CPU kernels; holds constants only, never code.
#include "core/base/kernel_features.h"

namespace headroom {

const KernelFeatures kKernelFeatures = {
#ifdef __POPCNT__
    .popcnt = true,
#else
    .popcnt = false,
#endif
#ifdef __SSE4_2__
    .sse42 = true,
#else
    .sse42 = false,
#endif
#ifdef __AVX__
    .avx = true,
#else
    .avx = false,
#endif
#ifdef __AVX2__
    .avx2 = true,
#else
    .avx2 = false,
#endif
#ifdef __BMI2__
    .bmi2 = true,
#else
    .bmi2 = false,
#endif
#ifdef __FMA__
    .fma = true,
#else
    .fma = false,
#endif
#ifdef __AVX512F__
    .avx512f = true,
#else
    .avx512f = false,
#endif
#ifdef __AVX512BW__
    .avx512bw = true,
#else
    .avx512bw = false,
#endif
#ifdef __AVX512DQ__
    .avx512dq = true,
#else
    .avx512dq = false,
#endif
#ifdef __AVX512VL__
    .avx512vl = true,
#else
    .avx512vl = false,
#endif
#ifdef __AVX512VBMI__
    .avx512vbmi = true,
#else
    .avx512vbmi = false,
#endif
#ifdef __AVX512VNNI__
    .avx512vnni = true,
#else
    .avx512vnni = false,
#endif
#ifdef __AVX512BF16__
    .avx512bf16 = true,
#else
    .avx512bf16 = false,
#endif
};

}  // namespace headroom
