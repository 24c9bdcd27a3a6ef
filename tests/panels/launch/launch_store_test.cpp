#include "panels/launch/launch_store.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(LaunchStore, AFormComesBackAsItWas) {
    LaunchInput input;
    EXPECT_EQ(parse_launch_text(launch_text(input)), input);
    input = {.preset = "demo",
             .variants = {"gpt2", "skipv1"},
             .seeds = "1-3",
             .values = {{"train.lr", "1e-3, 2e-3"}, {"data.train", "text:/a \"b\"/ü.txt"}},
             .matched = {"model.d_ff"},
             .sizes = {{"skipv1", {{"model.d_ff", "300"}}}},
             .name = "warm",
             .probes = {{{"heads", "20"}, {"similarity", ""}}},
             .probe_options = "[{\"kind\": \"heads\"}]"};
    EXPECT_EQ(parse_launch_text(launch_text(input)), input);
}

TEST(LaunchStore, AnotherTextIsNoForm) {
    for (const char* text : {"", "{", "null", "[]", "{}", R"({"preset": 3})"})
        EXPECT_EQ(parse_launch_text(text), std::nullopt) << text;
}

}  // namespace
}  // namespace headroom
