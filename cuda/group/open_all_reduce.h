#pragma once

#include <filesystem>

#include "cuda/group/all_reduce.h"

namespace headroom::cuda {

/// NCCL's all_reduce, out of headroom-nccl.so in `folder`: a program on one device needs no NCCL.
/// UserError if the module was not built, EnvironmentError if NCCL is not installed.
std::unique_ptr<AllReduce> open_all_reduce(const std::filesystem::path& folder,
                                           ProcessGroup& group);

}  // namespace headroom::cuda
