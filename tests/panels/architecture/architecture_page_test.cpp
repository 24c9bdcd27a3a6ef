#include "panels/architecture/architecture_page.h"

#include <QImage>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "panels/figure/palette.h"
#include "tests/panels/architecture/models.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::vector<ArchitectureView> views_of(std::vector<std::string> archs) {
    std::vector<ArchitectureView> views;
    for (const std::string& arch : archs)
        views.push_back(build_architecture(model_of_arch(arch), arch));
    return views;
}

TEST(ArchitecturePage, IsAsWideAsAskedFor) {
    ArchitecturePageOptions options;
    options.width_in = 3.3;
    const FigurePage page = architecture_page(views_of({"skipv1"}), options, "test");
    EXPECT_DOUBLE_EQ(page.width_in, 3.3);
    EXPECT_GT(page.height_in, 2);
    const std::string png = render_page(page, FigureFormat::kPng);
    QImage image;
    ASSERT_TRUE(image.loadFromData(reinterpret_cast<const uchar*>(png.data()),
                                   static_cast<int>(png.size())));
    EXPECT_EQ(image.width(), qRound(3.3 * 96 * 2));
}

TEST(ArchitecturePage, FitsTheHeightAskedFor) {
    ArchitecturePageOptions options;
    const FigurePage natural = architecture_page(views_of({"gpt2"}), options, "");
    options.height_in = natural.height_in * 0.75;
    const FigurePage lower = architecture_page(views_of({"gpt2"}), options, "");
    EXPECT_DOUBLE_EQ(lower.height_in, natural.height_in * 0.75);
    EXPECT_NEAR(lower.width_in, natural.width_in * 0.75, 1e-9);
}

TEST(ArchitecturePage, IsVectorsAndTextInPdfAndSvg) {
    const FigurePage page = architecture_page(views_of({"wq_identity"}), {}, "test");
    const std::string svg = render_page(page, FigureFormat::kSvg);
    EXPECT_THAT(svg, HasSubstr("Causal attention"));
    EXPECT_EQ(svg.find("<image"), std::string::npos);
    EXPECT_THAT(render_page(page, FigureFormat::kPdf), StartsWith("%PDF"));
    EXPECT_EQ(svg, render_page(page, FigureFormat::kSvg));
}

TEST(ArchitecturePage, IsDarkOnDarkGround) {
    ArchitecturePageOptions options;
    options.dark = true;
    const QImage image = architecture_page(views_of({"gpt2"}), options, "").image(1);
    const Rgb ground = figure_theme(true).ground;
    EXPECT_EQ(image.pixelColor(1, 1), QColor(ground.r, ground.g, ground.b));
}

TEST(ArchitecturePage, ItsDataAreTensorsAndSources) {
    const std::string csv = architecture_page(views_of({"skipv1", "denseformer"}), {}, "").csv();
    EXPECT_THAT(csv, HasSubstr("# model: skipv1\n"));
    EXPECT_THAT(csv, HasSubstr("\nskipv1,tensor,1,h.1.attn.v.weight,64x32,2048,,,,\n"));
    EXPECT_THAT(csv, HasSubstr("\nskipv1,value,1,,,,2,0,2,1\n"));
    EXPECT_THAT(csv, HasSubstr("\ndenseformer,average,0,,,,,-1,,\n"));
}

TEST(ArchitecturePage, ANameFromOutsideIsOneFieldOfItsData) {
    const ArchitectureView view = build_architecture(model_of_arch("gpt2"), "a,\"b\"\n\x1b[2J");
    const std::string csv = architecture_page({view}, {}, "").csv();
    EXPECT_THAT(csv, HasSubstr("\n\"a,\"\"b\"\"\\n\\x1b[2J\",tensor,0,"));
    EXPECT_EQ(csv.find('\x1b'), std::string::npos);
}

TEST(ArchitecturePage, TooSmallAPageIsRefused) {
    ArchitecturePageOptions options;
    options.width_in = 1.0;
    EXPECT_THROW(architecture_page(views_of({"gpt2", "mla"}), options, ""), UserError);
}

}  // namespace
}  // namespace headroom
