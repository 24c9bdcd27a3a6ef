#include "app/window/dialogs/import_log_dialog.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

class ImportLogDialogTest : public testing::Test {
  protected:
    void name(const std::string& file, const std::string& text) {
        write_plainly(folder_ / file, text);
        dialog_.set_source(QString::fromStdString((folder_ / file).string()));
        QTRY_VERIFY(!note().starts_with("Reading"));
    }
    std::string note() const {
        return dialog_.findChild<QLabel*>("importNote")->text().toStdString();
    }
    bool can_import() const { return dialog_.findChild<QPushButton*>("importAccept")->isEnabled(); }

    TemporaryFolder folder_;
    ImportLogDialog dialog_;
};

TEST_F(ImportLogDialogTest, SaysWhatALogBecomesAndWhatItLacks) {
    EXPECT_FALSE(can_import());
    name("nano.log",
         "tokens per iteration will be: 16,384\nstep 0: train loss 10.9, val loss 10.95\n"
         "iter 0: loss 10.98, time 41234.10ms, mfu -100.00%\n");
    EXPECT_TRUE(can_import()) << note();
    EXPECT_THAT(note(), HasSubstr("nanoGPT: training loss train/loss, validation loss val/loss"));
    EXPECT_THAT(note(), HasSubstr("16,384 tokens in a step"));

    name("chart.csv", "Step,run-a - train/loss\n1,4.5\n2,4.0\n");
    EXPECT_FALSE(can_import());
    EXPECT_THAT(note(), HasSubstr("no loss under a usual name, but run-a - train/loss"));
    EXPECT_THAT(note(), Not(HasSubstr("--"))) << "there are no options here";
    auto* loss = dialog_.findChild<QComboBox*>("importTrainLoss");
    loss->setCurrentIndex(loss->findData("run-a - train/loss"));
    EXPECT_THAT(note(), HasSubstr("does not say how many tokens a step has"));
    dialog_.findChild<QSpinBox*>("importTokens")->setValue(512);
    EXPECT_TRUE(can_import()) << note();
    EXPECT_EQ(dialog_.choice().train_loss, "run-a - train/loss");
    EXPECT_EQ(dialog_.choice().tokens_per_step, 512);

    name("nothing.txt", "no log at all\n");
    EXPECT_FALSE(can_import());
    EXPECT_THAT(note(), HasSubstr("nothing.txt"));
}

TEST_F(ImportLogDialogTest, OfSeveralRunsOneIsChosen) {
    name("nano.log", "step 0: train loss 10.9, val loss 10.95\n");
    auto* run = dialog_.findChild<QComboBox*>("importRun");
    EXPECT_TRUE(run->isHidden());
    EXPECT_EQ(dialog_.source_run(), "");
    name("panel.csv",
         "Step,sun - val/loss,sun - val/loss__MIN,sun - val/loss__MAX,"
         "moon - val/loss,moon - val/loss__MIN,moon - val/loss__MAX\n1,4,4,4,3,3,3\n");
    EXPECT_FALSE(run->isHidden());
    EXPECT_EQ(dialog_.source_run(), "sun");
    EXPECT_THAT(note(), HasSubstr("how many tokens a step has"));
    run->setCurrentIndex(1);
    emit run->activated(1);
    dialog_.findChild<QSpinBox*>("importTokens")->setValue(512);
    QTRY_VERIFY(can_import());
    EXPECT_EQ(dialog_.source_run(), "moon");
    EXPECT_EQ(run->count(), 2);
    EXPECT_THAT(note(), HasSubstr("validation loss val/loss, 0 other series"));
}

}  // namespace
}  // namespace headroom
