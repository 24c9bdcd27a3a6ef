#include "app/study/report_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

ReportDocument example(const std::filesystem::path& picture) {
    ReportDocument report;
    report.title = "rates <&> \"more\"";
    report.text("Is it *so*?");
    report.heading("Claims");
    report.table({{"Claim", false}, {"n", true}},
                 {{{"a < b"}, {"3"}},
                  {{"held", ReportCell::Tone::kGood}, {"2.7", ReportCell::Tone::kStrong}}});
    report.list({"one", "two"});
    report.list({});
    report.picture(picture, "loss");
    report.code("{ \"a\": \"<b>\" }\nsecond line");
    return report;
}

TEST(ReportDocument, HtmlIsOneFileOfEscapedText) {
    const TemporaryFolder folder;
    const std::filesystem::path svg = folder.path() / "loss.svg";
    write_plainly(svg, "<svg/>");
    const std::string html = report_html(example(svg));
    EXPECT_THAT(html, HasSubstr("<h1>rates &lt;&amp;&gt; &quot;more&quot;</h1>"));
    EXPECT_THAT(html, HasSubstr("<td>a &lt; b</td><td class=\"number\">3</td>"));
    EXPECT_THAT(
        html,
        HasSubstr("<td class=\"good\">held</td><td class=\"number\"><strong>2.7</strong></td>"));
    EXPECT_THAT(html, HasSubstr("<li>one</li>\n<li>two</li>"));
    EXPECT_THAT(html, HasSubstr("src=\"data:image/svg+xml;base64,PHN2Zy8+\""))
        << "Python's b64encode";
    EXPECT_THAT(html, HasSubstr("&quot;&lt;b&gt;&quot; }\nsecond line</code>"));
    EXPECT_THAT(html, Not(HasSubstr("http"))) << "it needs no network";
    EXPECT_THAT(html, Not(HasSubstr("<script")));
}

/// Python: base64.b64encode of b"a", b"ab", b"abc".
TEST(ReportDocument, PicturesOfAnyLengthAreWhole) {
    const TemporaryFolder folder;
    const std::filesystem::path svg = folder.path() / "a.svg";
    for (const auto& [bytes, text] : {std::pair("a", "YQ=="), {"ab", "YWI="}, {"abc", "YWJj"}}) {
        write_plainly(svg, bytes);
        EXPECT_THAT(report_html(example(svg)), HasSubstr(std::string("base64,") + text + "\""));
    }
}

TEST(ReportDocument, APictureThatIsMissingIsSaid) {
    EXPECT_THAT(report_html(example("/nowhere/loss.svg")), HasSubstr("<p>loss: "));
}

TEST(ReportDocument, MarkdownLinksPicturesFromItsFolder) {
    const std::string text = report_markdown(example("/s/figures/loss.svg"), "/s");
    EXPECT_THAT(text, HasSubstr("# rates \\<&> \"more\"\n\nIs it \\*so\\*?\n\n## Claims\n"));
    EXPECT_THAT(
        text, HasSubstr("| Claim | n |\n| --- | ---: |\n| a \\< b | 3 |\n| **held** | **2.7** |"));
    EXPECT_THAT(text, HasSubstr("- one\n- two\n"));
    EXPECT_THAT(text, HasSubstr("![loss](<figures/loss.svg>)"));
    EXPECT_THAT(text, HasSubstr("```\n{ \"a\": \"<b>\" }\nsecond line\n```\n"));
}

}  // namespace
}  // namespace headroom
