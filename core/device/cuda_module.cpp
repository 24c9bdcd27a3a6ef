#include "core/device/cuda_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom {

std::unique_ptr<Device> open_cuda_device(const std::filesystem::path& folder) {
    const std::filesystem::path module = folder / "headroom-cuda.so";
    if (!std::filesystem::exists(module))
        throw UserError("this build has no CUDA device",
                        "install a CUDA toolkit and build again, or use --device cpu");
    // Never closed: the library of the driver does not bear it.
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        throw EnvironmentError(fmt::format("{} cannot be loaded: {}", module.string(),
                                           reason != nullptr ? reason : "no reason given"),
                               "install the CUDA libraries, or use --device cpu");
    }
    using Open = Device* (*)();
    const auto open = reinterpret_cast<Open>(dlsym(library, "headroom_open_cuda_device"));
    CHECK(open != nullptr, "headroom-cuda.so is of another build");
    return std::unique_ptr<Device>(open());
}

}  // namespace headroom
