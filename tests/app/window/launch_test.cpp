#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTableWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <QWheelEvent>
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "app/window/dialogs/picture_dialog.h"
#include "app/window/pages/launch_page.h"
#include "core/base/file.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/launch/field_editor.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"
#include "panels/launch/match_box.h"
#include "panels/launch/probe_choices.h"
#include "panels/loss/loss_widget.h"
#include "panels/qt/elided_label.h"
#include "panels/run_list/run_list.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class LaunchTest : public WindowTest {
  protected:
    LaunchPage& page() { return part<LaunchPage>(); }
    LaunchPanel& form() { return *page().panel(); }
    QPushButton* launch_button() { return form().summary()->launch_button(); }

    void open_form(const LaunchInput& input) {
        open(folder("study"), 0);
        show_form();
        page().set_input(input);
    }
    void show_form() {
        window_->action("newRuns")->trigger();
        ASSERT_TRUE(page().isVisible());
    }
    /// A study with settings of its own and no runs, and its form.
    void open_form_of_study() {
        const auto study = folder("own");
        std::filesystem::create_directories(study);
        std::ofstream(study / "study.json") << R"({"schema": "headroom-study/1", "name": "own",
            "job": {"model": {"preset": "tiny"},
                    "train": {"steps": 77, "lr": 2e-3, "seq_len": 32},
                    "probes": [{"kind": "heads", "every": 20}]},
            "runs": [{"id": "baseline"}]})";
        open(study, 1);
        show_form();
    }
    QString text_in(const std::string& path) {
        return qobject_cast<QLineEdit*>(form().editor(path)->input())->text();
    }
    /// A turn of the wheel over a widget, as the pointer makes it.
    static void turn_wheel(QWidget* widget) {
        const QPointF at = QRectF(widget->rect()).center();
        QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }
    /// Follows the first link of a list beside the button.
    static void follow(QLabel* list, const QString& path) {
        ASSERT_THAT(list->text().toStdString(), HasSubstr("href=\"" + path.toStdString() + "\""));
        emit list->linkActivated(path);
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
    void remove(const std::string& id) {
        select({id});
        jobs().action(JobCommand::kRemove)->trigger();
    }
    /// Presses a button of the queue's tool bar on a run.
    void press(JobCommand command, const std::string& id) {
        select({id});
        QAction* action = jobs().action(command);
        ASSERT_TRUE(wait_for([&] { return action->isEnabled(); }));
        for (QToolButton* button : jobs().findChildren<QToolButton*>())
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

TEST_F(LaunchTest, NothingMovesWhenAHintSpeaks) {
    open_form({});
    ASSERT_TRUE(can_launch());
    QWidget* whole = form().findChild<QScrollArea*>("launchScroll")->widget();
    auto* seeds = form().findChild<QLineEdit*>("seeds");
    const auto places = [&] {
        QApplication::processEvents();
        std::vector<QPoint> all{QPoint(whole->minimumSizeHint().width(), 0)};
        for (QWidget* below : {static_cast<QWidget*>(form().findChild<QLineEdit*>("name")),
                               form().editor("train.lr")->input()})
            all.push_back(below->mapTo(whole, QPoint()));
        return all;
    };
    const auto before = places();
    for (const std::string& text : {std::string("3"), std::string("nine"), std::string(60, '1')}) {
        seeds->selectAll();
        QTest::keyClicks(seeds, QString::fromStdString(text));
        EXPECT_EQ(places(), before) << text;
    }
    for (const std::string& text : {std::string("7"), std::string(60, '9')}) {
        type("model.n_head", text.c_str());
        EXPECT_TRUE(form().editor("model.n_head")->has_error());
        EXPECT_EQ(places(), before) << text;
    }
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
    const auto& runs = page().view().runs;
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].job.model.d_ff, 864);
    // A form that begins anew forgets what was proposed for the one before.
    QTest::mouseClick(box.find_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return !box.sentence()->text().isEmpty(); }));
    LaunchInput other = form().input();
    other.values["model.d_model"] = "96";
    page().set_input(other);
    EXPECT_EQ(box.sentence()->text(), "");
    other.values.erase("model.d_model");
    page().set_input(other);
    ASSERT_TRUE(can_launch());
    // Now that they are equal there is nothing to propose, and a change of the form takes it back.
    QTest::mouseClick(box.find_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return box.sentence()->text().contains("equal already"); }));
    EXPECT_TRUE(box.use_buttons().empty());
    type("model.n_layer", "4");
    EXPECT_EQ(box.sentence()->text(), "");
}

TEST_F(LaunchTest, EachVariantIsMatchedToTheBaselineByTwoClicks) {
    LaunchInput input;
    input.variants = {"gpt2", "wq_identity", "skipv1"};
    open_form(input);
    ASSERT_TRUE(can_launch());
    MatchBox& box = *form().match_box();
    QTest::mouseClick(box.find_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return !box.use_buttons().empty(); }));
    ASSERT_EQ(box.use_buttons().size(), 1u);
    QTest::mouseClick(box.use_buttons().front(), Qt::LeftButton);
    const auto& runs = page().view().runs;
    ASSERT_EQ(runs.size(), 3u);
    EXPECT_EQ(runs[1].job.model.d_ff, 864);
    EXPECT_NE(runs[2].job.model.d_ff, 864);
    QLabel* changes = form().summary()->changes();
    EXPECT_THAT(changes->text().toStdString(), HasSubstr("W_Q = I is matched"));
    type("model.n_layer", "4");
    EXPECT_EQ(page().view().runs[1].job.model.d_ff, 768) << "found for another model";
    EXPECT_THAT(box.sentence()->text().toStdString(), HasSubstr("match the variants again"));
}

TEST_F(LaunchTest, ProbesAreChosenWithTheirSteps) {
    open_form_of_study();
    ProbeChoices& probes = *form().probes();
    EXPECT_TRUE(probes.box("heads")->isChecked()) << "the study's own";
    EXPECT_EQ(probes.steps("heads")->text(), "20");
    QCheckBox* attention = probes.box("attention");
    form().findChild<QScrollArea*>("launchScroll")->ensureWidgetVisible(attention);
    QTest::mouseClick(attention, Qt::LeftButton, {}, QPoint(8, attention->height() / 2));
    QTest::keyClicks(probes.steps("attention"), "30");
    const auto& job = page().view().runs.at(0).job;
    ASSERT_EQ(job.probes.size(), 2u);
    EXPECT_EQ(job.probes[0].kind, "attention");
    EXPECT_EQ(job.probes[0].every, 30);
    QLabel* changes = form().summary()->changes();
    EXPECT_THAT(changes->text().toStdString(), HasSubstr("attention every 30, heads every 20"));
    follow(changes, "probes");
    EXPECT_FALSE(attention->isChecked());
}

TEST_F(LaunchTest, WhatWillRunIsReadableAtEverySize) {
    LaunchInput input;
    input.variants = {"gpt2", "skipv1", "attn_skip_only"};
    open_form(input);
    ASSERT_TRUE(can_launch());
    QTableWidget& table = *form().summary()->table();
    for (const QSize size : {QSize(1280, 800), QSize(915, 600)}) {
        window_->resize(size);
        QApplication::processEvents();
        const int last = table.columnCount() - 1;
        EXPECT_LE(table.columnViewportPosition(last) + table.columnWidth(last),
                  table.viewport()->width())
            << "columns are cut at " << size.width();
        EXPECT_FALSE(form().summary()->commands()->isVisible()) << "until they are asked for";
    }
    QTest::mouseClick(form().summary()->findChild<QToolButton*>("showCommands"), Qt::LeftButton);
    EXPECT_TRUE(form().summary()->commands()->isVisible());
}

TEST_F(LaunchTest, DataThatAreNotThereAreRefusedBesideTheirField) {
    open_form({});
    type("data.train", "text:/nowhere/book");
    const ElidedLabel& error = *form().editor("data.train")->error();
    EXPECT_TRUE(wait_for([&] { return error.isVisible() && error.line().contains("/nowhere/"); }));
    EXPECT_FALSE(launch_button()->isEnabled());
    EXPECT_GT(page().view().runs.at(0).params_total, 0) << "bytes are known without the text";
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
    PictureDialog* pictures = page().pictures();
    ASSERT_NE(pictures, nullptr);
    EXPECT_TRUE(pictures->isVisible());
    EXPECT_EQ(pictures->variant()->count(), 1);
    QTest::mouseClick(form().variant_box("wq_identity"), Qt::LeftButton);
    EXPECT_TRUE(wait_for([&] { return pictures->variant()->count() == 2; }));
    pictures->variant()->setCurrentIndex(1);
    EXPECT_EQ(pictures->panel()->view().title, "wq_identity");
    EXPECT_TRUE(wait_for([&] { return pictures->panel()->view().model.vocab_size > 0; }));
}

TEST_F(LaunchTest, ParametersAndMemoryAreShownBeforeTheRun) {
    open_form(tiny_run("20"));
    EXPECT_TRUE(wait_for([&] {
        const auto& runs = page().view().runs;
        return !runs.empty() && runs[0].memory && runs[0].params_total > 0;
    }));
}

TEST_F(LaunchTest, ALaunchedRunIsTrainedByAWorkerAndFinishes) {
    launch(tiny_run("60"));
    ASSERT_TRUE(wait_for_state("gpt2-s1", "finished")) << error_text();
    EXPECT_EQ(row("gpt2-s1")->steps, "60 / 60");
    EXPECT_NE(row("gpt2-s1")->loss, "–");
    const RunPointer run = window_->session().look().run("gpt2-s1");
    EXPECT_EQ(row("gpt2-s1")->color, run->color) << "the table wears the run's colour";
}

// M7
TEST_F(LaunchTest, RunsThatWereJustQueuedAreSelectedAndInSight) {
    const auto study = folder("study");
    for (int i = 10; i < 50; ++i) {  // that nobody trains
        const RunFolder old = create_run_folder(study / fmt::format("runs/old-{}", i));
        write_job(old, R"({"name": "old", "train": {"steps": 5}})");
        write_request(old.root, ControlRequest::kStop);
    }
    window_->resize(1280, 800);
    open(study, 40);
    show_form();
    LaunchInput input = tiny_run("4");
    input.name = "zebra";
    input.seeds = "1, 2";
    page().set_input(input);
    ASSERT_TRUE(can_launch());
    QTest::mouseClick(launch_button(), Qt::LeftButton);
    const StudyLook& look = window_->session().look();
    ASSERT_TRUE(wait_for([&] { return look.selected.size() == 2; })) << error_text();
    EXPECT_THAT(look.selected, ElementsAre("zebra-gpt2-s1", "zebra-gpt2-s2"));
    QTreeWidget* list = part<RunList>().tree();
    ASSERT_EQ(list->selectedItems().size(), 3) << "both and their heading";
    for (QTreeWidgetItem* item : list->selectedItems())
        EXPECT_TRUE(list->viewport()->rect().contains(list->visualItemRect(item))) << "in the list";
    QTableView* table = jobs().view();
    ASSERT_TRUE(table->isVisible());
    const QModelIndexList rows = table->selectionModel()->selectedRows();
    ASSERT_EQ(rows.size(), 2);
    for (const QModelIndex& row : rows)
        EXPECT_TRUE(table->viewport()->rect().intersects(table->visualRect(row))) << "in the table";
    for (const char* id : {"zebra-gpt2-s1", "zebra-gpt2-s2"})
        EXPECT_TRUE(wait_for_state(id, "finished"));
}

TEST_F(LaunchTest, ARunThatCannotStartFailsAndSaysWhy) {
    const auto study = folder("study");
    std::filesystem::create_directories(study / "runs/lost-data");
    std::ofstream(study / "runs/lost-data/job.json")
        << R"({"name": "x", "data": {"train": "tokens:)" + (study / "torn.bin").string() +
               R"("}, "train": {"steps": 5}})";
    open(study, 1);
    EXPECT_THAT(row("lost-data")->detail, HasSubstr("torn.bin, which is not there"));
    std::ofstream(study / "torn.bin") << "x";
    window_->action("startQueue")->trigger();
    ASSERT_TRUE(wait_for_state("lost-data", "failed")) << error_text();
    EXPECT_THAT(row("lost-data")->detail, HasSubstr("torn.bin"));
    press(JobCommand::kResume, "lost-data");
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
    press(JobCommand::kResume, "gpt2-s1");
    ASSERT_TRUE(wait_for_state("gpt2-s1", "running")) << error_text();
    press(JobCommand::kStop, "gpt2-s1");
    ASSERT_TRUE(wait_for_state("gpt2-s1", "stopped"));
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
    go_to("losses");
    ASSERT_TRUE(wait_for([&] { return !losses().figure().is_empty(); }));
    for (const std::string ending : {"pdf", "svg", "png", "csv"}) {
        const auto file = folder("study") / ("picture." + ending);
        answer_export(file);
        window_->action(QString::fromStdString("export:" + ending))->trigger();
        EXPECT_GT(std::filesystem::file_size(file), 500u) << error_text();
    }
}

TEST_F(LaunchTest, ARemovedRunGoesToTheTrash) {
    const auto study = write_study("study", {{"planned", "gpt2"}});
    std::filesystem::create_directories(study / "runs/old");
    std::filesystem::copy_file(study / "study.json", study / "runs/old/job.json");  // no job
    open(study, 2);
    remove("old");
    EXPECT_TRUE(wait_for([&] { return row("old") == nullptr; })) << error_text();
    EXPECT_FALSE(std::filesystem::exists(study / "runs/old"));
}

TEST_F(LaunchTest, LaunchedRunsStandInTheStudySoThatItsFiguresKnowThem) {
    LaunchInput input = tiny_run("4");
    input.variants = {"gpt2", "skipv1"};
    input.seeds = "1, 2";
    launch(input);
    ASSERT_TRUE(wait_for([&] { return row("skipv1-s2") != nullptr; })) << error_text();
    const auto file = folder("study") / "study.json";
    const Study written = load_study(file);
    ASSERT_EQ(written.runs.size(), 4u);
    EXPECT_EQ(written.runs[0].variant, "gpt2");
    EXPECT_EQ(written.runs[0].job.train.steps, 4);
    ASSERT_TRUE(wait_for_state("skipv1-s2", "finished"));
    EXPECT_EQ(read_text(folder("study") / "queue.log").find("has changed"), std::string::npos);
    remove("skipv1-s2");
    ASSERT_TRUE(wait_for([&] { return row("skipv1-s2") == nullptr; })) << error_text();
    EXPECT_TRUE(wait_for([&] { return load_study(file).runs.size() == 3; }))
        << "else the queue would train it anew";
}

TEST_F(LaunchTest, TheWheelChangesNothingThatHasNoFocus) {
    open_form({});
    QWidget* combo = form().editor("model.mlp")->input();
    auto* preset = form().findChild<QComboBox*>("preset");
    form().findChild<QLineEdit*>("name")->setFocus();
    const LaunchInput before = form().input();
    for (QWidget* box : {combo, static_cast<QWidget*>(preset),
                         static_cast<QWidget*>(form().match_box()->baseline())})
        turn_wheel(box);
    EXPECT_EQ(form().input(), before);
    EXPECT_EQ(preset->currentText(), "tiny");
}

TEST_F(LaunchTest, EnterQueuesNothingAndControlEnterDoes) {
    open_form(tiny_run("20"));
    ASSERT_TRUE(can_launch());
    type("train.steps", "21");
    auto* line = form().editor("train.steps")->input();
    QTest::keyClick(line, Qt::Key_Return);
    QTest::keyClick(form().findChild<QLineEdit*>("seeds"), Qt::Key_Enter);
    EXPECT_TRUE(page().isVisible());
    EXPECT_FALSE(std::filesystem::exists(folder("study") / "runs/gpt2-s1"));
    ASSERT_TRUE(can_launch());
    QTest::keyClick(line, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_TRUE(wait_for([&] { return !page().isVisible(); })) << error_text();
    EXPECT_TRUE(wait_for_state("gpt2-s1", "finished")) << error_text();
    EXPECT_EQ(row("gpt2-s1")->steps, "21 / 21");
}

TEST_F(LaunchTest, AFormThatCannotBeQueuedStaysForAnotherTry) {
    open_form(tiny_run("20"));
    ASSERT_TRUE(can_launch());
    const auto in_the_way = folder("study") / "runs";
    std::filesystem::remove_all(in_the_way);
    write_plainly(in_the_way, "a file where runs should be");
    launch_button()->setFocus();
    QTest::mouseClick(launch_button(), Qt::LeftButton);
    EXPECT_FALSE(launch_button()->isEnabled()) << "a second press would be lost";
    EXPECT_TRUE(page().panel()->hasFocus()) << "Space is not to press what comes next";
    EXPECT_TRUE(wait_for([&] { return !error_text().empty(); }));
    EXPECT_TRUE(page().isVisible());
    EXPECT_EQ(page().input(), tiny_run("20"));
    std::filesystem::remove(in_the_way);
    EXPECT_TRUE(wait_for([&] { return can_launch(); }));
    QTest::mouseClick(launch_button(), Qt::LeftButton);
    EXPECT_TRUE(wait_for([&] { return !page().isVisible(); })) << error_text();
    EXPECT_TRUE(wait_for_state("gpt2-s1", "finished")) << error_text();
}

TEST_F(LaunchTest, EscapeAndCancelAndAnotherStudyForgetTheForm) {
    open_form_of_study();
    for (const bool escape : {true, false}) {
        type("train.steps", "1234");
        ASSERT_EQ(form().input().values.at("train.steps"), "1234");
        if (escape)
            QTest::keyClick(&page(), Qt::Key_Escape);
        else
            QTest::mouseClick(form().summary()->cancel_button(), Qt::LeftButton);
        EXPECT_FALSE(page().isVisible());
        show_form();
        EXPECT_TRUE(form().input().values.empty());
        EXPECT_EQ(text_in("train.steps"), "77");
        window_->action("undo")->trigger();  // nothing that was written is lost
        EXPECT_TRUE(page().isVisible());
        EXPECT_EQ(text_in("train.steps"), "1234");
        window_->action("redo")->trigger();
        EXPECT_EQ(text_in("train.steps"), "77");
    }
    type("train.steps", "1234");
    restart_window();
    open(folder("own"), 1);
    show_form();
    EXPECT_EQ(text_in("train.steps"), "77");
}

TEST_F(LaunchTest, AnUnfinishedFormIsOfferedAgain) {
    open_form_of_study();
    const auto offer = [&] { return form().findChild<QLabel*>("launchOffer"); };
    EXPECT_TRUE(offer()->isHidden());
    type("train.steps", "1234");
    const auto reopen = [&](const char* study) {
        restart_window();
        open(folder(study), std::string(study) == "own" ? 1 : 0);
        show_form();
    };
    reopen("another");
    EXPECT_TRUE(offer()->isHidden()) << "it is of the first study";
    reopen("own");
    EXPECT_FALSE(offer()->isHidden());
    EXPECT_EQ(text_in("train.steps"), "77");
    reopen("own");
    emit offer()->linkActivated("take");
    EXPECT_EQ(text_in("train.steps"), "1234") << "it waited";
    EXPECT_TRUE(offer()->isHidden());
    reopen("own");
    emit offer()->linkActivated("forget");
    EXPECT_TRUE(offer()->isHidden());
    reopen("own");
    EXPECT_TRUE(offer()->isHidden());
}

TEST_F(LaunchTest, EscapeInAListClosesTheListAlone) {
    open_form_of_study();
    type("train.steps", "1234");
    auto* preset = page().findChild<QComboBox*>("preset");
    preset->showPopup();
    ASSERT_TRUE(wait_for([] { return QApplication::activePopupWidget() != nullptr; }));
    QTest::keyClick(preset->view(), Qt::Key_Escape);
    EXPECT_EQ(QApplication::activePopupWidget(), nullptr);
    EXPECT_TRUE(page().isVisible());
    EXPECT_EQ(form().input().values.at("train.steps"), "1234");
}

TEST_F(LaunchTest, AFormStartsFromItsStudysOwnJobProbesIncluded) {
    open_form_of_study();
    EXPECT_EQ(form().findChild<QLineEdit*>("seeds")->text(), "2") << "the first one is there";
    ASSERT_TRUE(can_launch());
    EXPECT_EQ(text_in("train.lr"), "0.002");
    const auto& runs = page().view().runs;
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].job.train.steps, 77);
    EXPECT_EQ(runs[0].job.train.seq_len, 32);
    ASSERT_EQ(runs[0].job.probes.size(), 1u);
    EXPECT_EQ(runs[0].job.probes[0].every, 20);
    EXPECT_FALSE(form().summary()->changes()->isVisible());
    // A variant that is new gets the seed of its partner, unless a person says another.
    const auto seeds = [&] { return form().findChild<QLineEdit*>("seeds")->text(); };
    const std::string own = runs[0].job.model.arch;
    QTest::mouseClick(form().variant_box("skipv1"), Qt::LeftButton);
    EXPECT_EQ(seeds(), "2");
    QTest::mouseClick(form().variant_box(own), Qt::LeftButton);
    EXPECT_EQ(seeds(), "1");
    form().findChild<QLineEdit*>("seeds")->clear();
    QTest::keyClicks(form().findChild<QLineEdit*>("seeds"), "7");
    QTest::mouseClick(form().variant_box(own), Qt::LeftButton);
    EXPECT_EQ(seeds(), "7");
}

TEST_F(LaunchTest, WhatDiffersFromTheStudyIsListedAndTakenBackOneByOne) {
    open_form_of_study();
    type("train.steps", "50");
    type("train.lr", "0.01");
    QLabel* changes = form().summary()->changes();
    EXPECT_TRUE(changes->isVisible());
    EXPECT_THAT(changes->text().toStdString(), HasSubstr("train.lr = 0.01 (study: 0.002)"));
    follow(changes, "train.lr");
    EXPECT_EQ(form().input().values.count("train.lr"), 0u);
    EXPECT_EQ(text_in("train.lr"), "0.002");
    EXPECT_THAT(changes->text().toStdString(), HasSubstr("train.steps = 50"));
    QTest::mouseClick(form().summary()->reset_button(), Qt::LeftButton);
    EXPECT_TRUE(form().input().values.empty());
    EXPECT_EQ(text_in("train.steps"), "77");
    EXPECT_FALSE(changes->isVisible());
}

TEST_F(LaunchTest, AMistakeThatIsOutOfSightIsNamedAtTheButtonAndItsLinkLeadsThere) {
    open_form({});
    ASSERT_TRUE(can_launch());
    type("train.eval_batches", "0");
    form().findChild<QScrollArea*>("launchScroll")->verticalScrollBar()->setValue(0);
    form().findChild<QLineEdit*>("name")->setFocus();
    QLabel* problems = form().summary()->problems();
    EXPECT_TRUE(problems->isVisible());
    EXPECT_FALSE(launch_button()->isEnabled());
    follow(problems, "train.eval_batches");
    QWidget* field = form().editor("train.eval_batches")->input();
    EXPECT_TRUE(wait_for([&] { return field->hasFocus() && !field->visibleRegion().isEmpty(); }));
}

}  // namespace
}  // namespace headroom
