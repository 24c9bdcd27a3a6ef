#include "cuda/group/all_reduce.h"

#include <algorithm>

#include "core/base/error.h"

namespace headroom::cuda {
namespace {

int64_t end_of(const Region& region) {
    return region.offset + region.count * static_cast<int64_t>(size_of(region.dtype));
}

/// Where a value begins that lies behind the region with nothing but padding between.
int64_t next_place(const Region& region) {
    return (end_of(region) + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

}  // namespace

std::vector<Region> regions_of(std::span<const ValueId> values, const Graph& graph,
                               const Plan& plan) {
    std::vector<Region> parts;
    for (const ValueId id : values) {
        const TensorType& type = graph.value(id).type;
        const int64_t offset = plan.values[static_cast<size_t>(id)].offset;
        CHECK(type.dtype == DType::kF32 || type.dtype == DType::kF64,
              "means of float32 or float64");
        CHECK(offset >= 0, graph.value(id).name + " has no memory");
        parts.push_back({offset, type.count(), type.dtype});
    }
    std::sort(parts.begin(), parts.end(),
              [](const Region& a, const Region& b) { return a.offset < b.offset; });
    std::vector<Region> regions;
    for (const Region& part : parts) {
        if (regions.empty() || regions.back().dtype != part.dtype ||
            next_place(regions.back()) != part.offset) {
            regions.push_back(part);
            continue;
        }
        Region& last = regions.back();
        last.count = (end_of(part) - last.offset) / static_cast<int64_t>(size_of(last.dtype));
    }
    return regions;
}

}  // namespace headroom::cuda
