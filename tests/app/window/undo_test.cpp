#include <QCheckBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QWheelEvent>

#include <gmock/gmock.h>

#include "app/window/services/study_session.h"
#include "app/window/services/undo_history.h"
#include "app/window/shell/notice_bar.h"
#include "core/base/file.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_labels.h"
#include "core/study/trash.h"
#include "panels/figure/figure_chart.h"
#include "panels/loss/loss_controls.h"
#include "panels/run_list/run_list.h"
#include "panels/run_table/run_table_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::SizeIs;

/// Three runs, two of them with a folder that has been waiting.
class UndoTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = write_study(
            "study", {{"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}});
        for (const char* id : {"baseline", "skipv1"}) {
            const StudyRun run = *find_run(id);
            write_plain_run(id, run.job.model.arch);
        }
        open(study_, 3);
    }
    std::optional<StudyRun> find_run(const std::string& id) const {
        for (const StudyRun& run : load_study(study_ / "study.json").runs)
            if (run.id == id) return run;
        return std::nullopt;
    }
    void write_plain_run(const std::string& id, const std::string& arch) const {
        write_job(
            create_run_folder(study_ / "runs" / id),
            R"({"name": ")" + id + R"(", "model": {"preset": "demo", "arch": ")" + arch + R"("}})");
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::ControlModifier) {
        QTest::keyClick(window_.get(), key, modifiers);
    }
    const std::set<std::string>& hidden() const { return window_->session().look().hidden; }
    QString undo_text() const { return window_->action("undo")->text(); }
    /// The list's row of a run, by its name.
    QTreeWidgetItem* item(const std::string& name) {
        QTreeWidget* tree = part<RunList>().tree();
        for (QTreeWidgetItemIterator it(tree); *it; ++it)
            if ((*it)->text(0).toStdString() == name) return *it;
        return nullptr;
    }
    void click(const std::string& name, int column) {
        QTreeWidget* tree = part<RunList>().tree();
        const QRect row = tree->visualItemRect(item(name));
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {},
                          {tree->columnViewportPosition(column) + 8, row.center().y()});
    }

    fs::path study_;
};

TEST_F(UndoTest, ARemovedRunLiesInTheStudysTrashAndComesBack) {
    const std::string plan = read_text(study_ / "study.json");
    window_->session().set_reference("skipv1");
    click("skipv1", RunList::kName);
    QTest::keyClick(part<RunList>().tree(), Qt::Key_Delete);
    ASSERT_TRUE(wait_for([&] { return row("skipv1") == nullptr; })) << error_text();
    EXPECT_FALSE(fs::exists(study_ / "runs/skipv1"));
    EXPECT_THAT(load_study(study_ / "study.json").runs, SizeIs(2));
    EXPECT_THAT(list_trash(study_), SizeIs(1));
    ASSERT_TRUE(wait_for([&] { return window_->notices()->isVisible(); }));
    EXPECT_THAT(window_->notices()->text().toStdString(), HasSubstr("skipv1 removed"));
    EXPECT_EQ(window_->session().look().reference, "baseline");

    press(Qt::Key_Z);
    ASSERT_TRUE(wait_for([&] { return row("skipv1") != nullptr; })) << error_text();
    EXPECT_TRUE(fs::exists(study_ / "runs/skipv1/job.json"));
    EXPECT_EQ(read_text(study_ / "study.json"), plan);
    EXPECT_EQ(window_->session().look().reference, "skipv1") << "as it was";
    EXPECT_THAT(list_trash(study_), SizeIs(0));
    EXPECT_FALSE(window_->notices()->isVisible()) << "there is nothing left to undo";
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(wait_for([&] { return row("skipv1") == nullptr; })) << error_text();
}

// "Undone" stood beside the error, and the step was used up.
TEST_F(UndoTest, AStepThatFailsIsNotUndoneAndStays) {
    click("skipv1", RunList::kName);
    QTest::keyClick(part<RunList>().tree(), Qt::Key_Delete);
    ASSERT_TRUE(wait_for([&] { return row("skipv1") == nullptr; })) << error_text();
    ASSERT_TRUE(wait_for([&] { return undo_text().contains("skipv1"); }));
    QStringList said;
    QObject::connect(&window_->session().history(), &UndoHistory::done, window_.get(),
                     [&](const QString& message) { said << message; });
    write_plain_run("skipv1", "gpt2");  // another program's, of the same id
    press(Qt::Key_Z);
    ASSERT_TRUE(
        wait_for([&] { return error_text().find("another run skipv1") != error_text().npos; }));
    EXPECT_THAT(said, SizeIs(0));
    EXPECT_TRUE(undo_text().contains("skipv1")) << undo_text().toStdString();
    fs::remove_all(study_ / "runs/skipv1");
    press(Qt::Key_Z);
    ASSERT_TRUE(wait_for([&] { return said.size() == 1; }));
    EXPECT_TRUE(said.front().startsWith("Undone: "));
    EXPECT_THAT(list_trash(study_), SizeIs(0));
}

TEST_F(UndoTest, TheNoticesButtonTakesNothingElseBack) {
    click("skipv1", RunList::kName);
    QTest::keyClick(part<RunList>().tree(), Qt::Key_Delete);
    ASSERT_TRUE(wait_for([&] { return row("skipv1") == nullptr; })) << error_text();
    ASSERT_TRUE(wait_for([&] { return window_->notices()->isVisible(); }));
    click("baseline", RunList::kEye);
    ASSERT_TRUE(window_->session().look().hidden.contains("baseline"));
    QTest::mouseClick(window_->notices()->action_button(), Qt::LeftButton);
    EXPECT_TRUE(window_->session().look().hidden.contains("baseline")) << "that is not its own";
    EXPECT_EQ(row("skipv1"), nullptr);
}

TEST_F(UndoTest, TheNoticesButtonBringsSeveralRunsBack) {
    go_to("runs");
    select({"baseline", "no-query"});
    ASSERT_TRUE(wait_for([&] { return jobs().action(JobCommand::kRemove)->isEnabled(); }));
    jobs().view()->setFocus();
    QTest::keyClick(jobs().view(), Qt::Key_Delete);
    ASSERT_TRUE(wait_for([&] { return window_->session().look().runs().size() == 1; }))
        << error_text();
    ASSERT_TRUE(wait_for([&] { return window_->notices()->isVisible(); }));
    QTest::mouseClick(window_->notices()->action_button(), Qt::LeftButton);
    EXPECT_TRUE(wait_for([&] { return window_->session().look().runs().size() == 3; }))
        << error_text();
    EXPECT_TRUE(row("no-query")) << "which is only planned";
    EXPECT_FALSE(window_->notices()->isVisible());
}

TEST_F(UndoTest, WhatWasRemovedBeforeARestartIsBroughtBackOrDeleted) {
    trash_runs(study_, {"skipv1"});
    trash_runs(study_, {"no-query"});
    restart_window();
    open(study_, 1);
    const auto in_dialog = [this](const char* button, int row) {
        QTimer::singleShot(0, window_.get(), [=] {
            QWidget* dialog = QApplication::activeModalWidget();
            ASSERT_NE(dialog, nullptr);
            auto* list = dialog->findChild<QTreeWidget*>("trashList");
            ASSERT_TRUE(wait_for([&] { return list->topLevelItemCount() > row; }));
            list->setCurrentItem(list->topLevelItem(row));
            QTest::mouseClick(dialog->findChild<QPushButton*>(button), Qt::LeftButton);
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        window_->action("trash")->trigger();
    };
    in_dialog("trashRestore", 1);
    EXPECT_TRUE(wait_for([&] { return row("skipv1") != nullptr; })) << error_text();
    EXPECT_THAT(list_trash(study_), SizeIs(1));
    QTimer::singleShot(1000, window_.get(), [] {
        auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
        ASSERT_NE(box, nullptr);
        for (QAbstractButton* button : box->buttons())
            if (button->text() == "Delete") QTest::mouseClick(button, Qt::LeftButton);
    });
    in_dialog("trashDelete", 0);
    EXPECT_TRUE(wait_for([&] { return list_trash(study_).empty(); }));
}

TEST_F(UndoTest, ARunThatIsWorkedOnIsNotRemoved) {
    write_worker_info(study_ / "runs/skipv1");
    part<RunList>().removal_asked({"skipv1"});
    EXPECT_TRUE(wait_for([&] { return error_text().find("stop it") != std::string::npos; }));
    EXPECT_TRUE(fs::exists(study_ / "runs/skipv1/job.json"));
    EXPECT_FALSE(window_->notices()->isVisible());
    fs::remove(study_ / "runs/skipv1/worker.json");
}

TEST_F(UndoTest, HidingAndTheReferenceAreTakenBackInTheirOrder) {
    EXPECT_FALSE(window_->action("undo")->isEnabled());
    click("skipv1", RunList::kEye);
    click("no-query", RunList::kStar);
    EXPECT_EQ(hidden(), std::set<std::string>{"skipv1"});
    EXPECT_THAT(undo_text().toStdString(), HasSubstr("no-query as the reference"));
    press(Qt::Key_Z);
    EXPECT_EQ(window_->session().look().reference, "baseline");
    EXPECT_THAT(undo_text().toStdString(), HasSubstr("hide skipv1"));
    press(Qt::Key_Z);
    EXPECT_TRUE(hidden().empty());
    EXPECT_FALSE(window_->action("undo")->isEnabled());
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(hidden(), std::set<std::string>{"skipv1"});
}

TEST_F(UndoTest, ANewNameIsTakenBack) {
    go_to("table");
    part<RunTablePanel>().label_asked({"skipv1"}, {.name = "SkipV1Former"});
    ASSERT_TRUE(wait_for([&] { return row("skipv1")->name == "SkipV1Former"; }));
    press(Qt::Key_Z);
    EXPECT_TRUE(wait_for([&] { return row("skipv1")->name == "skipv1"; }));
    EXPECT_EQ(read_labels(study_).runs.at("skipv1").name, "");
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(wait_for([&] { return row("skipv1")->name == "SkipV1Former"; }));
}

TEST_F(UndoTest, OptionsAndZoomOfAViewAreTakenBackThereWhereTheyWereMade) {
    go_to("losses");
    losses().controls()->findChild<QCheckBox*>("logX")->click();
    ASSERT_TRUE(losses().settings().log_x);
    FigureChart* chart = losses().chart();
    const QPointF at(chart->width() / 2.0, chart->height() / 2.0);
    QWheelEvent wheel(at, chart->mapToGlobal(at), {}, {0, 120}, Qt::NoButton, {}, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(chart, &wheel);
    ASSERT_TRUE(losses().settings().x_range);
    go_to("runs");
    press(Qt::Key_Z);
    EXPECT_EQ(window_->workspace().active()->name(), "losses");
    EXPECT_FALSE(losses().settings().x_range);
    EXPECT_TRUE(losses().settings().log_x);
    press(Qt::Key_Z);
    EXPECT_FALSE(losses().settings().log_x);
    EXPECT_FALSE(losses().controls()->findChild<QCheckBox*>("logX")->isChecked());
    press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(losses().settings().log_x);
}

TEST_F(UndoTest, AnotherStudyHasAHistoryOfItsOwn) {
    click("skipv1", RunList::kEye);
    EXPECT_TRUE(window_->action("undo")->isEnabled());
    open(write_study("second", {{"other", "gpt2"}}), 1);
    EXPECT_FALSE(window_->action("undo")->isEnabled());
}

}  // namespace
}  // namespace headroom
