#include "panels/figure/figure_export.h"

#include <QImage>
#include <cmath>
#include <cstdio>
#include <regex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "panels/base/rgb.h"
#include "panels/figure/palette.h"
#include "panels/figure/panel_page.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

FigureSeries line(const std::string& name, int run, double start) {
    std::vector<double> x, y;
    for (int i = 0; i <= 400; ++i) {
        x.push_back(i * 4096.0);
        y.push_back(start * std::exp(-i / 60.0) + 2 + 0.03 * std::sin(i * 1.7));
    }
    FigureSeries series;
    series.id = series.name = series.legend = name;
    series.role = "value";
    series.data = make_curve(std::move(x), std::move(y));
    series.style.color = run;
    return series;
}

Figure sample_figure() {
    Figure figure;
    figure.title = "Three variants";
    figure.x = {"training tokens", "tokens", AxisScale::kLinear, NumberFormat::kCount, {0, 1.7e6}};
    figure.y = {
        "loss (nats per token)", "loss", AxisScale::kLinear, NumberFormat::kPlain, {1.8, 4}};
    figure.series = {line("baseline", 0, 3.5), line("no query", 1, 3.6)};
    figure.footnote = "training smoothed by 0.6";
    figure.sources = {{"baseline-s1", "", "", "", "2025-01-31T12:34:56Z", "finished"}};
    return figure;
}

/// Standard output of a shell command; "" if it failed.
std::string output_of(const std::string& command) {
    FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    if (!pipe) return "";
    std::string out;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
    return pclose(pipe) == 0 ? out : "";
}

TEST(FigureFormat, FollowsTheEndingAndRefusesOthers) {
    EXPECT_EQ(figure_format("a/b.PDF"), FigureFormat::kPdf);
    EXPECT_EQ(figure_format("b.svg"), FigureFormat::kSvg);
    EXPECT_THROW(figure_format("loss.jpg"), UserError);
    EXPECT_THROW(figure_format("loss"), UserError);
}

TEST(FigurePdf, HasItsSizeItsTextAndItsFonts) {
    if (output_of("command -v pdffonts").empty()) GTEST_SKIP() << "poppler-utils is not installed";
    const TemporaryFolder folder;
    const std::string path = (folder / "loss.pdf").string();
    export_page(make_page(sample_figure(), false), path);
    const std::string text = output_of("pdftotext -layout " + path + " -");
    EXPECT_THAT(text, HasSubstr("training tokens"));
    EXPECT_THAT(text, HasSubstr("baseline"));
    EXPECT_THAT(text, HasSubstr("Three variants"));
    const std::string info = output_of("pdfinfo " + path);
    EXPECT_THAT(info, HasSubstr("396 x 245 pts"));  // 5.5 x 3.4 inches
    const std::string fonts = output_of("pdffonts " + path);
    EXPECT_TRUE(std::regex_search(fonts, std::regex("TrueType .* yes +(yes|no) +yes"))) << fonts;
    EXPECT_FALSE(std::regex_search(fonts, std::regex(" no +(yes|no) +(yes|no)"))) << fonts;
    EXPECT_TRUE(output_of("pdfimages -list " + path + " | tail -n +3").empty()) << "vectors only";
}

TEST(FigurePdf, TheSameFigureGivesTheSameBytesDatedByItsRuns) {
    const std::string pdf = render_figure(sample_figure(), FigureFormat::kPdf, false);
    EXPECT_EQ(pdf, render_figure(sample_figure(), FigureFormat::kPdf, false));
    EXPECT_TRUE(
        std::regex_search(pdf, std::regex(R"(/CreationDate \(D:20250131123456(Z|\+00'00'?)\))")));
}

TEST(FigureSvg, KeepsTextAsTextAndNothingSticksOut) {
    Figure figure = sample_figure();
    figure.x.range = {4e5, 8e5};
    figure.y.range = {2.0, 2.2};
    const std::string svg = render_figure(figure, FigureFormat::kSvg, false);
    EXPECT_EQ(svg, render_figure(figure, FigureFormat::kSvg, false));
    EXPECT_THAT(svg, HasSubstr("training tokens"));
    EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 528 326\""));
    // Every number of every polyline lies on the page: SVG viewers would draw the rest too.
    const std::regex polyline("<polyline[^>]*points=\"([^\"]*)\"");
    const std::regex pair("(-?[0-9.e+-]+),(-?[0-9.e+-]+)");
    int points = 0;
    for (std::sregex_iterator it(svg.begin(), svg.end(), polyline), none; it != none; ++it) {
        const std::string list = (*it)[1];
        for (std::sregex_iterator p(list.begin(), list.end(), pair); p != none; ++p, ++points) {
            EXPECT_TRUE(std::stod((*p)[1]) >= 0 && std::stod((*p)[1]) <= 528) << p->str();
            EXPECT_TRUE(std::stod((*p)[2]) >= 0 && std::stod((*p)[2]) <= 326) << p->str();
        }
    }
    EXPECT_GT(points, 100);
}

TEST(FigurePng, HasTwoPixelsForEachOfTheScreenAndItsTheme) {
    const std::string png = render_figure(sample_figure(), FigureFormat::kPng, true);
    const QImage image =
        QImage::fromData(reinterpret_cast<const uchar*>(png.data()), static_cast<int>(png.size()));
    EXPECT_EQ(image.size(), QSize(1056, 652));
    EXPECT_EQ(image.dotsPerMeterX(), 7559);
    EXPECT_LT(qGray(image.pixel(1, 1)), 60);
    EXPECT_NE(png, render_figure(sample_figure(), FigureFormat::kPng, false));
}

TEST(FigureExport, AFigureWithoutATitleIsCalledByItsYAxis) {
    Figure figure = sample_figure();
    EXPECT_EQ(make_page(figure, false).title, "Three variants");
    figure.title.clear();
    EXPECT_EQ(make_page(figure, false).title, "loss (nats per token)");
}

TEST(FigureExport, APageKnowsWhetherItHasALegend) {
    Figure figure = sample_figure();
    EXPECT_TRUE(make_page(figure, false).has_legend);
    for (FigureSeries& series : figure.series) series.legend.clear();
    EXPECT_FALSE(make_page(figure, false).has_legend);
    figure.keys = {{"published", "published", {}}};
    EXPECT_TRUE(make_page(figure, false).has_legend) << "what marks mean";
}

TEST(FigureExport, DrawsFiguresWithoutAnythingInThem) {
    Figure empty;
    empty.empty_text = "No step logged yet";
    EXPECT_THAT(render_figure(empty, FigureFormat::kSvg, false), HasSubstr("No step logged yet"));

    Figure one = empty;
    FigureSeries series;
    series.data = make_curve({0.5}, {0.5});
    one.series.push_back(series);
    one.series.push_back(series);
    one.series.back().data = make_curve({0.1, 0.5}, {std::nan(""), std::nan("")});
    EXPECT_FALSE(render_figure(one, FigureFormat::kPdf, false).empty());
}

TEST(FigureExport, ABandOfOnePointIsAnUprightLine) {
    Figure figure = sample_figure();
    figure.series.clear();
    figure.x.range = {0, 2};
    figure.y.range = {0, 1};
    figure.bands = {{"only", "only", make_curve({1}, {0.2}), make_curve({1}, {0.8}), 1}};
    const std::string png = render_figure(figure, FigureFormat::kPng, false);
    const QImage image = QImage::fromData(QByteArray::fromStdString(png));
    const Rgb colour = palette_color(1, false);
    int drawn = 0;
    for (int y = 0; y < image.height(); ++y)
        for (int x = image.width() / 4; x < image.width(); ++x)
            if (image.pixel(x, y) == qRgb(colour.r, colour.g, colour.b)) {
                ++drawn;
                break;
            }
    EXPECT_GT(drawn, image.height() / 3);
    EXPECT_LT(drawn, image.height() * 2 / 3);
}

TEST(FigureExport, ANonexistentFolderIsNamed) {
    try {
        export_page(make_page(sample_figure(), false), "/nonexistent/folder/loss.csv");
        FAIL() << "written";
    } catch (const std::exception& error) {
        EXPECT_THAT(error.what(), HasSubstr("/nonexistent/folder/loss.csv"));
    }
}

// M22
TEST(PanelPage, ItsCsvHasTheTableOfEachPanel) {
    FigurePage one, two;
    one.csv = [] { return "x,y\n1,2\n"; };
    two.csv = [] { return "layer,loss\n0,3\n"; };
    EXPECT_EQ(panel_page({one, two}, {2, 6.75, "", false}).csv(),
              "# panel (a)\nx,y\n1,2\n\n# panel (b)\nlayer,loss\n0,3\n");
}

TEST(PanelPage, PanelsOfItsShareFillItsHeight) {
    for (const char* title : {"", "Two panels"}) {
        const PanelGrid grid{1, 6.75, title, false};
        FigurePage panel;
        panel.height_in = panel_height_in(grid, 2, 6);
        EXPECT_NEAR(panel_page({panel, panel}, grid).height_in, 6, 1e-9) << title;
    }
}

TEST(PageWishes, AFigureIsLaidOutAnewForItsWidthTextLegendAndTitle) {
    const FigurePage page = make_page(sample_figure(), false);
    PageWishes wishes;
    wishes.shape = {3.25, 0, "Narrow", LegendPlace::kNone};
    wishes.text_pt = 12;
    const FigurePage made = with_wishes(page, wishes);
    EXPECT_DOUBLE_EQ(made.width_in, 3.25);
    EXPECT_NEAR(made.height_in, 3.25 * page.height_in / page.width_in, 1e-9) << "of one shape";
    EXPECT_EQ(made.csv(), page.csv());
    const std::string svg = render_page(made, FigureFormat::kSvg);
    EXPECT_THAT(svg, HasSubstr(">Narrow<"));
    EXPECT_THAT(svg, testing::Not(HasSubstr(">no query<"))) << "the legend is gone";
    EXPECT_THAT(svg, HasSubstr("matrix(1.5,0,0,1.5,")) << "text of 12 points where it has 8";
    wishes.dots_per_inch = 600;
    const std::string png = render_page(with_wishes(page, wishes), FigureFormat::kPng);
    const QImage image = QImage::fromData(QByteArray::fromStdString(png));
    EXPECT_EQ(image.width(), 1950);
    EXPECT_EQ(image.dotsPerMeterX(), 23622) << "600 to the inch";
    wishes.shape.height_in = 3;
    EXPECT_NEAR(with_wishes(page, wishes).height_in, 3, 1e-9);
}

TEST(PageWishes, WithoutAnyThePageStaysAsItIs) {
    const FigurePage page = make_page(sample_figure(), false);
    EXPECT_EQ(render_page(with_wishes(page, {}), FigureFormat::kSvg),
              render_page(page, FigureFormat::kSvg));
}

TEST(PageWishes, APictureThatCannotBeLaidOutAnewBecomesSmallerAsAWhole) {
    FigurePage page = make_page(sample_figure(), false);
    page.shaped = nullptr;
    PageWishes wishes;
    wishes.shape.width_in = 2.75;
    wishes.text_pt = 20;
    EXPECT_DOUBLE_EQ(with_wishes(page, wishes).height_in, page.height_in / 2);
    wishes.shape.height_in = 0.34;
    EXPECT_NEAR(with_wishes(page, wishes).width_in, 0.55, 1e-9) << "neither side sticks out";
    wishes.shape.height_in = 100;
    EXPECT_DOUBLE_EQ(with_wishes(page, wishes).width_in, 2.75);
}

}  // namespace
}  // namespace headroom
