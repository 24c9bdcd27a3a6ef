// Attention in tiles, by threads that are emulated one by one: against the CPU, for every type,
// width, wiring and order of threads.
#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/attention/flash.h"
#include "cuda/device/check.h"
#include "tests/cuda/attention/attention_cases.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/simt.h"
#include "tests/cuda/guarded_call.h"

namespace headroom {
namespace {

class CudaAttention : public testing::TestWithParam<std::tuple<DType, AttentionCase>> {
  protected:
    CudaAttention() : tested(std::get<1>(GetParam())), dtype(std::get<0>(GetParam())) {}
    const AttentionCase& tested;
    const DType dtype;
};

TEST_P(CudaAttention, ComputesWhatTheCpuDoesAndWritesNothingElse) {
    const cuda::simt::With settings({.shared_limit = tested.shared_limit});
    const OpCase op_case = op_case_of(tested, dtype);
    CaseRun run(op_case);
    for (size_t n = 0; n < run.node_count(); ++n) check_kernel(run, op_case, n, false);
}

TEST_P(CudaAttention, AddsToItsOutputs) {
    const cuda::simt::With settings({.seed = 2, .shared_limit = tested.shared_limit});
    const OpCase op_case = op_case_of(tested, dtype);
    CaseRun run(op_case);
    run.run_all(Kernels::kFast);
    check_kernel(run, op_case, run.node_count() - 1, true);
}

std::string name_of_case(const testing::TestParamInfo<std::tuple<DType, AttentionCase>>& tested) {
    const auto& [dtype, of] = tested.param;
    return (dtype == DType::kBF16 ? "bfloat16" : "float32") + ("_" + of.name);
}
const auto kAttentionTypes = testing::Values(DType::kBF16, DType::kF32);
INSTANTIATE_TEST_SUITE_P(Widths, CudaAttention,
                         testing::Combine(kAttentionTypes, testing::ValuesIn(width_cases())),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(Wirings, CudaAttention,
                         testing::Combine(kAttentionTypes, testing::ValuesIn(wiring_cases())),
                         name_of_case);

/// The bytes that node n writes when threads run in the order of this seed.
std::vector<std::byte> written_by(CaseRun& run, size_t n, uint64_t seed) {
    const cuda::simt::With order({.seed = seed});
    const Node& node = run.node(n);
    const cuda::Kernel kernel =
        cuda::make_kernel(*node.op, run.graph().graph.types_of(node.inputs));
    std::vector<Tensor> inputs, outputs;
    for (const ValueId id : node.inputs) inputs.push_back(run.tensor(id));
    for (const ValueId id : node.outputs) outputs.push_back(run.tensor(id));
    const std::vector<uint8_t> overwrite(outputs.size(), 0);
    std::vector<std::max_align_t> workspace(
        static_cast<size_t>(kernel.workspace_bytes) / sizeof(std::max_align_t) + 1);
    const auto products = make_emulated_gemm_library();
    kernel.launch({inputs, outputs, overwrite, reinterpret_cast<std::byte*>(workspace.data()),
                   &run.step, *products, nullptr});
    cuda::check(cudaDeviceSynchronize(), "run a kernel");
    std::vector<std::byte> bytes;
    for (const Tensor& output : outputs)
        bytes.insert(bytes.end(), output.as<std::byte>(),
                     output.as<std::byte>() + output.type.bytes());
    return bytes;
}

TEST(CudaAttentionTiles, TakeHeadsOfBothTypesThatFit) {
    const auto fit = [](int64_t d_head, int64_t d_value, DType dtype) {
        return cuda::flash_kernels(own_heads(1, 1, d_head, d_value), dtype).has_value();
    };
    for (const DType dtype : {DType::kBF16, DType::kF32}) {
        EXPECT_TRUE(fit(1, 1, dtype));
        EXPECT_TRUE(fit(64, 128, dtype));
        EXPECT_TRUE(fit(128, 33, dtype));
        EXPECT_FALSE(fit(64, 129, dtype));
        AttentionOptions negative = own_heads(1, 1, 64, 64);
        negative.scale = -1;
        EXPECT_FALSE(cuda::flash_kernels(negative, dtype).has_value());
    }
    EXPECT_FALSE(fit(129, 64, DType::kF32));
    EXPECT_FALSE(fit(64, 64, DType::kF64));
}

class CudaAttentionOrder : public testing::TestWithParam<DType> {};

TEST_P(CudaAttentionOrder, DoesNotChangeABit) {
    AttentionCase c{"", own_heads(2, 1, 64, 0), 100, {1, 1}};
    c.options.dropout = 0.1;
    CaseRun run(op_case_of(c, GetParam()));
    run.run_all(Kernels::kFast);
    for (size_t n = 0; n < run.node_count(); ++n) {
        const std::vector<std::byte> first = written_by(run, n, 1);
        for (const uint64_t seed : {2, 3, 4}) EXPECT_EQ(written_by(run, n, seed), first);
    }
}
INSTANTIATE_TEST_SUITE_P(Types, CudaAttentionOrder, testing::Values(DType::kBF16, DType::kF32));

}  // namespace
}  // namespace headroom
