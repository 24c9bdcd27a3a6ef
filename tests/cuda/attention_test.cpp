// Attention on tensor cores, by threads that are emulated one by one: against the CPU, for every
// width, wiring and order of threads.
#include "core/ops/attention.h"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/op_case_list.h"
#include "cuda/check.h"
#include "tests/cuda/emulation/emulated_device.h"
#include "tests/cuda/emulation/simt.h"
#include "tests/cuda/guarded_call.h"

namespace headroom {
namespace {

struct AttentionCase {
    std::string name;
    AttentionOptions options;
    int64_t seq_len;
    std::vector<int64_t> heads;  ///< of inputs 1, 2, ...
    size_t shared_limit = size_t{163} << 10;
};

/// Key and value head g of inputs 1 and 2.
AttentionOptions heads(int64_t n_head, int64_t n_kv_head, int64_t d_head, int64_t d_value) {
    AttentionOptions o;
    o.n_head = n_head;
    o.n_kv_head = n_kv_head;
    o.d_head = d_head;
    o.d_value = d_value;
    o.scale = 1.0 / std::sqrt(static_cast<double>(d_head));
    for (int g = 0; g < static_cast<int>(n_kv_head); ++g) {
        o.key_heads.push_back({1, g});
        o.value_heads.push_back({2, g});
    }
    return o;
}

AttentionCase own(std::string name, int64_t d_head, int64_t d_value, int64_t seq_len) {
    return {std::move(name), heads(2, 2, d_head, d_value), seq_len, {2, 2}};
}

std::vector<AttentionCase> width_cases() {
    return {own("of62", 62, 62, 150),
            own("of64", 64, 64, 150),
            own("of80", 80, 80, 70),
            own("of96", 96, 96, 131),
            own("of128", 128, 128, 131),
            own("of96With64", 96, 64, 131),
            own("of192With128", 192, 128, 70),
            own("of20", 20, 20, 64),
            own("ofOddWidths", 33, 17, 66),
            own("of16", 16, 16, 129),
            own("of72", 72, 72, 2),
            own("of64InOneTile", 64, 64, 32)};
}

std::vector<AttentionCase> wiring_cases() {
    std::vector<AttentionCase> cases;
    cases.push_back({"groupedHeads", heads(6, 2, 16, 0), 70, {2, 2}});
    AttentionCase all = own("notCausal", 24, 16, 150);
    all.options.causal = false;
    cases.push_back(all);
    for (const int64_t seq_len : {64, 75}) {
        AttentionCase dropped = own("dropoutOf" + std::to_string(seq_len), 64, 64, seq_len);
        dropped.options.dropout = 0.3;
        dropped.options.stream = 5;
        cases.push_back(dropped);
    }
    AttentionCase mixed{"valuesOfAnotherLayer", heads(4, 4, 16, 0), 70, {4, 1, 5}};
    mixed.options.value_heads = {{2, 0}, {3, 2}, {3, 2}, {-1, 0}};
    cases.push_back(mixed);
    AttentionCase narrow{"valuesNarrowerThanKeys", heads(4, 2, 96, 32), 70, {2, 1, 3}};
    narrow.options.value_heads[1] = {3, 2};
    cases.push_back(narrow);
    AttentionCase tied{"valuesThatAreTheKeys", heads(6, 3, 16, 0), 70, {4}};
    tied.options.value_heads = tied.options.key_heads;
    cases.push_back(tied);
    AttentionCase one{"oneKeyForAllGroups", heads(4, 4, 16, 0), 70, {1, 4}};
    for (HeadRef& key : one.options.key_heads) key = {1, 0};
    cases.push_back(one);
    AttentionCase identity{"queriesThatAreTheKeys", heads(3, 3, 16, 0), 70, {3}};
    for (HeadRef& key : identity.options.key_heads) key.input = 0;
    for (HeadRef& value : identity.options.value_heads) value.input = 1;
    cases.push_back(identity);
    AttentionCase itself{"queriesThatAreKeysAndValues", heads(3, 3, 16, 0), 70, {}};
    itself.options.key_heads = {{0, 1}, {0, 1}, {0, 2}};
    itself.options.value_heads = {{0, 1}, {0, 0}, {0, 0}};
    cases.push_back(itself);
    AttentionCase small = own("of128InLittleSharedMemory", 128, 128, 70);
    small.shared_limit = size_t{99} << 10;
    cases.push_back(small);
    return cases;
}

OpCase op_case_of(const AttentionCase& c) {
    OpCaseList list{DType::kBF16, true, {}};
    const int64_t batch = 2;
    std::vector<CaseInput> inputs{
        list.normal("q", {batch, c.seq_len, c.options.n_head * c.options.d_head})};
    for (size_t i = 0; i < c.heads.size(); ++i) {
        const int64_t width = c.options.head_width(static_cast<int>(i) + 1);
        inputs.push_back(
            list.normal("source" + std::to_string(i + 1), {batch, c.seq_len, c.heads[i] * width}));
    }
    return list.add(c.name, Attention(c.options), inputs);
}

class CudaAttention : public testing::TestWithParam<AttentionCase> {};

TEST_P(CudaAttention, ComputesWhatTheCpuDoesAndWritesNothingElse) {
    const cuda::simt::With settings({.shared_limit = GetParam().shared_limit});
    const OpCase op_case = op_case_of(GetParam());
    CaseRun run(op_case);
    for (size_t n = 0; n < run.node_count(); ++n) check_kernel(run, op_case, n, false);
}

TEST_P(CudaAttention, AddsToItsOutputs) {
    const cuda::simt::With settings({.seed = 2, .shared_limit = GetParam().shared_limit});
    const OpCase op_case = op_case_of(GetParam());
    CaseRun run(op_case);
    run.run_all(Kernels::kFast);
    check_kernel(run, op_case, run.node_count() - 1, true);
}

std::string name_of_case(const testing::TestParamInfo<AttentionCase>& tested) {
    return tested.param.name;
}
INSTANTIATE_TEST_SUITE_P(Widths, CudaAttention, testing::ValuesIn(width_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(Wirings, CudaAttention, testing::ValuesIn(wiring_cases()), name_of_case);

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
    const auto products = make_emulated_products();
    kernel.launch({inputs, outputs, overwrite, reinterpret_cast<std::byte*>(workspace.data()),
                   &run.step, *products, nullptr});
    cuda::check(cudaDeviceSynchronize(), "run a kernel");
    std::vector<std::byte> bytes;
    for (const Tensor& output : outputs)
        bytes.insert(bytes.end(), output.as<std::byte>(),
                     output.as<std::byte>() + output.type.bytes());
    return bytes;
}

TEST(CudaAttentionOrder, DoesNotChangeABit) {
    AttentionCase c{"", heads(2, 1, 64, 0), 150, {1, 1}};
    c.options.dropout = 0.1;
    CaseRun run(op_case_of(c));
    run.run_all(Kernels::kFast);
    for (size_t n = 0; n < run.node_count(); ++n) {
        const std::vector<std::byte> first = written_by(run, n, 1);
        for (const uint64_t seed : {2, 3, 4}) EXPECT_EQ(written_by(run, n, seed), first);
    }
}

}  // namespace
}  // namespace headroom
