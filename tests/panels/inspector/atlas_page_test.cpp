#include "panels/inspector/atlas_page.h"

#include <QImage>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/inspector/attention_figure.h"
#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

FigurePage page_of(bool dark) {
    HeatmapFigure figure = build_attention_atlas(example_source(30), {});
    figure.width_in = 4;
    return atlas_page(std::move(figure), 3, dark);
}

TEST(AtlasPage, IsAsHighAsItsGrid) {
    const FigurePage page = page_of(false);
    EXPECT_GT(page.height_in, 1.2);  // two rows of three
    EXPECT_LT(page.height_in, 3);
}

TEST(AtlasPage, IsDrawnInEveryFormat) {
    const FigurePage page = page_of(true);
    EXPECT_THAT(render_page(page, FigureFormat::kPdf), StartsWith("%PDF"));
    EXPECT_THAT(render_page(page, FigureFormat::kSvg), HasSubstr("<image"));
    const std::string csv = render_page(page, FigureFormat::kCsv);
    EXPECT_THAT(csv, HasSubstr("1.2,29,29"));
    EXPECT_THAT(csv, testing::Not(HasSubstr("1.2,28,29")));  // masked
}

TEST(AtlasPage, ShowsTheMaskInItsOwnColour) {
    const QImage image = page_of(false).image(1);
    const Rgb mask = map_inks(false).mask;
    int masked = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            masked += image.pixelColor(x, y) == QColor(mask.r, mask.g, mask.b);
    EXPECT_GT(masked, 6 * 60 * 60 / 3);
}

}  // namespace
}  // namespace headroom
