#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace headroom {
namespace {

TEST(BenchOps, UnknownCaseIsRefusedByName) {
    expect_one_error_line(headroom({"bench", "ops", "--only", "convolution"}), 2, "convolution");
}

TEST(BenchOps, TypeWithoutKernelsIsRefusedByName) {
    expect_one_error_line(headroom({"bench", "ops", "--dtype", "f16"}), 2, "f16");
}

TEST(BenchOps, PrintsOneJsonDocument) {
    const Outcome outcome = headroom({"bench", "ops", "--only", "rmsnorm", "--naive", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_GE(document.at("threads").get<int>(), 1);
    EXPECT_GT(document.at("gemm_rates").at(0).at("gflops").get<double>(), 0.0);
    const auto& kernels = document.at("kernels");
    ASSERT_EQ(kernels.size(), 4u);  // rows, and the heads of QK-norm
    EXPECT_EQ(kernels.at(0).at("kernel"), "rmsnorm");
    EXPECT_EQ(kernels.at(1).at("kernel"), "rmsnorm_backward");
    for (const auto& kernel : kernels) {
        EXPECT_GT(kernel.at("seconds").get<double>(), 0.0);
        EXPECT_GT(kernel.at("times_naive").get<double>(), 0.0);
    }
}

}  // namespace
}  // namespace headroom
