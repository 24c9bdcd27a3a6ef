#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/command.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

Outcome bench(std::vector<std::string> more) {
    std::vector<std::string> args = {
        "bench",    "decode", "--preset", "demo", "--set", "model.vocab_size=64",
        "--rounds", "1",      "--new",    "2",    "--json"};
    args.insert(args.end(), more.begin(), more.end());
    return headroom(args);
}

TEST(BenchDecode, PrintsARowForEveryVariantAndBatch) {
    const Outcome outcome = bench({"--batch", "1,2", "--context", "5", "--by-op"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto cases = nlohmann::json::parse(outcome.out).at("cases");
    ASSERT_EQ(cases.size(), 4u);
    for (const auto& row : cases) {
        EXPECT_EQ(row.at("cache_bytes"), row.at("predicted_cache_bytes"));
        for (const char* key : {"prefill_ms_per_100_tokens", "tokens_per_second", "step_speed",
                                "memory_gbytes_per_second", "share_of_memory_rate"})
            EXPECT_GT(row.at(key).get<double>(), 0.0) << key;
        EXPECT_GE(row.at("ops").size(), 5u);
    }
    EXPECT_EQ(cases[0].at("step_speed"), 1.0);
    EXPECT_EQ(cases[1].at("arch"), "skipv1");
    EXPECT_LT(cases[1].at("cache_bytes"), cases[0].at("cache_bytes"));
    // Every layer reads the values that it shares: what is not read are the maps of those alone.
    const auto apart = [&](const char* key) {
        return cases[0].at(key).get<double>() - cases[1].at(key).get<double>();
    };
    EXPECT_GT(apart("bytes_per_step"), 0);
    EXPECT_EQ(apart("bytes_per_step"), 4 * apart("params_total"));
}

TEST(BenchDecode, MeasuresThePresetItself) {
    const Outcome outcome =
        headroom({"bench", "decode", "--preset", "llama-60m", "--arch", "llama", "--batch", "1",
                  "--context", "2", "--new", "1", "--rounds", "1", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto row = nlohmann::json::parse(outcome.out).at("cases").at(0);
    EXPECT_EQ(row.at("params_total"), 58073600);
}

TEST(BenchDecode, RefusesMoreTokensThanThePresetHasPositions) {
    expect_one_error_line(bench({"--context", "100000"}), 2, "--set model.block_size=100002");
}

TEST(BenchDecode, TimesTheModelsOfCheckpointsAgainstEachOther) {
    const TemporaryFolder folder;
    const std::string a = folder / "a.safetensors", b = folder / "b.safetensors";
    write_random_checkpoint(a, {{"arch", "skipless"}});
    write_random_checkpoint(b, {{"arch", "skipless"}, {"query", "identity"}});
    const Outcome outcome =
        headroom({"bench", "decode", "--checkpoint", a + "," + b, "--batch", "1", "--context", "40",
                  "--rounds", "1", "--new", "2", "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto cases = nlohmann::json::parse(outcome.out).at("cases");
    ASSERT_EQ(cases.size(), 2u);
    EXPECT_EQ(cases[0].at("arch"), a);
    EXPECT_EQ(cases[1].at("arch"), b);
    EXPECT_EQ(
        cases[0].at("params_total").get<int64_t>() - cases[1].at("params_total").get<int64_t>(),
        2 * 16 * 16);
    EXPECT_LT(cases[1].at("bytes_per_step"), cases[0].at("bytes_per_step"));
    expect_one_error_line(headroom({"bench", "decode", "--checkpoint", a, "--arch", "gpt2"}), 2,
                          "--arch");
}

TEST(BenchDecode, RefusesWhatItDoesNotKnow) {
    expect_one_error_line(bench({"--arch", "skipv9"}), 2, "skipv9");
    expect_one_error_line(bench({"--dtype", "f8"}), 2, "f8");
    expect_one_error_line(bench({"--batch", "0"}), 2, "--batch");
}

}  // namespace
}  // namespace headroom
