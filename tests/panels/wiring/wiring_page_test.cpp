#include "panels/wiring/wiring_page.h"

#include <QImage>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/base/theme.h"
#include "panels/qt/qt_theme.h"
#include "panels/wiring/wiring_painter.h"
#include "tests/panels/wiring/wiring_cases.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

std::shared_ptr<const WiringView> view_of(const Wiring& wiring) {
    WiringCosts costs;
    costs.cache_bytes_per_head = 64;
    return std::make_shared<const WiringView>(build_wiring_view(wiring, costs, "skipv1"));
}

int64_t pixels_of(const QImage& image, Rgb colour) {
    const QRgb wanted = to_qcolor(colour).rgb();
    int64_t count = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) count += image.pixel(x, y) == wanted ? 1 : 0;
    return count;
}

TEST(WiringPage, TheTableHasARowForEverySourceCountedFromZero) {
    const std::string csv = wiring_csv(*view_of(skipv1_wiring(3, 4)));
    EXPECT_THAT(csv, HasSubstr("\ntable,layer,head,source_layer,source_head,weight,learned\n"));
    EXPECT_THAT(csv, HasSubstr("\nkeys,2,3,2,3,1,0\n"));
    EXPECT_THAT(csv, HasSubstr("\nvalues,2,3,0,3,1,0\n"));
    EXPECT_THAT(csv, HasSubstr("\nvalues,2,1,2,1,1,0\n"));
    Wiring silent = skipv1_wiring(3, 4);
    silent.values[2][3].clear();
    EXPECT_THAT(wiring_csv(*view_of(silent)), HasSubstr("\nvalues,2,3,,,,\n"));
}

TEST(WiringPage, ReusedHeadsHaveTheirColourAndOwnOnesTheirs) {
    const Theme& theme = light_theme();
    const QImage own = wiring_page(view_of(own_wiring(4, 4, 4))).image(2);
    const QImage skip = wiring_page(view_of(skipv1_wiring(4, 4))).image(2);
    EXPECT_EQ(own.size(), skip.size());
    EXPECT_EQ(pixels_of(own, theme.reused), 0);
    EXPECT_GT(pixels_of(skip, theme.reused), 0);
    // Six of the 32 heads read the first layer's; one mark less is in the legend of the other.
    const double share = static_cast<double>(pixels_of(skip, theme.own)) /
                         static_cast<double>(pixels_of(own, theme.own));
    EXPECT_NEAR(share, 26.0 / 32.0, 0.02);
}

TEST(WiringPage, FitsItsPaperWhateverTheModel) {
    for (const auto& [n_layer, n_head] : {std::pair{1, 1}, {2, 32}, {48, 4}, {96, 96}}) {
        const FigurePage page = wiring_page(view_of(skipv1_wiring(n_layer, n_head)));
        EXPECT_DOUBLE_EQ(page.width_in, 5.5);
        EXPECT_LE(page.height_in, 8.5) << n_layer << " layers of " << n_head;
        EXPECT_GT(pixels_of(page.image(1), light_theme().own), 0);
    }
    const FigurePage both = wiring_page(view_of(skipv1_wiring(12, 12)));
    const FigurePage values = wiring_page(view_of(skipv1_wiring(12, 12)), {.keys = false});
    EXPECT_GT(pixels_of(both.image(1), light_theme().own),
              pixels_of(values.image(1), light_theme().own) / 2);
}

TEST(WiringPage, WearsTheColoursOfOwnersWhereTheCanvasDoes) {
    const auto view = view_of(skipv1_wiring(4, 4));
    const Rgb owner = owner_color(build_ownership(*view).owners.at(0).hue, light_theme());
    EXPECT_EQ(pixels_of(wiring_page(view).image(2), owner), 0);
    const FigurePage page = wiring_page(view, {.by_owner = true});
    EXPECT_GT(pixels_of(page.image(2), owner), 0);
    EXPECT_EQ(pixels_of(page.image(2), light_theme().reused), 0);
    EXPECT_THAT(render_page(page, FigureFormat::kSvg), HasSubstr("costs nothing, in its owner"));
}

TEST(WiringPage, HasATitleAndADarkGroundWhereTheyAreAsked) {
    const auto view = view_of(skipv1_wiring(4, 4));
    const FigurePage plain = wiring_page(view), titled = wiring_page(view, {.title = "Ours"});
    EXPECT_GT(titled.height_in, plain.height_in);
    EXPECT_NE(render_page(titled, FigureFormat::kSvg).find("Ours"), std::string::npos);
    const std::string total = "value heads reused", all = render_page(plain, FigureFormat::kSvg);
    EXPECT_NE(all.find(total), std::string::npos);
    EXPECT_EQ(render_page(wiring_page(view, {.notes = false}), FigureFormat::kSvg).find(total),
              std::string::npos);
    EXPECT_EQ(plain.image(1).pixelColor(0, 0), QColor(Qt::white));
    EXPECT_LT(wiring_page(view, {.dark = true}).image(1).pixelColor(0, 0).lightness(), 60);
}

TEST(WiringPage, IsVectorsAndTextInSvg) {
    const std::string svg =
        render_page(wiring_page(view_of(skipv1_wiring(4, 4))), FigureFormat::kSvg);
    for (const char* text : {"Keys by head", "Values by head", "reused", "own", ">L0<", ">+3<"})
        EXPECT_THAT(svg, HasSubstr(text));
    EXPECT_THAT(svg, Not(HasSubstr("<image")));
    EXPECT_THAT(svg, Not(HasSubstr("sum of both"))) << "which this one has not";
}

}  // namespace
}  // namespace headroom
