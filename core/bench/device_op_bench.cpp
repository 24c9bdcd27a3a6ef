#include "core/bench/device_op_bench.h"

#include <algorithm>
#include <memory>

#include "core/base/clock.h"
#include "core/op_cases/op_case_run.h"

namespace headroom {
namespace {

/// A case and its numbers on a device.
class CaseOnDevice {
  public:
    CaseOnDevice(const OpCase& op_case, Device& device)
        : name_(op_case.name), graph_(op_case), executor_(device.prepare(graph_.graph)) {
        each_host_value(op_case, graph_, 1, [&](ValueId id, const std::vector<double>& numbers) {
            const TensorType& type = graph_.graph.value(id).type;
            std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
            from_doubles(numbers, {bytes.data(), type});
            executor_->write(id, bytes);
        });
    }

    /// What each operator took in one pass.
    std::vector<OpTime> time_pass() {
        executor_->set_timing(true);
        for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kUpdate})
            executor_->run(phase, {.seed = 7, .step = 3, .lr = 0.01});
        return executor_->times();
    }

    const std::string& name() const { return name_; }

  private:
    std::string name_;
    CaseGraph graph_;
    std::unique_ptr<Executor> executor_;
};

void keep_best(std::vector<OpBenchRow>& rows, const std::string& op_case, const OpTime& time) {
    const auto launches = static_cast<double>(time.launches);
    const double seconds = time.seconds / launches;
    for (OpBenchRow& row : rows)
        if (row.op == time.op) {
            row.seconds = std::min(row.seconds, seconds);
            return;
        }
    const OpCost each{time.cost.flops / launches, time.cost.bytes / launches};
    rows.push_back({op_case, time.op, seconds, 0, each});
}

std::vector<OpBenchRow> bench_case(CaseOnDevice& run, const OpBenchOptions& options) {
    std::vector<OpBenchRow> rows;
    run.time_pass();  // fills tables, chooses algorithms
    const double until = now_s() + options.seconds_per_kernel;
    for (int repeat = 0; repeat < options.fewest_repeats || now_s() < until; ++repeat)
        for (const OpTime& time : run.time_pass()) keep_best(rows, run.name(), time);
    return rows;
}

}  // namespace

std::vector<OpBenchRow> bench_ops_on(Device& device, const OpBenchOptions& options,
                                     const std::function<void(const std::string&)>& progress) {
    std::vector<OpBenchRow> rows;
    for (const OpCase& op_case : op_cases(options.dtype, options.size)) {
        if (op_case.name.find(options.only) == std::string::npos) continue;
        progress(op_case.name);
        CaseOnDevice run(op_case, device);
        const std::vector<OpBenchRow> more = bench_case(run, options);
        rows.insert(rows.end(), more.begin(), more.end());
    }
    return rows;
}

}  // namespace headroom
