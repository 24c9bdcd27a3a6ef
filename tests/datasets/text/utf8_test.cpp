#include "datasets/text/utf8.h"

#include <string>

#include <gtest/gtest.h>

#include "datasets/text/utf8_stream.h"

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

TEST(Utf8Stream, PiecesEndBetweenCharacters) {
    std::string text = "a";
    for (const char32_t c : {0xe9, 0x20ac, 0x1f600, 0x7f}) append_utf8(text, c);
    Utf8Stream stream;
    std::string whole;
    for (const char byte : text) {
        const std::string piece = stream.take({&byte, 1});
        EXPECT_EQ(find_invalid_utf8(piece), kNone);
        whole += piece;
    }
    EXPECT_EQ(whole, text);
    EXPECT_EQ(stream.rest(), "");
}

TEST(Utf8Stream, BytesThatAreNoTextPassAtOnceAndUnchanged) {
    Utf8Stream stream;
    EXPECT_EQ(stream.take("\x80\xff\xc0"), "\x80\xff\xc0");
    EXPECT_EQ(stream.take("\xe0\x80"), "\xe0\x80") << "overlong: nothing can complete it";
    EXPECT_EQ(stream.take("\xe2\x82"), "");
    EXPECT_EQ(stream.take("x"), "\xe2\x82x") << "what it waited for did not come";
    EXPECT_EQ(stream.take("\xf0\x9f\x98"), "");
    EXPECT_EQ(stream.rest(), "\xf0\x9f\x98");
    EXPECT_EQ(stream.rest(), "");
}

}  // namespace
}  // namespace headroom
