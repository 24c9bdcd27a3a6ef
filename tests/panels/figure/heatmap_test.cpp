#include <QImage>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/figure/heatmap_page.h"
#include "panels/figure/heatmap_painter.h"
#include "panels/figure/palette.h"

namespace headroom {
namespace {

using testing::HasSubstr;

const double kNan = std::nan("");

HeatmapPanel panel_of(const std::string& name, int64_t rows, int64_t columns,
                      std::vector<double> values) {
    HeatmapPanel panel;
    panel.name = name;
    panel.rows = rows;
    panel.columns = columns;
    panel.values = make_column(std::move(values));
    panel.row_axis = panel.column_axis = {"head"};
    return panel;
}

HeatmapFigure two_maps() {
    HeatmapFigure figure;
    figure.panels = {panel_of("baseline", 2, 2, {1, 0.5, 0.5, 1}),
                     panel_of("skipv1", 2, 2, {1, 0, 0, 1})};
    figure.value_label = "cosine similarity";
    figure.value_column = "cosine";
    figure.scale = make_color_scale({}, unmasked_values(figure.panels));
    return figure;
}

Rgb rgb_at(const QImage& image, int x, int y) {
    const QColor colour = image.pixelColor(x, y);
    return {static_cast<uint8_t>(colour.red()), static_cast<uint8_t>(colour.green()),
            static_cast<uint8_t>(colour.blue()), 255};
}

TEST(HeatmapImage, ShowsEveryCellInItsColourRowZeroOnTop) {
    const HeatmapPanel panel = panel_of("a", 2, 3, {0, 1, 2, 3, 4, 5});
    const ColorScale scale{ColorMap::kMagma, 0, 5};
    const QImage image = heatmap_image(panel, scale, false, 30);
    ASSERT_EQ(image.size(), QSize(30, 20));
    for (int row = 0; row < 2; ++row)
        for (int column = 0; column < 3; ++column)
            for (const int offset : {0, 9})
                EXPECT_EQ(rgb_at(image, column * 10 + offset, row * 10 + offset),
                          color_at(ColorMap::kMagma, (row * 3 + column) / 5.0));
}

TEST(HeatmapImage, LetsAGroundShowThrough) {
    HeatmapPanel panel = panel_of("a", 2, 2, {0, 1, 2, 3});
    HeatmapGround ground{4, {}, 0.25};
    for (int pixel = 0; pixel < 16; ++pixel)
        for (int c = 0; c < 3; ++c) ground.pixels.push_back(static_cast<uint8_t>(pixel * 10 + c));
    panel.ground = std::make_shared<const HeatmapGround>(ground);
    const ColorScale scale{ColorMap::kMagma, 0, 3};
    const QImage image = heatmap_image(panel, scale, false, 11);
    ASSERT_EQ(image.size(), QSize(12, 12));  // three for each of the ground's pixels
    for (int y = 0; y < 12; ++y)
        for (int x = 0; x < 12; ++x) {
            const Rgb over = color_at(ColorMap::kMagma, (y / 6 * 2 + x / 6) / 3.0);
            const int under = (y / 3 * 4 + x / 3) * 10;
            EXPECT_NEAR(rgb_at(image, x, y).r, 0.25 * over.r + 0.75 * under, 0.51);
            EXPECT_NEAR(rgb_at(image, x, y).b, 0.25 * over.b + 0.75 * (under + 2), 0.51);
        }
}

TEST(HeatmapImage, GivesMaskNanAndInfinityTheirOwnColours) {
    HeatmapPanel panel = panel_of("a", 2, 2, {kNan, 7, std::numeric_limits<double>::infinity(), 1});
    panel.mask = HeatmapMask::kAboveDiagonal;
    const QImage image = heatmap_image(panel, ColorScale{}, true, 2);
    EXPECT_EQ(rgb_at(image, 0, 0), map_inks(true).nan);
    EXPECT_EQ(rgb_at(image, 1, 0), map_inks(true).mask);
    EXPECT_EQ(rgb_at(image, 0, 1), map_inks(true).infinity);
    EXPECT_EQ(rgb_at(image, 1, 1), color_at(ColorMap::kViridis, 1));
}

TEST(Heatmap, OdditiesAreWhatTheScaleDoesNotShow) {
    HeatmapFigure figure = two_maps();
    EXPECT_FALSE(find_oddities(figure).above);
    EXPECT_FALSE(find_oddities(figure).masked);
    figure.scale.upper = 0.9;
    EXPECT_TRUE(find_oddities(figure).above);
    for (HeatmapPanel& panel : figure.panels) panel.mask = HeatmapMask::kDiagonal;
    EXPECT_FALSE(find_oddities(figure).above);
    EXPECT_TRUE(find_oddities(figure).masked);
    EXPECT_EQ(unmasked_values(figure.panels), (std::vector<double>{0.5, 0.5, 0, 0}));
}

TEST(HeatmapLayout, MapsAreSquareApartAndInsideThePage) {
    HeatmapFigure figure = two_maps();
    const QSizeF size(528, natural_heatmap_height(figure, 528));
    const HeatmapLayout layout = lay_out_heatmaps(figure, size, false);
    ASSERT_EQ(layout.maps.size(), 2U);
    EXPECT_NEAR(layout.maps[0].width(), layout.maps[0].height(), 1e-9);
    EXPECT_EQ(layout.maps[0].top(), layout.maps[1].top());
    EXPECT_GT(layout.maps[1].left(), layout.maps[0].right() + 10);
    EXPECT_GT(layout.maps[0].width(), 150);
    EXPECT_LT(layout.bar.right(), size.width() - 20);
    EXPECT_LT(layout.maps[0].bottom(), size.height() - 20);
    for (const HeatmapText& text : layout.texts)
        EXPECT_TRUE(text.turned || text.box.bottom() <= size.height() + 1)
            << text.text.toStdString();
}

TEST(HeatmapLayout, MoreMapsThanFitStandBelowEachOther) {
    HeatmapFigure figure = two_maps();
    for (int i = 0; i < 5; ++i) figure.panels.push_back(figure.panels[0]);
    const double height = natural_heatmap_height(figure, 312);
    const HeatmapLayout layout = lay_out_heatmaps(figure, QSizeF(312, height), false);
    EXPECT_EQ(layout.maps[0].left(), layout.maps[2].left());
    EXPECT_GT(layout.maps[2].top(), layout.maps[0].bottom());
    EXPECT_LT(layout.maps[6].bottom(), height);
}

TEST(HeatmapLayout, ShrinksTheMapsIntoAGivenHeight) {
    const HeatmapFigure figure = two_maps();
    const HeatmapLayout layout = lay_out_heatmaps(figure, QSizeF(900, 160), false);
    EXPECT_LT(layout.maps[1].bottom(), 150);
    EXPECT_NEAR(layout.maps[0].width(), layout.maps[0].height(), 1e-9);
}

TEST(HeatmapLayout, FindsTheCellUnderThePointer) {
    const HeatmapFigure figure = two_maps();
    const HeatmapLayout layout = lay_out_heatmaps(figure, QSizeF(528, 300), false);
    const QRectF map = layout.maps[1];
    const auto at = [&](double x, double y) {
        return cell_at(figure, layout,
                       {map.left() + x * map.width(), map.top() + y * map.height()});
    };
    EXPECT_EQ(at(0.9, 0.1), (HeatmapCell{1, 0, 1}));
    EXPECT_EQ(at(0.1, 0.9), (HeatmapCell{1, 1, 0}));
    EXPECT_FALSE(at(0.5, 1.2));
}

// M20: a map of a text is never without its tokens.
TEST(HeatmapLabels, WhereNotAllTextsFitSomeStandWithTheirNumbers) {
    HeatmapFigure figure = two_maps();
    std::vector<double> values(64 * 64, 0.5);
    HeatmapPanel panel = panel_of("tokens", 64, 64, values);
    panel.row_axis.names = std::vector<std::string>(64, "word");
    panel.row_axis.texts = true;
    panel.column_axis = panel.row_axis;
    figure.panels = {panel};
    const HeatmapLayout small = lay_out_heatmaps(figure, QSizeF(300, 280), false);
    const HeatmapLayout large = lay_out_heatmaps(figure, QSizeF(1200, 1200), false);
    const auto count = [](const HeatmapLayout& layout, const char* wanted) {
        return std::count_if(layout.texts.begin(), layout.texts.end(),
                             [&](const HeatmapText& text) { return text.text == wanted; });
    };
    EXPECT_EQ(count(small, "word"), 0);
    EXPECT_EQ(count(small, "20 word"), 2) << "along both axes";
    EXPECT_EQ(count(small, "21 word"), 0);
    EXPECT_EQ(count(large, "word"), 128);
}

// Steps were taken for texts: "2 30" along the axis, and "step 2 “30”" under the mouse.
TEST(HeatmapLabels, WhatIsTurnedNeedsNoNumbersOfPlaces) {
    HeatmapFigure figure = two_maps();
    std::vector<double> values(64 * 64, 0.5);
    HeatmapPanel panel = panel_of("shares", 64, 64, values);
    panel.column_axis = {.label = "step", .turned = true};
    for (int i = 1; i <= 64; ++i) panel.column_axis.names.push_back(std::to_string(10 * i));
    figure.panels = {panel};
    const HeatmapLayout layout = lay_out_heatmaps(figure, QSizeF(300, 280), false);
    size_t turned = 0;
    for (const HeatmapText& text : layout.texts) {
        EXPECT_FALSE(text.text.contains(QLatin1Char(' ')) && text.text.endsWith(QLatin1Char('0')))
            << text.text.toStdString();
        turned += text.text == "210";
    }
    EXPECT_EQ(turned, 1u);
}

TEST(HeatmapCsv, HoldsExactlyTheCellsThatAreShown) {
    HeatmapFigure figure = two_maps();
    figure.panels[0].mask = figure.panels[1].mask = HeatmapMask::kDiagonal;
    figure.panels[0].name = "a, \"b\"";
    figure.footnote = "output";
    figure.sources = {{"baseline-s1", "runs/b", "", "", "", "finished"}};
    EXPECT_EQ(heatmap_csv(figure),
              "# value: cosine similarity\n# note: output\n# run: baseline-s1\n"
              "#   folder: runs/b\n#   state: finished\n"
              "map,head,other head,cosine\n"
              "\"a, \"\"b\"\"\",0,1,0.5\n\"a, \"\"b\"\"\",1,0,0.5\n"
              "skipv1,0,1,0\nskipv1,1,0,0\n");
}

TEST(HeatmapCsv, NamesRowsAndColumnsWhereTheyHaveNames) {
    HeatmapFigure figure = two_maps();
    figure.panels.pop_back();
    figure.panels[0].row_axis = {"token", {"the", ","}, true};
    figure.panels[0].column_axis = {"layer"};
    EXPECT_THAT(heatmap_csv(figure), HasSubstr("map,token,layer,token name,layer name,cosine\n"
                                               "baseline,0,0,the,0,1\nbaseline,0,1,the,1,0.5\n"
                                               "baseline,1,0,\",\",0,0.5\n"));
}

TEST(HeatmapPage, KeepsMapsAsImagesInsideVectorAxes) {
    const FigurePage page = heatmap_page(two_maps(), false);
    const std::string svg = render_page(page, FigureFormat::kSvg);
    EXPECT_THAT(svg, HasSubstr("<image"));
    EXPECT_THAT(svg, HasSubstr("cosine similarity"));
    EXPECT_THAT(svg, HasSubstr("skipv1"));
    const std::string pdf = render_page(page, FigureFormat::kPdf);
    EXPECT_THAT(pdf, HasSubstr("/Subtype /Image"));
    EXPECT_EQ(pdf.find("/DCTDecode"), std::string::npos);  // nothing lossy
    EXPECT_EQ(pdf, render_page(page, FigureFormat::kPdf));
}

TEST(HeatmapPage, PaintsTheMapsInTheColoursOfTheScale) {
    for (const bool dark : {false, true}) {
        const HeatmapFigure figure = two_maps();
        const FigurePage page = heatmap_page(figure, dark);
        const QImage image = page.image(1);
        const HeatmapLayout layout =
            lay_out_heatmaps(figure, QSizeF(page.width_in * 96, page.height_in * 96), dark);
        const QPointF diagonal = layout.maps[1].topLeft() + QPointF(20, 20);
        EXPECT_EQ(rgb_at(image, static_cast<int>(diagonal.x()), static_cast<int>(diagonal.y())),
                  color_at(ColorMap::kViridis, 1));
        EXPECT_EQ(rgb_at(image, 1, 1), figure_theme(dark).ground);
    }
}

TEST(HeatmapPage, SaysThatThereIsNothing) {
    HeatmapFigure figure;
    figure.empty_text = "No similarity was measured yet.";
    EXPECT_THAT(render_page(heatmap_page(figure, false), FigureFormat::kSvg),
                HasSubstr("No similarity was"));
}

}  // namespace
}  // namespace headroom
