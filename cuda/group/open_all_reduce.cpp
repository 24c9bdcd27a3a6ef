#include "cuda/group/open_all_reduce.h"

#include <fmt/format.h>

#include "core/base/module_file.h"

namespace headroom::cuda {

std::unique_ptr<AllReduce> open_all_reduce(const std::filesystem::path& folder,
                                           ProcessGroup& group) {
    const ModuleFile module(
        folder / "headroom-nccl.so",
        {.absent = fmt::format("{} processes were started together on CUDA devices, but this build "
                               "has no NCCL",
                               group.size()),
         .build_it = "install libnccl-dev and build again, or start one process",
         .install_it = "install libnccl2, or start one process"});
    return std::unique_ptr<AllReduce>(
        module.function<AllReduce*(ProcessGroup*)>("headroom_make_nccl_all_reduce")(&group));
}

}  // namespace headroom::cuda
