#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/op_cases/op_cases.h"

namespace headroom {

/// One kernel of one operator case, timed at a training size.
struct OpBenchRow {
    std::string op_case;       ///< name of the case
    std::string op;            ///< the operator, or one of its gradients
    double seconds = 0;        ///< fast kernel, best of several
    double naive_seconds = 0;  ///< reference kernel, once; 0 if it was not timed
    OpCost cost;

    double gflops() const { return cost.flops / seconds * 1e-9; }
    double gbytes_per_second() const { return cost.bytes / seconds * 1e-9; }
};

struct OpBenchOptions {
    DType dtype = DType::kF32;
    bool naive = false;  ///< time the reference kernels too (float32 and float64)
    std::string only;    ///< cases whose name contains this; "" = all
    double seconds_per_kernel = 0.2;
    int fewest_repeats = 5;
    CaseSize size = CaseSize::kCpu;
};

/// Times every kernel of the cases on the CPU; `progress` is told each case's name.
std::vector<OpBenchRow> bench_ops(const OpBenchOptions& options,
                                  const std::function<void(const std::string&)>& progress);

}  // namespace headroom
