// The modules find what they need of core in the program that loads them; no device is needed.
#include <filesystem>

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "core/device/cuda_module.h"

namespace headroom {
namespace {

std::filesystem::path program_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

TEST(CudaModule, IsLoadedWithoutADevice) {
    EXPECT_NO_THROW(examine_cuda_module(program_folder()));
}

TEST(CudaModule, FindsNcclWhereItWasBuilt) {
    const std::filesystem::path module = program_folder() / "headroom-nccl.so";
    if (!std::filesystem::exists(module)) GTEST_SKIP() << "this build has no NCCL";
    void* library = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    EXPECT_NE(dlsym(library, "headroom_make_nccl_all_reduce"), nullptr);
}

}  // namespace
}  // namespace headroom
