#include "core/device/cuda_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {
namespace {

/// Never closed: the library of the driver does not bear it.
void* load_module(const std::filesystem::path& folder) {
    const std::filesystem::path module = cuda_module_in(folder);
    if (!std::filesystem::exists(module))
        throw UserError("this build has no CUDA device",
                        "install a CUDA toolkit and build again, or use --device cpu");
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        throw EnvironmentError(fmt::format("{} cannot be loaded: {}", module.string(),
                                           reason != nullptr ? reason : "no reason given"),
                               "install the CUDA libraries, or use --device cpu");
    }
    return library;
}

template <class Function>
Function* function_of(void* library, const char* name) {
    auto* function = reinterpret_cast<Function*>(dlsym(library, name));
    CHECK(function != nullptr, "headroom-cuda.so is of another build");
    return function;
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
    void* library = load_module(folder);
    return std::unique_ptr<Device>(function_of<Device*()>(library, "headroom_open_cuda_device")());
}

CudaReport examine_cuda_module(const std::filesystem::path& folder) {
    CudaReport report;
    function_of<void(CudaReport*)>(load_module(folder), "headroom_examine_cuda")(&report);
    return report;
}

}  // namespace headroom
