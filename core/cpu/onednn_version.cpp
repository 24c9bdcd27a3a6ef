#include "core/cpu/onednn_version.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

namespace headroom {

std::string onednn_version() {
    const dnnl_version_t* version = dnnl_version();
    const char* runtime = version->cpu_runtime == DNNL_RUNTIME_OMP   ? "OpenMP"
                          : version->cpu_runtime == DNNL_RUNTIME_TBB ? "TBB"
                                                                     : "other threads";
    return fmt::format("{}.{}.{} ({})", version->major, version->minor, version->patch, runtime);
}

OneDnnKernels onednn_kernels() {
    const dnnl_cpu_isa_t isa = dnnl_get_effective_cpu_isa();
    const auto includes = [&](dnnl_cpu_isa_t least) { return (isa & least) == least; };
    if (includes(dnnl_cpu_isa_avx512_core_amx)) return OneDnnKernels::kAmx;
    if (includes(dnnl_cpu_isa_avx512_core_bf16)) return OneDnnKernels::kBf16;
    return includes(dnnl_cpu_isa_avx512_core) ? OneDnnKernels::kAvx512 : OneDnnKernels::kAvx2;
}

}  // namespace headroom
