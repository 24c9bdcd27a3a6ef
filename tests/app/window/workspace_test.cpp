#include "app/window/shell/workspace.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "app/window/services/study_session.h"
#include "app/window/shell/activity_bar.h"
#include "app/window/shell/page_area.h"
#include "app/window/shell/start_page.h"
#include "core/base/file.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/compare/compare_panel.h"
#include "panels/figure/figure_chart.h"
#include "panels/jobs/job_panel.h"
#include "panels/jobs/job_table_model.h"
#include "panels/loss/loss_widget.h"
#include "panels/memory/memory_panel.h"
#include "panels/run_list/run_list.h"
#include "panels/wiring/wiring_canvas.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

class WorkspaceTest : public WindowTest {
  protected:
    void SetUp() override {
        open(write_study("first",
                         {{"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}}),
             3);
    }
    Workspace& workspace() { return window_->workspace(); }
    std::vector<Panel*> all_panels() {
        std::vector<Panel*> panels;
        for (const PageInfo* page : workspace().pages())
            panels.push_back(workspace().find(page->name));
        return panels;
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(window_.get(), key, modifiers);
    }
    QTabBar& tabs() { return *workspace().findChild<QTabBar*>("pageTabs"); }
};

TEST_F(WorkspaceTest, AltAndADigitGoToAnActivityAndItsLastPage) {
    press(Qt::Key_2, Qt::AltModifier);
    EXPECT_EQ(workspace().active()->name(), "losses");
    press(Qt::Key_4, Qt::AltModifier);
    EXPECT_EQ(workspace().active()->name(), "compare");
    go_to("memory");
    EXPECT_TRUE(part<MemoryPanel>().isVisible());
    press(Qt::Key_1, Qt::AltModifier);
    EXPECT_FALSE(part<MemoryPanel>().isVisible());
    press(Qt::Key_4, Qt::AltModifier);
    EXPECT_EQ(workspace().active()->name(), "memory");
    QTest::mouseClick(part<ActivityBar>().button(2), Qt::LeftButton);
    EXPECT_EQ(workspace().active()->name(), "inspector");
}

TEST_F(WorkspaceTest, TabsNameThePagesOfTheActivity) {
    go_to("wiring");
    ASSERT_EQ(tabs().count(), 5);
    EXPECT_EQ(tabs().tabText(tabs().currentIndex()), "Wiring");
    QTest::mouseClick(&tabs(), Qt::LeftButton, {}, tabs().tabRect(3).center());
    EXPECT_EQ(workspace().active()->name(), "architecture");
}

TEST_F(WorkspaceTest, APageIsMadeWhenItIsFirstLookedAt) {
    const auto made = [this] {
        std::vector<std::string> names;
        for (const Panel* page : workspace().made_pages())
            names.push_back(page->name().toStdString());
        return names;
    };
    EXPECT_THAT(made(), testing::ElementsAre("runs"));
    const WId window = window_->winId();
    part<RunList>().tree()->setFocus();
    window_->action("go:wiring")->trigger();
    EXPECT_THAT(made(), testing::ElementsAre("runs", "wiring"));
    EXPECT_EQ(window_->winId(), window) << "its canvas does not make the window anew";
    EXPECT_TRUE(workspace().active()->isAncestorOf(QApplication::focusWidget()));
    window_->action("newRuns")->trigger();
    window_->set_theme(ThemeChoice::kDark);
    EXPECT_THAT(made(), testing::ElementsAre("runs", "newRuns", "wiring"));
}

TEST_F(WorkspaceTest, TwoPagesStandBesideEachOtherAndChangePlaces) {
    go_to("wiring");
    press(Qt::Key_Backslash, Qt::ControlModifier);
    ASSERT_TRUE(workspace().is_split());
    EXPECT_TRUE(losses().isVisible());
    EXPECT_TRUE(part<WiringCanvas>().isVisible());
    go_to("losses");  // which is at the right: the two change places
    EXPECT_TRUE(losses().isVisible());
    EXPECT_TRUE(part<WiringCanvas>().isVisible());
    press(Qt::Key_Backslash, Qt::ControlModifier);
    EXPECT_FALSE(workspace().is_split());
    EXPECT_TRUE(losses().isVisible());
    EXPECT_FALSE(part<WiringCanvas>().isVisible());
}

TEST_F(WorkspaceTest, EyeStarAndFocusDriveEveryPage) {
    RunList& list = part<RunList>();
    emit list.hidden_asked({"baseline"});
    go_to("memory");
    EXPECT_EQ(part<MemoryPanel>().chart()->figure().x.names.size(), 2u);
    emit list.reference_asked("no-query");
    emit list.selection_asked({"skipv1"});
    go_to("compare");
    EXPECT_EQ(part<ComparePanel>().view().baseline_name, "no-query");
    EXPECT_EQ(part<ComparePanel>().view().model_name, "skipv1");
    go_to("architecture");
    EXPECT_EQ(part<ArchitecturePanel>().view().title, "skipv1");
}

TEST_F(WorkspaceTest, WhatWasLookedAtIsThereAgainNextTime) {
    window_->session().hide({"baseline"});
    window_->session().set_reference("skipv1");
    select({"no-query"});
    restart_window();
    open(folder("first"), 3);
    const StudyLook& look = window_->session().look();
    EXPECT_EQ(look.hidden, std::set<std::string>{"baseline"});
    EXPECT_EQ(look.reference, "skipv1");
    EXPECT_EQ(look.selected, std::vector<std::string>{"no-query"});
}

TEST_F(WorkspaceTest, NarrowWindowsFoldTheListAndTheOptions) {
    go_to("losses");
    window_->resize(1280, 800);
    QApplication::processEvents();
    EXPECT_TRUE(workspace().options_open());
    EXPECT_FALSE(workspace().runs_folded());
    window_->resize(915, 600);
    QApplication::processEvents();
    EXPECT_FALSE(workspace().options_open());
    EXPECT_TRUE(workspace().runs_folded());
    press(Qt::Key_F9);
    EXPECT_TRUE(workspace().options_open()) << "unless they are asked for";
    window_->resize(1280, 800);
    QApplication::processEvents();
    EXPECT_FALSE(workspace().runs_folded());
    press(Qt::Key_F8);
    EXPECT_TRUE(workspace().runs_folded());
}

/// What is wider than the place that it only scrolls in up and down.
std::vector<std::string> cut_areas() {
    std::vector<std::string> cut;
    for (QWidget* widget : QApplication::allWidgets()) {
        const auto* scroll = qobject_cast<QScrollArea*>(widget);
        if (!scroll || !scroll->isVisible() || !scroll->widget() ||
            scroll->horizontalScrollBarPolicy() != Qt::ScrollBarAlwaysOff)
            continue;
        if (scroll->widget()->width() > scroll->viewport()->width())
            cut.push_back(scroll->objectName().toStdString() + " " +
                          scroll->widget()->metaObject()->className());
    }
    return cut;
}

/// Words that are not seen whole: of labels that do not wrap, of buttons, of headings.
std::vector<std::string> cut_texts(const QWidget& window) {
    std::vector<std::string> cut;
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->isVisible() && !label->wordWrap() && label->width() > 0 &&
            label->sizePolicy().horizontalPolicy() != QSizePolicy::Ignored &&
            label->sizeHint().width() > label->width())
            cut.push_back(label->text().toStdString());
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
        if (button->isVisible() && !button->text().isEmpty() &&
            (button->minimumSizeHint().width() > button->width() ||
             button->minimumSizeHint().height() > button->height()))
            cut.push_back(button->text().toStdString());
    for (const QLineEdit* line : window.findChildren<QLineEdit*>()) {
        constexpr int kAround = 14;  // padding and border
        const QString hint = line->text().isEmpty() ? line->placeholderText() : QString();
        if (line->isVisible() &&
            line->fontMetrics().horizontalAdvance(hint) + kAround > line->width())
            cut.push_back("hint " + hint.toStdString());
    }
    for (const QHeaderView* header : window.findChildren<QHeaderView*>())
        for (int i = 0; header->isVisible() && i < header->count(); ++i)
            if (!header->isSectionHidden(i) && header->sectionSizeHint(i) > header->sectionSize(i))
                cut.push_back(
                    "heading " +
                    header->model()->headerData(i, header->orientation()).toString().toStdString());
    return cut;
}

TEST_F(WorkspaceTest, ANarrowQueueShowsWholeColumnsAndTellsTheRest) {
    go_to("runs");
    const auto buttons_in_sight = [this] {
        std::vector<std::string> seen;
        for (const QToolButton* button : jobs().findChildren<QToolButton*>())
            if (button->isVisible() && button->visibleRegion().boundingRect() == button->rect())
                seen.push_back(button->text().toStdString());
        return seen;
    };
    const QTableView& table = *jobs().view();
    for (const int width : {1600, 1280, 915}) {
        window_->resize(width, 600);
        QApplication::processEvents();
        EXPECT_EQ(table.horizontalScrollBar()->maximum(), 0) << width;
        EXPECT_THAT(buttons_in_sight(), testing::IsSupersetOf({"Pause", "Remove", "Worker log"}))
            << width;
        for (int column = 0; column < JobTableModel::kColumns; ++column) {
            const bool seen = !table.isColumnHidden(column);
            if (seen) {
                EXPECT_GE(table.columnWidth(column),
                          table.horizontalHeader()->sectionSizeHint(column));
            }
            const QString heading =
                table.model()->headerData(column, Qt::Horizontal).toString() + ": ";
            const QString tip = table.model()->index(0, 0).data(Qt::ToolTipRole).toString();
            EXPECT_NE(seen, tip.contains(heading)) << heading.toStdString() << "at " << width;
        }
    }
    EXPECT_TRUE(table.isColumnHidden(JobTableModel::kVariant));
    EXPECT_FALSE(table.isColumnHidden(JobTableModel::kLoss));
}

TEST_F(WorkspaceTest, EveryPageFitsTheSmallestWindow) {
    for (const QSize size : {QSize(915, 600), QSize(1280, 800)}) {
        window_->resize(size);
        for (Panel* panel : all_panels()) {
            workspace().go_to(panel);
            QApplication::processEvents();
            EXPECT_LE(window_->minimumSizeHint().width(), size.width())
                << panel->name().toStdString();
            EXPECT_EQ(window_->width(), size.width()) << panel->name().toStdString();
            EXPECT_GE(panel->width(), 600) << panel->name().toStdString();
            EXPECT_GE(panel->height(), 440) << panel->name().toStdString();
            EXPECT_THAT(cut_areas(), testing::IsEmpty())
                << panel->name().toStdString() << " at " << size.width();
            EXPECT_THAT(cut_texts(*window_), testing::IsEmpty())
                << panel->name().toStdString() << " at " << size.width();
        }
    }
}

TEST_F(WorkspaceTest, ALowWindowShowsIconsWithoutNames) {
    const QToolButton& first = *part<ActivityBar>().button(0);
    const auto is_named_at = [&](QSize size) {
        window_->resize(size);
        QApplication::processEvents();
        EXPECT_GE(first.height(), first.minimumSizeHint().height()) << size.height();
        return first.toolButtonStyle() == Qt::ToolButtonTextUnderIcon;
    };
    EXPECT_TRUE(is_named_at({1280, 800}));
    EXPECT_FALSE(is_named_at(window_->minimumSize()));
    EXPECT_TRUE(is_named_at({915, 600}));
}

TEST_F(WorkspaceTest, F6LeadsTheKeysThroughThePanes) {
    go_to("losses");
    part<RunList>().tree()->setFocus();
    press(Qt::Key_F6);
    EXPECT_TRUE(workspace().active()->isAncestorOf(QApplication::focusWidget()));
    press(Qt::Key_F6);
    EXPECT_FALSE(workspace().active()->isAncestorOf(QApplication::focusWidget())) << "options";
    press(Qt::Key_F6);
    EXPECT_EQ(QApplication::focusWidget(), part<RunList>().tree());
}

TEST_F(WorkspaceTest, KeysLeadFromTabToTabAndRoundAgain) {
    go_to("inspector");
    std::vector<std::string> seen;
    do {
        seen.push_back(workspace().active()->name().toStdString());
        window_->action("nextTab")->trigger();
    } while (workspace().active()->name() != "inspector" && seen.size() < 10);
    EXPECT_THAT(seen, testing::ElementsAre("inspector", "similarity", "profiles"));
    window_->action("previousTab")->trigger();
    EXPECT_EQ(workspace().active()->name(), "profiles");
}

TEST_F(WorkspaceTest, ThePictureOfAPageIsCopied) {
    go_to("architecture");
    QApplication::clipboard()->clear();
    window_->action("copyPicture")->trigger();
    const QImage image = QApplication::clipboard()->image();
    EXPECT_GE(image.width(), 1000) << "300 dots per inch";
}

TEST_F(WorkspaceTest, ExportOffersTheViewThatIsLookedAtOutsideTheStudysFigures) {
    go_to("memory");
    QString offered;
    QTimer::singleShot(0, window_.get(), [this, &offered] {
        auto* dialog = window_->findChild<QDialog*>("exportDialog");
        ASSERT_NE(dialog, nullptr);
        offered = dialog->findChild<QLineEdit*>("exportFile")->text();
        dialog->reject();
    });
    window_->action("export")->trigger();
    EXPECT_THAT(offered.toStdString(), testing::EndsWith("exports/memory.pdf"));
}

// M22
TEST_F(WorkspaceTest, AnExportHasTheSizeTextTitleAndResolutionThatWereAskedFor) {
    go_to("memory");
    const auto set = [](QDialog& dialog, const char* name, double value) {
        auto* box = dialog.findChild<QDoubleSpinBox*>(name);
        ASSERT_NE(box, nullptr) << name;
        box->setFocus();
        box->findChild<QLineEdit*>()->selectAll();
        QTest::keyClicks(box, QString::number(value));
        QTest::keyClick(box, Qt::Key_Tab);
    };
    const auto png = folder("first") / "small.png";
    answer_export(png, [&](QDialog& dialog) {
        auto* venue = dialog.findChild<QComboBox*>("exportVenue");
        venue->setFocus();
        QTest::keyClicks(venue, "ICML column");
        emit venue->activated(venue->currentIndex());
        set(dialog, "exportHeight", 2);
        set(dialog, "exportText", 10);
        auto* dots = dialog.findChild<QComboBox*>("exportResolution");
        dots->setFocus();
        QTest::keyClicks(dots, "600");
        QTest::keyClicks(dialog.findChild<QLineEdit*>("exportTitle"), "Cache");
        EXPECT_EQ(dialog.findChild<QLabel*>("exportNote")->text(), "3.25 × 2.00 in");
    });
    window_->action("export:png")->trigger();
    const QImage image(QString::fromStdString(png.string()));
    EXPECT_EQ(image.size(), QSize(1950, 1200));
    EXPECT_NEAR(image.dotsPerMeterX() * 0.0254, 600, 1);
    const auto svg = folder("first") / "again.svg";
    answer_export(svg, [&](QDialog& dialog) {
        EXPECT_EQ(dialog.findChild<QDoubleSpinBox*>("exportWidth")->value(), 3.25) << "kept";
        EXPECT_EQ(dialog.findChild<QDoubleSpinBox*>("exportHeight")->value(), 0) << "of that one";
        EXPECT_FALSE(dialog.findChild<QComboBox*>("exportResolution")->isEnabled());
        QTest::keyClicks(dialog.findChild<QLineEdit*>("exportTitle"), "Cache of three");
        auto* file = dialog.findChild<QLineEdit*>("exportFile");
        file->setText("/proc/nowhere/q.svg");
        QTest::mouseClick(dialog.findChild<QPushButton*>("exportSave"), Qt::LeftButton);
        EXPECT_TRUE(dialog.isVisible()) << "for another try, with all that was chosen";
        EXPECT_TRUE(dialog.findChild<QLabel*>("exportNote")->text().contains("/proc/nowhere"));
        file->setText(QString::fromStdString(svg.string()));
    });
    window_->action("export:svg")->trigger();
    EXPECT_THAT(read_text(svg), testing::HasSubstr(">Cache of three<"));
}

TEST_F(WorkspaceTest, EveryPageSaysWhatItShows) {
    for (const PageInfo* page : workspace().pages()) {
        EXPECT_GT(page->help.size(), 60) << page->name.toStdString();
        EXPECT_FALSE(workspace().find(page->name)->accessibleName().isEmpty());
    }
    go_to("wiring");
    QString said;
    QTimer::singleShot(0, window_.get(), [this, &said] {
        auto* dialog = window_->findChild<QDialog*>("viewHelp");
        ASSERT_NE(dialog, nullptr);
        said = dialog->findChild<QLabel*>()->text();
        dialog->reject();
    });
    press(Qt::Key_F1);
    EXPECT_THAT(said.toStdString(), testing::HasSubstr("keys and values"));
}

/// What Tab is meant to stop at, in `inside`.
std::vector<QWidget*> tab_stops(const QWidget& inside) {
    std::vector<QWidget*> stops;
    for (QWidget* widget : inside.findChildren<QWidget*>())
        if (widget->isVisible() && widget->isEnabled() && !widget->focusProxy() &&
            (widget->focusPolicy() & Qt::TabFocus) && widget->window() == inside.window())
            stops.push_back(widget);
    return stops;
}

std::string described(const QWidget& widget) {
    return std::string(widget.metaObject()->className()) + " \"" +
           widget.objectName().toStdString() + "\" in " +
           (widget.parentWidget() ? widget.parentWidget()->metaObject()->className() : "nothing");
}

/// What a reader of the screen says of it.
QString spoken(QWidget& widget) {
    QAccessibleInterface* speaker = QAccessible::queryAccessibleInterface(&widget);
    return speaker ? speaker->text(QAccessible::Name) : QString();
}

/// Every stop has a name, and Tab alone comes to each of them.
void expect_keys_reach_all(QWidget& window, const std::string& where) {
    const std::vector<QWidget*> stops = tab_stops(window);
    for (QWidget* widget : stops)
        EXPECT_FALSE(spoken(*widget).isEmpty()) << where << ": " << described(*widget);
    std::set<QWidget*> reached;
    for (size_t i = 0; i < 3 * stops.size() + 10; ++i) {
        QWidget* now = QApplication::focusWidget();
        ASSERT_NE(now, nullptr) << where;
        reached.insert(now);
        if (getenv("DEBUG_TAB") && where == getenv("DEBUG_TAB"))
            printf("TAB %s\n", described(*now).c_str());
        QTest::keyClick(now, Qt::Key_Tab);
    }
    for (QWidget* widget : stops)
        EXPECT_TRUE(reached.contains(widget))
            << where << ": no Tab comes to " << described(*widget);
}

TEST_F(WorkspaceTest, TabReachesEverythingOfEveryPageAndAllOfItHasAName) {
    window_->resize(1280, 800);
    window_->action("newRuns")->trigger();
    for (Panel* panel : all_panels()) {
        workspace().go_to(panel);
        workspace().open_options(true);
        QApplication::processEvents();
        panel->focus_target()->setFocus();
        expect_keys_reach_all(*window_, panel->name().toStdString());
    }
    workspace().go_to(workspace().find("losses"));
    workspace().set_split(true);
    workspace().open_drawer(true);
    QApplication::processEvents();
    expect_keys_reach_all(*window_, "two pages and the queue");
    window_->show_settings();
    QApplication::processEvents();
    expect_keys_reach_all(*window_, "settings");
    window_->leave_settings();
    window_->close_study();
    ASSERT_TRUE(wait_for([&] { return window_->start_page()->isVisible(); }));
    window_->start_page()->setFocus();
    QTest::keyClick(window_.get(), Qt::Key_Tab);
    expect_keys_reach_all(*window_, "start");
}

TEST_F(WorkspaceTest, TabReachesEverythingOfTheDialogs) {
    go_to("memory");
    for (const char* name : {"export", "gallery", "keys", "trash"}) {
        QAction* action = window_->action(name);
        ASSERT_NE(action, nullptr) << name;
        QTimer::singleShot(100, window_.get(), [name] {
            QWidget* dialog = QApplication::activeModalWidget();
            ASSERT_NE(dialog, nullptr) << name;
            QApplication::setActiveWindow(dialog);
            if (!QApplication::focusWidget()) QTest::keyClick(dialog, Qt::Key_Tab);
            expect_keys_reach_all(*dialog, name);
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        action->trigger();
    }
}

}  // namespace
}  // namespace headroom
