#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/decode/generation_event.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/random_checkpoint.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// A checkpoint of a small model over bytes, with random weights.
std::string random_checkpoint(const TemporaryFolder& folder, json keys,
                              const RandomCheckpoint& options = {}) {
    const std::filesystem::path path = folder.path() / "model.safetensors";
    write_random_checkpoint(path, std::move(keys), options);
    return path.string();
}

json generated(std::vector<std::string> args) {
    args.insert(args.begin(), "generate");
    args.push_back("--json");
    const Outcome outcome = headroom(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return json::parse(outcome.out);
}

TEST(GenerateCommand, ASeedAlwaysGivesTheSameText) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {{"arch", "skipv1"}});
    const auto text = [&](const std::string& seed) {
        return generated({"--checkpoint", checkpoint, "--prompt", "To be", "--max-new", "12",
                          "--seed", seed})["tokens"];
    };
    EXPECT_EQ(text("1").size(), 12u);
    EXPECT_EQ(text("1"), text("1"));
    EXPECT_NE(text("1"), text("2"));
    for (const json& token : text("1")) EXPECT_LT(token.get<int>(), 256);  // of 300 rows
}

TEST(GenerateCommand, ReadsWithTheTokenizerBesideTheCheckpoint) {
    const TemporaryFolder folder;
    RandomCheckpoint without;
    without.with_tokenizer = false;
    const std::string checkpoint = random_checkpoint(folder, {{"vocab_size", 600}}, without);
    std::filesystem::copy_file(source_tree() / "tests/datasets/fixtures/llama.json",
                               folder / "tokenizer.json");
    const json made = generated({"--checkpoint", checkpoint, "--prompt", "the", "--max-new", "2"});
    EXPECT_EQ(made["prompt_tokens"][0], 1);  // <s>
    EXPECT_LT(made["prompt_tokens"].size(), 4u);
}

// It stopped with an error at the first id without a token.
TEST(GenerateCommand, NeverTakesAnIdFromAGapOfTheVocabulary) {
    const TemporaryFolder folder;
    std::ofstream(folder / "tokenizer.json")
        << R"({"model": {"type": "BPE", "merges": [], "vocab": {"a": 0, "b": 1, "c": 3, "d": 5}}})";
    RandomCheckpoint without;
    without.with_tokenizer = false;
    const std::string checkpoint = random_checkpoint(folder, {{"vocab_size", 8}}, without);
    const json made = generated({"--checkpoint", checkpoint, "--prompt", "ab", "--max-new", "30"});
    ASSERT_EQ(made["tokens"].size(), 30u);
    for (const json& token : made["tokens"])
        EXPECT_THAT(token.get<int>(), testing::AnyOf(0, 1, 3, 5));
    const Outcome probed = headroom({"probe", "heads", "--checkpoint", checkpoint, "--repeat", "8",
                                     "--out", (folder / "heads.h5").string()});
    EXPECT_EQ(probed.status, 0) << probed.err;
}

TEST(GenerateCommand, TemperatureZeroFollowsTheLargestLogit) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {{"vocab_size", 256}});
    const json greedy = generated(
        {"--checkpoint", checkpoint, "--prompt", "AB", "--max-new", "2", "--temperature", "0"});
    const std::string logits = (folder.path() / "logits.safetensors").string();
    EXPECT_EQ(headroom({"logits", "--checkpoint", checkpoint, "--tokens",
                        "65,66," + std::to_string(greedy["tokens"][0].get<int>()), "--out", logits})
                  .status,
              0);
    const auto values = SafetensorsFile::open(logits).read_as<float>("logits");
    for (size_t n : {0u, 1u}) {
        const auto row = values.begin() + static_cast<std::ptrdiff_t>((n + 1) * 256);
        EXPECT_EQ(std::max_element(row, row + 256) - row, greedy["tokens"][n].get<int>());
    }
}

TEST(GenerateCommand, PrintsThePromptAndItsContinuation) {
    const TemporaryFolder folder;
    const Outcome outcome = headroom({"generate", "--checkpoint", random_checkpoint(folder, {}),
                                      "--prompt", "Hello", "--max-new", "3"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("Hello"));
    EXPECT_EQ(outcome.out.size(), 5u + 3u + 1u);
    EXPECT_THAT(outcome.err, HasSubstr("cache"));
}

std::vector<GenerationEvent> streamed(std::vector<std::string> args) {
    args.insert(args.begin(), "generate");
    args.push_back("--stream");
    const Outcome outcome = headroom(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    std::vector<GenerationEvent> events;
    std::istringstream lines(outcome.out);
    for (std::string line; std::getline(lines, line);)
        events.push_back(parse_generation_event(line));
    return events;
}

TEST(GenerateCommand, StreamsTheSameTokensThatTheDocumentHolds) {
    const TemporaryFolder folder;
    const std::vector<std::string> args{
        "--checkpoint", random_checkpoint(folder, {}), "--prompt", "To be", "--max-new", "12"};
    const json document = generated(args);
    const auto events = streamed(args);
    ASSERT_EQ(events.size(), 2u + 12u + 1u);
    const auto& start = std::get<GenerationStart>(events[0]);
    EXPECT_EQ(start.prompt_tokens, 5);
    EXPECT_EQ(start.cache_bytes, document["cache_bytes"].get<int64_t>());
    EXPECT_EQ(start.cache_bytes, start.cache_bytes_per_token * (5 + 12));
    EXPECT_TRUE(std::holds_alternative<PromptRead>(events[1]));
    double before = 0;
    for (size_t n = 0; n < 12; ++n) {
        const auto& token = std::get<GeneratedToken>(events[2 + n]);
        EXPECT_EQ(token.choice.id, document["tokens"][n].get<int>());
        ASSERT_EQ(token.likeliest.size(), 5u);
        for (size_t i = 1; i < 5; ++i)
            EXPECT_GE(token.likeliest[i - 1].probability, token.likeliest[i].probability);
        EXPECT_LE(token.choice.probability, token.likeliest[0].probability);
        EXPECT_GE(token.seconds, before);
        before = token.seconds;
    }
    EXPECT_EQ(std::get<GenerationEnd>(events.back()).tokens, 12);
    EXPECT_EQ(std::get<GenerationEnd>(events.back()).reason, "length");
}

TEST(GenerateCommand, GreedyTokensAreTheLikeliestOnes) {
    const TemporaryFolder folder;
    for (const auto& event : streamed({"--checkpoint", random_checkpoint(folder, {}), "--prompt",
                                       "x", "--temperature", "0", "--max-new", "5"}))
        if (const auto* token = std::get_if<GeneratedToken>(&event)) {
            EXPECT_EQ(token->choice, token->likeliest[0]);
        }
}

TEST(GenerateCommand, ReadsThePromptFromAFile) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {});
    const std::string file = (folder.path() / "prompt.txt").string();
    std::ofstream(file) << "--To be";
    EXPECT_EQ(generated({"--checkpoint", checkpoint, "--prompt-file", file})["tokens"],
              generated({"--checkpoint", checkpoint, "--prompt=--To be"})["tokens"]);
    expect_one_error_line(headroom({"generate", "--checkpoint", checkpoint}), 2, "is required");
}

TEST(GenerateCommand, ADivergedModelIsSaidToBeOne) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {}, {.init_std = NAN});
    const Outcome outcome = headroom(
        {"generate", "--checkpoint", checkpoint, "--prompt", "x", "--max-new", "3", "--json"});
    expect_one_error_line(outcome, 2, "logits are not numbers");
}

TEST(GenerateCommand, SaysWhatIsWrong) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {});
    const auto refused = [&](std::vector<std::string> args, const std::string& part) {
        std::vector<std::string> all{"generate", "--checkpoint", checkpoint};
        all.insert(all.end(), args.begin(), args.end());
        expect_one_error_line(headroom(all), 2, part);
    };
    refused({"--prompt", ""}, "the prompt has no tokens");
    refused({"--prompt", std::string(32, 'x')}, "fill the model's block_size of 32");
    refused({"--prompt", "x", "--top-p", "1.5"}, "top_p 1.5 is not a probability");
    refused({"--prompt", "x", "--temperature", "-1"}, "temperature -1 is not usable");
    const TemporaryFolder other;
    const std::string without = random_checkpoint(other, {}, {.with_tokenizer = false});
    expect_one_error_line(headroom({"generate", "--checkpoint", without, "--prompt", "x"}), 2,
                          "does not say which tokenizer");
    EXPECT_EQ(headroom({"generate", "--checkpoint", without, "--prompt", "x", "--tokenizer", "byte",
                        "--max-new", "1"})
                  .status,
              0);
}

TEST(GenerateCommand, ALongAnswerEndsWhereThePositionsDo) {
    const TemporaryFolder folder;
    const json made = generated(
        {"--checkpoint", random_checkpoint(folder, {}), "--prompt", "abcd", "--max-new", "500"});
    EXPECT_EQ(made["tokens"].size(), 28u);
}

TEST(LogitsCommand, TokenByTokenIsAllAtOnce) {
    const TemporaryFolder folder;
    const std::string checkpoint =
        random_checkpoint(folder, {{"arch", "skipv1_mla"}, {"mla", {{"d_c", 12}, {"d_r", 4}}}});
    const auto logits = [&](std::vector<std::string> more, const std::string& name) {
        const std::string out = (folder.path() / name).string();
        std::vector<std::string> args{"logits",   "--checkpoint", checkpoint,
                                      "--tokens", "5,9,200,1",    "--dtype",
                                      "f64",      "--out",        out};
        args.insert(args.end(), more.begin(), more.end());
        EXPECT_EQ(headroom(args).status, 0);
        return SafetensorsFile::open(out).read_as<double>("logits");
    };
    const auto whole = logits({}, "whole.safetensors");
    const auto decoded = logits({"--decode"}, "decoded.safetensors");
    ASSERT_EQ(whole.size(), decoded.size());
    for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(decoded[i], whole[i], 1e-12);
}

TEST(LogitsCommand, RefusesAMissingTokenAndItsOwnCheckpoint) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {});
    const auto refused = [&](const std::string& tokens, const std::string& out,
                             const std::string& part) {
        expect_one_error_line(
            headroom({"logits", "--checkpoint", checkpoint, "--tokens", tokens, "--out", out}), 2,
            part);
    };
    const std::string out = (folder.path() / "logits.safetensors").string();
    refused("", out, "is not a token id");
    refused("1,,2", out, "\"\" is not a token id");
    refused("1,2x", out, "\"2x\" is not a token id");
    refused("1,2", checkpoint, "is the source itself");
    EXPECT_NO_THROW(Checkpoint::open(checkpoint));
}

TEST(EvalCommand, CutsTextWithTheCheckpointsTokenizer) {
    const TemporaryFolder folder;
    const std::string checkpoint = random_checkpoint(folder, {});
    const std::string text = (folder.path() / "book.txt").string();
    std::ofstream(text) << std::string(2000, 'a');
    const auto eval = [&](std::vector<std::string> more) {
        std::vector<std::string> args{
            "eval",   "--checkpoint", checkpoint, "--data",       "text:" + text,
            "--json", "--batches",    "1",        "--batch-size", "2"};
        args.insert(args.end(), more.begin(), more.end());
        return headroom(args);
    };
    const Outcome own = eval({}), named = eval({"--tokenizer", "byte"});
    EXPECT_EQ(own.status, 0) << own.err;
    EXPECT_EQ(own.out, named.out);
    expect_one_error_line(eval({"--tokenizer", "char"}), 2, "was trained with byte");
}

}  // namespace
}  // namespace headroom
