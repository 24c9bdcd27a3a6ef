#include "panels/loss/loss_widget.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "panels/figure/figure_chart.h"
#include "panels/loss/loss_controls.h"
#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

ExampleRun falling(const std::string& id, int color, int64_t seed = 1) {
    ExampleRun run{.id = id, .group = id, .seed = seed, .color = color};
    for (int i = 1; i <= 200; ++i)
        run.losses.push_back(static_cast<float>(2 + 3 * std::exp(-i / 40.0) + 0.1 * color));
    for (int i = 20; i <= 200; i += 20) {
        run.val_steps.push_back(i);
        run.val_losses.push_back(static_cast<float>(2.1 + 3 * std::exp(-i / 40.0) + 0.1 * color));
    }
    return run;
}

class LossWidgetTest : public testing::Test {
  protected:
    LossWidgetTest() : shown_(&widget_, &LossWidget::view_shown) {
        widget_.resize(1000, 640);
        widget_.show();
        wait();
    }

    /// Until what was asked for has been built and drawn.
    void wait() {
        const bool arrived = !shown_.isEmpty() || shown_.wait(30'000);
        ASSERT_TRUE(arrived);
        QCoreApplication::processEvents();
        shown_.clear();
    }
    void show(std::vector<RunPointer> runs) {
        widget_.set_runs(std::move(runs));
        wait();
    }
    template <class Child>
    Child& control(const char* name) {
        auto* child = widget_.findChild<Child*>(name);
        EXPECT_NE(child, nullptr) << name;
        return *child;
    }
    QPoint middle() const { return widget_.chart()->axisRect()->rect().center(); }
    /// The middle of the legend entry of this name.
    QPoint legend_entry(const QString& name) const {
        widget_.chart()->replot();  // which gives entries their places
        const QCPLegend& legend = *widget_.chart()->legend;
        for (int i = 0; i < legend.itemCount(); ++i) {
            auto* item = dynamic_cast<QCPPlottableLegendItem*>(legend.item(i));
            if (item->plottable()->name() == name) return item->outerRect().center();
        }
        ADD_FAILURE() << "no legend entry " << name.toStdString();
        return {};
    }

    LossWidget widget_;
    QSignalSpy shown_;
};

TEST_F(LossWidgetTest, DrawsNothingOnePointAndNaN) {
    EXPECT_EQ(widget_.view().figure.empty_text, "No run to show");
    show({ExampleRun{.losses = {3}}.make()});
    EXPECT_FALSE(widget_.figure().is_empty());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    show({ExampleRun{.losses = {nan, nan}}.make()});
    EXPECT_FALSE(widget_.grab().isNull());
}

TEST_F(LossWidgetTest, ControlsChangeTheView) {
    show({falling("base", 0).make(), falling("skip", 1).make()});
    EXPECT_EQ(widget_.view().curves.size(), 4u);
    control<QCheckBox>("showVal").click();
    wait();
    EXPECT_EQ(widget_.view().curves.size(), 2u);
    control<QComboBox>("xAxis").setCurrentText("Seconds");
    wait();
    EXPECT_EQ(widget_.view().figure.x.column, "seconds");
    control<QSlider>("smoothing").setValue(90);
    wait();
    EXPECT_DOUBLE_EQ(widget_.settings().smoothing, 0.9);
    EXPECT_DOUBLE_EQ(control<QDoubleSpinBox>("smoothingValue").value(), 0.9);
    control<QCheckBox>("logY").click();
    wait();
    EXPECT_EQ(widget_.chart()->yAxis->scaleType(), QCPAxis::stLogarithmic);
    control<QComboBox>("baseline").setCurrentText("base");
    wait();
    EXPECT_EQ(widget_.settings().baseline, "base");
    EXPECT_EQ(widget_.view().curves.size(), 1u);
    EXPECT_TRUE(control<QComboBox>("unit").isVisible());
}

TEST_F(LossWidgetTest, ALegendEntryHidesItsRunAndARightClickMakesItTheBaseline) {
    show({falling("base", 0).make(), falling("skip", 1).make()});
    QTest::mouseClick(widget_.chart(), Qt::LeftButton, {}, legend_entry("skip"));
    wait();
    EXPECT_TRUE(widget_.settings().hidden.contains("skip"));
    QTest::mouseClick(widget_.chart(), Qt::LeftButton, {}, legend_entry("skip"));
    wait();
    EXPECT_TRUE(widget_.settings().hidden.empty());
    QTest::mouseClick(widget_.chart(), Qt::LeftButton, Qt::ControlModifier, legend_entry("skip"));
    wait();
    EXPECT_EQ(widget_.settings().hidden, std::set<std::string>{"base"});
    QTest::mouseClick(widget_.chart(), Qt::RightButton, {}, legend_entry("base"));
    wait();
    EXPECT_EQ(widget_.settings().baseline, "base");
    QTest::mouseClick(widget_.chart(), Qt::LeftButton, {}, legend_entry("train"));
    wait();
    EXPECT_FALSE(widget_.settings().train);
}

TEST_F(LossWidgetTest, WheelZoomsAtThePointerAndDoubleClickFits) {
    show({falling("base", 0).make()});
    const Range all = widget_.figure().x.range;
    const double under = widget_.chart()->xAxis->pixelToCoord(middle().x());
    QWheelEvent wheel(middle(), widget_.chart()->mapToGlobal(middle()), {}, {0, 240}, {}, {},
                      Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(widget_.chart(), &wheel);
    const Range near = widget_.figure().x.range;
    EXPECT_LT(near.size(), 0.8 * all.size());
    EXPECT_NEAR(widget_.chart()->xAxis->pixelToCoord(middle().x()), under, 0.01 * all.size());
    EXPECT_EQ(widget_.settings().x_range, near) << "kept while the run goes on";
    shown_.clear();
    show({falling("base", 0).make()});
    EXPECT_EQ(widget_.figure().x.range, near);
    QTest::mouseDClick(widget_.chart(), Qt::LeftButton, {}, middle());
    wait();
    EXPECT_EQ(widget_.figure().x.range, all);
    widget_.undo_zoom();
    EXPECT_EQ(widget_.figure().x.range, near);
}

TEST_F(LossWidgetTest, DragZoomsIntoTheBoxAndShiftDragPans) {
    show({falling("base", 0).make()});
    const Range all = widget_.figure().x.range;
    const auto drag = [&](Qt::KeyboardModifiers modifiers, QPoint from, QPoint to) {
        QTest::mousePress(widget_.chart(), Qt::LeftButton, modifiers, from);
        QTest::mouseMove(widget_.chart(), (from + to) / 2);
        QTest::mouseMove(widget_.chart(), to);
        QTest::mouseRelease(widget_.chart(), Qt::LeftButton, modifiers, to);
    };
    const double left = widget_.chart()->xAxis->pixelToCoord(middle().x() - 100);
    const double right = widget_.chart()->xAxis->pixelToCoord(middle().x() + 100);
    drag({}, middle() - QPoint(100, 80), middle() + QPoint(100, 80));
    const Range box = widget_.figure().x.range;
    EXPECT_NEAR(box.lower, left, 0.01 * all.size());
    EXPECT_NEAR(box.upper, right, 0.01 * all.size());
    drag(Qt::ShiftModifier, middle(), middle() + QPoint(50, 0));
    EXPECT_NEAR(widget_.figure().x.range.size(), box.size(), 1e-6 * box.size());
    EXPECT_LT(widget_.figure().x.range.lower, box.lower);
    widget_.undo_zoom();
    EXPECT_NEAR(widget_.figure().x.range.lower, box.lower, 1e-6 * box.size());
}

TEST_F(LossWidgetTest, AZoomedPlotSaysWhichRunsLieOutsideIt) {
    auto& button = control<QPushButton>("outOfSight");
    show({falling("base", 0).make()});
    EXPECT_FALSE(button.isVisible());
    const Range all = widget_.figure().y.range;
    widget_.look_at({10000, 20000}, Range{1.9, 2.5});
    EXPECT_FALSE(button.isVisible()) << "the run is in sight";
    ExampleRun high = falling("later", 1);
    for (float& loss : high.losses) loss += 10;
    for (float& loss : high.val_losses) loss += 10;
    show({falling("base", 0).make(), high.make()});
    ASSERT_TRUE(button.isVisible());
    EXPECT_EQ(button.text(), "later lies outside this view: show all");
    const QRect area = widget_.chart()->axisRect()->rect();
    EXPECT_TRUE(area.contains(button.geometry()));
    widget_.look_at({0, 20000}, Range{-3, -1});
    EXPECT_EQ(button.text(), "2 runs lie outside this view: show all");
    QTest::mouseClick(&button, Qt::LeftButton);
    wait();
    EXPECT_FALSE(button.isVisible());
    EXPECT_GT(widget_.figure().y.range.upper, all.upper + 5);
}

TEST_F(LossWidgetTest, TheTooltipFollowsThePointer) {
    show({falling("base", 0).make(), falling("skip", 1).make()});
    QTest::mouseMove(widget_.chart(), middle());
    bool found = false;
    for (const QLabel* label : widget_.chart()->findChildren<QLabel*>())
        found = found || (label->isVisible() && label->text().contains("skip train"));
    EXPECT_TRUE(found);
}

// The table of a chosen stretch made the plot lower, and cut the tooltip's last rows off.
TEST_F(LossWidgetTest, TheTooltipIsNeverCutOff) {
    std::vector<RunPointer> runs;
    for (int i = 0; i < 14; ++i) runs.push_back(falling("run" + std::to_string(i), i).make());
    show(runs);
    const QLabel& tooltip = control<QLabel>("lossTooltip");
    QTest::mouseMove(widget_.chart(), middle());
    ASSERT_TRUE(tooltip.isVisible());
    EXPECT_TRUE(widget_.chart()->rect().contains(tooltip.geometry()));
    widget_.resize(1000, 320);
    QCoreApplication::processEvents();
    EXPECT_FALSE(tooltip.isVisible());
    QTest::mouseMove(widget_.chart(), middle());
    ASSERT_TRUE(tooltip.isVisible());
    EXPECT_TRUE(widget_.chart()->rect().contains(tooltip.geometry()));
    EXPECT_TRUE(tooltip.text().contains("more"));
}

TEST_F(LossWidgetTest, ExportsWhatIsOnTheScreenInTheSizeOfThePaper) {
    show({falling("base", 0).make()});
    LossSettings settings = widget_.settings();
    settings.x_range = Range{0, 5000};
    settings.width_in = kSingleColumnIn;
    widget_.set_settings(settings);
    wait();
    EXPECT_EQ(widget_.figure().x.range, (Range{0, 5000}));
    EXPECT_DOUBLE_EQ(widget_.figure().width_in, 3.25);
}

TEST_F(LossWidgetTest, WhatGrewWhileItWaitsToDrawIsDrawnInTheEnd) {
    ExampleRun growing = falling("base", 0);
    growing.state = RunState::kRunning;
    show({growing.make()});
    for (int i = 0; i < 50; ++i) {  // faster than it may draw
        growing.losses.push_back(2);
        widget_.set_runs({growing.make()});
        QCoreApplication::processEvents();
    }
    const auto last_point = [&] { return widget_.view().curves.front().x->back(); };
    for (int i = 0; i < 100 && last_point() != 250 * 100; ++i) shown_.wait(100);
    EXPECT_EQ(last_point(), 250 * 100);
    EXPECT_LT(shown_.size(), 25);
}

TEST_F(LossWidgetTest, ARunThatEndsIsDrawnAtOnce) {
    ExampleRun run = falling("base", 0);
    run.state = RunState::kRunning;
    show({run.make()});
    run.losses.push_back(2);
    widget_.set_runs({run.make()});  // may wait
    run.losses.push_back(2);
    run.state = RunState::kFinished;
    widget_.set_runs({run.make()});
    EXPECT_FALSE(widget_.is_waiting());
}

TEST_F(LossWidgetTest, ClosesWhileAViewIsBeingBuilt) {
    auto widget = std::make_unique<LossWidget>();
    ExampleRun big;
    big.losses.assign(2'000'000, 2.5f);
    big.losses[7] = 3;
    widget->set_runs({big.make()});
    widget.reset();
    QCoreApplication::processEvents();
    SUCCEED();
}

TEST(RangeFieldsTest, FitForgetsWhatWasRefused) {
    LossControls controls(nullptr);
    auto* from = controls.findChild<QLineEdit*>("yRangeFrom");
    ASSERT_NE(from, nullptr);
    from->setText("abc");
    emit from->editingFinished();
    EXPECT_TRUE(from->property("wrong").toBool());
    controls.findChild<QToolButton*>("fit")->click();
    EXPECT_EQ(from->text(), "");
    EXPECT_FALSE(from->property("wrong").toBool());
}

}  // namespace
}  // namespace headroom
