#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <fstream>

#include <gmock/gmock.h>

#include "panels/lab/absorption_panel.h"
#include "panels/lab/lab_panel.h"
#include "panels/surgery/surgery_panel.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/random_checkpoint.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// A study with runs that have checkpoints of random weights: one with norms, one without.
class LabTest : public WindowTest {
  protected:
    void SetUp() override {
        const auto study = folder("operated");
        for (const char* name : {"normed", "bare"}) {
            const auto run = study / "runs" / name;
            std::filesystem::create_directories(run / "checkpoints");
            std::ofstream(run / "job.json") << R"({"name": ")" << name << R"("})";
            const auto files = checkpoint_files(run / "checkpoints", 5);
            nlohmann::json keys{{"arch", name == std::string("bare") ? "no_norm" : "gpt2"},
                                {"tie", false}};
            if (name == std::string("bare")) keys["norm_f"] = "none";
            write_random_checkpoint(files.weights, keys);
            std::ofstream(files.optimizer) << "";
        }
        open(study, 2);
    }
    template <class View>
    std::string column(View& tree, int column) const {
        std::string all;
        for (int i = 0; i < tree.topLevelItemCount(); ++i) {
            all += tree.topLevelItem(i)->text(column).toStdString() + "\n";
            for (int j = 0; j < tree.topLevelItem(i)->childCount(); ++j)
                all += tree.topLevelItem(i)->child(j)->text(column).toStdString() + "\n";
        }
        return all;
    }
};

TEST_F(LabTest, ThePlanFollowsTheFocusedRunAndNamesTheAssumptionThatFails) {
    go_to("surgery");
    select({"normed"});
    SurgeryPanel& panel = part<SurgeryPanel>();
    ASSERT_TRUE(wait_for([&] { return panel.model().has_value(); }));
    EXPECT_THAT(column(*panel.table(), 3), HasSubstr("a norm in front of it"));
    select({"bare"});
    ASSERT_TRUE(wait_for([&] { return panel.model()->name.starts_with("bare"); }));
    ASSERT_NE(panel.chosen(), nullptr);
    EXPECT_TRUE(panel.chosen()->applies());
    EXPECT_TRUE(panel.apply_button()->isEnabled());
    EXPECT_EQ(column(*panel.table(), 2).find_first_of("123456789"), std::string::npos);
    emit panel.numbers_asked();
    ASSERT_TRUE(wait_for(
        [&] { return column(*panel.table(), 2).find_first_of("123456789") != std::string::npos; }));
}

TEST_F(LabTest, AbsorptionIsDecidedForEveryLayer) {
    go_to("absorption");
    select({"bare"});
    AbsorptionPanel& panel = part<AbsorptionPanel>();
    ASSERT_TRUE(wait_for([&] { return panel.decide_button()->isEnabled(); }));
    EXPECT_FALSE(panel.has_picture());
    QTest::mouseClick(panel.decide_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return panel.has_picture(); }));
    EXPECT_EQ(panel.table()->item(0, 0)->text(), "0");
    EXPECT_EQ(panel.table()->item(0, 1)->text(), "no");
    select({"normed"});
    ASSERT_TRUE(wait_for([&] { return !panel.has_picture(); }));
    QTest::mouseClick(panel.decide_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return panel.has_picture(); }));
    EXPECT_EQ(panel.table()->item(0, 1)->text(), "impossible");
}

TEST_F(LabTest, AnExperimentRunsInAWorkerAndStops) {
    go_to("lab");
    LabPanel& panel = part<LabPanel>();
    panel.choose("semi-conjugacy");
    QTest::mouseClick(panel.run_button(), Qt::LeftButton);
    EXPECT_EQ(panel.run_button()->text(), "Stop");
    ASSERT_TRUE(wait_for([&] { return panel.tables()->count() > 0; }));
    EXPECT_TRUE(panel.has_picture());
    auto* claims = qobject_cast<QTableWidget*>(panel.tables()->widget(0));
    ASSERT_GT(claims->rowCount(), 0);
    for (int row = 0; row < claims->rowCount(); ++row)
        EXPECT_EQ(claims->item(row, 0)->text(), "holds")
            << claims->item(row, 1)->text().toStdString();
    panel.choose("basis-transfer");
    EXPECT_EQ(panel.tables()->count(), 0);
    ASSERT_TRUE(wait_for([&] { return panel.run_button()->text() == "Run"; }));
    QTest::mouseClick(panel.run_button(), Qt::LeftButton);
    QTest::mouseClick(panel.run_button(), Qt::LeftButton);
    EXPECT_EQ(panel.run_button()->text(), "Run");
}

}  // namespace
}  // namespace headroom
