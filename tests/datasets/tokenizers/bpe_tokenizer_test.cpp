#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "datasets/tokenizers/bpe_vocabulary.h"
#include "datasets/tokenizers/tokenizer.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::string kFixtures = (source_tree() / "tests/datasets/fixtures").string();
const std::string kGpt2 = (source_tree() / "../shared/data/gpt2-bpe").string();

/// Lines of bpe_golden.txt: [text, small, small with specials, GPT-2, GPT-2 with specials].
std::vector<json> golden_lines() {
    std::ifstream file(kFixtures + "/bpe_golden.txt");
    std::vector<json> lines;
    for (std::string line; std::getline(file, line);)
        if (line[0] != '#') lines.push_back(json::parse(line));
    return lines;
}

void expect_golden(const Tokenizer& tokenizer, size_t column) {
    const std::vector<json> lines = golden_lines();
    ASSERT_GE(lines.size(), 40u);
    for (const json& line : lines) {
        const std::string text = line[0];
        const std::vector<int32_t> ids = tokenizer.encode(text);
        EXPECT_EQ(ids, line[column].get<std::vector<int32_t>>()) << line[0];
        EXPECT_EQ(tokenizer.decode(ids), text);
        EXPECT_EQ(tokenizer.encode_special(text), line[column + 1].get<std::vector<int32_t>>())
            << line[0];
    }
}

TEST(BpeTokenizer, EncodesAsTiktokenWithASmallVocabulary) {
    const auto tokenizer = make_gpt2_tokenizer(kFixtures);
    EXPECT_EQ(tokenizer->vocab_size(), 757);
    EXPECT_EQ(end_of_text(*tokenizer), 756);
    expect_golden(*tokenizer, 1);
}

TEST(BpeTokenizer, ReadsTheSameVocabularyFromTokenizerJson) {
    expect_golden(*make_json_tokenizer(kFixtures + "/tokenizer.json"), 1);
}

TEST(BpeTokenizer, IsOneVocabularyWhateverFilesItIsReadFrom) {
    const auto gpt2 = make_gpt2_tokenizer(kFixtures);
    EXPECT_TRUE(is_same_vocabulary(*gpt2, *make_json_tokenizer(kFixtures + "/tokenizer.json")));
    EXPECT_FALSE(is_same_vocabulary(*gpt2, *make_json_tokenizer(kFixtures + "/llama.json")));
    EXPECT_FALSE(is_same_vocabulary(*gpt2, *make_byte_tokenizer()));
    EXPECT_FALSE(is_same_vocabulary(*make_char_tokenizer("abc"), *make_char_tokenizer("bcd")));
    EXPECT_FALSE(is_same_vocabulary(*make_char_tokenizer("abcdefghijklmnopqrsté"),
                                    *make_char_tokenizer("abcdefghijklmnopqrstü")))
        << "one letter is another text";
    EXPECT_TRUE(is_same_vocabulary(*make_char_tokenizer("abcdefghij"),
                                   *make_char_tokenizer("abcdefghijkl")))
        << "extended";
}

TEST(BpeTokenizer, EncodesAsTiktokenWithTheVocabularyOfGpt2) {
    if (!std::filesystem::exists(kGpt2)) GTEST_SKIP() << kGpt2 << " is absent";
    const auto tokenizer = open_tokenizer("gpt2:" + kGpt2, "");
    EXPECT_EQ(tokenizer->vocab_size(), 50257);
    EXPECT_EQ(end_of_text(*tokenizer), 50256);
    expect_golden(*tokenizer, 3);
}

TEST(BpeTokenizer, CountsTinyShakespeareAsNanoGptDoes) {
    const std::string path = (source_tree() / "../shared/data/tinyshakespeare/input.txt").string();
    if (!std::filesystem::exists(kGpt2) || !std::filesystem::exists(path))
        GTEST_SKIP() << kGpt2 << " or " << path << " is absent";
    const std::string text = read_text(path);
    const auto tokenizer = make_gpt2_tokenizer(kGpt2);
    const std::vector<int32_t> ids = tokenizer->encode(text);
    EXPECT_EQ(ids.size(), 338025u);  // nanoGPT data/shakespeare: 301,966 + 36,059
    EXPECT_EQ(tokenizer->decode(ids), text);
}

TEST(BpeTokenizer, LongPiecesTakeNoQuadraticTime) {
    const auto tokenizer = make_gpt2_tokenizer(kFixtures);
    const std::string text(400'000, 'e');  // one piece; quadratic merging would take hours
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
}

TEST(BpeTokenizer, ThreadsGetTheSameTokens) {
    const auto tokenizer = make_gpt2_tokenizer(kFixtures);
    const std::string text = "To be, or not to be, that is the question:\n";
    const std::vector<int32_t> expected = make_gpt2_tokenizer(kFixtures)->encode(text);
    std::vector<std::vector<int32_t>> found(8);
    std::vector<std::thread> threads;
    for (auto& ids : found) threads.emplace_back([&] { ids = tokenizer->encode(text); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(found, testing::Each(expected));
}

TEST(BpeTokenizer, RefusesTextThatIsNotUtf8AndUnknownIds) {
    const auto tokenizer = make_gpt2_tokenizer(kFixtures);
    EXPECT_THROW(tokenizer->encode("ab\xff"), UserError);
    EXPECT_THROW(tokenizer->decode(std::vector<int32_t>{757}), UserError);
    EXPECT_THROW(tokenizer->decode(std::vector<int32_t>{-1}), UserError);
}

TEST(BpeTokenizer, JsonNamesTheVocabulary) {
    const auto tokenizer = make_gpt2_tokenizer(kFixtures);
    const json description = tokenizer->to_json();
    EXPECT_EQ(tokenizer_from_json(description)->encode("the end"), tokenizer->encode("the end"));
    json other = description;
    other["vocabulary_hash"] = "0000000000000000";
    EXPECT_THROW(tokenizer_from_json(other), UserError);
}

/// Vocabulary files with one thing wrong, made from the fixtures.
class BpeFiles : public testing::Test {
  protected:
    std::string message_of_folder(const json& encoder, const std::string& merges) {
        std::ofstream(folder_ / "encoder.json") << encoder;
        std::ofstream(folder_ / "vocab.bpe") << merges;
        try {
            load_gpt2_vocabulary(folder_.path().string());
        } catch (const UserError& error) {
            return error.what();
        }
        return "no error";
    }

    TemporaryFolder folder_;
    json encoder_ = json::parse(read_text(kFixtures + "/encoder.json"));
    std::string merges_ = read_text(kFixtures + "/vocab.bpe");
};

TEST_F(BpeFiles, AreReadAsTheyAre) {
    EXPECT_EQ(message_of_folder(encoder_, merges_), "no error");
}

TEST_F(BpeFiles, RefusesBadIds) {
    json encoder = encoder_;
    encoder["the"] = encoder_["and"];
    EXPECT_THAT(message_of_folder(encoder, merges_), HasSubstr("belongs to two tokens"));
    encoder["the"] = 4'000'000'000;
    EXPECT_THAT(message_of_folder(encoder, merges_), HasSubstr("impossible id 4000000000"));
    encoder["the"] = -1;
    EXPECT_THAT(message_of_folder(encoder, merges_), HasSubstr("impossible id -1"));
    encoder["the"] = "x";
    EXPECT_THAT(message_of_folder(encoder, merges_), HasSubstr("the id of \"the\" is \"x\""));
    EXPECT_THAT(message_of_folder(json::array(), merges_), HasSubstr("not a JSON object"));
}

TEST_F(BpeFiles, RefusesMissingBytes) {
    json encoder = encoder_;
    encoder.erase("A");
    EXPECT_THAT(message_of_folder(encoder, "#version: 0.2\n"), HasSubstr("byte 65"));
}

TEST_F(BpeFiles, RefusesBadMerges) {
    EXPECT_THAT(message_of_folder(encoder_, merges_ + "a\n"), HasSubstr("merge 500"));
    EXPECT_THAT(message_of_folder(encoder_, merges_ + "a b c\n"), HasSubstr("merge 500"));
    EXPECT_THAT(message_of_folder(encoder_, merges_ + "Q Q\n"), HasSubstr("\"QQ\", which is not"));
    EXPECT_THAT(message_of_folder(encoder_, merges_ + "Ġ t\n"), HasSubstr("stands there twice"));
    EXPECT_THAT(message_of_folder(encoder_, std::string("\0\xff \0\n", 5)), HasSubstr("merge 0"));
}

TEST_F(BpeFiles, AreRefusedByNameWhenMissing) {
    EXPECT_THROW(load_gpt2_vocabulary("/no/such/folder"), UserError);
    EXPECT_THROW(make_json_tokenizer("/no/such/file"), UserError);
    EXPECT_THROW(open_tokenizer("gpt2:", ""), UserError);
}

}  // namespace
}  // namespace headroom
