#include "panels/inspector/attention_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "panels/inspector/inspector_text.h"
#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

using testing::HasSubstr;

AttentionFigureSettings of_head(int layer, int head) {
    AttentionFigureSettings settings;
    settings.head = {layer, head};
    settings.colors.range = RangeMode::kFull;
    return settings;
}

std::string refusal(const std::vector<MapSourcePointer>& sources,
                    const AttentionFigureSettings& settings) {
    try {
        build_attention_figure(sources, settings);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

TEST(AttentionFigure, HoldsTheEntriesOfTheHead) {
    const HeatmapFigure figure = build_attention_figure({example_source(300)}, of_head(1, 2));
    ASSERT_EQ(figure.panels.size(), 1u);
    const HeatmapPanel& panel = figure.panels[0];
    ASSERT_EQ(panel.rows, 300);
    EXPECT_EQ(panel.mask, HeatmapMask::kAboveDiagonal);
    for (int64_t q = 0; q < 300; q += 7)
        for (int64_t k = 0; k <= q; ++k)
            EXPECT_EQ(panel.at(q, k), static_cast<double>(example_entry(1, 2, q, k)));
    EXPECT_EQ(panel.row_axis.names[17], "t17");
    EXPECT_EQ(figure.scale.map, ColorMap::kViridis);
}

TEST(AttentionFigure, RunsShareOneScale) {
    const auto twice = [](int l, int h, int64_t q, int64_t k) {
        return 2 * example_entry(l, h, q, k);
    };
    const auto other = std::make_shared<MemorySource>(example_info(40), twice);
    const HeatmapFigure figure = build_attention_figure({example_source(40), other}, of_head(0, 0));
    EXPECT_EQ(figure.panels.size(), 2u);
    EXPECT_GT(figure.scale.upper, 1.5);
}

TEST(AttentionFigure, SaysWhichMapsAreOfOtherTokens) {
    const HeatmapFigure alike =
        build_attention_figure({example_source(40), example_source(40)}, of_head(0, 0));
    EXPECT_EQ(alike.footnote, "Layer 0, head 0.");
    MapInfo info = example_info(41);
    info.title = "longer";
    const auto other = std::make_shared<MemorySource>(info, example_entry);
    EXPECT_EQ(build_attention_figure({example_source(40), other}, of_head(0, 0)).footnote,
              "Layer 0, head 0. Not on the same tokens as example: longer.");
}

TEST(AttentionFigure, DifferencesAreOtherMinusFirstWithZeroInTheMiddle) {
    const auto other = std::make_shared<MemorySource>(
        example_info(40), [](int, int, int64_t, int64_t) { return 0.25f; });
    AttentionFigureSettings settings = of_head(0, 1);
    settings.colors.compare = CompareMode::kDifference;
    const HeatmapFigure figure = build_attention_figure({example_source(40), other}, settings);
    ASSERT_EQ(figure.panels.size(), 1u);
    EXPECT_FLOAT_EQ(static_cast<float>(figure.panels[0].at(9, 4)),
                    0.25f - example_entry(0, 1, 9, 4));
    EXPECT_DOUBLE_EQ(figure.scale.place(0), 0.5);
    EXPECT_THAT(refusal({example_source(40)}, settings), HasSubstr("needs two records"));
    EXPECT_THAT(refusal({example_source(40), example_source(41)}, settings),
                HasSubstr("40 tokens"));
}

TEST(AttentionFigure, AStepThatAllMapsShareIsSaidOnce) {
    const auto named = [](const std::string& title) {
        MapInfo info = example_info(10);
        info.title = title;
        return std::make_shared<MemorySource>(info, example_entry);
    };
    HeatmapFigure figure = build_attention_figure(
        {named("base, seed 1 · step 200"), named("skip, seed 1 · step 200")}, of_head(0, 0));
    EXPECT_EQ(figure.panels[0].name, "base, seed 1");
    EXPECT_EQ(figure.panels[1].name, "skip, seed 1");
    EXPECT_THAT(figure.footnote, HasSubstr("All: step 200."));
    figure =
        build_attention_figure({named("base · step 100"), named("base · step 200")}, of_head(0, 0));
    EXPECT_EQ(figure.panels[1].name, "base · step 200");
    EXPECT_EQ(build_attention_figure({named("base · step 100")}, of_head(0, 0)).panels[0].name,
              "base · step 100");
}

TEST(AttentionFigure, LargeMapsAreDrawnInCoarserCellsAndSaySo) {
    AttentionFigureSettings settings = of_head(0, 0);
    settings.most_cells = 100;
    const auto source = example_source(300);
    const HeatmapFigure figure = build_attention_figure({source}, settings);
    EXPECT_EQ(figure.panels[0].rows, 75);
    EXPECT_NEAR(figure.panels[0].at(20, 3), source->cell({}, 4, 20, 3), 1e-6);
    EXPECT_EQ(figure.panels[0].row_axis.names[5], "20");
    EXPECT_THAT(figure.footnote, HasSubstr("mean of 4 × 4 entries"));
}

TEST(AttentionFigure, WhatIsNotThereIsRefused) {
    EXPECT_THAT(refusal({example_source(9)}, of_head(2, 0)), HasSubstr("has no layer 2"));
    EXPECT_THAT(refusal({example_source(9)}, of_head(0, 3)), HasSubstr("give --head 0 to 2"));
    AttentionFigureSettings logits = of_head(0, 0);
    logits.colors.signal = MapSignal::kLogits;
    EXPECT_THAT(refusal({example_source(9)}, logits), HasSubstr("holds no logits"));
}

/// A class token and 3 x 3 patches.
MapInfo picture_info() {
    MapInfo info = example_info(10);
    info.causal = false;
    info.tokens = {"cls", "r0c0", "r0c1", "r0c2", "r1c0", "r1c1", "r1c2", "r2c0", "r2c1", "r2c2"};
    info.patch_columns = 3;
    info.first_patch = 1;
    return info;
}

TEST(AttentionFigure, OneQueryOfAnImageLiesOverThePicture) {
    const auto source = std::make_shared<MemorySource>(picture_info(), example_entry);
    AttentionFigureSettings settings = of_head(1, 0);
    for (const auto& [query, position] :
         {std::pair<std::string, int64_t>{"cls", 0}, {"r1c2", 6}, {"9", 9}}) {
        settings.query = query;
        const HeatmapFigure figure = build_attention_figure({source}, settings);
        const HeatmapPanel& panel = figure.panels[0];
        ASSERT_EQ(panel.rows, 3);
        ASSERT_EQ(panel.columns, 3);
        EXPECT_EQ(panel.mask, HeatmapMask::kNone);
        EXPECT_THAT(
            figure.footnote,
            HasSubstr("Outside it (cls): " +
                      format_entry(static_cast<double>(example_entry(1, 0, position, 0)), 3)));
        for (int64_t row = 0; row < 3; ++row)
            for (int64_t column = 0; column < 3; ++column)
                EXPECT_EQ(panel.at(row, column),
                          static_cast<double>(example_entry(1, 0, position, 1 + 3 * row + column)));
    }
    const HeatmapFigure atlas = build_attention_atlas(source, settings);
    EXPECT_EQ(atlas.panels.size(), static_cast<size_t>(picture_info().n_layer) *
                                       static_cast<size_t>(picture_info().n_head));
    EXPECT_EQ(atlas.panels[0].rows, 3);
    EXPECT_THAT(atlas.footnote, HasSubstr("What r2c2 attends to"));
    settings.query = "r3c0";
    EXPECT_THAT(refusal({source}, settings), HasSubstr("has no position"));
    EXPECT_THAT(refusal({example_source(10)}, settings), HasSubstr("is of a text"));
}

TEST(AttentionFigure, ThePictureLiesUnderTheHeat) {
    MapInfo info = picture_info();
    AttentionFigureSettings settings = of_head(0, 0);
    settings.query = "mean";
    settings.picture = true;
    settings.colors.heat = 0.25;
    info.picture.problem = "the record keeps no picture";
    EXPECT_THAT(refusal({std::make_shared<MemorySource>(info, example_entry)}, settings),
                HasSubstr("keeps no picture"));
    info.picture = {
        std::make_shared<const SquarePicture>(SquarePicture{6, std::vector<uint8_t>(6 * 6 * 3, 9)}),
        ""};
    const HeatmapFigure figure =
        build_attention_figure({std::make_shared<MemorySource>(info, example_entry)}, settings);
    const auto& ground = figure.panels[0].ground;
    ASSERT_NE(ground, nullptr);
    EXPECT_EQ(ground->side, 6);
    EXPECT_EQ(ground->pixels, info.picture.picture->pixels);
    EXPECT_EQ(ground->cover, 0.25);
    EXPECT_THAT(figure.footnote, HasSubstr("all positions on average attend to"));
    EXPECT_THAT(figure.footnote, HasSubstr("25 %"));
    settings.colors.heat = 0;
    EXPECT_THAT(
        build_attention_figure({std::make_shared<MemorySource>(info, example_entry)}, settings)
            .footnote,
        HasSubstr("in its own colours"));
}

TEST(AttentionFigure, AnAtlasHasAllHeads) {
    const HeatmapFigure figure = build_attention_atlas(example_source(200), of_head(0, 0));
    ASSERT_EQ(figure.panels.size(), 6u);
    EXPECT_EQ(figure.panels[5].name, "1.2");
    EXPECT_EQ(figure.panels[5].rows, 50);
}

}  // namespace
}  // namespace headroom
