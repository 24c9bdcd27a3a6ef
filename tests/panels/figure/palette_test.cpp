#include "panels/figure/palette.h"

#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "panels/base/theme.h"

namespace headroom {
namespace {

TEST(Palette, EveryColourStandsOutFromItsGround) {
    for (const bool dark : {false, true})
        for (int i = 0; i < kPaletteSize; ++i)
            EXPECT_GE(contrast(palette_color(i, dark), figure_theme(dark).ground), 2.0)
                << i << (dark ? " on dark" : " on light");
}

TEST(Palette, TextIsReadableInBothThemes) {
    for (const bool dark : {false, true}) {
        const FigureTheme& theme = figure_theme(dark);
        EXPECT_GE(contrast(theme.ink, theme.ground), 7.0);
        EXPECT_GE(contrast(theme.muted, theme.ground), 4.5);
    }
}

TEST(RunStyle, SixteenRunsDifferAndEightDifferInGrey) {
    std::set<std::tuple<int, LineDash, Marker>> looks;
    std::set<std::tuple<LineDash, Marker>> grey;
    for (int run = 0; run < 16; ++run) {
        const LineStyle style = run_style(run);
        looks.insert({style.color, style.dash, style.marker});
        if (run < 8) grey.insert({style.dash, style.marker});
    }
    EXPECT_EQ(looks.size(), 16u);
    EXPECT_EQ(grey.size(), 8u);
}

}  // namespace
}  // namespace headroom
