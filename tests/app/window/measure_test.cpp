#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "app/window/services/measure_runner.h"
#include "panels/memory/memory_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

class MeasureTest : public WindowTest {
  protected:
    void SetUp() override {
        open(write_study("weighed", {{"baseline", "gpt2"}, {"skipv1", "skipv1"}}), 2);
        go_to("memory");
        ASSERT_TRUE(wait_for([&] { return panel().measure_button()->isVisible(); }));
        window_->findChild<QSpinBox*>("memoryContext")->setValue(32);
    }
    MemoryPanel& panel() const { return part<MemoryPanel>(); }
    void press() { QTest::mouseClick(panel().measure_button(), Qt::LeftButton); }
    bool is_done() const { return panel().measure_button()->text() == "Measure"; }
    std::string status() const {
        return panel().findChild<QLabel*>("memoryStatus")->text().toStdString();
    }
};

TEST_F(MeasureTest, WorkersHoldWhatWasPredicted) {
    press();
    EXPECT_FALSE(is_done());
    EXPECT_THAT(status(), HasSubstr("measuring baseline, 1 of 2"));
    ASSERT_TRUE(wait_for([&] { return is_done(); }));
    ASSERT_TRUE(wait_for([&] { return panel().table()->columnCount() == 5; })) << status();
    const QTreeWidgetItem* inference = panel().table()->topLevelItem(0);
    for (const int row : {0, 1})  // weights, cache
        for (const int column : {1, 3})
            EXPECT_EQ(inference->child(row)->text(column), inference->child(row)->text(column + 1));
}

TEST_F(MeasureTest, AWorkerThatDoesNotStartIsNamedAndTheWindowStays) {
    part<MeasureRunner>().set_program("/nowhere/headroom");
    press();
    ASSERT_TRUE(wait_for([&] { return is_done(); }));
    EXPECT_THAT(status(), HasSubstr("/nowhere/headroom does not start"));
    EXPECT_EQ(panel().table()->columnCount(), 3);
}

TEST_F(MeasureTest, AWorkerThatFailsCostsOnlyItsMeasurement) {
    part<MeasureRunner>().set_program("/bin/false");
    press();
    ASSERT_TRUE(wait_for([&] { return is_done(); }));
    EXPECT_THAT(status(), HasSubstr("ended with status 1"));
}

TEST_F(MeasureTest, ClosingTheStudyEndsTheWorker) {
    press();
    window_->close_study();
    EXPECT_TRUE(is_done());
}

}  // namespace
}  // namespace headroom
