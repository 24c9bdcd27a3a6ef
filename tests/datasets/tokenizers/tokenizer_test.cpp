#include "datasets/tokenizers/tokenizer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace headroom {
namespace {

using testing::ElementsAre;

TEST(ByteTokenizer, TakesAnyBytes) {
    const auto tokenizer = open_tokenizer("byte", "");
    std::string all;
    for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
    const std::vector<int32_t> ids = tokenizer->encode(all);
    EXPECT_EQ(ids.front(), 0);
    EXPECT_EQ(ids.back(), 255);
    EXPECT_EQ(tokenizer->decode(ids), all);
    EXPECT_THROW(tokenizer->decode(std::vector<int32_t>{256}), UserError);
    EXPECT_EQ(end_of_text(*tokenizer), -1);
}

TEST(CharTokenizer, NumbersTheCharactersInOrder) {
    const auto tokenizer = open_tokenizer("char", "b\naé漢a");
    EXPECT_EQ(tokenizer->vocab_size(), 5);
    EXPECT_THAT(tokenizer->encode("\nabé漢"), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_EQ(tokenizer->decode(std::vector<int32_t>{4, 3, 2, 1, 0}), "漢éba\n");
}

TEST(CharTokenizer, NamesTheCharacterThatItDoesNotKnow) {
    const auto tokenizer = open_tokenizer("char", "abc");
    try {
        tokenizer->encode("abç");
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("U+00E7 \"ç\""));
    }
    EXPECT_THROW(tokenizer->encode("\U0001F600"), UserError);
    EXPECT_THROW(tokenizer->decode(std::vector<int32_t>{3}), UserError);
    EXPECT_THROW(open_tokenizer("char", ""), UserError);
    EXPECT_THROW(open_tokenizer("char", "a\xff"), UserError);
}

TEST(Tokenizer, SurvivesJson) {
    for (const char* spec : {"byte", "char"}) {
        const auto tokenizer = open_tokenizer(spec, "hello wörld");
        const auto again = tokenizer_from_json(nlohmann::json::parse(tokenizer->to_json().dump()));
        EXPECT_EQ(again->name(), spec);
        EXPECT_EQ(again->encode("hello"), tokenizer->encode("hello"));
        EXPECT_EQ(again->vocab_size(), tokenizer->vocab_size());
    }
    EXPECT_THROW(tokenizer_from_json({{"kind", "word"}}), UserError);
    EXPECT_THROW(tokenizer_from_json(3), UserError);
    EXPECT_THROW(tokenizer_from_json({{"kind", "char"}}), UserError);
}

TEST(Tokenizer, UnknownSpellingIsAnErrorWithASuggestion) {
    try {
        open_tokenizer("gtp2:folder", "");
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("did you mean \"gpt2\"?"));
    }
}

}  // namespace
}  // namespace headroom
