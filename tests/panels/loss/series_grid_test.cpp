#include "panels/loss/series_grid.h"

#include <QComboBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <cstdlib>
#include <ctime>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/base/clock_text.h"
#include "panels/figure/figure_chart.h"
#include "panels/loss/loss_controls.h"
#include "panels/loss/loss_widget.h"
#include "panels/loss/range_fields.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;

RunPointer run_with_scalar(const std::string& id) {
    ExampleRun example{.id = id, .group = id};
    for (int i = 1; i <= 50; ++i) example.losses.push_back(static_cast<float>(3 - 0.01 * i));
    RunPointer made = example.make();
    auto series = std::make_shared<RunSeries>(*made->series);
    auto& train = series->train;
    for (size_t i = 0; i < train.step.size(); ++i) {
        train.lr.push_back(1e-3f);
        train.grad_norm.push_back(1.0f + static_cast<float>(i));
    }
    auto run = std::make_shared<Run>(*made);
    run->series = series;
    return run;
}

class SeriesGridTest : public testing::Test {
  protected:
    SeriesGridTest() {
        grid_.resize(1000, 640);
        grid_.show();
        grid_.set_runs({run_with_scalar("a"), run_with_scalar("b")});
        EXPECT_TRUE(QTest::qWaitFor([this] { return is_drawn(); }, 30'000));
    }
    bool is_drawn() const {
        for (const std::string& series : grid_.series())
            if (grid_.chart_of(series)->view().curves.empty()) return false;
        return true;
    }
    Range x_of(const std::string& series) const {
        const QCPRange range = grid_.chart_of(series)->chart()->xAxis->range();
        return {range.lower, range.upper};
    }
    SeriesGrid grid_;
};

TEST_F(SeriesGridTest, HasAChartForEverySeriesTheLossesFirst) {
    ASSERT_TRUE(is_drawn());
    const std::vector<std::string> series = grid_.series();
    EXPECT_EQ(series.front(), "");
    EXPECT_THAT(series, Contains("train/grad_norm"));
    EXPECT_THAT(series, Contains("train/lr"));
    for (const std::string& each : series) {
        EXPECT_TRUE(grid_.chart_of(each)->isVisible()) << each;
        EXPECT_EQ(grid_.chart_of(each)->view().figure.legend, LegendPlace::kNone);
    }
}

// Export, copy and + Figure take one chart, and nothing showed which.
TEST_F(SeriesGridTest, TheNameOfTheChartThatIsTakenIsBold) {
    const auto is_bold = [&](const char* name) {
        return grid_.findChild<QToolButton*>(name)->font().bold();
    };
    EXPECT_EQ(grid_.current(), grid_.chart_of(""));
    EXPECT_TRUE(is_bold("name of loss"));
    emit grid_.chart_of("train/lr")->pointed_at(5.0);
    EXPECT_EQ(grid_.current(), grid_.chart_of("train/lr"));
    EXPECT_TRUE(is_bold("name of train/lr"));
    EXPECT_FALSE(is_bold("name of loss"));
    emit grid_.chart_of("train/lr")->pointed_at(std::nullopt);
    EXPECT_TRUE(is_bold("name of train/lr")) << "the pointer has gone to the button";
}

TEST_F(SeriesGridTest, HasNoChartOfWhatNoRunKnows) {
    auto run = *run_with_scalar("imported");
    auto series = *run.series;
    series.train.grad_norm.clear();
    for (size_t i = 0; i < series.train.step.size(); ++i)
        series.train.grad_norm.push_back(std::numeric_limits<float>::quiet_NaN());
    run.series = std::make_shared<const RunSeries>(series);
    grid_.set_runs({std::make_shared<const headroom::Run>(run)});
    EXPECT_THAT(grid_.series(), Contains("train/lr"));
    EXPECT_THAT(grid_.series(), testing::Not(Contains("train/grad_norm")));
}

TEST_F(SeriesGridTest, AllChartsLookWhereOneLooks) {
    const Range before = x_of("train/lr");
    grid_.chart_of("train/grad_norm")->look_at({1000, 2000}, std::nullopt);
    EXPECT_EQ(x_of(""), (Range{1000, 2000}));
    EXPECT_EQ(x_of("train/lr"), (Range{1000, 2000}));
    grid_.chart_of("")->fit();
    EXPECT_TRUE(QTest::qWaitFor([&] { return x_of("train/lr") == before; }, 30'000));
    EXPECT_TRUE(QTest::qWaitFor([&] { return x_of("train/grad_norm") == before; }, 30'000));
}

TEST_F(SeriesGridTest, ANameMakesItsChartLargeAndSmallAgain) {
    auto* name = grid_.findChild<QToolButton*>("name of train/grad_norm");
    ASSERT_NE(name, nullptr);
    const int small = grid_.chart_of("train/grad_norm")->width();
    QTest::mouseClick(name, Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return grid_.chart_of("train/grad_norm")->width() > 2 * small; }, 5000));
    EXPECT_FALSE(grid_.chart_of("")->isVisible());
    EXPECT_EQ(grid_.current(), grid_.chart_of("train/grad_norm"));
    QTest::mouseClick(name, Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor(
        [&] { return grid_.chart_of("train/grad_norm")->width() < 1.2 * small; }, 5000));
    EXPECT_TRUE(grid_.chart_of("")->isVisible());
}

TEST_F(SeriesGridTest, TheFilterLeavesWhatHasTheWord) {
    auto* filter = grid_.options()->findChild<QLineEdit*>("seriesFilter");
    ASSERT_NE(filter, nullptr);
    QTest::keyClicks(filter, "GRAD");
    EXPECT_TRUE(grid_.chart_of("train/grad_norm")->isVisible());
    EXPECT_FALSE(grid_.chart_of("train/lr")->isVisible());
    filter->clear();
    EXPECT_TRUE(grid_.chart_of("train/lr")->isVisible());
}

TEST_F(SeriesGridTest, SettingsReachEveryChart) {
    LossSettings settings = grid_.settings();
    settings.x = LossX::kSteps;
    settings.smoothing = 0.25;
    grid_.set_settings(settings);
    for (const std::string& series : grid_.series()) {
        EXPECT_EQ(grid_.chart_of(series)->settings().x, LossX::kSteps);
        EXPECT_EQ(grid_.chart_of(series)->settings().smoothing, 0.25);
        EXPECT_EQ(grid_.chart_of(series)->settings().metric, series);
    }
}

TEST_F(SeriesGridTest, GrowingLogsLeaveAnOpenListAlone) {
    auto* baseline = grid_.options()->findChild<QComboBox*>("baseline");
    ASSERT_NE(baseline, nullptr);
    ASSERT_EQ(baseline->count(), 3);
    const QSignalSpy filled(baseline->model(), &QAbstractItemModel::rowsInserted);
    grid_.set_runs({run_with_scalar("a"), run_with_scalar("b")});  // other snapshots of the same
    EXPECT_EQ(filled.size(), 0);
    grid_.set_runs({run_with_scalar("a"), run_with_scalar("c")});
    EXPECT_GT(filled.size(), 0);
}

TEST_F(SeriesGridTest, SeriesThatNobodyLoggedGo) {
    ExampleRun plain{.id = "plain", .group = "plain", .losses = {3, 2}};
    grid_.set_runs({plain.make()});
    EXPECT_EQ(grid_.chart_of("train/grad_norm"), nullptr);
    ASSERT_NE(grid_.chart_of(""), nullptr);
    grid_.set_runs({});
    EXPECT_THAT(grid_.series(), ElementsAre());
}

TEST(ClockText, TimesOfDayReadAndTyped) {
    setenv("TZ", "UTC-2", 1);  // two hours east of Greenwich
    tzset();
    const double noon = 1767866400;  // 2026-01-08 12:00:00 there
    EXPECT_EQ(clock_text(noon, true), "2026-01-08 12:00:00");
    EXPECT_EQ(clock_text(noon + 61, false), "12:01:01");
    EXPECT_EQ(parse_clock("12:01:01", noon), noon + 61);
    EXPECT_EQ(parse_clock("12:30", noon), noon + 1800);
    EXPECT_EQ(parse_clock("00:30", noon), noon + 45000) << "after midnight";
    EXPECT_EQ(parse_clock("2026-01-08", noon), noon - 43200);
    EXPECT_EQ(parse_clock("2026-01-09 12:00", noon), noon + 86400);
    for (const char* none : {"", "noon", "12", "12:61", "25:00", "12:00 x", "2026-01-08T12:00"})
        EXPECT_FALSE(parse_clock(none, noon)) << none;
    unsetenv("TZ");
    tzset();
}

class TypedRange : public testing::Test {
  protected:
    TypedRange() {
        qRegisterMetaType<Range>("headroom::Range");
        fields_.show_ranges({0, 100}, {2, 5});
        QObject::connect(&fields_, &RangeFields::typed, &fields_, [this](Range x, Range y) {
            x_ = x;
            y_ = y;
            ++count_;
        });
    }
    QLineEdit& field(const char* name) { return *fields_.findChild<QLineEdit*>(name); }
    void type(const char* name, const char* text) {
        field(name).clear();
        QTest::keyClicks(&field(name), text);
        QTest::keyClick(&field(name), Qt::Key_Return);
    }
    RangeFields fields_;
    Range x_, y_;
    int count_ = 0;
};

// "1.80 G" stood at both ends of the time of day.
TEST_F(TypedRange, OfTheTimeOfDayIsOfTimes) {
    setenv("TZ", "UTC", 1);
    tzset();
    const double noon = 1767873600;  // 2026-01-08 12:00:00
    fields_.show_ranges({noon, noon + 3600}, {2, 5}, true);
    EXPECT_EQ(field("xRangeFrom").placeholderText(), "12:00:00");
    EXPECT_EQ(field("xRangeTo").placeholderText(), "13:00:00");
    EXPECT_EQ(field("yRangeTo").placeholderText(), "5");
    type("xRangeFrom", "12:30");
    EXPECT_EQ(x_, (Range{noon + 1800, noon + 3600}));
    type("xRangeFrom", "20k");
    EXPECT_FALSE(field("xRangeFrom").property("problem").toString().isEmpty());
    fields_.show_ranges({noon, noon + 3 * 86400}, {2, 5}, true);
    EXPECT_EQ(field("xRangeTo").placeholderText(), "2026-01-11");
    unsetenv("TZ");
    tzset();
}

TEST_F(TypedRange, AnOpenEndStaysAsItIs) {
    type("xRangeTo", "50");
    EXPECT_EQ(x_, (Range{0, 50}));
    EXPECT_EQ(y_, (Range{2, 5}));
}

TEST_F(TypedRange, WhatIsNoRangeIsMarkedAndNotTaken) {
    for (const char* wrong : {"-1", "many"}) {
        type("xRangeTo", wrong);
        EXPECT_FALSE(field("xRangeTo").property("problem").toString().isEmpty()) << wrong;
    }
    EXPECT_EQ(count_, 0);
    type("xRangeTo", "60");
    EXPECT_TRUE(field("xRangeTo").property("problem").toString().isEmpty());
    EXPECT_EQ(x_.upper, 60);
}

// A run that is being trained moves the axes every second.
TEST_F(TypedRange, WhatIsBeingTypedStaysWhereTheAxesMove) {
    fields_.show();
    QApplication::setActiveWindow(&fields_);
    field("xRangeFrom").setFocus();
    QTest::keyClicks(&field("xRangeFrom"), "30");
    fields_.show_ranges({0, 101}, {2, 5});
    EXPECT_EQ(field("xRangeFrom").text(), "30");
    EXPECT_EQ(field("xRangeTo").placeholderText(), "101");
    QTest::keyClick(&field("xRangeFrom"), Qt::Key_Return);
    EXPECT_EQ(x_, (Range{30, 101}));
    fields_.show_ranges({30, 101}, {2, 5});
    EXPECT_TRUE(field("xRangeFrom").text().isEmpty()) << "the axis shows it now";
}

TEST_F(TypedRange, AZoomForgetsWhatWasTyped) {
    type("xRangeTo", "50");
    fields_.show_ranges({10, 20}, {2, 5});
    EXPECT_TRUE(field("xRangeTo").text().isEmpty());
    EXPECT_EQ(field("xRangeTo").placeholderText(), "20");
    EXPECT_EQ(field("yRangeTo").placeholderText(), "5");
}

}  // namespace
}  // namespace headroom
