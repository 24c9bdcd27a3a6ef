#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <fstream>

#include <gmock/gmock.h>

#include "app/window/dialogs/launch_dialog.h"
#include "app/window/dialogs/picture_dialog.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/launch/field_editor.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"
#include "panels/launch/match_box.h"
#include "panels/loss/loss_widget.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LaunchTest : public WindowTest {
  protected:
    LaunchPanel& form() { return *window_->launch_dialog()->panel(); }
    QPushButton* launch_button() { return form().summary()->launch_button(); }

    void open_form(const LaunchInput& input) {
        open(folder("study"), 0);
        window_->launch_dialog()->set_input(input);
        window_->action("newRuns")->trigger();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(window_->launch_dialog(), 30000));
    }
    bool can_launch() {
        return wait_for([&] { return launch_button()->isEnabled(); });
    }
    /// Replaces the text of a field by typing.
    void type(const std::string& path, const QString& text) {
        auto* line = qobject_cast<QLineEdit*>(form().editor(path)->input());
        ASSERT_NE(line, nullptr) << path;
        line->setFocus();
        line->selectAll();
        QTest::keyClicks(line, text);
    }
    /// Opens the form with this input and presses the button.
    void launch(const LaunchInput& input) {
        open_form(input);
        ASSERT_TRUE(can_launch());
        QTest::mouseClick(launch_button(), Qt::LeftButton);
    }
    /// Presses a button of the queue's tool bar on a run.
    void press(JobCommand command, const std::string& id) {
        window_->select_run(id);
        QAction* action = window_->jobs()->action(command);
        ASSERT_TRUE(wait_for([&] { return action->isEnabled(); }));
        for (QToolButton* button : window_->jobs()->findChildren<QToolButton*>())
            if (button->defaultAction() == action) return QTest::mouseClick(button, Qt::LeftButton);
        FAIL() << "no such button";
    }
};

TEST_F(LaunchTest, AnImpossibleValueIsRefusedBesideItsField) {
    open_form({});
    ASSERT_TRUE(can_launch());
    type("model.n_head", "7");
    const FieldEditor* editor = form().editor("model.n_head");
    EXPECT_TRUE(editor->error()->isVisible());
    EXPECT_THAT(editor->error()->text().toStdString(), StartsWith("model.n_head = 7"));
    EXPECT_FALSE(launch_button()->isEnabled());
    type("model.n_head", "8");
    EXPECT_FALSE(editor->error()->isVisible());
    EXPECT_TRUE(can_launch());
}

TEST_F(LaunchTest, TheFormIsMatchedToABaselineByAButton) {
    LaunchInput input;
    input.variants = {"wq_identity"};
    open_form(input);
    ASSERT_TRUE(can_launch());
    MatchBox& box = *form().match_box();
    EXPECT_EQ(box.baseline()->currentText(), "tiny");
    // The row fits beside the runs.
    EXPECT_EQ(box.find_button()->visibleRegion().boundingRect(), box.find_button()->rect());
    QTest::mouseClick(box.find_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return !box.use_buttons().empty(); }));
    EXPECT_EQ(box.use_buttons().front()->text(), "Use d_ff = 864");
    EXPECT_THAT(box.sentence()->text().toStdString(), HasSubstr("makes the parameters equal"));
    QTest::mouseClick(box.use_buttons().front(), Qt::LeftButton);
    EXPECT_EQ(form().input().values.at("model.d_ff"), "864");
    auto* line = qobject_cast<QLineEdit*>(form().editor("model.d_ff")->input());
    EXPECT_EQ(line->text(), "864");
    EXPECT_TRUE(line->isVisible());
    EXPECT_TRUE(box.use_buttons().empty());
    const auto& runs = window_->launch_dialog()->view().runs;
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].job.model.d_ff, 864);
    // Now that they are equal there is nothing to propose, and a change of the form takes it back.
    QTest::mouseClick(box.find_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return box.sentence()->text().contains("equal already"); }));
    EXPECT_TRUE(box.use_buttons().empty());
    type("model.n_layer", "4");
    EXPECT_EQ(box.sentence()->text(), "");
}

TEST_F(LaunchTest, DataThatAreNotThereAreRefusedBesideTheirField) {
    open_form({});
    type("data.train", "text:/nowhere/book.txt");
    const FieldEditor* editor = form().editor("data.train");
    EXPECT_TRUE(wait_for([&] { return editor->error()->isVisible(); }));
    EXPECT_THAT(editor->error()->text().toStdString(), HasSubstr("/nowhere/book.txt"));
    EXPECT_FALSE(launch_button()->isEnabled());
}

TEST_F(LaunchTest, VariantsAndSeedsMakeOneCommandEach) {
    open_form(tiny_run("20"));
    QTest::mouseClick(form().variant_box("skipv1"), Qt::LeftButton);
    auto* seeds = form().findChild<QLineEdit*>("seeds");
    seeds->selectAll();
    QTest::keyClicks(seeds, "1-2");
    EXPECT_TRUE(can_launch());
    EXPECT_EQ(launch_button()->text(), "Queue 4 runs");
    const std::string commands = form().summary()->commands()->toPlainText().toStdString();
    EXPECT_THAT(commands, HasSubstr("/headroom train --job "));
    EXPECT_THAT(commands, HasSubstr("runs/skipv1-s2/job.json"));
}

TEST_F(LaunchTest, ThePicturesFollowTheForm) {
    open_form(tiny_run("20"));
    ASSERT_TRUE(can_launch());
    QTest::mouseClick(form().summary()->picture_button(), Qt::LeftButton);
    PictureDialog* pictures = window_->launch_dialog()->pictures();
    ASSERT_NE(pictures, nullptr);
    EXPECT_TRUE(pictures->isVisible());
    EXPECT_EQ(pictures->variant()->count(), 1);
    QTest::mouseClick(form().variant_box("wq_identity"), Qt::LeftButton);
    EXPECT_TRUE(wait_for([&] { return pictures->variant()->count() == 2; }));
    pictures->variant()->setCurrentIndex(1);
    EXPECT_EQ(pictures->panel()->view().title, "wq_identity");
}

TEST_F(LaunchTest, ParametersAndMemoryAreShownBeforeTheRun) {
    open_form(tiny_run("20"));
    EXPECT_TRUE(wait_for([&] {
        const auto& runs = window_->launch_dialog()->view().runs;
        return !runs.empty() && runs[0].memory && runs[0].params_total > 0;
    }));
}

TEST_F(LaunchTest, ALaunchedRunIsTrainedByAWorkerAndFinishes) {
    launch(tiny_run("60"));
    ASSERT_TRUE(wait_for_state("gpt2-s1", "finished")) << error_text();
    EXPECT_EQ(row("gpt2-s1")->steps, "60 / 60");
    EXPECT_NE(row("gpt2-s1")->loss, "–");
    const RunPointer run = window_->watcher().study()->find("gpt2-s1");
    EXPECT_EQ(row("gpt2-s1")->color, run->color) << "the table wears the run's colour";
}

TEST_F(LaunchTest, ARunThatCannotStartFailsAndSaysWhy) {
    const auto study = folder("study");
    std::filesystem::create_directories(study / "runs/lost-data");
    std::ofstream(study / "runs/lost-data/job.json")
        << R"({"name": "x", "data": {"train": "text:/nowhere"}, "train": {"steps": 5}})";
    open(study, 1);
    window_->action("startQueue")->trigger();
    ASSERT_TRUE(wait_for_state("lost-data", "failed")) << error_text();
    EXPECT_THAT(row("lost-data")->detail, HasSubstr("/nowhere"));
    press(JobCommand::kRequeue, "lost-data");
    EXPECT_TRUE(wait_for_state("lost-data", "failed"));
}

TEST_F(LaunchTest, ARunIsPausedResumedAndStopped) {
    launch(tiny_run("100000000"));
    ASSERT_TRUE(wait_for_state("gpt2-s1", "running")) << error_text();
    press(JobCommand::kPause, "gpt2-s1");
    ASSERT_TRUE(wait_for_state("gpt2-s1", "paused")) << error_text();
    press(JobCommand::kResume, "gpt2-s1");
    ASSERT_TRUE(wait_for_state("gpt2-s1", "running"));
    press(JobCommand::kStop, "gpt2-s1");
    ASSERT_TRUE(wait_for_state("gpt2-s1", "stopped"));
    EXPECT_TRUE(window_->jobs()->action(JobCommand::kRequeue)->isEnabled());
}

TEST_F(LaunchTest, ANewWindowFindsTheRunningJobAgain) {
    launch(tiny_run("100000000"));
    ASSERT_TRUE(wait_for_state("gpt2-s1", "running")) << error_text();
    restart_window();
    open(folder("study"), 1);
    ASSERT_TRUE(wait_for_state("gpt2-s1", "running"));
    const std::string steps = row("gpt2-s1")->steps;
    EXPECT_TRUE(wait_for([&] { return row("gpt2-s1")->steps != steps; }));
    press(JobCommand::kStop, "gpt2-s1");
    EXPECT_TRUE(wait_for_state("gpt2-s1", "stopped"));
}

TEST_F(LaunchTest, TheLossFigureIsExportedInAllFormats) {
    launch(tiny_run("40"));
    ASSERT_TRUE(wait_for_state("gpt2-s1", "finished")) << error_text();
    ASSERT_TRUE(wait_for([&] { return !window_->loss()->figure().is_empty(); }));
    for (const std::string ending : {"pdf", "svg", "png", "csv"}) {
        const auto file = folder("study") / ("picture." + ending);
        QTimer::singleShot(0, window_.get(), [this, file] {
            auto* dialog = window_->findChild<QFileDialog*>();
            ASSERT_NE(dialog, nullptr);
            dialog->findChild<QLineEdit*>("fileNameEdit")
                ->setText(QString::fromStdString(file.string()));
            auto* buttons = dialog->findChild<QDialogButtonBox*>();
            QTest::mouseClick(buttons->button(QDialogButtonBox::Save), Qt::LeftButton);
        });
        window_->action(QString::fromStdString("export:" + ending))->trigger();
        EXPECT_GT(std::filesystem::file_size(file), 500u) << error_text();
    }
}

TEST_F(LaunchTest, ARemovedRunGoesToTheTrash) {
    const auto study = write_study("study", {});
    std::filesystem::create_directories(study / "runs/old");
    std::filesystem::copy_file(study / "study.json", study / "runs/old/job.json");
    open(study, 1);
    window_->select_run("old");
    QTimer::singleShot(0, window_.get(), [this] {
        auto* box = window_->findChild<QDialog*>("removeRuns");
        ASSERT_NE(box, nullptr);
        for (QPushButton* button : box->findChildren<QPushButton*>())
            if (button->text().contains("trash")) QTest::mouseClick(button, Qt::LeftButton);
    });
    window_->jobs()->action(JobCommand::kRemove)->trigger();
    EXPECT_TRUE(wait_for([&] { return row("old") == nullptr; })) << error_text();
    EXPECT_FALSE(std::filesystem::exists(study / "runs/old"));
}

TEST_F(LaunchTest, TheFormIsAsItWasLeft) {
    open_form({});
    type("train.steps", "1234");
    restart_window();
    EXPECT_EQ(window_->launch_dialog()->input().values.at("train.steps"), "1234");
}

}  // namespace
}  // namespace headroom
