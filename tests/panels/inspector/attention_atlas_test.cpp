#include <QImage>
#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/figure/heatmap_arrangement.h"
#include "panels/figure/heatmap_page.h"
#include "panels/inspector/attention_figure.h"
#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// Two layers of three heads.
HeatmapFigure atlas() {
    HeatmapFigure figure = build_attention_atlas(example_source(30), {});
    figure.width_in = 4;
    return figure;
}

const HeatmapText* find_text(const HeatmapLayout& layout, const QString& wanted) {
    const auto found = std::find_if(layout.texts.begin(), layout.texts.end(),
                                    [&](const HeatmapText& text) { return text.text == wanted; });
    return found == layout.texts.end() ? nullptr : &*found;
}

TEST(AttentionAtlas, IsAsHighAsItsGrid) {
    const FigurePage page = heatmap_page(atlas(), false);
    EXPECT_GT(page.height_in, 1.2);  // two rows of three
    EXPECT_LT(page.height_in, 3);
}

TEST(AttentionAtlas, LayersRunDownAndHeadsToTheRight) {
    const HeatmapFigure figure = atlas();
    const QSizeF size(384, natural_heatmap_height(figure, 384));
    const HeatmapLayout layout = lay_out_heatmaps(figure, size, false);
    ASSERT_EQ(layout.maps.size(), 6u);
    EXPECT_EQ(layout.maps[2].top(), layout.maps[0].top());
    EXPECT_GT(layout.maps[1].left(), layout.maps[0].right());
    EXPECT_EQ(layout.maps[3].left(), layout.maps[0].left());
    EXPECT_GT(layout.maps[3].top(), layout.maps[2].bottom());
    const HeatmapText *heads = find_text(layout, "head"), *layers = find_text(layout, "layer");
    const HeatmapText* last = find_text(layout, "2");
    ASSERT_TRUE(heads && layers && last);
    EXPECT_LE(heads->box.bottom(), last->box.top());
    EXPECT_LE(last->box.bottom(), layout.maps[0].top());
    EXPECT_NEAR(last->box.center().x(), layout.maps[2].center().x(), 1e-9);
    EXPECT_TRUE(layers->turned);
    EXPECT_LT(layout.bar.right(), size.width() - 20);
    EXPECT_GT(layout.bar.left(), layout.maps[2].right());
}

// A picture that has axes in no words can be read the wrong way.
TEST(AttentionAtlas, SaysWhatTheAxesOfItsMapsAreAndWhatIsMasked) {
    const HeatmapFigure figure = atlas();
    EXPECT_THAT(figure.footnote, HasSubstr("the query runs down, the key to the right"));
    const HeatmapLayout layout =
        lay_out_heatmaps(figure, {384, natural_heatmap_height(figure, 384)}, false);
    EXPECT_TRUE(find_text(layout, "masked"));
    ASSERT_EQ(layout.swatches.size(), 1u);
    const HeatmapText* note = find_text(layout, QString::fromStdString(figure.footnote));
    ASSERT_TRUE(note);
    EXPECT_TRUE(note->flags & Qt::TextWordWrap);
    EXPECT_GT(note->box.top(), layout.maps.back().bottom());
}

TEST(AttentionAtlas, ShrinksIntoAGivenHeight) {
    const HeatmapFigure figure = atlas();
    const HeatmapLayout layout = lay_out_heatmaps(figure, {384, 150}, false);
    EXPECT_LT(layout.maps.back().bottom(), 130);
    EXPECT_NEAR(layout.maps[0].width(), layout.maps[0].height(), 1e-9);
}

TEST(AttentionAtlas, IsDrawnInEveryFormat) {
    const FigurePage page = heatmap_page(atlas(), true);
    EXPECT_THAT(render_page(page, FigureFormat::kPdf), StartsWith("%PDF"));
    EXPECT_THAT(render_page(page, FigureFormat::kSvg), HasSubstr("<image"));
    const std::string csv = render_page(page, FigureFormat::kCsv);
    EXPECT_THAT(csv, HasSubstr("1.2,29,29"));
    EXPECT_THAT(csv, testing::Not(HasSubstr("1.2,28,29")));  // masked
}

TEST(AttentionAtlas, ShowsTheMaskInItsOwnColour) {
    const QImage image = heatmap_page(atlas(), false).image(1);
    const Rgb mask = map_inks(false).mask;
    int masked = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            masked += image.pixelColor(x, y) == QColor(mask.r, mask.g, mask.b);
    EXPECT_GT(masked, 6 * 60 * 60 / 3);
}

}  // namespace
}  // namespace headroom
