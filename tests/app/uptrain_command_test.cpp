#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/checkpoint/safetensors.h"
#include "tests/core/weights/interop/foreign_files.h"
#include "tests/support/command.h"

namespace headroom {
namespace {

using testing::HasSubstr;

class UptrainCommand : public testing::Test {
  protected:
    void SetUp() override {
        write_fake_folder(source_, fake_gpt2(false, true), kFakeGpt2Config);
        write_plainly(text_, std::string(200, '\3') + std::string(200, '\5'));
    }
    Outcome uptrain(std::vector<std::string> more) const {
        more.insert(more.begin(), {"convert", "uptrain", "--checkpoint", source_});
        return headroom(more);
    }
    double loss_of(const std::string& checkpoint) const {
        const Outcome outcome =
            headroom(with_data({"eval", "--checkpoint", checkpoint, "--json"}, "--data"));
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out).at("loss");
    }
    std::vector<std::string> with_data(std::vector<std::string> args,
                                       const std::string& option) const {
        const std::vector<std::string> more{
            option, "text:" + text_, "--batches", "2",           "--batch-size", "3", "--seq-len",
            "5",    "--precision",   "float64",   "--tokenizer", "char"};
        args.insert(args.end(), more.begin(), more.end());
        return args;
    }

    TemporaryFolder folder_;
    std::string source_ = folder_ / "gpt2", out_ = folder_ / "out.safetensors";
    std::string text_ = folder_ / "text.txt";
};

TEST_F(UptrainCommand, ComparesTheVeryLossesThatTheWrittenCheckpointsHave) {
    const Outcome outcome = uptrain(with_data({"--to", "skipv1", "--json"}, "--compare"));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto rows = nlohmann::json::parse(outcome.out).at("compare").at("losses");
    ASSERT_EQ(rows.size(), 6u);
    EXPECT_EQ(rows[0].at("method"), "source");
    EXPECT_DOUBLE_EQ(rows[0].at("loss"), loss_of(source_));
    for (size_t i = 1; i < rows.size(); ++i) {
        const std::string method = rows[i].at("method");
        EXPECT_EQ(uptrain({"--to", "skipv1", "--method", method, "--out", out_}).status, 0);
        EXPECT_NEAR(rows[i].at("loss"), loss_of(out_), 1e-5) << method;
        EXPECT_NE(rows[i].at("difference"), 0.0);
    }
}

TEST_F(UptrainCommand, WritesGroupedHeads) {
    const Outcome outcome = uptrain({"--to", "gqa", "--out", out_, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document.at("method"), "mean_kv");
    const int64_t saved = document.at("source_params_total").get<int64_t>() -
                          document.at("params_total").get<int64_t>();
    EXPECT_EQ(saved, 2 * 2 * (6 * 3 + 3));  // two layers, K and V, one head of 3 and its bias
    EXPECT_EQ(SafetensorsFile::open(out_).info("h.1.attn.k.bias").shape, std::vector<int64_t>{3});
}

TEST_F(UptrainCommand, NeverWritesOverItsSource) {
    ASSERT_EQ(uptrain({"--to", "gqa", "--out", out_}).status, 0);
    const Outcome again =
        headroom({"convert", "uptrain", "--checkpoint", out_, "--to", "skipv1", "--out", out_});
    EXPECT_EQ(again.status, 2);
    EXPECT_THAT(again.err, HasSubstr("is the source itself"));
}

TEST_F(UptrainCommand, PrintsATableForPeople) {
    const Outcome outcome = uptrain(with_data({"--to", "gqa", "--out", out_}, "--compare"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("gqa with mean_kv"));
    EXPECT_THAT(outcome.out, HasSubstr("\nsource "));
    EXPECT_THAT(outcome.out, HasSubstr("\nmean_kv "));
}

TEST_F(UptrainCommand, ExplainsWhatIsWrongInOneLine) {
    expect_one_error_line(uptrain({"--to", "skipv1"}), 2, "--out FILE");
    expect_one_error_line(uptrain({"--out", out_}), 2, "--to");
    expect_one_error_line(uptrain({"--to", "mqa", "--out", out_}), 2, "mqa");
    expect_one_error_line(uptrain({"--to", "skipv1", "--method", "mean_x", "--out", out_}), 2,
                          "did you mean");
    expect_one_error_line(uptrain({"--to", "skipv1", "--method", "mean_kv", "--out", out_}), 2,
                          "does not lead to skipv1");
    expect_one_error_line(uptrain({"--to", "skipv1", "--n-kv-head", "1", "--out", out_}), 2,
                          "--n-kv-head");
    expect_one_error_line(uptrain({"--to", "gqa", "--n-kv-head", "2", "--out", out_}), 2,
                          "divisor of n_head");
    expect_one_error_line(uptrain({"--to", "gqa", "--out", out_, "--batches", "2"}), 2,
                          "--batches requires --compare");
    expect_one_error_line(uptrain({"--to", "gqa", "--out", folder_.path()}), 2, "is a folder");
    EXPECT_FALSE(std::filesystem::exists(out_));
    EXPECT_EQ(uptrain({"--to", "gqa", "--out", out_}).status, 0);
    expect_one_error_line(headroom({"convert", "uptrain", "--checkpoint", out_, "--to", "skipv1",
                                    "--out", folder_ / "twice"}),
                          2, out_ + ": model.n_kv_head = 1");
}

}  // namespace
}  // namespace headroom
