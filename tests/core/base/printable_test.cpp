#include "core/base/printable.h"

#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace headroom {
namespace {

TEST(Printable, LeavesTextsAsTheyAre) {
    for (const char* text : {"", "skipv1, seed 2", "größer ⏎ 模型 😀", "C:\\x"})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, WritesControlCharactersOut) {
    EXPECT_EQ(printable("x\x1b[31m\x01\n\t\x7f"), "x\\x1b[31m\\x01\\n\\t\\x7f");
    EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
    EXPECT_EQ(printable("\xC2\x9B"), "\\x9b");  // the same as ESC [ to some terminals
}

TEST(Printable, WritesOutWhatTurnsTheDirection) {
    EXPECT_EQ(printable("a\xE2\x80\xAE"
                        "b"),
              "a\\x202eb");
    EXPECT_EQ(printable("\xE2\x81\xA6"
                        "b"),
              "\\x2066b");
    EXPECT_EQ(printable("\xE2\x80\x8F"), "\xE2\x80\x8F")
        << "a mark within a text turns nothing else";
}

TEST(Printable, KeepsTheLinesOfATextThatHasSome) {
    EXPECT_EQ(printable_lines("a\n\tb\n\x1b[2J"), "a\n\tb\n\\x1b[2J");
    EXPECT_EQ(printable_lines(""), "");
    EXPECT_EQ(printable_lines("\n"), "\n");
}

TEST(Printable, ReplacesWhatIsNoUtf8) {
    const std::string r = "\xEF\xBF\xBD";
    EXPECT_EQ(printable("\xFFx"), r + "x");
    EXPECT_EQ(printable("\xE2\x82"), r + r);          // half of a character
    EXPECT_EQ(printable("\xC0\x80"), r + r);          // overlong
    EXPECT_EQ(printable("\xED\xA0\x80"), r + r + r);  // a surrogate
    EXPECT_EQ(printable("\xF4\x90\x80\x80"), r + r + r + r);
}

TEST(Printable, CutsAtAWholeCharacter) {
    EXPECT_EQ(printable("abcdefgh", 8), "abcdefgh");
    EXPECT_EQ(printable("abcdefghi", 8), "abcde...");
    EXPECT_EQ(printable("aéééé", 8), "aéé...");
    EXPECT_EQ(printable("\n\n\n\n\n", 8), "\\n\\n...");
}

TEST(Printable, IsAlwaysUtf8WithinTheLimit) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 20000; ++round) {
        std::string text(random() % 24, '\0');
        for (char& c : text)
            c = static_cast<char>(random() % 3 == 0 ? "\xE2\x82\xAC\x1b\xF0\x9F"[random() % 6]
                                                    : static_cast<int>(random() % 256));
        const std::string shown = printable(text, 20);
        EXPECT_LE(shown.size(), 20u);
        EXPECT_NO_THROW((void)nlohmann::json(shown).dump()) << "no UTF-8";
        for (const char c : shown) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    }
}

}  // namespace
}  // namespace headroom
