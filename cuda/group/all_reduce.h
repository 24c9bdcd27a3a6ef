#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <cuda_runtime.h>

#include "core/device/process_group.h"
#include "core/graph/graph.h"
#include "core/graph/plan.h"

namespace headroom::cuda {

/// Numbers of one type that lie one after the other in the arena.
struct Region {
    int64_t offset = 0;  ///< in bytes
    int64_t count = 0;   ///< numbers
    DType dtype = DType::kF32;

    bool operator==(const Region&) const = default;
};

/// The memory of `values` in as few regions as they lie in: the plan lays gradients one after the
/// other, so that they are one. Regions hold the padding between two values too.
std::vector<Region> regions_of(std::span<const ValueId> values, const Graph& graph,
                               const Plan& plan);

/// Takes means over the processes of a group, each with a device of its own.
class AllReduce {
  public:
    virtual ~AllReduce() = default;
    /// Replaces the numbers of the regions by their means over the processes, in the order of the
    /// stream; all processes get the same bits. Every process calls it with the same regions.
    virtual void all_reduce_mean(std::span<const Region> regions, std::byte* arena,
                                 cudaStream_t stream) = 0;
};

/// Makes the all_reduce of a group that is not alone; all its processes call it together.
using MakeAllReduce = std::unique_ptr<AllReduce> (*)(ProcessGroup&);

}  // namespace headroom::cuda
