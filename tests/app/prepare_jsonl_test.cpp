#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>
#include <zstd.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "datasets/formats/token_stream.h"
#include "datasets/text/line_reader.h"
#include "datasets/tokenizers/tokenizer.h"
#include "tests/support/command.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kGpt2Words = "gpt2:" + (source_tree() / "tests/datasets/fixtures").string();

std::string jsonl(int documents, int first = 0) {
    std::string lines;
    for (int i = first; i < first + documents; ++i)
        lines += json{{"id", i}, {"text", fmt::format("the end of {} \u00e9\n", i)}}.dump() + "\n";
    return lines;
}

void write_gz(const std::string& path, const std::string& text) {
    const gzFile file = gzopen(path.c_str(), "wb");
    ASSERT_EQ(gzwrite(file, text.data(), static_cast<unsigned>(text.size())),
              static_cast<int>(text.size()));
    gzclose(file);
}

/// In two frames.
void write_zst(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    for (const std::string& part :
         {text.substr(0, text.size() / 2), text.substr(text.size() / 2)}) {
        std::string packed(ZSTD_compressBound(part.size()), '\0');
        const size_t size =
            ZSTD_compress(packed.data(), packed.size(), part.data(), part.size(), 3);
        ASSERT_EQ(ZSTD_isError(size), 0u);
        file.write(packed.data(), static_cast<std::streamsize>(size));
    }
}

class PrepareJsonl : public testing::Test {
  protected:
    std::string file(const std::string& name) { return (folder_ / name).string(); }
    Outcome prepare(const std::string& out, std::vector<std::string> more) {
        std::vector<std::string> args{"data",  "prepare", "--tokenizer", kGpt2Words,
                                      "--out", file(out), "--json"};
        args.insert(args.end(), more.begin(), more.end());
        return headroom(args);
    }

    TemporaryFolder folder_;
};

TEST_F(PrepareJsonl, WritesEveryDocumentInOrderWithAManifest) {
    std::ofstream(file("a.jsonl")) << jsonl(5000) << "\n";
    write_gz(file("b.jsonl.gz"), jsonl(3, 5000));
    const Outcome made =
        prepare("t.bin", {"--jsonl", file("a.jsonl"), file("b.jsonl.gz"), "--threads", "3"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto tokenizer = open_tokenizer(kGpt2Words, "");
    std::vector<int32_t> expected;
    int64_t bytes = 0;
    for (int i = 0; i < 5003; ++i) {
        const std::string text = fmt::format("the end of {} \u00e9\n", i);
        const std::vector<int32_t> ids = tokenizer->encode(text);
        expected.insert(expected.end(), ids.begin(), ids.end());
        expected.push_back(end_of_text(*tokenizer));
        bytes += static_cast<int64_t>(text.size());
    }
    const TokenFile tokens = open_token_file(file("t.bin"));
    std::vector<int32_t> found(static_cast<size_t>(tokens.tokens.size()));
    tokens.tokens.read(0, found);
    EXPECT_EQ(found, expected);
    const json manifest = json::parse(read_text(file("t.bin.manifest.json")));
    EXPECT_EQ(manifest["documents"], 5003);
    EXPECT_EQ(manifest["text_bytes"], bytes);
    EXPECT_EQ(manifest["tokens"], expected.size());
    const std::string whole = read_text(file("t.bin"));
    const auto* data = reinterpret_cast<const unsigned char*>(whole.data());
    EXPECT_EQ(manifest["checksum"],
              fmt::format("fnv1a64:{:016x}", hash_bytes({data, whole.size()})));
    EXPECT_FALSE(std::filesystem::exists(file("t.bin.partial")));

    const Outcome one =
        prepare("one.bin", {"--jsonl", file("a.jsonl"), file("b.jsonl.gz"), "--threads", "1"});
    EXPECT_EQ(one.status, 0);
    EXPECT_EQ(read_text(file("one.bin")), whole);

    const Outcome card = headroom({"data", "inspect", "tokens:" + file("t.bin"), "--tokenizer",
                                   kGpt2Words, "--seq-len", "8", "--json"});
    ASSERT_EQ(card.status, 0) << card.err;
    const json report = json::parse(card.out)["card"];
    EXPECT_EQ(report["documents"], 5003);
    EXPECT_EQ(report["most_frequent"].size(), 10u);
    EXPECT_GE(report["most_frequent"][0]["count"], 5003);
}

// Without an end-of-text token: else the last word of one is glued to the first of the next.
TEST_F(PrepareJsonl, BytesAreJoinedAsTheTextsOfAFolderAre) {
    const std::vector<std::string> texts = {"one", "two\n", "three", "four"};
    std::string lines;
    std::filesystem::create_directory(file("texts"));
    for (size_t i = 0; i < texts.size(); ++i) {
        lines += json{{"text", texts[i]}}.dump() + "\n";
        std::ofstream(file("texts/" + std::to_string(i) + ".txt")) << texts[i];
    }
    std::ofstream(file("a.jsonl")) << lines;
    std::ofstream(file("cut.txt")) << "one|two\n|three|four";
    const auto bytes_of = [&](std::vector<std::string> more) {
        std::vector<std::string> args{"data",  "prepare", "--tokenizer", "byte",
                                      "--out", file("b"), "--json"};
        args.insert(args.end(), more.begin(), more.end());
        const Outcome made = headroom(args);
        EXPECT_EQ(made.status, 0) << made.err;
        const TokenFile tokens = open_token_file(file("b"));
        std::vector<int32_t> found(static_cast<size_t>(tokens.tokens.size()));
        tokens.tokens.read(0, found);
        EXPECT_EQ(json::parse(made.out)["tokens"], found.size());
        return std::string(found.begin(), found.end());
    };
    const std::string joined = "one\ntwo\nthree\nfour";
    EXPECT_EQ(bytes_of({"--jsonl", file("a.jsonl")}), joined);
    EXPECT_EQ(bytes_of({"--text", file("texts")}), joined);
    EXPECT_EQ(bytes_of({"--text", file("cut.txt"), "--split-at", "|"}), joined);
}

TEST_F(PrepareJsonl, GoesOnFromItsStateToTheSameFile) {
    // 70 MiB of text in long documents over bytes: one state lies on the way, and neither file is
    // as long as what lies between two.
    std::ofstream first(file("a.jsonl")), second(file("b.jsonl"));
    for (int i = 0; i < 70; ++i)
        (i < 20 ? first : second)
            << json{{"text", std::string(size_t{1} << 20, static_cast<char>('a' + i % 26))}}.dump()
            << "\n";
    second << "{\"no\": 1}\n";
    first.close();
    second.close();
    const std::vector<std::string> args{"data",          "prepare", "--tokenizer",
                                        "byte",          "--jsonl", file("a.jsonl"),
                                        file("b.jsonl"), "--out",   file("t.bin")};
    const Outcome stopped = headroom(args);
    EXPECT_EQ(stopped.status, 2);
    EXPECT_THAT(stopped.err, HasSubstr("b.jsonl, line 51: there is no text"));
    ASSERT_TRUE(std::filesystem::exists(file("t.bin.partial.state.json")));
    const json state = json::parse(read_text(file("t.bin.partial.state.json")));
    EXPECT_GE(state["documents"].get<int>(), 64);
    // What was written behind the state is dropped.
    std::ofstream(file("t.bin.partial"), std::ios::app) << "left over";
    std::vector<std::string> other = args;
    other.insert(other.end(), {"--field", "body"});
    expect_one_error_line(headroom(other), 2, "begun with other sources or options");

    // The bad line becomes blank; the file keeps its size.
    std::filesystem::resize_file(file("b.jsonl"), std::filesystem::file_size(file("b.jsonl")) - 10);
    std::ofstream(file("b.jsonl"), std::ios::app) << "          ";
    const Outcome made = headroom(args);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("going on behind"));
    EXPECT_EQ(std::filesystem::file_size(file("t.bin")), (uintmax_t{70} << 21) + 69 * 2)
        << "and a newline between two";
    const std::string whole = read_text(file("t.bin"));
    EXPECT_EQ(whole[whole.size() - 2], static_cast<char>('a' + 69 % 26));
    const json manifest = json::parse(read_text(file("t.bin.manifest.json")));
    const auto* data = reinterpret_cast<const unsigned char*>(whole.data());
    EXPECT_EQ(manifest["checksum"],
              fmt::format("fnv1a64:{:016x}", hash_bytes({data, whole.size()})));
    EXPECT_EQ(manifest["documents"], 70);
}

TEST_F(PrepareJsonl, DuplicatesAreLeftOutAlsoBehindAState) {
    // 70 documents of a MiB, most of them twice; the state is kept behind line 136, and of the
    // lines behind it the last ten say again what stands before it.
    std::ofstream lines(file("a.jsonl"));
    for (int i = 0; i < 150; ++i) {
        std::string text(size_t{1} << 20, 'x');
        text.replace(0, 8, fmt::format("{:08}", i % (i < 70 ? 35 : 70)));
        lines << json{{"n", i}, {"text", text}}.dump() << "\n";
    }
    lines << "{\"no\": 1}\n";
    lines.close();
    const std::vector<std::string> sources{"--jsonl", file("a.jsonl"), "--deduplicate"};
    const auto run = [&](const std::string& out, std::vector<std::string> more) {
        std::vector<std::string> args{"data",  "prepare", "--tokenizer", "byte",
                                      "--out", file(out), "--json"};
        args.insert(args.end(), more.begin(), more.end());
        return headroom(args);
    };
    EXPECT_THAT(run("t.bin", sources).err, HasSubstr("line 151: there is no text"));
    const json state = json::parse(read_text(file("t.bin.partial.state.json")));
    EXPECT_EQ(state["documents"], 66);
    EXPECT_EQ(state["duplicates"], 70);
    expect_one_error_line(run("t.bin", {"--jsonl", file("a.jsonl")}), 2,
                          "other sources or options");
    std::filesystem::resize_file(file("a.jsonl"), std::filesystem::file_size(file("a.jsonl")) - 10);
    std::ofstream(file("a.jsonl"), std::ios::app) << "          ";
    // The keys of a state are needed: without them it is refused.
    const std::string keys = read_text(file("t.bin.partial.seen"));
    EXPECT_EQ(keys.size(), 66u * 16);
    std::filesystem::resize_file(file("t.bin.partial.seen"), 100);
    expect_one_error_line(run("t.bin", sources), 2, "lost its list");
    std::ofstream(file("t.bin.partial.seen"), std::ios::binary) << keys << "left over";

    const Outcome made = run("t.bin", sources);
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(json::parse(made.out)["duplicates"], 80);
    EXPECT_EQ(std::filesystem::file_size(file("t.bin")), (uintmax_t{70} << 21) + 69 * 2)
        << "and a newline between two";
    EXPECT_FALSE(std::filesystem::exists(file("t.bin.partial.seen")));
    const json manifest = json::parse(read_text(file("t.bin.manifest.json")));
    EXPECT_EQ(manifest["documents"], 70);
    EXPECT_EQ(manifest["duplicates"], 80);
    const Outcome card = headroom({"data", "inspect", "tokens:" + file("t.bin"), "--seq-len", "8"});
    EXPECT_THAT(card.out, HasSubstr("80 duplicates left out"));
}

/// Read where the module for it was built, and said where it was not.
TEST_F(PrepareJsonl, RowsOfParquetAreLines) {
    const std::string rows = (source_tree() / "tests/datasets/fixtures/rows.parquet").string();
    const Outcome outcome = prepare("rows.bin", {"--jsonl", rows});
    if (outcome.status != 0) {
        expect_one_error_line(outcome, 2, "this build does not read Parquet");
        GTEST_SKIP() << "built without Apache Arrow";
    }
    std::ofstream(file("rows.jsonl")) << jsonl(600);
    ASSERT_EQ(prepare("lines.bin", {"--jsonl", file("rows.jsonl")}).status, 0);
    EXPECT_EQ(read_text(file("rows.bin")), read_text(file("lines.bin")));

    std::filesystem::copy_file(rows, file("cut.parquet"));
    std::filesystem::resize_file(file("cut.parquet"), 4000);
    expect_one_error_line(prepare("cut.bin", {"--jsonl", file("cut.parquet")}), 2,
                          "cannot be read as Parquet");
    expect_one_error_line(prepare("none.bin", {"--jsonl", rows, "--field", "body"}), 2,
                          "line 1: there is no text at \"body\"");
}

TEST_F(PrepareJsonl, BadInputIsOneLine) {
    expect_one_error_line(prepare("t.bin", {"--text", file("x"), "--field", "body"}), 2,
                          "--field requires --jsonl");
    std::ofstream(file("a.jsonl")) << "{\"text\": \"a\"}\n{\"text\"\n";
    expect_one_error_line(prepare("t.bin", {"--jsonl", file("a.jsonl")}), 2, "line 2");
    expect_one_error_line(prepare("t.bin", {"--jsonl", file("a.jsonl"), "--field", "body"}), 2,
                          "\"body\"");
    expect_one_error_line(prepare("t.bin", {"--jsonl", file("none")}), 2, "none");
    expect_one_error_line(prepare("a.jsonl", {"--jsonl", file("a.jsonl")}), 2,
                          "is the source itself");
    write_gz(file("b.gz"), jsonl(1000));
    std::filesystem::resize_file(file("b.gz"), std::filesystem::file_size(file("b.gz")) / 2);
    expect_one_error_line(prepare("u.bin", {"--jsonl", file("b.gz")}), 2, "damaged or cut off");
    write_zst(file("b.zst"), jsonl(1000));
    const auto whole = std::filesystem::file_size(file("b.zst"));
    std::filesystem::resize_file(file("b.zst"), whole - 1);
    expect_one_error_line(prepare("u.bin", {"--jsonl", file("b.zst")}), 2, "damaged or cut off");
    std::ofstream(file("b.zst"), std::ios::in | std::ios::out | std::ios::binary).seekp(20)
        << "spoiled";
    expect_one_error_line(prepare("u.bin", {"--jsonl", file("b.zst")}), 2, "damaged or cut off");
    std::ofstream(file("empty")) << "\n \n";
    expect_one_error_line(prepare("v.bin", {"--jsonl", file("empty")}), 2, "no documents");
    std::ofstream(file("blank")) << "{\"text\": \"\"}\n";
    expect_one_error_line(prepare("v.bin", {"--jsonl", file("blank")}), 2, "no text");
    for (const auto& left : std::filesystem::directory_iterator(file("")))
        EXPECT_EQ(left.path().string().find(".partial"), std::string::npos) << left.path();
    expect_one_error_line(prepare("w.bin", {"--jsonl", file("a.jsonl"), "--split-at", "x"}), 2,
                          "--split-at");
}

TEST(LineReader, ReadsAndSeeksPlainAndCompressed) {
    const TemporaryFolder folder;
    const std::string text = "one\n\nthree\r\n" + std::string(3'000'000, 'x') + "\nlast";
    std::ofstream(folder / "plain") << text;
    write_gz((folder / "packed").string(), text);
    write_zst((folder / "frames").string(), text);
    for (const char* name : {"plain", "packed", "frames"}) {
        LineReader lines((folder / name).string());
        std::vector<std::string> found;
        std::vector<int64_t> offsets;
        for (std::string line; lines.next(line);) {
            found.push_back(line.size() > 100 ? std::to_string(line.size()) : line);
            offsets.push_back(lines.offset());
        }
        EXPECT_THAT(found, ElementsAre("one", "", "three\r", "3000000", "last"));
        LineReader again((folder / name).string());
        std::string line;
        again.seek(offsets[1]);
        ASSERT_TRUE(again.next(line));
        EXPECT_EQ(line, "three\r");
        again.seek(offsets[3]);
        ASSERT_TRUE(again.next(line));
        EXPECT_EQ(line, "last");
        EXPECT_FALSE(again.next(line));
        again.seek(offsets[0]);
        ASSERT_TRUE(again.next(line));
        EXPECT_EQ(line, "");
    }
    EXPECT_THROW(LineReader((folder / "frames").string()).seek(int64_t{1} << 40), UserError);
    EXPECT_THROW(LineReader("/no/such/file"), UserError);
}

}  // namespace
}  // namespace headroom
