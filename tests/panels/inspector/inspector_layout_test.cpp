#include "panels/inspector/inspector_layout.h"

#include <cmath>

#include <gtest/gtest.h>

#include "panels/inspector/atlas_layout.h"
#include "panels/inspector/inspector_text.h"
#include "panels/inspector/token_labels.h"
#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

bool overlap(const PixelBox& a, const PixelBox& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

TEST(AtlasLayout, EveryHeadIsFoundAtItsOwnCentre) {
    for (const auto& [layers, heads] : {std::pair{1, 1}, {4, 4}, {12, 12}, {48, 64}}) {
        const AtlasLayout layout({10, 20, 500, 400}, layers, heads, 20);
        for (int l = 0; l < layers; ++l)
            for (int h = 0; h < heads; ++h) {
                const PixelBox cell = layout.cell({l, h});
                EXPECT_EQ(layout.head_at(cell.x + cell.width / 2, cell.y + cell.height / 2),
                          (HeadId{l, h}));
            }
        EXPECT_EQ(layout.head_at(9, 100), std::nullopt);
        EXPECT_EQ(layout.head_at(layout.grid().x + heads * layout.pitch() + 1, 100), std::nullopt);
    }
}

TEST(AtlasLayout, TheGridFitsItsBox) {
    const PixelBox box{0, 0, 300, 500};
    const PixelBox grid = AtlasLayout(box, 12, 12, 24).grid();
    EXPECT_LE(grid.x + grid.width, 300);
    EXPECT_GE(grid.width, 250);
}

TEST(AtlasLayout, NumbersAreThinnedWhereTheyWouldTouch) {
    EXPECT_EQ(AtlasLayout({0, 0, 800, 800}, 4, 4, 20).label_every(16), 1);
    EXPECT_GE(AtlasLayout({0, 0, 200, 200}, 48, 64, 20).label_every(16), 5);
}

TEST(AtlasLayout, StepsEndAtTheEdges) {
    EXPECT_EQ(stepped({0, 0}, -1, -1, 4, 4), (HeadId{0, 0}));
    EXPECT_EQ(stepped({3, 3}, 1, 1, 4, 4), (HeadId{3, 3}));
    EXPECT_EQ(stepped({1, 2}, 1, -1, 4, 4), (HeadId{2, 1}));
}

TEST(InspectorLayout, PartsLieBesideEachOtherOnTheCanvas) {
    for (const auto& [width, height] : {std::pair{960.0, 600.0}, {500.0, 800.0}, {1900.0, 1000.0}})
        for (size_t panes = 1; panes <= 4; ++panes)
            for (const bool atlas : {true, false}) {
                const InspectorLayout layout = arrange_inspector({.width = width,
                                                                  .height = height,
                                                                  .n_layer = 12,
                                                                  .n_head = 12,
                                                                  .panes = panes,
                                                                  .atlas = atlas,
                                                                  .atlas_named = true});
                std::vector<PixelBox> parts = layout.panes;
                ASSERT_EQ(parts.size(), panes);
                parts.push_back(layout.readout);
                parts.push_back(layout.color_bar);
                parts.push_back(layout.color_name);
                if (atlas) parts.push_back(layout.atlas);
                // A name stands in what an atlas above leaves free.
                const bool beside = layout.atlas.y > 0;
                if (beside) parts.push_back(layout.atlas_name);
                EXPECT_EQ(layout.atlas_name.width > 0, atlas);
                for (const PixelBox& pane : layout.panes)
                    EXPECT_FALSE(overlap(pane, layout.atlas_name)) << width << " " << panes;
                for (size_t i = 0; i < parts.size(); ++i) {
                    EXPECT_GE(parts[i].x, 0);
                    EXPECT_LE(parts[i].x + parts[i].width, width + 1e-9);
                    EXPECT_LE(parts[i].y + parts[i].height, height + 1e-9);
                    for (size_t j = 0; j < i; ++j)
                        EXPECT_FALSE(overlap(parts[i], parts[j]))
                            << width << " " << panes << " " << i << " and " << j;
                }
            }
}

TEST(InspectorLayout, WideCanvasesPutPanesInARow) {
    const auto layout =
        arrange_inspector({.width = 1800, .height = 500, .panes = 3, .atlas = false});
    EXPECT_EQ(layout.panes[0].y, layout.panes[2].y);
    const auto square =
        arrange_inspector({.width = 900, .height = 900, .panes = 4, .atlas = false});
    EXPECT_GT(square.panes[2].y, square.panes[0].y);
}

// M17
TEST(InspectorLayout, TheColourBarStandsBesideAnAtlasThatIsAboveTheMaps) {
    const auto layout = arrange_inspector(
        {.width = 1010, .height = 700, .n_layer = 4, .n_head = 4, .panes = 2, .line = 17});
    EXPECT_DOUBLE_EQ(layout.panes[1].x + layout.panes[1].width, 1010) << "maps have the width";
    EXPECT_GE(layout.color_bar.x, layout.atlas.x + layout.atlas.width);
    EXPECT_LE(layout.color_bar.y + layout.color_bar.height, layout.panes[1].y);
    EXPECT_GE(layout.color_bar.height, 3 * 17);
}

TEST(TokenLabels, BlanksAndControlCharactersAreVisible) {
    EXPECT_EQ(token_text(" the"), "·the");
    EXPECT_EQ(token_text("\n"), "↵");
    EXPECT_EQ(token_text(std::string_view("\x01", 1)), "\\x01");
    EXPECT_EQ(token_text("\xc3"), "\\xc3");  // half of a character
    EXPECT_EQ(token_text("é"), "é");
    EXPECT_EQ(token_text("abcdefgh", 3), "abc…");
}

TEST(TokenLabels, AreAllThereAtZoomAndThinnedWhenSmall) {
    const auto tokens = example_info(100).tokens;
    const auto all = axis_labels(tokens, 10, 20, 20, 16);
    ASSERT_EQ(all.size(), 10u);
    EXPECT_EQ(all[0].text, "t10");
    const auto some = axis_labels(tokens, 0, 100, 2, 16);
    ASSERT_EQ(some.size(), 10u);
    EXPECT_EQ(some[3].position, 30);
    EXPECT_EQ(some[3].text, "30 t30");
}

TEST(InspectorText, AnEntryIsReadOutWithItsTokens) {
    const MapInfo info = example_info(30);
    EXPECT_EQ(entry_text(info, {17, 4}), "query 17 “t17” → key 4 “t4”");
    EXPECT_EQ(value_text(info, {17, 4}, 0.123456789), "0.123457");
    EXPECT_EQ(value_text(info, {4, 17}, std::nullopt), "masked: the key comes after the query");
    EXPECT_EQ(value_text(info, {17, 4}, std::nullopt), "…");
    EXPECT_EQ(value_text(info, {17, 4}, std::nanf("")), "NaN");
    EXPECT_EQ(format_entry(-0.5), "−0.5");
    EXPECT_EQ(format_entry(0.0155039, 3), "0.0155") << "of many there are three digits";
}

TEST(InspectorText, MarginsNameTheLargest) {
    const MemorySource source(example_info(20), [](int, int, int64_t q, int64_t k) {
        return q == 10 && k == 3 ? 0.5f : 0.0f;
    });
    const std::string text = margins_text(source.info(), {10, 3}, measure_head(source, {}));
    EXPECT_NE(text.find("row: sum 0.5"), std::string::npos) << text;
    EXPECT_NE(text.find("largest 0.5 at key 3 “t3”"), std::string::npos) << text;
    EXPECT_NE(text.find("largest 0.5 at query 10 “t10”"), std::string::npos) << text;
}

TEST(ArrangePicture, TheHeatKeepsItsSizeAndThePictureStandsInWhatIsLeft) {
    for (const auto& [width, height] : {std::pair{900.0, 300.0}, {500.0, 300.0}, {300.0, 460.0}}) {
        const PictureBoxes boxes = arrange_picture({10, 20, width, height}, 25);
        ASSERT_TRUE(boxes.picture);
        const double side = std::min(boxes.heat.width, boxes.heat.height);
        EXPECT_EQ(side, 300);
        EXPECT_GE(boxes.picture->width, 48);
        EXPECT_EQ(boxes.picture->width, boxes.picture->height);
        EXPECT_LE(boxes.picture->x + boxes.picture->width, 10 + width + 1e-9);
        EXPECT_LE(boxes.picture->y + boxes.picture->height, 20 + height + 1e-9);
        const bool beside = width > height;
        const double middle =
            beside ? boxes.heat.x + boxes.heat.width / 2 : boxes.heat.y + boxes.heat.height / 2;
        EXPECT_NEAR((beside ? boxes.picture->x : boxes.picture->y) - middle, 150 + 25, 1e-9);
    }
    EXPECT_FALSE(arrange_picture({0, 0, 360, 300}, 25).picture);
    EXPECT_EQ(arrange_picture({0, 0, 360, 300}, 25).heat.width, 360);
}

}  // namespace
}  // namespace headroom
