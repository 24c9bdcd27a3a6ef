#pragma once

#include <filesystem>

#include "cuda/group/averager.h"

namespace headroom::cuda {

/// NCCL's averager, out of headroom-nccl.so in `folder`: a program on one device needs no NCCL.
/// UserError if the module was not built, EnvironmentError if NCCL is not installed.
std::unique_ptr<Averager> open_averager(const std::filesystem::path& folder, ProcessGroup& group);

}  // namespace headroom::cuda
