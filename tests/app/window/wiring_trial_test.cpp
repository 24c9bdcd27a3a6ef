#include <QComboBox>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/checkpoint/checkpoint.h"
#include "panels/wiring_editor/wiring_trial_strip.h"
#include "tests/app/window/draw_wiring_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A run of nine layers with a checkpoint of random weights, on whose wiring is drawn.
class WiringTrialTest : public DrawWiringTest {
  protected:
    void SetUp() override {
        DrawWiringTest::SetUp();
        if (IsSkipped()) return;
        window_->action("startQueue")->trigger();
        ASSERT_TRUE(wait_for_state("baseline", "finished")) << error_text();
        ASSERT_TRUE(wait_for([this] { return strip().can_try(); }));
    }
    WiringTrialStrip& strip() { return *panel().trial(); }
    std::string answer() { return strip().answer()->text().toStdString(); }
    void draw_values_5_to_8() {
        click(row_of(5));
        click(row_of(8), Qt::ShiftModifier);
        drag(row_of(6), row_of(2));
        ASSERT_TRUE(wait_for([this] { return read_by(8, 3) == HeadSources{{2, 3}}; }));
    }
    void try_it() {
        QTest::mouseClick(strip().button(), Qt::LeftButton);
        ASSERT_TRUE(wait_for([this] { return strip().button()->text() == "Try"; }));
    }
    /// What the command says of the same edit.
    nlohmann::json said_by_command(const QString& edit, const QString& sequences) {
        QProcess process;
        process.start(
            QCoreApplication::applicationDirPath() + "/headroom",
            {"probe", "wiring", QString::fromStdString((study_ / "runs/baseline").string()),
             "--edit", edit, "--batch-size", sequences, "--json", "--out",
             QString::fromStdString((folder("out") / "wiring.h5").string())});
        process.waitForFinished(60000);
        return nlohmann::json::parse(process.readAllStandardOutput().toStdString());
    }
};

TEST_F(WiringTrialTest, WhatIsDrawnIsTriedOnATrainedRunAsTheCommandDoesIt) {
    draw_values_5_to_8();
    strip().findChild<QSpinBox*>("trialSequences")->setValue(6);
    try_it();
    const nlohmann::json said = said_by_command("values 5-8 read 2", "6");
    const WiringTrial trial{said["loss"].get<double>(), said["rewired"].get<double>(),
                            said["standard_error"].get<double>(), 6, 8};
    EXPECT_EQ(answer(), "baseline, as they are: " + trial_words(trial));
    EXPECT_NE(trial.loss, trial.rewired);
    // What is drawn since was not tried.
    window_->action("undo")->trigger();
    EXPECT_THAT(answer(), StartsWith("Of an earlier drawing: baseline"));
    window_->action("redo")->trigger();
    EXPECT_THAT(answer(), StartsWith("baseline, as they are")) << "what was tried is drawn again";
}

TEST_F(WiringTrialTest, WaysThatDoNotFitSayWhyAndThoseThatDoAreTaken) {
    QComboBox* ways = strip().ways();
    const int mean = ways->findData("mean_vo");
    ASSERT_GE(mean, 0);
    EXPECT_THAT(ways->itemData(mean, Qt::ToolTipRole).toString().toStdString(),
                HasSubstr("no layer reads half of its values elsewhere"));
    drag(cell(1, 2), cell(8, 3), Qt::ShiftModifier);
    EXPECT_EQ(panel().editor().marked().size(), 16u);
    drag(cell(5, 2), cell(0, 2));
    ASSERT_TRUE(wait_for([&] { return ways->itemData(mean, Qt::ToolTipRole).toString() == ""; }));
    EXPECT_EQ(read_by(8, 3), (HeadSources{{0, 3}}));
    ways->setCurrentIndex(mean);
    try_it();
    EXPECT_THAT(answer(), StartsWith("baseline, Mean VO: loss "));
    EXPECT_THAT(answer(), HasSubstr("in 16 sequences of 8 tokens"));
    window_->action("undo")->trigger();
    EXPECT_FALSE(strip().button()->isEnabled()) << "what was chosen does not fit any more";
    EXPECT_THAT(strip().button()->toolTip().toStdString(), HasSubstr("half of its values"));
}

TEST_F(WiringTrialTest, ATrialIsStoppedAndAFailureIsOneLine) {
    strip().findChild<QSpinBox*>("trialSequences")->setValue(4096);
    QTest::mouseClick(strip().button(), Qt::LeftButton);
    EXPECT_EQ(strip().button()->text(), "Stop");
    QTest::mouseClick(strip().button(), Qt::LeftButton);
    EXPECT_EQ(strip().button()->text(), "Try");
    EXPECT_EQ(answer(), "Stopped: nothing was measured.");
    const auto file = checkpoint_files(study_ / "runs/baseline/checkpoints", 2).weights;
    std::filesystem::resize_file(file, 1000);
    try_it();
    EXPECT_THAT(answer(), HasSubstr(file.filename().string()));
    EXPECT_THAT(answer(), testing::Not(HasSubstr("\n")));
}

TEST_F(WiringTrialTest, WithoutATrainedRunOfTheSizesNothingIsOffered) {
    QComboBox* starts = panel().starts();
    starts->setCurrentIndex(starts->findData("preset:gpt2-124m"));
    emit starts->activated(starts->currentIndex());
    EXPECT_EQ(strip().runs()->count(), 0);
    EXPECT_FALSE(strip().button()->isEnabled());
    EXPECT_THAT(strip().button()->toolTip().toStdString(), HasSubstr("No trained run"));
}

}  // namespace
}  // namespace headroom
