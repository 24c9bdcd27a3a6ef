#pragma once

#include <memory>
#include <string_view>

#include "core/device/device.h"
#include "cuda/group/all_reduce.h"
#include "cuda/kernel.h"

namespace headroom::cuda {

/// One planned graph on the device that was chosen: one arena, one stream, the nodes of a phase in
/// turn. `device` names it in messages; `make_all_reduce` is called where the executor first shares
/// values with other processes. EnvironmentError if it has not enough memory.
std::unique_ptr<Executor> make_cuda_executor(const Graph& graph,
                                             std::unique_ptr<GemmLibrary> products,
                                             std::string_view device,
                                             MakeAllReduce make_all_reduce);

}  // namespace headroom::cuda
