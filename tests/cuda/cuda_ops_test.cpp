// Every operator of the CUDA device against the CPU's specification.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "core/op_cases/op_case_run.h"
#include "tests/cuda/attention/attention_cases.h"
#include "tests/cuda/awkward_cases.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

/// A case on a device: its numbers in, all outputs and gradients out.
class CaseOnDevice {
  public:
    /// `like` has the types that the numbers are rounded to first.
    CaseOnDevice(const OpCase& op_case, const OpCase& like, Device& device) : graph_(op_case) {
        for (const ValueId id : results()) graph_.graph.keep(id);
        executor_ = device.prepare(graph_.graph);
        each_host_value(op_case, graph_, 1, [&](ValueId id, const std::vector<double>& numbers) {
            const auto input = std::find(graph_.inputs.begin(), graph_.inputs.end(), id);
            if (input == graph_.inputs.end()) return write(id, numbers);
            const auto place = static_cast<size_t>(input - graph_.inputs.begin());
            write(id, rounded(numbers, like.inputs[place].type.dtype));
        });
    }

    /// `micro_batches` times; from the second on, gradients of weights are added to.
    void run(int micro_batches) {
        StepContext step{7, 3, 0, 0.01};
        for (const Phase phase : {Phase::kForward, Phase::kBackward, Phase::kUpdate})
            executor_->run(phase, step);
        for (step.micro = 1; step.micro < micro_batches; ++step.micro)
            executor_->run(Phase::kBackward, step);
    }

    std::vector<ValueId> results() const {
        std::vector<ValueId> ids = graph_.outputs;
        for (const ValueId id : graph_.gradients)
            if (id != kNoValue) ids.push_back(id);
        return ids;
    }
    const std::string& name(ValueId id) const { return graph_.graph.value(id).name; }

    std::vector<double> read(ValueId id) const {
        const TensorType& type = graph_.graph.value(id).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        executor_->read(id, bytes);
        return to_doubles({bytes.data(), type});
    }

  private:
    static std::vector<double> rounded(std::vector<double> numbers, DType dtype) {
        if (dtype != DType::kBF16) return numbers;
        for (double& x : numbers) x = static_cast<float>(bf16(static_cast<float>(x)));
        return numbers;
    }

    void write(ValueId id, const std::vector<double>& numbers) {
        const TensorType& type = graph_.graph.value(id).type;
        std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
        from_doubles(numbers, {bytes.data(), type});
        executor_->write(id, bytes);
    }

    CaseGraph graph_;
    std::unique_ptr<Executor> executor_;
};

double rms(const std::vector<double>& x) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    return x.empty() ? 0 : std::sqrt(sum / static_cast<double>(x.size()));
}

std::vector<OpCase> all_cases(DType dtype) {
    std::vector<OpCase> cases = op_cases(dtype, CaseSize::kSmall);
    for (OpCase& op_case : awkward_cases(dtype)) cases.push_back(std::move(op_case));
    // In the emulator these are looked at more closely by attention_test.
    if (tested_device_is_emulated()) return cases;
    for (const auto& list : {width_cases(), wiring_cases()})
        for (const AttentionCase& attention : list) cases.push_back(op_case_of(attention, dtype));
    return cases;
}

/// Attention over so many tokens, by threads that are emulated one by one: minutes, and the loops
/// are those of shorter ones.
bool takes_long(const OpCase& op_case, DType dtype) {
    return tested_device_is_emulated() && op_case.op->name() == "attention" &&
           dtype != DType::kBF16 && op_case.inputs[0].type.shape[1] > 64;
}

class CudaOps : public testing::TestWithParam<std::tuple<DType, RowThreads>> {};

TEST_P(CudaOps, ComputeWhatTheSpecificationSays) {
    const auto [dtype, row_threads] = GetParam();
    const WithRowThreads with(row_threads);
    const auto cpu = make_cpu_device(Kernels::kReference);
    std::string why_not;
    const auto device = tested_cuda_device(why_not);
    if (!device) GTEST_SKIP() << why_not;
    // The specification of float32 stands for bfloat16 too.
    const DType of_reference = dtype == DType::kBF16 ? DType::kF32 : dtype;
    const std::vector<OpCase> cases = all_cases(dtype), references = all_cases(of_reference);
    ASSERT_EQ(cases.size(), references.size());
    for (size_t n = 0; n < cases.size(); ++n) {
        const OpCase& op_case = cases[n];
        SCOPED_TRACE(op_case.name);
        if (row_threads == RowThreads::kAll && takes_long(op_case, dtype)) continue;
        CaseOnDevice expected(references[n], op_case, *cpu), actual(op_case, op_case, *device);
        // Gradients in float32 are of the inputs themselves, in bfloat16 of their masters.
        const int micro_batches = dtype == DType::kBF16 ? 1 : 2;
        expected.run(micro_batches);
        actual.run(micro_batches);
        double tolerance = 1e-11;
        if (dtype == DType::kF32) tolerance = std::max(op_case.tolerance_f32, 1e-5);
        if (dtype == DType::kBF16) tolerance = std::max(op_case.tolerance_bf16, 2e-2);
        const std::vector<ValueId> ids = expected.results();
        ASSERT_EQ(actual.results().size(), ids.size());
        for (size_t r = 0; r < ids.size(); ++r) {
            const ValueId id = ids[r];
            const std::vector<double> a = actual.read(actual.results()[r]), b = expected.read(id);
            const double scale = rms(b);
            std::vector<double> apart(b.size());
            for (size_t i = 0; i < b.size(); ++i) {
                apart[i] = a[i] - b[i];
                ASSERT_LE(std::abs(apart[i]), 10 * tolerance * (std::abs(b[i]) + scale))
                    << expected.name(id) << "[" << i << "]: " << a[i] << " and " << b[i];
            }
            ASSERT_LE(rms(apart), tolerance * scale) << expected.name(id);
        }
    }
}

std::string name_of_test(const testing::TestParamInfo<CudaOps::ParamType>& tested) {
    const bool all = std::get<1>(tested.param) == RowThreads::kAll;
    return std::string(name_of(std::get<0>(tested.param))) + (all ? "" : "ByOneThread");
}

const auto kTypes = testing::Values(DType::kF64, DType::kF32, DType::kBF16);
std::vector<RowThreads> row_threads() {
    if (tested_device_is_emulated()) return {RowThreads::kOne, RowThreads::kAll};
    return {RowThreads::kAll};
}

INSTANTIATE_TEST_SUITE_P(Types, CudaOps, testing::Combine(kTypes, testing::ValuesIn(row_threads())),
                         name_of_test);

}  // namespace
}  // namespace headroom
