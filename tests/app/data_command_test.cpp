#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "datasets/open_data.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const std::string kVocabulary = "gpt2:" + (source_tree() / "tests/datasets/fixtures").string();

TEST(DataCommand, ListNamesEveryTaskWithItsOptions) {
    const Outcome text = headroom({"data", "list"});
    EXPECT_EQ(text.status, 0);
    EXPECT_THAT(text.out, HasSubstr("task:grammar"));
    const json document = json::parse(headroom({"data", "list", "--json"}).out);
    EXPECT_EQ(document["tasks"].size(), 4u);
    EXPECT_EQ(document["tasks"][1]["name"], "induction");
    EXPECT_EQ(document["tasks"][1]["options"][0]["key"], "vocab");
    EXPECT_EQ(document["tokenizers"].size(), 5u);
}

TEST(DataCommand, PreparedTokensAreInspected) {
    const TemporaryFolder folder;
    std::ofstream(folder / "a.txt") << "the end\n---\n of the\n---\n";
    for (const std::string format : {"nanogpt", "llmc"}) {
        const std::string out = (folder / (format + ".bin")).string();
        const Outcome made = headroom({"data", "prepare", "--text", (folder / "a.txt").string(),
                                       "--tokenizer", kVocabulary, "--out", out, "--format", format,
                                       "--split-at", "---", "--json"});
        ASSERT_EQ(made.status, 0) << made.err;
        EXPECT_EQ(json::parse(made.out)["documents"], 2);
        const Outcome seen =
            headroom({"data", "inspect", "tokens:" + out, "--val", "tokens:" + out, "--tokenizer",
                      kVocabulary, "--seq-len", "4", "--batch-size", "2", "--json"});
        ASSERT_EQ(seen.status, 0) << seen.err;
        const json report = json::parse(seen.out);
        EXPECT_EQ(report["train_tokens"], json::parse(made.out)["tokens"]);
        EXPECT_EQ(report["vocab_size"], 757);
        const std::string whole = "the end<|endoftext|>of the<|endoftext|>";
        EXPECT_THAT(whole, HasSubstr(report["sample"].get<std::string>()));
    }
}

/// The manifest says which tokenizer made the file, as long as its vocabulary is there.
TEST(DataCommand, InspectReadsAPreparedFileWithoutBeingToldItsTokenizer) {
    const TemporaryFolder folder;
    std::ofstream(folder / "a.txt") << "the end of the end of the";
    const std::filesystem::path from = source_tree() / "tests/datasets/fixtures";
    for (const char* name : {"encoder.json", "vocab.bpe"})
        std::filesystem::copy_file(from / name, folder / name);
    const std::string out = (folder / "a.bin").string();
    ASSERT_EQ(headroom({"data", "prepare", "--text", (folder / "a.txt").string(), "--tokenizer",
                        "gpt2:" + folder.path().string(), "--out", out})
                  .status,
              0);
    const std::vector<std::string> inspect{"data",  "inspect",       "tokens:" + out,
                                           "--val", "tokens:" + out, "--seq-len",
                                           "4",     "--batch-size",  "1"};
    std::vector<std::string> as_json = inspect;
    as_json.push_back("--json");
    const Outcome seen = headroom(as_json);
    ASSERT_EQ(seen.status, 0) << seen.err;
    const json report = json::parse(seen.out);
    EXPECT_THAT("the end of the end of the<|endoftext|>",
                HasSubstr(report["sample"].get<std::string>()));
    EXPECT_NE(report["card"]["most_frequent"][0]["piece"], "");
    EXPECT_EQ(report["tokenizer"], report["card"]["tokenizer"]) << "not the unused default";
    // Two ids changed places: as many as before, and of the same vocabulary.
    const std::string ids = read_text(out);
    write_plainly(out, ids.substr(2, 2) + ids.substr(0, 2) + ids.substr(4));
    expect_one_error_line(headroom(inspect), 2, "has changed since it was prepared");
    write_plainly(out, ids);
    std::filesystem::remove(folder / "vocab.bpe");
    const Outcome without = headroom(inspect);
    ASSERT_EQ(without.status, 0) << without.err;
    EXPECT_THAT(without.out, HasSubstr("no texts: "));
    EXPECT_THAT(without.out, HasSubstr("first training row (ids):"));
    EXPECT_THAT(without.out, Not(HasSubstr("\"\"")));
}

TEST(DataCommand, TextsHaveACardAndCanBeDeduplicated) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "texts");
    std::ofstream(folder / "texts" / "a.txt") << "the end\n---\nof the\n---\nthe end";
    std::ofstream(folder / "texts" / "b.txt") << "of the\n---\nno\n";
    const std::string out = (folder / "t.bin").string();
    const auto prepare = [&](std::vector<std::string> more) {
        std::vector<std::string> args{
            "data",        "prepare",   "--text", (folder / "texts").string(),
            "--tokenizer", kVocabulary, "--out",  out,
            "--split-at",  "---",       "--json"};
        args.insert(args.end(), more.begin(), more.end());
        const Outcome made = headroom(args);
        EXPECT_EQ(made.status, 0) << made.err;
        return json::parse(made.out);
    };
    const auto card = [&] {
        return json::parse(headroom({"data", "inspect", "tokens:" + out, "--val", "tokens:" + out,
                                     "--tokenizer", kVocabulary, "--seq-len", "2", "--json"})
                               .out)["card"];
    };
    const json all = prepare({});
    EXPECT_EQ(all["documents"], 5);
    EXPECT_EQ(card()["documents"], 5);
    EXPECT_FALSE(card().contains("duplicates"));
    const json once = prepare({"--deduplicate"});
    EXPECT_EQ(once["documents"], 3);
    EXPECT_EQ(once["duplicates"], 2);
    EXPECT_LT(once["tokens"], all["tokens"]);
    EXPECT_EQ(card()["duplicates"], 2);
    EXPECT_EQ(card()["text_bytes"], once["bytes"]);
    EXPECT_EQ(card()["sources"].size(), 2u);
    // A text that cannot be read leaves the file as it was, and nothing half-written.
    const std::string before = read_text(out);
    std::ofstream(folder / "texts" / "c.txt") << std::string("a\0b", 3);
    EXPECT_NE(headroom({"data", "prepare", "--text", (folder / "texts").string(), "--tokenizer",
                        kVocabulary, "--out", out})
                  .status,
              0);
    EXPECT_EQ(read_text(out), before);
    EXPECT_FALSE(std::filesystem::exists(out + ".partial"));
}

TEST(DataCommand, AFolderOfVeryManyTextsIsOneSource) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "texts");
    for (int i = 0; i < 1001; ++i)
        std::ofstream(folder / "texts" / (std::to_string(i) + ".txt")) << "page " << i % 10;
    const std::string out = (folder / "many.bin").string();
    const Outcome made = headroom({"data", "prepare", "--text", (folder / "texts").string(),
                                   "--tokenizer", "byte", "--out", out});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_LT(std::count(made.err.begin(), made.err.end(), '\n'), 100) << "not a line for each";
    const json manifest = json::parse(read_text(out + ".manifest.json"));
    EXPECT_EQ(manifest["documents"], 1001);
    EXPECT_EQ(manifest["sources"],
              json::array({{{"path", (folder / "texts").string()}, {"bytes", 6006}}}));
}

TEST(DataCommand, HashesAreThoseOfTheBatches) {
    const Outcome seen = headroom({"data", "inspect", "task:grammar", "--seed", "5", "--batch-size",
                                   "2", "--seq-len", "8", "--grad-accum", "2", "--json"});
    ASSERT_EQ(seen.status, 0) << seen.err;
    const auto source = open_data({"task:grammar", "split:0.1", "byte"}, 5);
    Batch batch = Batch::of_tokens(2, 8);
    uint64_t hash = kHashSeed;
    for (int micro = 0; micro < 2; ++micro) {
        source->train_batch(2, micro, batch);
        hash = batch.hash(hash);
    }
    const json report = json::parse(seen.out);
    EXPECT_EQ(report["train_hashes"][1], fmt::format("{:016x}", hash));
    source->eval_batch(1, batch);
    EXPECT_EQ(report["eval_hashes"][1], fmt::format("{:016x}", batch.hash(kHashSeed)));
    EXPECT_TRUE(report["train_tokens"].is_null());
}

TEST(DataCommand, BadInputIsOneLine) {
    const TemporaryFolder folder;
    const std::string out = (folder / "x.bin").string(), text = (folder / "a.txt").string();
    expect_one_error_line(headroom({"data", "inspect", "text:/no/such"}), 2, "/no/such");
    expect_one_error_line(headroom({"data", "inspect", "task:copy", "--seq-len", "0"}), 2,
                          "--seq-len");
    std::ofstream(text) << "abc";
    expect_one_error_line(
        headroom({"data", "prepare", "--text", text, "--tokenizer", "byte", "--out", text}), 2,
        "is the source itself");
    expect_one_error_line(headroom({"data", "prepare", "--text", text, "--tokenizer", "byte",
                                    "--out", out, "--format", "npy"}),
                          2, "--format npy");
    EXPECT_FALSE(std::filesystem::exists(out));
    EXPECT_EQ(read_text(text), "abc");
}

TEST(DataCommand, DecodeInvertsEncode) {
    const TemporaryFolder folder;
    const std::string text = "the king's\n  \xF0\x9F\x99\x82 <|endoftext|> end\n";
    std::ofstream(folder / "a.txt") << text;
    const std::string file = (folder / "a.txt").string(), ids = (folder / "ids").string();
    const std::string llama =
        "json:" + (source_tree() / "tests/datasets/fixtures/llama.json").string();
    for (const std::string& tokenizer : {std::string("byte"), kVocabulary, llama}) {
        const Outcome encoded = headroom({"data", "encode", "--tokenizer", tokenizer, file});
        ASSERT_EQ(encoded.status, 0) << encoded.err;
        std::ofstream(ids) << encoded.out;
        EXPECT_EQ(headroom({"data", "decode", "--tokenizer", tokenizer, ids}).out, text);
    }
    std::ofstream(ids) << "[5, 6]\n\n7\n";
    EXPECT_EQ(headroom({"data", "decode", "--tokenizer", "byte", "--lines", ids}).out,
              "\x05\x06\n\n\x07\n");
    const Outcome around = headroom(
        {"data", "encode", "--tokenizer", llama, "--template", "--special", "--json", file});
    EXPECT_EQ(json::parse(around.out)["ids"][0], 1);
    EXPECT_EQ(json::parse(around.out)["pieces"][0], "<s>");
    std::ofstream(ids) << "5 x";
    expect_one_error_line(headroom({"data", "decode", "--tokenizer", "byte", ids}), 2, "\"x\"");
    expect_one_error_line(headroom({"data", "decode", "--tokenizer", "char", ids}), 2, "char");
}

TEST(DataCommand, SamplesDoNotReachTheTerminalRaw) {
    const TemporaryFolder folder;
    std::ofstream(folder / "a.txt") << "abc\x1b[31mdef\x1b[31mghi\x1b[31m";
    const Outcome seen = headroom({"data", "inspect", "text:" + (folder / "a.txt").string(),
                                   "--val", "split:0.5", "--seq-len", "8"});
    ASSERT_EQ(seen.status, 0) << seen.err;
    EXPECT_EQ(seen.out.find('\x1b'), std::string::npos);
    EXPECT_THAT(seen.out, HasSubstr("\\x1b["));
}

}  // namespace
}  // namespace headroom
