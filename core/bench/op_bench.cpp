#include "core/bench/op_bench.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/op_cases/op_case_run.h"

namespace headroom {
namespace {

double time_once(CaseRun& run, size_t node, Kernels kernels) {
    const double start = now_s();
    run.run_node(node, kernels);
    return now_s() - start;
}

OpBenchRow bench_node(CaseRun& run, size_t n, const OpCase& op_case,
                      const OpBenchOptions& options) {
    const Node& node = run.node(n);
    OpBenchRow row{op_case.name, std::string(node.op->name()), 0, 0,
                   node.op->cost(run.graph().graph.types_of(node.inputs))};
    time_once(run, n, Kernels::kFast);
    row.seconds = time_once(run, n, Kernels::kFast);
    const double until = now_s() + options.seconds_per_kernel;
    for (int repeat = 0; repeat < options.fewest_repeats || now_s() < until; ++repeat)
        row.seconds = std::min(row.seconds, time_once(run, n, Kernels::kFast));
    if (options.naive && options.dtype != DType::kBF16)
        row.naive_seconds = time_once(run, n, Kernels::kReference);
    return row;
}

}  // namespace

std::vector<OpBenchRow> bench_ops(const OpBenchOptions& options,
                                  const std::function<void(const std::string&)>& progress) {
    std::vector<OpBenchRow> rows;
    for (const OpCase& op_case : op_cases(options.dtype, options.size)) {
        if (op_case.name.find(options.only) == std::string::npos) continue;
        progress(op_case.name);
        CaseRun run(op_case);
        for (size_t n = 0; n < run.node_count(); ++n)
            rows.push_back(bench_node(run, n, op_case, options));
    }
    return rows;
}

}  // namespace headroom
