// The benchmarks on the CUDA device, at sizes where they only show that they work.
#include <set>

#include <gtest/gtest.h>

#include "core/bench/decode_bench.h"
#include "core/bench/device_op_bench.h"
#include "core/bench/train_bench.h"
#include "tests/core/model/architectures.h"
#include "tests/cuda/tested_device.h"

namespace headroom {
namespace {

class CudaBench : public testing::TestWithParam<DType> {
  protected:
    void SetUp() override {
        std::string why_not;
        device_ = tested_cuda_device(why_not);
        if (!device_) GTEST_SKIP() << why_not;
    }
    std::unique_ptr<Device> device_;
};

TEST_P(CudaBench, TimesStepsAndTheirOperators) {
    Job job = small_job(R"({"n_layer": 1, "n_head": 2})");
    job.precision = GetParam();
    job.train.batch_size = 1;
    job.train.grad_accum = 2;
    const TrainBench bench = bench_training(job, *device_, 3);
    EXPECT_EQ(bench.tokens_per_step, 2 * 6);
    EXPECT_GT(bench.tokens_per_second, 0.0);
    EXPECT_GT(bench.bytes_per_step(), 0.0);
    ASSERT_FALSE(bench.ops.empty());
    double seconds = 0, flops = 0;
    for (const OpTime& op : bench.ops) {
        EXPECT_GT(op.launches, 0) << op.op;
        seconds += op.seconds;
        flops += op.cost.flops;
    }
    EXPECT_GT(seconds, 0.0);
    EXPECT_GT(flops, 0.0);
}

TEST_P(CudaBench, TimesEveryCaseOfTheOperators) {
    OpBenchOptions options;
    options.dtype = GetParam();
    options.size = CaseSize::kSmall;
    options.seconds_per_kernel = 0;
    options.fewest_repeats = 1;
    std::set<std::string> cases;
    const std::vector<OpBenchRow> rows =
        bench_ops_on(*device_, options, [&](const std::string& name) { cases.insert(name); });
    std::set<std::string> timed;
    for (const OpBenchRow& row : rows) {
        timed.insert(row.op_case);
        EXPECT_GE(row.seconds, 0.0) << row.op_case << ", " << row.op;
        EXPECT_GT(row.cost.bytes, 0.0) << row.op_case << ", " << row.op;
    }
    EXPECT_EQ(timed, cases);
}

TEST_P(CudaBench, TimesDecoding) {
    const ModelConfig model = small_job("{}").model;
    DecodeBenchOptions options;
    options.precision = GetParam();
    options.new_tokens = 3;
    options.rounds = 1;
    options.by_op = true;
    const auto results = bench_decoding({{{model}, 1, 3}}, options, *device_);
    const DecodeBench& bench = results.at(0).at(0);
    EXPECT_GT(bench.tokens_per_second, 0.0);
    EXPECT_GT(bench.memory_rate, 0.0);
    EXPECT_EQ(bench.cache_bytes, bench.predicted_cache_bytes);
    EXPECT_FALSE(bench.ops.empty());
}

INSTANTIATE_TEST_SUITE_P(Types, CudaBench, testing::Values(DType::kF32, DType::kBF16),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(CudaCeilings, MeasuresProductsAndMemory) {
    std::string why_not;
    const auto device = tested_cuda_device(why_not);
    if (!device) GTEST_SKIP() << why_not;
    const auto device_ceilings = device->ceilings();
    for (const DType dtype : {DType::kF32, DType::kBF16}) {
        const std::vector<GemmRate> rates = device_ceilings->gemm_rates(dtype);
        ASSERT_EQ(rates.size(), 1u);
        EXPECT_GT(rates[0].gflops, 0.0);
        EXPECT_GT(rates[0].sustained_gflops, 0.0);
        EXPECT_GT(rates[0].size, 0);
    }
    EXPECT_GT(device_ceilings->memory_rate(), 0.0);
    EXPECT_GT(device_ceilings->memory_rate(), 0.0);
}

}  // namespace
}  // namespace headroom
