#include "core/base/cpu_features.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/base/error.h"
#include "core/base/kernel_features.h"

namespace headroom {

std::vector<CpuFeature> cpu_features() {
#ifdef __x86_64__
    const KernelFeatures& used = kKernelFeatures;
    return {
        {"popcnt", used.popcnt, __builtin_cpu_supports("popcnt") != 0},
        {"sse4.2", used.sse42, __builtin_cpu_supports("sse4.2") != 0},
        {"avx", used.avx, __builtin_cpu_supports("avx") != 0},
        {"avx2", used.avx2, __builtin_cpu_supports("avx2") != 0},
        {"bmi2", used.bmi2, __builtin_cpu_supports("bmi2") != 0},
        {"fma", used.fma, __builtin_cpu_supports("fma") != 0},
        {"avx512f", used.avx512f, __builtin_cpu_supports("avx512f") != 0},
        {"avx512bw", used.avx512bw, __builtin_cpu_supports("avx512bw") != 0},
        {"avx512dq", used.avx512dq, __builtin_cpu_supports("avx512dq") != 0},
        {"avx512vl", used.avx512vl, __builtin_cpu_supports("avx512vl") != 0},
        {"avx512vbmi", used.avx512vbmi, __builtin_cpu_supports("avx512vbmi") != 0},
        {"avx512vnni", used.avx512vnni, __builtin_cpu_supports("avx512vnni") != 0},
        {"avx512bf16", used.avx512bf16, __builtin_cpu_supports("avx512bf16") != 0},
    };
#else
    return {};
#endif
}

bool has_avx512() {
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
#else
    return false;
#endif
}

bool has_amx_bf16() {
#ifdef __x86_64__
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned kAmxBf16 = 1u << 22;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAmxBf16) != 0;
#else
    return false;
#endif
}

bool may_use_amx() {
#if defined(__x86_64__) && defined(__linux__)
    constexpr int kRequestPermission = 0x1023, kTileData = 18;  // <asm/prctl.h>
    static const bool allowed =
        has_amx_bf16() && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    return allowed;
#else
    return false;
#endif
}

void check_cpu_features(const std::vector<CpuFeature>& features) {
    std::string missing;
    for (const CpuFeature& feature : features)
        if (feature.used && !feature.present) missing += " " + feature.name;
    if (missing.empty()) return;
    throw EnvironmentError("this build uses instructions that this processor lacks:" + missing,
                           "build it here, or portably with -DHEADROOM_MARCH=x86-64-v3");
}

}  // namespace headroom
