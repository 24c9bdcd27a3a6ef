#include "app/window/main_window.h"

#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QDragEnterEvent>
#include <QGlyphRun>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QRawFont>
#include <QScreen>
#include <QTableView>
#include <QTest>
#include <QTextLayout>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <fstream>

#include <gmock/gmock.h>

#include "app/window/dialogs/command_palette.h"
#include "app/window/shell/start_page.h"
#include "app/window/studio_store.h"
#include "core/base/file.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/compare/compare_panel.h"
#include "panels/details/details_panel.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/qt_ink.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/jobs/job_panel.h"
#include "panels/loss/loss_controls.h"
#include "panels/loss/loss_settings_store.h"
#include "panels/loss/loss_widget.h"
#include "panels/memory/memory_panel.h"
#include "panels/qt/qt_theme.h"
#include "panels/wiring/wiring_canvas.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

const std::vector<std::pair<std::string, std::string>> kThreeRuns{
    {"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}};

class MainWindowTest : public WindowTest {
  protected:
    std::string error() const {
        return window_->error_line()->isVisible() ? window_->error_line()->text().toStdString()
                                                  : "";
    }
    bool is_dark() const { return window_->palette().color(QPalette::Window).lightness() < 128; }
    std::string detail(const QString& name) const {
        for (QTreeWidgetItemIterator it(part<DetailsPanel>().tree()); *it; ++it)
            if ((*it)->text(0) == name) return (*it)->text(1).toStdString();
        return "(none)";
    }
    /// Presses a key in whatever dialog opens next.
    static void press_in_next_dialog(std::function<void(QWidget*)> press) {
        QTimer::singleShot(0, qApp, [press = std::move(press)] {
            QWidget* dialog = QApplication::activeModalWidget();
            if (!dialog) dialog = QApplication::activePopupWidget();
            ASSERT_NE(dialog, nullptr);
            press(dialog);
        });
    }
};

TEST_F(MainWindowTest, SaysWhatToDoFirst) {
    EXPECT_TRUE(window_->start_page()->isVisible());
    EXPECT_TRUE(window_->start_page()->demo_button()->isVisible());
    EXPECT_FALSE(window_->workspace().isVisible());
    EXPECT_FALSE(window_->action("newRuns")->isEnabled());
}

TEST_F(MainWindowTest, OpensAStudyAndShowsItsPlannedRuns) {
    open(write_study("first", kThreeRuns), 3);
    EXPECT_FALSE(window_->start_page()->isVisible());
    EXPECT_TRUE(window_->workspace().isVisible());
    EXPECT_EQ(row("baseline")->state, "planned");
    EXPECT_TRUE(window_->action("startQueue")->isEnabled());
    EXPECT_THAT(window_->windowTitle().toStdString(), HasSubstr("first"));
}

TEST_F(MainWindowTest, TheSelectedRunDrivesDetailsAndWiring) {
    open(write_study("first", kThreeRuns), 3);
    go_to("details");
    select({"skipv1"});
    EXPECT_EQ(detail("value_source"), "skip");
    select({"baseline"});
    EXPECT_EQ(detail("value_source"), "own");
}

// M9: it did nothing.
TEST_F(MainWindowTest, ADoubleClickOnARunShowsAllAboutIt) {
    open(write_study("first", kThreeRuns), 3);
    go_to("runs");
    QTableView* table = jobs().view();
    const QPoint at = table->visualRect(table->model()->index(2, 1)).center();
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, at);
    EXPECT_EQ(window_->workspace().active()->name(), "details");
    EXPECT_EQ(detail("value_source"), "skip");
}

TEST_F(MainWindowTest, TheSelectedRunsArchitectureIsDrawn) {
    open(write_study("first", kThreeRuns), 3);
    go_to("architecture");
    select({"no-query"});
    const auto role_of_query = [&] {
        const DrawBox* box = part<ArchitecturePanel>().canvas()->drawing().find("block.q");
        return box ? box->role : BoxRole::kFrame;
    };
    EXPECT_EQ(role_of_query(), BoxRole::kIdentity);
    select({"baseline"});
    EXPECT_EQ(role_of_query(), BoxRole::kQuery);
    EXPECT_TRUE(part<ArchitecturePanel>().export_button()->isEnabled());
    window_->action("closeStudy")->trigger();
    EXPECT_TRUE(part<ArchitecturePanel>().view().empty());
}

TEST_F(MainWindowTest, TheArchitecturesPictureIsExported) {
    open(write_study("first", kThreeRuns), 3);
    go_to("architecture");
    select({"skipv1"});
    const auto file = folder("first") / "picture.svg";
    answer_export(file);
    QTest::mouseClick(part<ArchitecturePanel>().export_button(), Qt::LeftButton);
    ASSERT_TRUE(std::filesystem::exists(file)) << error();
    EXPECT_THAT(read_text(file), HasSubstr("Causal attention"));
}

// It was the folder of the study that was open before.
TEST_F(MainWindowTest, APictureGoesIntoTheOpenStudy) {
    const auto proposed = [&](const std::filesystem::path& file) {
        std::string before;
        go_to("architecture");
        select({"skipv1"});
        QTimer::singleShot(0, window_.get(), [&] {
            auto* dialog = window_->findChild<QDialog*>("exportDialog");
            before = dialog->findChild<QLineEdit*>("exportFile")->text().toStdString();
        });
        answer_export(file);
        QTest::mouseClick(part<ArchitecturePanel>().export_button(), Qt::LeftButton);
        return std::filesystem::path(before).parent_path();
    };
    const auto first = write_study("first", kThreeRuns), second = write_study("second", kThreeRuns);
    open(first, 3);
    EXPECT_EQ(proposed(first / "exports" / "a.svg"), first / "exports");
    open(second, 3);
    ASSERT_TRUE(wait_for([&] { return window_->session().look().study->folder == second; }));
    const auto paper = folder("paper");
    EXPECT_EQ(proposed(paper / "a.svg"), second / "exports");
    EXPECT_EQ(proposed(paper / "b.svg"), paper)
        << "a folder of nobody's is where a person wants them";
}

TEST_F(MainWindowTest, ARunIsComparedWithAnotherOneOrAPreset) {
    open(write_study("first", kThreeRuns), 3);
    go_to("compare");
    ComparePanel* compare = &part<ComparePanel>();
    select({"baseline"});
    EXPECT_TRUE(compare->view().empty()) << "not with itself";
    select({"skipv1"});
    EXPECT_EQ(compare->view().baseline_name, "baseline");
    EXPECT_TRUE(compare->model_canvas()->drawing().find("block.v")->changed);
    auto* choice = compare->findChild<QComboBox*>("compareWith");
    choice->setCurrentIndex(choice->findData("preset:tiny"));
    emit choice->activated(choice->currentIndex());
    EXPECT_EQ(compare->view().baseline_name, "tiny");
    EXPECT_EQ(compare->view().model_name, "skipv1");
    restart_window();
    open(write_study("second", kThreeRuns), 3);
    go_to("compare");
    select({"skipv1"});
    EXPECT_EQ(part<ComparePanel>().view().baseline_name, "tiny") << "remembered";
}

TEST_F(MainWindowTest, TwoSelectedRunsAreComparedWithEachOther) {
    open(write_study("first", kThreeRuns), 3);
    go_to("compare");
    select({"no-query", "skipv1"});
    EXPECT_EQ(part<ComparePanel>().view().baseline_name, "no-query");
    EXPECT_EQ(part<ComparePanel>().view().model_name, "skipv1");
}

TEST_F(MainWindowTest, MemoryOfTheShownRunsIsShown) {
    open(write_study("first", kThreeRuns), 3);
    go_to("memory");
    const MemoryPanel& memory = part<MemoryPanel>();
    EXPECT_EQ(memory.chart()->figure().x.names.size(), 3u);
    select({"no-query"});
    EXPECT_EQ(memory.chart()->figure().x.names.size(), 3u) << "the focus hides nothing";
    window_->session().hide({"baseline"});
    EXPECT_EQ(memory.chart()->figure().x.names, (std::vector<std::string>{"no-query", "skipv1"}));
    window_->close_study();
    EXPECT_TRUE(memory.chart()->figure().is_empty());
}

TEST_F(MainWindowTest, RunsThatHoldTheSameStandForEachOtherInMemory) {
    const std::filesystem::path study = folder("batches");
    std::ofstream(study / "study.json") << R"({"schema": "headroom-study/1", "name": "batches",
        "job": {"model": {"preset": "demo"}}, "runs": [
        {"id": "base", "seeds": [1, 2], "job": {}},
        {"id": "large", "job": {"train": {"batch_size": 64}}},
        {"id": "large-lr", "job": {"train": {"batch_size": 64, "lr": 0.5}}}]})";
    open(study, 4);
    go_to("memory");
    EXPECT_EQ(part<MemoryPanel>().chart()->figure().x.names,
              (std::vector<std::string>{"base", "large, large-lr"}));
}

TEST_F(MainWindowTest, AStudyThatIsMendedIsNotCalledBrokenAnyLonger) {
    const auto study = write_study("mended", kThreeRuns);
    open(study, 3);
    const std::string whole = read_text(study / "study.json");
    std::ofstream(study / "study.json") << "{\"schema\": ";
    ASSERT_TRUE(wait_for([&] { return !error().empty(); }));
    EXPECT_THAT(error(), HasSubstr("study.json"));
    std::ofstream(study / "study.json") << whole;
    EXPECT_TRUE(wait_for([&] { return error().empty(); })) << error();
}

TEST_F(MainWindowTest, WhatIsSaidOfAnErrorCanBeClosed) {
    window_->open_study("/nowhere/at/all");
    ASSERT_FALSE(error().empty());
    window_->findChild<QToolButton*>("closeError")->click();
    EXPECT_EQ(error(), "");
    EXPECT_FALSE(window_->error_line()->isVisible());
}

TEST_F(MainWindowTest, AFolderThatIsNoStudyGetsOneLine) {
    const auto other = folder("other");
    std::ofstream(other / "notes.txt") << "hello";
    window_->open_study(QString::fromStdString(other.string()));
    EXPECT_THAT(error(), HasSubstr("is not a study"));
    EXPECT_EQ(error().find('\n'), std::string::npos);
    EXPECT_TRUE(window_->start_page()->isVisible());
}

TEST_F(MainWindowTest, AFolderThatIsGoneGetsOneLine) {
    window_->open_study("/nowhere/at/all");
    EXPECT_THAT(error(), HasSubstr("/nowhere/at/all"));
}

TEST_F(MainWindowTest, ABrokenStudyFileIsNamedAndTheRunsStayUsable) {
    const auto study = write_study("broken", kThreeRuns);
    std::ofstream(study / "study.json") << "{ \"runs\": [";
    window_->open_study(QString::fromStdString(study.string()));
    EXPECT_TRUE(wait_for([&] { return error().find("study.json") != std::string::npos; }));
    EXPECT_TRUE(window_->workspace().isVisible());
}

TEST_F(MainWindowTest, ABrokenLogIsToldInItsRow) {
    const auto study = folder("damaged");
    std::filesystem::create_directories(study / "runs/a");
    std::ofstream(study / "runs/a/job.json") << R"({"name": "a", "train": {"steps": 5}})";
    std::ofstream(study / "runs/a/log.h5") << "this is no log";
    open(study, 1);
    EXPECT_THAT(row("a")->detail, HasSubstr("log.h5"));
    EXPECT_EQ(row("a")->tone, JobTone::kBad);
}

TEST_F(MainWindowTest, DroppingARunsFolderOpensItsStudy) {
    const auto study = folder("dropped");
    std::filesystem::create_directories(study / "runs/a");
    std::ofstream(study / "runs/a/job.json") << R"({"name": "a", "train": {"steps": 5}})";
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString((study / "runs/a").string()))});
    QDragEnterEvent enter(QPoint(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(200, 200), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(window_.get(), &drop);
    EXPECT_TRUE(wait_for([&] { return row("a") != nullptr; }));
    EXPECT_THAT(window_->windowTitle().toStdString(), HasSubstr("dropped"));
}

TEST_F(MainWindowTest, ChangesItsThemeAndRemembersIt) {
    window_->action("themeDark")->trigger();
    EXPECT_TRUE(is_dark());
    restart_window();
    EXPECT_TRUE(is_dark());
    EXPECT_TRUE(window_->action("themeDark")->isChecked());
    window_->action("themeLight")->trigger();
    EXPECT_FALSE(is_dark());
}

TEST_F(MainWindowTest, FiguresHaveNoGlyphsButThoseOfTheirCharacters) {
    const QString text = QString::fromUtf8("(%) 0 = baseline, −10, +3, ±0.1 %, 512 × 128, 1–2");
    QTextLayout layout(text, figure_font(9));
    layout.beginLayout();
    layout.createLine();
    layout.endLayout();
    const QList<QGlyphRun> runs = layout.glyphRuns();
    ASSERT_EQ(runs.size(), 1);
    EXPECT_EQ(runs[0].rawFont().familyName(), "Inter");
    EXPECT_EQ(runs[0].glyphIndexes(), runs[0].rawFont().glyphIndexesForString(text));
}

// A canvas of no width lost its picture: shown again, it showed the window's own, upside down.
TEST_F(MainWindowTest, ACanvasThatIsPutAwayKeepsASize) {
    open(write_study("split", kThreeRuns), 3);
    go_to("losses");
    Workspace& workspace = window_->workspace();
    workspace.set_split(true);
    const auto canvases = window_->findChildren<ImGuiWidget*>();
    ASSERT_FALSE(canvases.empty());
    for (const bool on : {false, true, false}) {
        workspace.set_split(on);
        QApplication::processEvents();
        for (const ImGuiWidget* canvas : canvases) {
            EXPECT_GE(canvas->width(), 1);
            EXPECT_GE(canvas->height(), 1);
        }
    }
}

TEST_F(MainWindowTest, RemembersStudiesSizeAndLayout) {
    const auto study = write_study("kept", kThreeRuns);
    open(study, 3);
    window_->resize(1211, 777);
    go_to("memory");
    window_->action("foldRuns")->trigger();
    window_->action("options")->trigger();
    window_->action("split")->trigger();
    EXPECT_TRUE(losses().isVisible()) << "beside the memory";
    restart_window();
    EXPECT_EQ(window_->size(), QSize(1211, 777));
    EXPECT_EQ(window_->settings().recent_studies().value(0).toStdString(), study.string());
    open(study, 3);
    EXPECT_TRUE(part<MemoryPanel>().isVisible());
    EXPECT_TRUE(losses().isVisible());
    EXPECT_TRUE(window_->workspace().runs_folded());
    part<MemoryPanel>().setFocus();
    window_->action("resetLayout")->trigger();
    EXPECT_FALSE(window_->workspace().is_split());
    EXPECT_FALSE(window_->workspace().runs_folded());
    EXPECT_TRUE(window_->workspace().options_open());
}

// Kept on a large screen, it stood beyond the edges of a small one.
TEST_F(MainWindowTest, IsNoLargerThanTheScreen) {
    window_->resize(2 * window_->screen()->size());
    restart_window();
    EXPECT_TRUE(window_->screen()->availableGeometry().contains(window_->geometry()));
}

// The button under the entry of a menu stayed lit once the entry's dialog was closed.
TEST_F(MainWindowTest, AMenuIsDoneWithTheMouseBeforeItsDialogOpens) {
    QAction* entry = window_->action("keys");
    QMenu* menu = nullptr;
    for (QObject* each : entry->associatedObjects())
        if (auto* found = qobject_cast<QMenu*>(each)) menu = found;
    ASSERT_NE(menu, nullptr);
    menu->popup(window_->mapToGlobal(QPoint(20, 40)));
    bool opened = false;
    QTimer closer;
    closer.callOnTimeout([&] {
        QWidget* dialog = QApplication::activeModalWidget();
        opened = opened || dialog != nullptr;
        if (dialog) dialog->close();
    });
    closer.start(10);
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(entry).center());
    EXPECT_FALSE(opened) << "while the menu handles the click";
    EXPECT_TRUE(wait_for([&] { return opened; }));
}

TEST_F(MainWindowTest, TheStudyOfLastTimeIsThereAgain) {
    const auto study = write_study("session", kThreeRuns);
    open(study, 3);
    restart_window();
    window_->restore_session();
    EXPECT_TRUE(wait_for([&] { return row("skipv1") != nullptr; }));
    window_->action("closeStudy")->trigger();
    restart_window();
    window_->restore_session();
    EXPECT_TRUE(window_->start_page()->isVisible());
}

TEST_F(MainWindowTest, RemembersTheLossPanelsSettings) {
    LossSettings settings;
    settings.smoothing = 0.25;
    settings.log_y = true;
    settings.x = LossX::kSeconds;
    losses().set_settings(settings);
    restart_window();
    EXPECT_EQ(losses().settings().smoothing, 0.25);
    EXPECT_TRUE(losses().settings().log_y);
    EXPECT_EQ(losses().settings().x, LossX::kSeconds);
}

TEST_F(MainWindowTest, SettingsThatMakeNoSenseBecomeTheDefaults) {
    window_->close();
    StudioStore store;
    store.setValue("loss/smoothing", 7);
    store.setValue("loss/x", 99);
    store.setValue("loss/band", "wide");
    const LossSettings settings = read_loss_settings(store);
    EXPECT_EQ(settings.smoothing, LossSettings{}.smoothing);
    EXPECT_EQ(settings.x, LossSettings{}.x);
    EXPECT_EQ(settings.band, LossSettings{}.band);
}

TEST_F(MainWindowTest, ClosingAStudyLeadsBackToTheStart) {
    const auto study = write_study("first", kThreeRuns);
    open(study, 3);
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    EXPECT_TRUE(window_->start_page()->isVisible());
    EXPECT_FALSE(window_->workspace().isVisible());
}

TEST_F(MainWindowTest, ACommandIsFoundByAFewLetters) {
    press_in_next_dialog([](QWidget* dialog) {
        auto* line = dialog->findChild<QLineEdit*>();
        QTest::keyClicks(line, "dark");
        QTest::keyClick(line, Qt::Key_Return);
    });
    window_->action("palette")->trigger();
    EXPECT_TRUE(wait_for([&] { return is_dark(); }));
}

TEST_F(MainWindowTest, ThePaletteTakesTheKeysThatTheWindowGets) {
    press_in_next_dialog([](QWidget* dialog) {
        ASSERT_TRUE(QTest::qWaitForWindowExposed(dialog));
        for (const char letter : std::string("open"))  // nothing has been clicked
            QTest::keyClick(dialog->windowHandle(), letter);
        auto* list = dialog->findChild<QListWidget*>();
        EXPECT_LT(list->count(), 20);
        const int first = list->currentRow();
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Down);
        EXPECT_EQ(list->currentRow(), first + 1);
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Escape);
    });
    window_->action("palette")->trigger();
    press_in_next_dialog([](QWidget* dialog) {
        ASSERT_TRUE(QTest::qWaitForWindowExposed(dialog));
        for (const char letter : std::string("dark"))
            QTest::keyClick(dialog->windowHandle(), letter);
        QTest::keyClick(dialog->windowHandle(), Qt::Key_Return);
    });
    window_->action("palette")->trigger();
    EXPECT_TRUE(wait_for([&] { return is_dark(); }));
}

TEST_F(MainWindowTest, AViewThatIsChosenIsShownHoweverOften) {
    open(write_study("first", kThreeRuns), 3);
    const Panel* memory = window_->workspace().find("memory");
    for (int i = 0; i < 2; ++i) {
        press_in_next_dialog([i](QWidget* dialog) {
            auto* line = dialog->findChild<QLineEdit*>();
            QTest::keyClicks(line, i == 0 ? "to memory" : "memory");  // before "+ Figure" of it
            EXPECT_EQ(dialog->findChild<QListWidget*>()->item(0)->text(), "Go to Memory");
            QTest::keyClick(line, Qt::Key_Return);
        });
        window_->action("palette")->trigger();
        EXPECT_TRUE(wait_for([&] { return !memory->visibleRegion().isEmpty(); })) << i;
    }
}

TEST_F(MainWindowTest, SpaceTicksTheBoxThatHasTheFocus) {
    open(write_study("first", kThreeRuns), 3);
    go_to("losses");
    auto* box = losses().controls()->findChild<QCheckBox*>("logX");
    ASSERT_NE(box, nullptr);
    QAction* pause = window_->action("togglePause");
    pause->setEnabled(true);
    int paused = 0;
    QObject::connect(pause, &QAction::triggered, [&paused] { ++paused; });
    box->setFocus();
    const bool before = box->isChecked();
    QTest::keyClick(box, Qt::Key_Space);
    EXPECT_NE(box->isChecked(), before);
    EXPECT_EQ(paused, 0);
    jobs().view()->setFocus();
    QTest::keyClick(jobs().view(), Qt::Key_Space);
    EXPECT_EQ(paused, 1) << "the table has no use for it";
}

TEST_F(MainWindowTest, LossSettingsOutliveACrash) {
    open(write_study("first", kThreeRuns), 3);
    go_to("losses");
    losses().controls()->findChild<QCheckBox*>("logX")->click();
    StudioStore store;  // read while the window is still open
    EXPECT_TRUE(read_loss_settings(store).log_x);
}

TEST_F(MainWindowTest, QuestionMarkShowsTheKeysAndEscapeLeaves) {
    std::string text;
    press_in_next_dialog([&text](QWidget* dialog) {
        for (const QLabel* label : dialog->findChildren<QLabel*>())
            text += label->text().toStdString() + "\n";
        QTest::keyClick(dialog, Qt::Key_Escape);
    });
    window_->action("keys")->trigger();
    EXPECT_THAT(text, HasSubstr("Ctrl+O"));
    EXPECT_THAT(text, HasSubstr("F11"));
}

TEST_F(MainWindowTest, HoveringTheWiringReadsOutAHead) {
    open(write_study("first", kThreeRuns), 3);
    go_to("wiring");
    select({"skipv1"});
    ImGuiWidget* canvas = part<WiringCanvas>().canvas();
    if (canvas == nullptr) GTEST_SKIP() << "this display has no OpenGL";
    shrink_window();
    const TableHead reader{KvTable::kValues, {3, 3}};
    const auto hovered = [&] { return part<WiringCanvas>().last_commands().hovered; };
    const QPoint found = find_on(*canvas, canvas->rect().adjusted(20, 60, 0, 0),
                                 [&] { return hovered() == reader; });
    ASSERT_GE(found.x(), 0) << "no such head on the canvas";
    QTest::mouseClick(canvas, Qt::LeftButton, {}, found);
    EXPECT_TRUE(wait_for([&] { return part<WiringCanvas>().settings().locked == reader; }));
}

TEST_F(MainWindowTest, CommandsSayWhereTheyStand) {
    EXPECT_EQ(CommandPalette::place_of(*window_->action("themeDark")), "View ▸ Theme");
    EXPECT_EQ(CommandPalette::place_of(*window_->action("undo")), "View");
    EXPECT_EQ(CommandPalette::place_of(*window_->action("go:memory")), "");
    QStringList places;
    for (const JobPanel* jobs : window_->findChildren<JobPanel*>())
        places << CommandPalette::place_of(*jobs->action(JobCommand::kStop));
    EXPECT_THAT(places, testing::UnorderedElementsAre("Runs", "Queue and log"));
}

TEST(CommandPalette, WordsMatchInAnyOrder) {
    for (const char* typed : {"theme dark", "dark theme", "  DARK   view ", "thm drk"})
        EXPECT_TRUE(CommandPalette::matches("Dark View ▸ Theme", typed)) << typed;
    EXPECT_FALSE(CommandPalette::matches("Dark View ▸ Theme", "dark light"));
}

TEST_F(MainWindowTest, ThePaletteFindsACommandByWordsOfItAndOfItsPlace) {
    CommandPalette palette({window_->action("resetLayout"), window_->action("themeLight"),
                            window_->action("themeDark")},
                           window_.get());
    auto* line = palette.findChild<QLineEdit*>();
    auto* list = palette.findChild<QListWidget*>();
    for (const char* typed : {"theme dark", "dark theme"}) {
        line->setText(typed);
        EXPECT_TRUE(list->item(0)->text().startsWith("Dark")) << typed;
    }
    line->setText("theme purple");
    ASSERT_EQ(list->count(), 1);
    EXPECT_EQ(list->item(0)->text(), "No command has these words");
    emit line->returnPressed();
    EXPECT_EQ(palette.result(), QDialog::Rejected) << "there is nothing to run";
}

TEST(CommandPalette, LettersMatchInTheirOrder) {
    EXPECT_TRUE(CommandPalette::matches("Reset layout", "rl"));
    EXPECT_TRUE(CommandPalette::matches("Reset layout", "LAY out"));
    EXPECT_TRUE(CommandPalette::matches("Reset layout", ""));
    EXPECT_FALSE(CommandPalette::matches("Reset layout", "layres"));
}

}  // namespace
}  // namespace headroom
