#pragma once

#include "core/bench/op_bench.h"
#include "core/device/device.h"

namespace headroom {

/// Times every node of the cases on `device` as a graph of it runs them, best of several passes, by
/// the device's own clock. A row for each operator of a case; nodes that the device computes
/// together are one row. Options: `naive` is for bench_ops alone.
std::vector<OpBenchRow> bench_ops_on(Device& device, const OpBenchOptions& options,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace headroom
