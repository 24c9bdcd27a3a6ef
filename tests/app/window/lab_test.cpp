#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableWidget>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QWheelEvent>
#include <algorithm>
#include <fstream>
#include <tuple>

#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/study/study.h"
#include "core/weights/checkpoint_weights.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/lab/absorption_panel.h"
#include "panels/lab/lab_panel.h"
#include "panels/surgery/surgery_panel.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/random_checkpoint.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A study with runs that have checkpoints of random weights: one with norms, one without.
class LabTest : public WindowTest {
  protected:
    void SetUp() override {
        const auto study = folder("operated");
        for (const char* name : {"normed", "bare"}) {
            const auto run = study / "runs" / name;
            std::filesystem::create_directories(run / "checkpoints");
            std::ofstream(run / "job.json") << R"({"name": ")" << name << R"("})";
            nlohmann::json keys{{"arch", name == std::string("bare") ? "no_norm" : "gpt2"},
                                {"tie", false}};
            if (name == std::string("bare")) keys["norm_f"] = "none";
            for (const int step : {3, 5}) {
                if (step == 3 && name == std::string("normed")) continue;
                const auto files = checkpoint_files(run / "checkpoints", step);
                write_random_checkpoint(files.weights, keys, {.init_std = 0.1 * step});
                std::ofstream(files.optimizer) << "";
            }
        }
        open(study, 2);
    }
    /// Clicks, and answers the file dialog that opens.
    void click_and_answer(QAbstractButton* button, const std::filesystem::path& file,
                          QDialogButtonBox::StandardButton answer = QDialogButtonBox::Save) {
        QTimer::singleShot(0, window_.get(), [this, file, answer] {
            auto* dialog = window_->findChild<QFileDialog*>();
            ASSERT_NE(dialog, nullptr);
            dialog->findChild<QLineEdit*>("fileNameEdit")
                ->setText(QString::fromStdString(file.string()));
            QTest::mouseClick(dialog->findChild<QDialogButtonBox*>()->button(answer),
                              Qt::LeftButton);
        });
        QTest::mouseClick(button, Qt::LeftButton);
    }

    /// Replaces the text of an option of the experiment that is chosen.
    static QLineEdit* type_option(LabPanel& panel, const char* name, const char* text) {
        auto* inputs =
            panel.controls()->findChild<QWidget*>(QString::fromStdString(panel.chosen()));
        auto* edit = inputs->findChild<QLineEdit*>(name);
        edit->setFocus();
        edit->selectAll();
        QTest::keyClick(edit, Qt::Key_Delete);
        QTest::keyClicks(edit, text);
        return edit;
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
    EXPECT_THAT(column(*panel.table(), 3), HasSubstr("a norm in front of it (ln_1 of layer 0"));
    window_->set_first_number(1);
    EXPECT_THAT(column(*panel.table(), 3), HasSubstr("a norm in front of it (ln_1 of layer 2"));
    EXPECT_THAT(column(*panel.table(), 0), HasSubstr("q, layer 2"));
    window_->set_first_number(0);
    const auto all = panel.table()->findItems("remove-all", Qt::MatchExactly);
    ASSERT_EQ(all.size(), 1);
    panel.table()->setCurrentItem(all.front());  // none of its lines applies
    EXPECT_EQ(panel.chosen(), nullptr);
    ASSERT_NE(panel.model_canvas()->drawing().find("block.q"), nullptr);
    EXPECT_EQ(panel.model_canvas()->drawing().find("block.q")->note, "stays: norm");
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

TEST_F(LabTest, ASurgeryIsAppliedIntoTheFileThatTheDialogNames) {
    go_to("surgery");
    select({"bare"});
    SurgeryPanel& panel = part<SurgeryPanel>();
    ASSERT_TRUE(wait_for([&] { return panel.model().has_value() && panel.chosen() != nullptr; }));
    const ModelConfig reduced = panel.chosen()->plan.config;
    EXPECT_FALSE(panel.has_picture());
    const auto file = folder("operated") / "reduced.safetensors";
    click_and_answer(panel.apply_button(), file);
    EXPECT_EQ(panel.apply_button()->text(), "Stop");
    ASSERT_TRUE(wait_for([&] { return panel.has_picture(); }));
    EXPECT_EQ(open_weights(file)->config(), reduced);
    EXPECT_EQ(panel.findChild<QTabWidget*>("surgeryTabs")->currentIndex(), 1);
    const auto report = nlohmann::json::parse(read_text(file.string() + ".json"));
    EXPECT_LT(report["precisions"]["float64"]["logits"]["relative"], 1e-9);
    EXPECT_EQ(panel.apply_button()->text(), "Apply…");
    // The report stays beside other rows, and says whose it is.
    const auto* facts = panel.findChild<QLabel*>("surgeryFacts");
    const std::string said = facts->text().toStdString();
    EXPECT_THAT(said, StartsWith(panel.chosen()->plan.name + " "));
    EXPECT_THAT(said, HasSubstr(" of " + panel.model()->name + ": "));
    EXPECT_THAT(said, HasSubstr("times as fast at batch 1"));
    QTreeWidgetItem* reported = panel.table()->currentItem();
    panel.table()->setCurrentItem(panel.table()->topLevelItem(0));
    EXPECT_EQ(facts->text().toStdString(), "Not of the selected row, but " + said);
    panel.table()->setCurrentItem(reported);
    EXPECT_EQ(facts->text().toStdString(), said);
}

TEST_F(LabTest, AFileOfNoRunGetsDataAndAStudyThatRecoversIt) {
    go_to("surgery");
    SurgeryPanel& panel = part<SurgeryPanel>();
    const auto file = folder("elsewhere") / "foreign.safetensors";
    write_random_checkpoint(file, {{"arch", "gpt2"}, {"tie", true}});
    click_and_answer(panel.open_button(), file, QDialogButtonBox::Open);
    ASSERT_TRUE(wait_for([&] { return panel.model() && panel.model()->checkpoint == file; }));
    panel.untie_box()->setChecked(true);
    const auto freeze = panel.table()->findItems("freeze-norms", Qt::MatchExactly);
    ASSERT_EQ(freeze.size(), 1);
    panel.table()->setCurrentItem(freeze.front());
    EXPECT_TRUE(panel.chosen()->applies());
    EXPECT_FALSE(panel.apply_button()->isEnabled());  // it is measured on data
    EXPECT_FALSE(panel.recover_button()->isEnabled());
    panel.data_edit()->setText("task:copy");
    EXPECT_TRUE(panel.apply_button()->isEnabled());
    ASSERT_TRUE(panel.recover_button()->isEnabled());
    const auto study = folder("elsewhere") / "recovery";
    click_and_answer(panel.recover_button(), study);
    ASSERT_TRUE(wait_for([&] { return window_->windowFilePath().endsWith("recovery"); }));
    EXPECT_EQ(load_study(study / "study.json").runs.front().id, "with-norms");
}

TEST_F(LabTest, AnMlpIsMadeAbsorbableAndLosesItsSkip) {
    go_to("absorption");
    select({"bare"});
    AbsorptionPanel& panel = part<AbsorptionPanel>();
    ASSERT_TRUE(wait_for([&] { return panel.decide_button()->isEnabled(); }));
    EXPECT_FALSE(panel.make_button()->isEnabled());
    QTest::mouseClick(panel.decide_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return panel.has_picture(); }));
    EXPECT_FALSE(panel.apply_button()->isEnabled());
    panel.table()->selectRow(0);
    const auto made = folder("operated") / "made.safetensors",
               last = folder("operated") / "last.safetensors";
    click_and_answer(panel.make_button(), made);
    ASSERT_TRUE(wait_for([&] { return panel.decide_button()->text() == "Decide"; }));
    click_and_answer(panel.open_button(), made, QDialogButtonBox::Open);
    EXPECT_FALSE(panel.history_button()->isEnabled());  // a file has none
    QTest::mouseClick(panel.decide_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return panel.has_picture(); }));
    EXPECT_EQ(panel.table()->item(0, 1)->text(), "yes");
    EXPECT_EQ(panel.table()->item(1, 1)->text(), "no");
    click_and_answer(panel.apply_button(), last);
    ASSERT_TRUE(wait_for([&] { return panel.decide_button()->text() == "Decide"; }));
    const ModelConfig model = open_weights(last)->config();
    EXPECT_FALSE(model.skip_mlp.at(0));
    EXPECT_TRUE(model.skip_mlp.at(1));
}

TEST_F(LabTest, AbsorptionIsFollowedOverTheTrainingOfARun) {
    go_to("absorption");
    AbsorptionPanel& panel = part<AbsorptionPanel>();
    select({"normed"});
    ASSERT_TRUE(wait_for([&] { return panel.decide_button()->isEnabled(); }));
    EXPECT_FALSE(panel.history_button()->isEnabled());  // it has one checkpoint
    select({"bare"});
    ASSERT_TRUE(wait_for([&] { return panel.history_button()->isEnabled(); }));
    QTest::mouseClick(panel.history_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return panel.has_picture(); }));
    EXPECT_EQ(panel.findChild<QComboBox*>("absorptionChart")->currentIndex(), 1);
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
    ASSERT_TRUE(wait_for([&] { return panel.run_button()->isEnabled(); }));
    QTest::mouseClick(panel.run_button(), Qt::LeftButton);
    QTest::mouseClick(panel.run_button(), Qt::LeftButton);
    EXPECT_EQ(panel.run_button()->text(), "Run");
}

TEST_F(LabTest, AClaimThatIsNotDecidedSaysSo) {
    go_to("lab");
    LabPanel& panel = part<LabPanel>();
    LabResult result;
    result.checks.push_back({"a mean", 2, 2.5, 0.01, 0.75});
    result.checks.push_back({"a minimum", 2, 1, 0, 0, LabCheck::Bound::kAtLeast, "few sets"});
    panel.take_result(result);
    auto* claims = qobject_cast<QTableWidget*>(panel.tables()->widget(0));
    for (int row = 0; row < 2; ++row) EXPECT_EQ(claims->item(row, 0)->text(), "not decided");
    EXPECT_EQ(claims->item(0, 3)->text(), "2.5 ± 0.75");
    EXPECT_EQ(claims->item(1, 1)->text(), "a minimum (few sets)");
    EXPECT_EQ(claims->item(1, 2)->text(), "at least 2");
}

TEST_F(LabTest, AnExperimentKeepsItsOptionsAndItsResultWhileAnotherIsLookedAt) {
    go_to("lab");
    LabPanel& panel = part<LabPanel>();
    panel.choose("semi-conjugacy");
    type_option(panel, "matrices", "2");
    QTest::mouseClick(panel.run_button(), Qt::LeftButton);
    panel.choose("basis-transfer");
    EXPECT_FALSE(panel.run_button()->isEnabled());  // it waits for the other one
    EXPECT_TRUE(panel.run_button()->toolTip().contains("running"));
    ASSERT_TRUE(wait_for([&] { return panel.run_button()->isEnabled(); }));
    EXPECT_EQ(panel.run_button()->toolTip(), "");
    EXPECT_EQ(panel.tables()->count(), 0);
    window_->session().history().undo();
    EXPECT_EQ(panel.chosen(), "semi-conjugacy");
    EXPECT_GT(panel.tables()->count(), 0);
    EXPECT_TRUE(panel.has_picture());
    EXPECT_THAT(panel.arguments(), testing::Contains("--matrices=2"));
    window_->session().history().redo();
    EXPECT_EQ(panel.chosen(), "basis-transfer");
    EXPECT_FALSE(panel.has_picture());
}

TEST_F(LabTest, AResultSaysThatItIsOfOtherOptions) {
    go_to("lab");
    LabPanel& panel = part<LabPanel>();
    auto* age = panel.findChild<QLabel*>("labAge");
    const auto has_run = [&] {
        return wait_for([&] { return panel.run_button()->text() == "Run"; });
    };
    panel.choose("semi-conjugacy");
    EXPECT_TRUE(age->isHidden()) << "there is none yet";
    QTest::keyClick(type_option(panel, "matrices", "2"), Qt::Key_Return);
    EXPECT_EQ(panel.run_button()->text(), "Stop") << "Enter runs it";
    ASSERT_TRUE(has_run());
    ASSERT_TRUE(panel.has_picture());
    EXPECT_TRUE(age->isHidden());
    QLineEdit* edit = type_option(panel, "matrices", "0");
    EXPECT_FALSE(age->isHidden());
    EXPECT_THAT(age->text().toStdString(), HasSubstr("other options: matrices = 2."));
    QTest::keyClick(edit, Qt::Key_Return);
    ASSERT_TRUE(has_run());
    EXPECT_TRUE(edit->property("wrong").toBool());
    EXPECT_FALSE(age->isHidden()) << "it was refused: the result is the old one";
    panel.choose("score-scale");
    EXPECT_TRUE(age->isHidden());
    panel.choose("semi-conjugacy");
    EXPECT_FALSE(age->isHidden());
    QTest::keyClick(type_option(panel, "matrices", "3"), Qt::Key_Return);
    ASSERT_TRUE(has_run());
    EXPECT_TRUE(age->isHidden());
}

TEST_F(LabTest, TheWheelChoosesNoExperimentWithoutTheFocus) {
    go_to("lab");
    LabPanel& panel = part<LabPanel>();
    panel.choose("norm-transfer");
    panel.run_button()->setFocus();
    auto* choice = panel.findChild<QComboBox*>("labExperiment");
    const QPointF at = QRectF(choice->rect()).center();
    QWheelEvent event(at, choice->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(choice, &event);
    EXPECT_EQ(panel.chosen(), "norm-transfer");
}

TEST_F(LabTest, ARefusedOptionIsMarkedAndLeavesTheResult) {
    go_to("lab");
    LabPanel& panel = part<LabPanel>();
    auto* status = panel.findChild<QLabel*>("labStatus");
    const auto run = [&] {
        QTest::mouseClick(panel.run_button(), Qt::LeftButton);
        return wait_for([&] { return panel.run_button()->text() == "Run"; });
    };
    panel.choose("semi-conjugacy");
    ASSERT_TRUE(run());
    ASSERT_TRUE(panel.has_picture());
    const int tables = panel.tables()->count();
    for (const auto& [name, text, words] :
         {std::tuple{"matrices", "0", "matrices = 0 is out of range; give 1 to 1000"},
          {"eps", "abc", "eps = abc is no such number"},
          {"eps", "", "eps is empty; give it a value"}}) {
        QLineEdit* edit = type_option(panel, name, text);
        ASSERT_TRUE(run());
        EXPECT_EQ(status->text().toStdString(), words);
        EXPECT_EQ(status->property("role").toString(), "error");
        EXPECT_TRUE(edit->property("wrong").toBool());
        EXPECT_EQ(edit->toolTip().toStdString(), words);
        EXPECT_TRUE(panel.has_picture());
        EXPECT_EQ(panel.tables()->count(), tables);
        panel.choose("score-scale");
        EXPECT_TRUE(status->isHidden());
        panel.choose("semi-conjugacy");
        EXPECT_EQ(status->text().toStdString(), words);
        type_option(panel, name, "1");
        EXPECT_FALSE(edit->property("wrong").toBool());
    }
    ASSERT_TRUE(run());
    EXPECT_TRUE(status->isHidden());
}

}  // namespace
}  // namespace headroom
