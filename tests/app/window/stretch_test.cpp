#include <QApplication>
#include <QClipboard>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "core/log/run_log_writer.h"
#include "core/study/run_folder.h"
#include "panels/figure/figure_chart.h"
#include "panels/loss/stretch_table.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// Two finished runs whose losses fall by a tenth and a twentieth at every step.
class StretchTest : public WindowTest {
  protected:
    void SetUp() override {
        const auto study = write_study("study", {{"fast", "gpt2"}, {"slow", "skipv1"}});
        write_run(study / "runs/fast", "gpt2", 0.1f);
        write_run(study / "runs/slow", "skipv1", 0.05f);
        open(study, 2);
        go_to("losses");
        EXPECT_TRUE(wait_for([&] { return losses().view().curves.size() == 4; }));
    }
    static void write_run(const std::filesystem::path& folder, const std::string& arch,
                          float fall) {
        const std::string job = R"({"name": ")" + folder.filename().string() +
                                R"(", "model": {"preset": "demo", "arch": ")" + arch + R"("}})";
        const RunFolder place = create_run_folder(folder);
        write_job(place, job);
        RunLogWriter log = RunLogWriter::create(
            place.log(), {job, "headroom 1", "here", "a CPU", "2026-01-01T10:00:00Z"});
        log.set_state(RunState::kRunning);
        for (int64_t step = 1; step <= 20; ++step)
            log.append_train({step, 100 * step, 5 - fall * static_cast<float>(step), 1e-3f, 1,
                              static_cast<double>(step), static_cast<uint64_t>(step)});
        log.set_state(RunState::kFinished);
        log.close();
    }
    /// Where a number of tokens is on the chart.
    QPoint at(double tokens) {
        FigureChart* chart = losses().chart();
        return {qRound(chart->xAxis->coordToPixel(tokens)), chart->height() / 3};
    }
    StretchTable& stretch() { return part<StretchTable>(); }
};

TEST_F(StretchTest, ADragWithCtrlGivesNumbersThatCanBeCopied) {
    EXPECT_FALSE(stretch().isVisible());
    FigureChart* chart = losses().chart();
    const Range before = chart->figure().x.range;
    QTest::mousePress(chart, Qt::LeftButton, Qt::ControlModifier, at(455));
    QTest::mouseMove(chart, at(800));
    QTest::mouseRelease(chart, Qt::LeftButton, Qt::ControlModifier, at(1045));
    ASSERT_TRUE(wait_for([&] { return stretch().table()->topLevelItemCount() == 2; }));
    EXPECT_TRUE(stretch().isVisible());
    EXPECT_EQ(chart->figure().x.range, before) << "it is no zoom";
    const StretchRow& fast = stretch().statistics().rows[0];
    EXPECT_EQ(fast.name, "fast train");
    EXPECT_EQ(fast.points, 6) << "steps 5 to 10";
    EXPECT_NEAR(fast.mean, 4.25, 1e-5);
    EXPECT_NEAR(fast.slope, -0.001, 1e-8);
    EXPECT_EQ(stretch().table()->topLevelItem(1)->text(3), "4.5000");
    QTest::mouseClick(stretch().findChild<QToolButton*>("stretchCopy"), Qt::LeftButton);
    EXPECT_THAT(QApplication::clipboard()->text().toStdString(), HasSubstr("\nslow train,6,4.625"));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    EXPECT_FALSE(stretch().isVisible());
}

TEST_F(StretchTest, CtrlEnterTakesWhatIsVisible) {
    losses().look_at({1450, 2050}, std::nullopt);
    QTest::keyClick(window_.get(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(wait_for([&] { return stretch().table()->topLevelItemCount() == 2; }));
    EXPECT_EQ(stretch().statistics().rows[1].points, 6);
}

}  // namespace
}  // namespace headroom
