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

}  // namespace headroom
