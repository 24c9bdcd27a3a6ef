#include "datasets/text/utf8_stream.h"

#include <string>

#include <gtest/gtest.h>

#include "core/base/utf8.h"

namespace headroom {
namespace {

constexpr size_t kNone = std::string_view::npos;

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
