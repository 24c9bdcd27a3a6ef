#include "app/study/result_table_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A table as figures have it: a loss and a count of two variants, and what was published.
ResultTable example() {
    ResultTable table;
    table.study = "s";
    table.baseline = "base";
    table.columns = {{"params", "", true}, {"final", "", false}, {"final", "table 5", true}};
    ResultCell params{.n = 1, .mean = 1234567};
    ResultCell base{.n = 3, .mean = 2.74, .deviation = 0.0154};
    ResultCell skip{.n = 3,
                    .mean = 2.72867,
                    .deviation = 0.01629,
                    .pairs = 3,
                    .difference = -0.01133,
                    .interval = Interval{-0.0142, -0.00846},
                    .p = 0.0034,
                    .p_holm = 0.00344,
                    .best = true};
    ResultCell published{.n = 1, .mean = 2.74};
    table.rows = {{"base", true, {params, base, published}},
                  {"skip_v1 & more | 50 %", false, {params, skip, {}}}};
    table.notes = {"wild-s1 diverged at step 7"};
    return table;
}

TEST(ResultTableText, MarkdownHasTheBestInBold) {
    const std::string text = markdown_table(printed_table(example()));
    EXPECT_THAT(text,
                HasSubstr("| Variant | n | Parameters | Validation loss | Difference [95 %] | "
                          "p (Holm) | Published: table 5 |\n| --- | ---: |"));
    EXPECT_THAT(text,
                HasSubstr("| base | 3 | 1,234,567 | 2.7400 ± 0.0154 | baseline |  | 2.740 |"));
    EXPECT_THAT(text, HasSubstr("| skip_v1 & more \\| 50 % | 3 | 1,234,567 | **2.7287 ± 0.0163** | "
                                "−0.0113 [−0.0142, −0.0085] | 0.0034 |  |"));
    EXPECT_THAT(text, HasSubstr("wild-s1 diverged at step 7"));
}

TEST(ResultTableText, LatexIsABooktabsTabularOfEscapedText) {
    const std::string text = latex_table(printed_table(example()));
    EXPECT_THAT(text, HasSubstr("\\begin{tabular}{lrrrrrr}\n\\toprule\nVariant & n & "));
    EXPECT_THAT(text, HasSubstr("skip\\_v1 \\& more | 50 \\% & 3 & 1,234,567 & \\textbf{2.7287 "
                                "$\\pm$ 0.0163} & $-$0.0113 [$-$0.0142, $-$0.0085] & 0.0034 &  "
                                "\\\\\n\\bottomrule\n\\end{tabular}\n"));
    EXPECT_THAT(text, HasSubstr("% Left out: wild-s1 diverged at step 7\n"));
    EXPECT_THAT(text, Not(HasSubstr("±\\end")));
}

TEST(ResultTableText, CsvHasEveryNumberInFull) {
    EXPECT_EQ(csv_table(example()),
              "variant,baseline,params,final,final n,final sd,final pairs,final difference,final "
              "low,final high,final p,final p_holm,final best,published table 5\n"
              "base,1,1234567,2.74,3,0.0154,0,,,,,,0,2.74\n"
              "skip_v1 & more | 50 %,0,1234567,2.72867,3,0.01629,3,-0.01133,-0.0142,-0.00846,"
              "0.0034,0.00344,1,\n");
}

TEST(ResultTableText, PairsThatAreFewerThanRunsAreSaid) {
    ResultTable table = example();
    table.rows[1].cells[1].pairs = 2;
    EXPECT_THAT(printed_table(table).notes,
                testing::Contains(HasSubstr("2 of 3 runs have a partner")));
    EXPECT_THAT(printed_table(table).notes,
                testing::Contains(HasSubstr("is over 2 pairs, the mean of base over 3 runs")));
}

TEST(ResultTableText, ASmallPIsWrittenOut) {
    ResultTable table = example();
    const auto p = [&] { return printed_table(table).rows[1][5].text; };
    table.rows[1].cells[1].p_holm = 0.0005;
    EXPECT_EQ(p(), "0.0005");
    table.rows[1].cells[1].p_holm = 0.00005;
    EXPECT_EQ(p(), "< 0.0001");
}

}  // namespace
}  // namespace headroom
