#include "panels/base/theme.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Theme, ContrastFollowsWcag) {
    EXPECT_NEAR(contrast(rgb(0x000000), rgb(0xffffff)), 21.0, 1e-9);
    EXPECT_NEAR(contrast(rgb(0x777777), rgb(0xffffff)), 4.48, 0.01);
    EXPECT_NEAR(contrast(rgb(0xff0000), rgb(0xff0000)), 1.0, 1e-9);
}

TEST(Theme, TextIsReadableOnEveryGround) {
    for (const Theme* theme : {&light_theme(), &dark_theme()}) {
        for (const Rgb ground : {theme->window, theme->panel, theme->raised}) {
            for (const Rgb ink : {theme->text, theme->muted, theme->accent, theme->good,
                                  theme->warning, theme->bad})
                EXPECT_GE(contrast(ink, ground), 4.5) << "dark = " << theme->dark;
        }
        EXPECT_GE(contrast(theme->on_accent, theme->accent), 4.5) << "dark = " << theme->dark;
    }
}

TEST(Theme, WiringMarksStandOutFromTheCanvas) {
    for (const Theme* theme : {&light_theme(), &dark_theme()}) {
        EXPECT_GE(contrast(theme->own, theme->panel), 3.0);
        EXPECT_GE(contrast(theme->reused, theme->panel), 3.0);
    }
}

}  // namespace
}  // namespace headroom
