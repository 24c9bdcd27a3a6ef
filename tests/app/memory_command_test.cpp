#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

json ledgers(std::vector<std::string> args) {
    args.insert(args.begin(), "memory");
    args.push_back("--json");
    const Outcome outcome = headroom(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out)["ledgers"];
}

TEST(MemoryCommand, PredictsTrainingAndInference) {
    const json both = ledgers({"--preset", "gpt2-124m-skipv1", "--dtype", "bf16"});
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0]["for"], "training");
    EXPECT_EQ(both[0]["predicted"]["cache"], 0);
    EXPECT_EQ(both[1]["for"], "inference");
    EXPECT_EQ(both[1]["context"], 1024);
    EXPECT_EQ(both[1]["cache_bytes_per_token"], 28'416);
    EXPECT_EQ(both[1]["predicted"]["cache"], 28'416 * 1024);
    EXPECT_EQ(both[1]["measured"], nullptr);
    EXPECT_EQ(both[1]["cache"][1]["kind"], "values");
    EXPECT_EQ(both[1]["cache"][1]["readers"].size(), 12u);
    EXPECT_EQ(both[1]["cache"][1]["head_readers"][0], json::parse("[[0, 0]]"));
}

TEST(MemoryCommand, MeasuresWhatItPredicted) {
    const json inference = ledgers({"--preset", "demo", "--set", "model.arch=skipv1_mla", "--for",
                                    "inference", "--batch", "64", "--context", "100", "--measure"});
    ASSERT_EQ(inference.size(), 1u);
    const json& one = inference[0];
    EXPECT_EQ(one["measured"]["cache"], one["predicted"]["cache"]);
    EXPECT_EQ(one["measured"]["total"], one["predicted"]["total"]);
    EXPECT_GT(one["measured"]["resident_growth"], 0);
    for (const json& buffer : one["cache"]) EXPECT_EQ(buffer["measured_bytes"], buffer["bytes"]);
    EXPECT_EQ(one["cache"][0]["kind"], "latent");
}

TEST(MemoryCommand, PrintsTheMeasuredColumnOnlyWhenItMeasured) {
    const auto text = [](std::vector<std::string> more) {
        more.insert(more.begin(), {"memory", "--preset", "demo", "--set", "model.arch=skipv1",
                                   "--for", "inference"});
        return headroom(more).out;
    };
    EXPECT_THAT(text({}), HasSubstr("itself and layers 1-3"));
    EXPECT_THAT(text({}), Not(HasSubstr("measured")));
    EXPECT_THAT(text({"--measure"}), HasSubstr("measured"));
}

TEST(MemoryCommand, SaysWhyABfloat16WeightTakesSixBytes) {
    const auto text = [](const char* dtype) {
        return headroom({"memory", "--preset", "demo", "--for", "inference", "--dtype", dtype}).out;
    };
    EXPECT_THAT(text("bf16"), HasSubstr("bfloat16 (weights: float32 and a bfloat16 copy), batch"));
    EXPECT_THAT(text("f32"), Not(HasSubstr("copy")));
}

TEST(MemoryCommand, ExplainsWhatItRefuses) {
    const auto refused = [](std::vector<std::string> args, int status, const std::string& part) {
        args.insert(args.begin(), "memory");
        expect_one_error_line(headroom(args), status, part);
    };
    refused({}, 2, "no model is given; give one of --preset");
    refused({"--preset", "demo", "--dtype", "f16"}, 2, "use f32, f64 or bf16");
    refused({"--preset", "demo", "--context", "100000"}, 2, "set model.block_size=100000");
    refused({"--preset", "demo", "--for", "fun"}, 2, "--for");
    refused({"--preset", "llama-7b", "--batch", "100000", "--for", "inference", "--measure"}, 1,
            "bytes, and");
}

}  // namespace
}  // namespace headroom
