#include "panels/figure/ticks.h"

#include <cstdlib>
#include <ctime>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::ElementsAre;

std::vector<std::string> labels(Range range, NumberFormat format, int target,
                                AxisScale scale = AxisScale::kLinear) {
    return make_ticks(range, scale, format, target).labels;
}

TEST(Ticks, StepsAreOneTwoOrFive) {
    EXPECT_THAT(labels({1.93, 4.21}, NumberFormat::kPlain, 5),
                ElementsAre("2.0", "2.5", "3.0", "3.5", "4.0"));
    EXPECT_THAT(labels({0, 1}, NumberFormat::kPlain, 5),
                ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1.0"));
}

TEST(Ticks, TwoAtLeastTellTheScale) {
    EXPECT_EQ(make_ticks({1.6, 8.7}, AxisScale::kLinear, NumberFormat::kPlain, 2).major,
              (std::vector<double>{2, 4, 6, 8}));
    EXPECT_EQ(make_ticks({0.2, 1.7}, AxisScale::kLinear, NumberFormat::kWhole, 2).major.size(), 1u);
    for (const AxisScale scale : {AxisScale::kLinear, AxisScale::kLog})
        for (double lower = 0.3; lower < 9; lower *= 1.3)
            for (double size = 0.02; size < 50; size *= 1.7)
                EXPECT_GE(
                    make_ticks({lower, lower + size}, scale, NumberFormat::kPlain, 2).major.size(),
                    2u)
                    << lower << " " << size;
}

TEST(Ticks, CountsShareAUnit) {
    EXPECT_THAT(labels({0, 500}, NumberFormat::kCount, 5),
                ElementsAre("0", "100", "200", "300", "400", "500"));
    EXPECT_THAT(labels({0, 2'050'000}, NumberFormat::kCount, 3), ElementsAre("0", "1M", "2M"));
    EXPECT_THAT(labels({0, 2'050'000}, NumberFormat::kCount, 5),
                ElementsAre("0", "0.5M", "1.0M", "1.5M", "2.0M"));
    EXPECT_THAT(labels({0, 60'000}, NumberFormat::kCount, 3),
                ElementsAre("0", "20k", "40k", "60k"));
}

TEST(Ticks, DifferencesCarryTheirSign) {
    EXPECT_THAT(labels({-0.11, 0.21}, NumberFormat::kSigned, 4),
                ElementsAre("\u22120.1", "0", "+0.1", "+0.2"));
}

TEST(Ticks, NothingLiesBetweenWholeNumbers) {
    EXPECT_THAT(labels({-0.2, 3.2}, NumberFormat::kWhole, 6), ElementsAre("0", "1", "2", "3"));
    EXPECT_THAT(labels({-0.2, 11.2}, NumberFormat::kWhole, 6),
                ElementsAre("0", "2", "4", "6", "8", "10"));
    const Ticks ticks = make_ticks({0, 3}, AxisScale::kLinear, NumberFormat::kWhole, 6);
    EXPECT_TRUE(ticks.minor.empty());
}

TEST(Ticks, TimesComeInSecondsMinutesAndHours) {
    EXPECT_THAT(labels({0, 65}, NumberFormat::kDuration, 4),
                ElementsAre("0", "15 s", "30 s", "45 s", "60 s"));
    EXPECT_THAT(labels({0, 1000}, NumberFormat::kDuration, 4),
                ElementsAre("0", "5 min", "10 min", "15 min"));
    EXPECT_THAT(labels({0, 30'000}, NumberFormat::kDuration, 4),
                ElementsAre("0", "2 h", "4 h", "6 h", "8 h"));
}

TEST(Ticks, TimeOfDayIsLocal) {
    setenv("TZ", "UTC-2", 1);  // two hours east of Greenwich
    tzset();
    EXPECT_THAT(labels({1'700'000'000, 1'700'007'200}, NumberFormat::kDateTime, 4),
                ElementsAre("00:30", "01:00", "01:30", "02:00"));
    unsetenv("TZ");
    tzset();
}

TEST(Ticks, LongTimesHaveTheirYears) {
    const std::vector<std::string> years = labels({1.5e9, 1.8e9}, NumberFormat::kDateTime, 4);
    ASSERT_GE(years.size(), 2u);
    for (const std::string& label : years) EXPECT_NE(label.find("20"), std::string::npos) << label;
}

TEST(Ticks, LogScaleMarksDecades) {
    const Ticks ticks = make_ticks({0.5, 20'000}, AxisScale::kLog, NumberFormat::kCount, 6);
    EXPECT_THAT(ticks.labels, ElementsAre("1", "10", "100", "1000", "10k"));
    EXPECT_FALSE(ticks.minor.empty());
}

TEST(Ticks, LogScaleOverLessThanADecadeStillHasLabels) {
    EXPECT_THAT(labels({1.9, 5.6}, NumberFormat::kPlain, 4, AxisScale::kLog),
                ElementsAre("2", "3", "4", "5"));
    EXPECT_THAT(labels({0.6, 10.2}, NumberFormat::kPlain, 3, AxisScale::kLog),
                ElementsAre("1", "2", "5", "10"));
    EXPECT_THAT(labels({1.5, 40}, NumberFormat::kPlain, 6, AxisScale::kLog),
                ElementsAre("2", "5", "10", "20"));
}

TEST(Ticks, ManyDecadesAreNotCrowded) {
    EXPECT_LE(labels({1e-12, 1e12}, NumberFormat::kPlain, 5, AxisScale::kLog).size(), 8u);
}

TEST(Ticks, AnImpossibleRangeHasNone) {
    EXPECT_TRUE(make_ticks({1, 1}, AxisScale::kLinear, NumberFormat::kPlain, 5).major.empty());
    EXPECT_TRUE(make_ticks({-1, 1}, AxisScale::kLog, NumberFormat::kPlain, 5).major.empty());
}

class TicksOfAnyRange : public testing::TestWithParam<double> {};

TEST_P(TicksOfAnyRange, AreInsideAndAboutAsManyAsAskedFor) {
    const double size = GetParam();
    for (const double lower : {0.0, -size / 3, 1e6 * size})
        for (const int target : {2, 5, 9}) {
            const Ticks ticks =
                make_ticks({lower, lower + size}, AxisScale::kLinear, NumberFormat::kPlain, target);
            EXPECT_GE(ticks.major.size(), 1u);
            EXPECT_LE(ticks.major.size(), static_cast<size_t>(2 * target + 2));
            for (const double at : ticks.major) {
                EXPECT_GE(at, lower - 1e-6 * size);
                EXPECT_LE(at, lower + size * (1 + 1e-6));
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Sizes, TicksOfAnyRange,
                         testing::Values(1e-6, 0.0333, 0.7, 1.0, 4.2, 99.0, 12345.0, 3e9));

}  // namespace
}  // namespace headroom
