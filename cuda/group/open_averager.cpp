#include "cuda/group/open_averager.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace headroom::cuda {

std::unique_ptr<Averager> open_averager(const std::filesystem::path& folder, ProcessGroup& group) {
    const std::filesystem::path module = folder / "headroom-nccl.so";
    if (!std::filesystem::exists(module))
        throw UserError(fmt::format("{} processes were started together on CUDA devices, but this "
                                    "build has no NCCL",
                                    group.size()),
                        "install libnccl-dev and build again, or start one process");
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* reason = dlerror();
        throw EnvironmentError(fmt::format("{} cannot be loaded: {}", module.string(),
                                           reason != nullptr ? reason : "no reason given"),
                               "install libnccl2, or start one process");
    }
    using Make = Averager* (*)(ProcessGroup*);
    const auto make = reinterpret_cast<Make>(dlsym(library, "headroom_make_nccl_averager"));
    CHECK(make != nullptr, "headroom-nccl.so is of another build");
    return std::unique_ptr<Averager>(make(&group));
}

}  // namespace headroom::cuda
