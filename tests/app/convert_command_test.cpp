#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/checkpoint/safetensors.h"
#include "datasets/tokenizers/plain_tokenizer_json.h"
#include "datasets/tokenizers/tokenizer.h"
#include "tests/core/weights/interop/foreign_files.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/random_checkpoint.h"

namespace headroom {
namespace {

using testing::HasSubstr;

std::vector<double> logits(const std::string& checkpoint, std::vector<std::string> more = {}) {
    const TemporaryFolder folder;
    std::vector<std::string> args{"logits",  "--checkpoint", checkpoint, "--tokens",    "1,6,0,3",
                                  "--dtype", "f64",          "--out",    folder / "out"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = headroom(args);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return SafetensorsFile::open(folder / "out").read_as<double>("logits");
}

TEST(ConvertCommand, ImportsAndExportsWithoutChangingALogit) {
    const TemporaryFolder folder;
    write_fake_folder(folder / "gpt2", fake_gpt2(false, true), kFakeGpt2Config);
    write_fake_folder(folder / "llama", fake_llama(false), kFakeLlamaConfig);
    write_fake_folder(folder / "neox", fake_neox(), kFakeNeoxConfig);
    for (const std::string name : {"gpt2", "llama", "neox"}) {
        const std::string ours = folder / (name + ".safetensors"), back = folder / (name + "-back");
        Outcome outcome = headroom({"convert", "import", "--from", folder / name, "--out", ours});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(outcome.out, HasSubstr("hf-" + name + " to headroom"));
        outcome = headroom(
            {"convert", "export", "--checkpoint", ours, "--format", "hf-" + name, "--out", back});
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        const std::vector<double> expected = logits(ours);
        EXPECT_EQ(expected.size(), 4u * 7u);
        EXPECT_EQ(logits(folder / name), expected);
        EXPECT_EQ(logits(back), expected);
    }
}

TEST(ConvertCommand, TakesTheTokenizerAlong) {
    const TemporaryFolder folder;
    write_fake_folder(folder / "llama", fake_llama(false), kFakeLlamaConfig);
    std::filesystem::copy_file(source_tree() / "tests/datasets/fixtures/llama.json",
                               folder / "llama" / "tokenizer.json");
    const std::string ours = folder / "ours.safetensors";
    Outcome outcome = headroom({"convert", "import", "--from", folder / "llama", "--out", ours});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto metadata = SafetensorsFile::open(ours).metadata();
    EXPECT_THAT(metadata.at("tokenizer"), HasSubstr("llama/tokenizer.json"));

    const std::filesystem::path back = folder / "back";
    outcome = headroom(
        {"convert", "export", "--checkpoint", ours, "--format", "hf-llama", "--out", back});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(read_text(back / "tokenizer.json"), read_text(folder / "llama/tokenizer.json"));
    const auto config = nlohmann::json::parse(read_text(back / "config.json"));
    EXPECT_EQ(config.at("eos_token_id"), 2);

    std::ofstream(back / "tokenizer.json") << "another's";
    outcome = headroom(
        {"convert", "export", "--checkpoint", ours, "--format", "hf-llama", "--out", back});
    EXPECT_EQ(read_text(back / "tokenizer.json"), read_text(folder / "llama/tokenizer.json"))
        << "no model's but its own";

    std::ofstream(folder / "llama" / "tokenizer.json") << "{}";
    outcome = headroom({"convert", "import", "--from", folder / "llama", "--out", ours});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("note: the tokenizer is not taken along"));
    EXPECT_FALSE(SafetensorsFile::open(ours).metadata().contains("tokenizer"));
}

/// The ids of a text, as the tokenizer of that spelling cuts it.
std::string ids_of(const std::string& tokenizer, const std::string& file) {
    const Outcome outcome = headroom({"data", "encode", "--tokenizer", tokenizer, file});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.out;
}

// Nothing was written of them, and who got the folder could not read a text.
TEST(ConvertCommand, TokenizersWithoutFilesGetOne) {
    const TemporaryFolder folder;
    const std::string text = folder / "text.txt", ours = folder / "model.safetensors";
    write_plainly(text, "d\u00e4b\na \u20ac\"\\");
    write_random_checkpoint(ours, {{"vocab_size", 256}});
    const std::string out = folder / "byte";
    ASSERT_EQ(
        headroom({"convert", "export", "--checkpoint", ours, "--format", "hf-gpt2", "--out", out})
            .status,
        0);
    EXPECT_EQ(ids_of("json:" + out + "/tokenizer.json", text), ids_of("byte", text));
    const auto letters = make_char_tokenizer(read_text(text));
    const std::vector<int32_t> ids = letters->encode(read_text(text));
    write_plainly(folder / "char.json", plain_tokenizer_json(*letters));
    const auto back = open_tokenizer("json:" + (folder / "char.json").string(), "");
    EXPECT_EQ(back->encode(read_text(text)), ids);
    EXPECT_EQ(back->decode_text(ids), read_text(text));
}

TEST(ConvertCommand, ReadsTheTokenizerFilesOfItsOwnExport) {
    const TemporaryFolder folder;
    const std::string ours = folder / "model.safetensors";
    const std::string fixtures = (source_tree() / "tests/datasets/fixtures").string();
    RandomCheckpoint without;
    without.with_tokenizer = false;
    write_random_checkpoint(ours, {{"vocab_size", 600}}, without);
    for (const auto& [from, to] :
         {std::pair("encoder.json", "vocab.json"), {"vocab.bpe", "merges.txt"}})
        std::filesystem::copy_file(fixtures + "/" + from, folder / to);
    const Outcome made =
        headroom({"generate", "--checkpoint", ours, "--prompt", "the", "--max-new", "1", "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    write_plainly(folder / "the.txt", "the");
    std::string ids;
    for (const auto& id : nlohmann::json::parse(made.out)["prompt_tokens"])
        ids += (ids.empty() ? "" : " ") + std::to_string(id.get<int>());
    EXPECT_THAT(ids_of("gpt2:" + fixtures, (folder / "the.txt").string()), HasSubstr(ids));
}

TEST(ConvertCommand, PermutesInterleavedRotaryPairs) {
    const TemporaryFolder folder;
    write_fake_folder(folder / "llama", fake_llama(false), kFakeLlamaConfig);
    write_fake_folder(folder / "neox", fake_neox(), kFakeNeoxConfig);
    for (const std::string name : {"llama", "neox"}) {
        const std::string ours = folder / (name + ".safetensors"), back = folder / (name + "-back");
        EXPECT_EQ(headroom({"convert", "import", "--from", folder / name, "--out", ours, "--set",
                            "model.rope_style=interleaved"})
                      .status,
                  0);
        EXPECT_EQ(headroom({"convert", "export", "--checkpoint", ours, "--format", "hf-" + name,
                            "--out", back})
                      .status,
                  0);
        const std::vector<double> expected = logits(ours), permuted = logits(back);
        const std::vector<double> as_half = logits(folder / name);
        double largest = 0, changed = 0;
        for (size_t i = 0; i < expected.size(); ++i) {
            EXPECT_NEAR(permuted[i], expected[i], 1e-12);
            largest = std::max(largest, std::abs(expected[i]));
            changed = std::max(changed, std::abs(expected[i] - as_half[i]));
        }
        EXPECT_GT(changed, 1e-3 * largest);  // the style matters, so the test can fail
    }
}

TEST(ConvertCommand, ReportsAsJson) {
    const TemporaryFolder folder;
    write_fakes(folder / "ckpt.safetensors", fake_gpt2(true, false));
    const Outcome outcome = headroom({"convert", "import", "--from", folder / "ckpt.safetensors",
                                      "--set", "model.n_head=2", "--dtype", "bf16", "--json",
                                      "--out", folder / "out.safetensors"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document.at("from_format"), "nanogpt");
    EXPECT_EQ(document.at("params_total"), 7 * 6 + 5 * 6 + 2 * (4 * 36 + 2 * 60 + 12) + 6);
    EXPECT_EQ(SafetensorsFile::open(folder / "out.safetensors").info("wte.weight").type,
              StoredType::kBF16);
}

TEST(ConvertCommand, ExplainsWhatIsWrongInOneLine) {
    const TemporaryFolder folder;
    const std::string out = folder / "out.safetensors";
    write_fakes(folder / "ckpt.safetensors", fake_gpt2(true, false));
    const std::string from = folder / "ckpt.safetensors";
    const auto import = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"convert", "import", "--from", from, "--out", out});
        return headroom(more);
    };
    expect_one_error_line(import({}), 2, "--set model.n_head=N");
    expect_one_error_line(import({"--set", "model.n_head=2", "--dtype", "int32"}), 2, "--dtype");
    expect_one_error_line(import({"--set", "train.lr=1"}), 2, "train.lr=1");
    expect_one_error_line(import({"--set", "model.n_heads=1"}), 2, "model.n_head");
    expect_one_error_line(import({"--format", "gpt2"}), 2, "unknown format \"gpt2\"");
    expect_one_error_line(headroom({"convert", "import", "--from", from}), 2, "--out");
    expect_one_error_line(headroom({"convert"}), 2, "convert");
    EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(ConvertCommand, NeverWritesOverWhatItReads) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "hf");
    const std::string source = folder / "hf" / "model.safetensors";
    write_fakes(source, fake_llama(true));
    const std::string before = read_text(source), ours = folder / "ours.safetensors";
    const std::vector<std::string> set{"--set", "model.n_head=2"};
    const auto convert = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "convert");
        if (words[1] == "import") words.insert(words.end(), set.begin(), set.end());
        return headroom(words);
    };
    for (const std::string& from : {source, (folder / "hf").string()})
        expect_one_error_line(convert({"import", "--from", from, "--out", source}), 2, "itself");
    EXPECT_EQ(read_text(source), before);
    const Outcome imported = convert({"import", "--from", source, "--out", ours});
    ASSERT_EQ(imported.status, 0) << imported.err;
    expect_one_error_line(
        convert({"export", "--checkpoint", ours, "--format", "hf-llama", "--out", ours}), 2,
        "itself");
}

TEST(ConvertCommand, LogitsAndDescribeOpenOtherToolsDirectly) {
    const TemporaryFolder folder;
    write_fakes(folder / "model.safetensors", fake_llama(true));
    EXPECT_EQ(logits(folder.path(), {"--set", "model.n_head=2"}).size(), 28u);
    const Outcome outcome =
        headroom({"describe", "--checkpoint", folder.path(), "--set", "model.n_head=2", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("note: "));
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document.at("params_total"), 7 * 6 + 2 * (2 * 48 + 2 * 24 + 3 * 60 + 12) + 6);
    EXPECT_EQ(document.at("model").at("n_kv_head"), 1);
}

TEST(ConvertCommand, NothingIsAllocatedForACheckpointThatLies) {
    const TemporaryFolder folder;
    const std::vector<float> few(4);
    write_safetensors(
        folder / "x.safetensors",
        {{"config", R"({"n_layer": 96, "d_model": 12288, "n_head": 96, "vocab_size": 50000})"}},
        std::vector<TensorToWrite>{tensor_to_write<float>("wte.weight", {2, 2}, few)});
    expect_one_error_line(headroom({"logits", "--checkpoint", folder / "x.safetensors", "--tokens",
                                    "1", "--out", folder / "out"}),
                          2, "tensor \"wte.weight\" has shape [2, 2]");
    expect_one_error_line(
        headroom({"eval", "--checkpoint", folder / "x.safetensors", "--data", "task:copy"}), 2,
        "tensor \"wte.weight\" has shape [2, 2]");
}

}  // namespace
}  // namespace headroom
