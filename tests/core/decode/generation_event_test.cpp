#include "core/decode/generation_event.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

TEST(GenerationEvent, EveryEventComesBackFromItsLine) {
    const GenerationEvent events[] = {
        GenerationStart{5, 100, 26624, 3328, "float32"}, PromptRead{0.25},
        GeneratedToken{{195, "\\xC3", 0.5}, "", {{195, "\\xC3", 0.5}, {9, "a", 0.25}}, 1.5},
        GenerationEnd{"length", "", 3, 12.5}};
    for (const GenerationEvent& event : events) {
        const std::string line = to_line(event);
        EXPECT_EQ(line.find('\n'), std::string::npos);
        EXPECT_EQ(parse_generation_event(line), event) << line;
    }
}

TEST(GenerationEvent, ALineBreakInATokenStaysInItsLine) {
    const std::string line = to_line(GeneratedToken{{10, "\n", 1}, "\n", {}, 0});
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(std::get<GeneratedToken>(parse_generation_event(line)).text, "\n");
}

TEST(GenerationEvent, BytesThatAreNoTextAreReplaced) {
    const auto read = parse_generation_event(to_line(GenerationEnd{"length", "\xc3", 1, 0}));
    EXPECT_EQ(std::get<GenerationEnd>(read).text, "\xef\xbf\xbd");
}

TEST(GenerationEvent, KeysOfLaterVersionsAreIgnored) {
    EXPECT_EQ(parse_generation_event(R"({"event": "prompt", "seconds": 2, "watts": 3})"),
              GenerationEvent(PromptRead{2}));
}

TEST(GenerationEvent, AnythingElseIsRefused) {
    for (const char* line :
         {"", "{", "[]", "3", R"({"event": "song"})", R"({"event": "prompt"})", R"({"event": 7})",
          R"({"event": "prompt", "seconds": "2"})", R"({"event": "token", "id": 1})",
          R"({"event": "token", "id": 1e300, "token": "a", "text": "a", "probability": 1,
              "seconds": 1, "likeliest": []})",
          R"({"event": "token", "id": -1, "token": "a", "text": "a", "probability": 1,
              "seconds": 1, "likeliest": []})",
          R"({"event": "end", "reason": "length", "text": "", "tokens": 1.5,
              "tokens_per_second": 1})"})
        EXPECT_THROW(parse_generation_event(line), UserError) << line;
}

}  // namespace
}  // namespace headroom
