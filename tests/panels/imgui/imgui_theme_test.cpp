#include "panels/imgui/imgui_theme.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headroom {
namespace {

Rgb to_rgb(ImVec4 c) {
    const auto byte = [](float v) { return static_cast<uint8_t>(std::lround(255 * v)); };
    return {byte(c.x), byte(c.y), byte(c.z), 255};
}

TEST(ImGuiTheme, AnEmptyRadioButtonIsSeen) {
    for (const Theme* theme : {&light_theme(), &dark_theme()}) {
        ImGuiStyle style;
        apply_theme(style, *theme);
        EXPECT_GE(style.FrameBorderSize, 1);
        EXPECT_GE(contrast(to_rgb(style.Colors[ImGuiCol_Border]), theme->panel), 3)
            << (theme->dark ? "dark" : "light") << ": WCAG 2, 1.4.11";
    }
}

}  // namespace
}  // namespace headroom
