#include "core/base/utf8.h"

#include <string>

#include <gtest/gtest.h>

namespace headroom {
namespace {

constexpr size_t kNone = std::string_view::npos;

TEST(Utf8, EveryScalarValueSurvives) {
    std::string text;
    for (char32_t c = 0; c < 0x110000; ++c)
        if (c < 0xd800 || c > 0xdfff) append_utf8(text, c);
    EXPECT_EQ(find_invalid_utf8(text), kNone);
    size_t at = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
        if (c < 0xd800 || c > 0xdfff) {
            ASSERT_EQ(next_code_point(text, at), c);
        }
    }
    EXPECT_EQ(at, text.size());
}

TEST(Utf8, FindsTheFirstBadByte) {
    EXPECT_EQ(find_invalid_utf8("abc"), kNone);
    EXPECT_EQ(find_invalid_utf8("ab\x80"), 2u);            // a continuation alone
    EXPECT_EQ(find_invalid_utf8("a\xc3"), 1u);             // cut off
    EXPECT_EQ(find_invalid_utf8("\xc0\xaf"), 0u);          // overlong
    EXPECT_EQ(find_invalid_utf8("\xe0\x80\xaf"), 0u);      // overlong
    EXPECT_EQ(find_invalid_utf8("x\xed\xa0\x80"), 1u);     // a surrogate
    EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0u);  // above U+10FFFF
    EXPECT_EQ(find_invalid_utf8("\xf5\x80\x80\x80"), 0u);
    EXPECT_EQ(find_invalid_utf8("\xff"), 0u);
}

TEST(Utf8, CountsAndCutsBetweenCharacters) {
    const std::string text = "na\xc3\xafve \xf0\x9f\x99\x82";
    EXPECT_EQ(count_characters(text), 7u);
    EXPECT_EQ(count_characters(""), 0u);
    EXPECT_EQ(cut_between_characters(text, 3), 2u);
    EXPECT_EQ(cut_between_characters(text, 4), 4u);
    EXPECT_EQ(cut_between_characters(text, 10), 7u);
    EXPECT_EQ(cut_between_characters(text, 11), 11u);
    EXPECT_EQ(cut_between_characters(text, 100), 11u);
    EXPECT_EQ(cut_between_characters("\x80\x80", 1), 0u) << "nothing begins there";
}

TEST(Utf8, TellsTheFirstCharacter) {
    EXPECT_EQ(first_character("a\xff").code, U'a');
    const Utf8Character smile = first_character("\xf0\x9f\x99\x82!");
    EXPECT_EQ(smile.bytes, 4u);
    EXPECT_EQ(smile.code, char32_t{0x1f642});
    EXPECT_EQ(first_character("\xed\xa0\x80").bytes, 0u) << "a surrogate";
}

}  // namespace
}  // namespace headroom
