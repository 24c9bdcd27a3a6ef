#include "core/device/cuda_module.h"

#include <dlfcn.h>

#include "core/base/error.h"
#include "core/base/module_file.h"

namespace headroom {
namespace {

ModuleFile load_module(const std::filesystem::path& folder) {
    return {cuda_module_in(folder),
            {.absent = "this build has no CUDA device",
             .build_it = "install a CUDA toolkit and build again, or use --device cpu",
             .install_it = "install the CUDA libraries, or use --device cpu"}};
}

}  // namespace

std::filesystem::path cuda_module_in(const std::filesystem::path& folder) {
    return folder / "headroom-cuda.so";
}

bool has_cuda_driver() {
    static const bool found = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
    return found;
}

std::unique_ptr<Device> open_cuda_device(const std::filesystem::path& folder) {
    const bool built = std::filesystem::exists(cuda_module_in(folder));
    if (built && !has_cuda_driver())
        throw EnvironmentError("this machine has no NVIDIA driver (libcuda.so.1 is absent)",
                               "install it, or use --device cpu");
    auto* const open = load_module(folder).function<Device*()>("headroom_open_cuda_device");
    return std::unique_ptr<Device>(open());
}

CudaReport examine_cuda_module(const std::filesystem::path& folder) {
    CudaReport report;
    load_module(folder).function<void(CudaReport*)>("headroom_examine_cuda")(&report);
    return report;
}

}  // namespace headroom
