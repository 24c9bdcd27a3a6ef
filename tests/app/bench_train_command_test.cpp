#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/commands/bench_train_cases.h"
#include "core/account/parameter_count.h"
#include "tests/support/command.h"

namespace headroom {
namespace {

/// What one step of a small model says on the CPU.
nlohmann::json bench_in(const std::string& precision) {
    const Outcome outcome = headroom({"bench", "train", "--steps", "1", "--json", "--device", "cpu",
                                      "--set", "precision=" + precision, "--set", "model.n_layer=1",
                                      "--set", "model.d_model=32", "--set", "model.n_head=2",
                                      "--set", "train.seq_len=16", "--set", "train.batch_size=2"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
}

TEST(BenchTrain, PrintsSharesOfWhatTheDeviceCan) {
    const auto document = bench_in("float64");
    EXPECT_GT(document.at("memory_gbytes_per_second").get<double>(), 0.0);
    const auto& bench_case = document.at("cases").at(0);
    for (const char* key :
         {"tokens_per_second", "gflops_per_second", "gbytes_per_second", "share_of_memory_rate"})
        EXPECT_GT(bench_case.at(key).get<double>(), 0.0) << key;
    EXPECT_FALSE(bench_case.contains("share_of_best_product_rate")) << "none was measured beside";
    ASSERT_FALSE(bench_case.at("ops").empty());
    for (const auto& op : bench_case.at("ops")) {
        EXPECT_GT(op.at("gbytes_per_second").get<double>(), 0.0) << op;
        EXPECT_GT(op.at("share_of_memory_rate").get<double>(), 0.0) << op;
        EXPECT_EQ(op.contains("gflops_per_second"), op.contains("share_of_product_rate"));
    }
}

TEST(BenchTrain, TakesTheProductRateBesideTheSteps) {
    const auto document = bench_in("float32");
    const auto number = [&](const char* key) {
        return document.at("cases").at(0).at(key).get<double>();
    };
    EXPECT_GT(number("product_gflops_per_second"), 0.0);
    EXPECT_NEAR(number("share_of_product_rate") * number("product_gflops_per_second"),
                number("gflops_per_second"), 1e-6 * number("gflops_per_second"));
    double best = 0;
    for (const auto& rate : document.at("gemm_rates"))
        best = std::max(best, rate.at("gflops_per_second").get<double>());
    EXPECT_NEAR(number("share_of_best_product_rate") * best, number("gflops_per_second"),
                1e-6 * number("gflops_per_second"));
}

TEST(BenchTrain, ComparesVariantsOfGpt2OnAGpu) {
    const std::vector<BenchCase> cases = bench_train_cases({}, "cuda");
    ASSERT_EQ(cases.size(), 4u);
    const int64_t baseline = count_parameters(cases[0].job.model).total;
    EXPECT_NEAR(static_cast<double>(baseline), 124e6, 1e6);
    EXPECT_LT(count_parameters(cases[1].job.model).total, baseline);  // fewer value heads
    EXPECT_LT(count_parameters(cases[2].job.model).total, baseline);  // no query projections
    for (const BenchCase& bench_case : cases) {
        EXPECT_EQ(bench_case.job.train.seq_len, 1024);
        EXPECT_EQ(bench_case.job.model.vocab_size, 50304);
        EXPECT_THAT(bench_case.name, testing::HasSubstr(name_of(bench_case.job.precision)));
    }
}

}  // namespace
}  // namespace headroom
