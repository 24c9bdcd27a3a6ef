#include "app/doctor/kernel_findings.h"

#include <fmt/format.h>

#include "core/base/cpu_features.h"
#include "core/cpu/amx_product.h"

namespace headroom {
namespace {

using Status = Finding::Status;

constexpr const char* kBuildHere = "build with -DHEADROOM_MARCH=native";

Finding float32_kernels(const KernelState& s) {
    const bool wide = s.onednn != OneDnnKernels::kAvx2;
    Finding finding{
        "float32", Status::kOk,
        fmt::format("{} by oneDNN ({}), attention and decoding {}",
                    s.uses_amx() ? "large products in AMX tiles, others" : "products",
                    wide ? "AVX-512" : "AVX2", s.built_avx512 ? "AVX-512" : "without AVX-512"),
        ""};
    if (s.has_avx512 && !s.built_avx512)
        finding.hint =
            fmt::format("{}attention and decoding are faster with AVX-512: {}",
                        s.has_amx ? "large products are faster in AMX tiles, " : "", kBuildHere);
    return finding;
}

const char* bfloat16_products(OneDnnKernels kernels) {
    if (kernels == OneDnnKernels::kAmx) return "AMX tiles";
    return kernels == OneDnnKernels::kBf16 ? "AVX-512 BF16" : "emulated, slow";
}

Finding bfloat16_kernels(const KernelState& s) {
    if (!s.has_bf16)
        return {"bfloat16", Status::kOptional,
                "products widened to float32 (this processor has none of its own)",
                "train and decode in float32 here"};
    if (s.uses_amx())
        return {"bfloat16", Status::kOk, "AMX tiles; decoding of up to four rows AVX-512 BF16", ""};
    Finding finding{"bfloat16", Status::kOk,
                    fmt::format("products by oneDNN ({}), attention and decoding {}",
                                bfloat16_products(s.onednn),
                                s.built_bf16 ? "AVX-512 BF16" : "widened to float32"),
                    ""};
    if (!s.built_bf16)
        finding.hint = fmt::format("attention and decoding are faster in pairs: {}", kBuildHere);
    else if (s.has_amx && !s.may_use_amx)
        finding.hint =
            "the processor has AMX, which the operating system does not give: is it older "
            "than Linux 5.16, or does a virtual machine hide it?";
    else if (s.has_amx)
        finding.hint =
            fmt::format("products and attention are faster in AMX tiles: {}", kBuildHere);
    return finding;
}

}  // namespace

KernelState examine_kernel_state() {
    KernelState state;
    state.onednn = onednn_kernels();
    for (const CpuFeature& feature : cpu_features()) {
        if (feature.name == "avx512f")
            state.has_avx512 = feature.present, state.built_avx512 = feature.used;
        if (feature.name == "avx512bf16")
            state.has_bf16 = feature.present, state.built_bf16 = feature.used;
    }
    state.has_amx = has_amx_bf16();
    state.built_amx = AmxProduct::built();
    state.may_use_amx = may_use_amx();
    return state;
}

std::vector<Finding> kernel_findings(const KernelState& state) {
    return {float32_kernels(state), bfloat16_kernels(state)};
}

}  // namespace headroom
