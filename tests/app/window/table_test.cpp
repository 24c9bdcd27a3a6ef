#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QDialog>
#include <QHeaderView>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "app/window/services/study_session.h"
#include "core/study/study_labels.h"
#include "panels/run_table/run_table_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class TableTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = write_study(
            "table", {{"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}});
        open(study_, 3);
        go_to("table");
        EXPECT_TRUE(wait_for([&] { return panel().view()->topLevelItemCount() == 3; }));
    }
    RunTablePanel& panel() { return part<RunTablePanel>(); }
    template <class Part>
    Part& option(const char* name) {
        return *window_->findChild<Part*>(name);
    }
    std::vector<std::string> names() {
        std::vector<std::string> names;
        for (int i = 0; i < panel().view()->topLevelItemCount(); ++i)
            names.push_back(panel().view()->topLevelItem(i)->text(0).toStdString());
        return names;
    }
    bool wait_for_names(const std::vector<std::string>& expected) {
        return wait_for([&] { return names() == expected; });
    }
    void click_heading(int column) {
        QHeaderView* header = panel().view()->header();
        QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                          {header->sectionViewportPosition(column) + 12, header->height() / 2});
    }

    std::filesystem::path study_;
};

TEST_F(TableTest, AConditionHidesTheOthersAndAWrongOneIsSaid) {
    QTest::keyClicks(panel().filter(), "arch:skipv1");
    EXPECT_TRUE(wait_for_names({"skipv1"}));
    panel().filter()->clear();
    EXPECT_TRUE(wait_for([&] { return names().size() == 3; }));
    panel().filter()->setText("archh:skipv1");
    const auto said = [&] {
        for (QLabel* label : panel().findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains("archh")) return true;
        return false;
    };
    EXPECT_TRUE(wait_for(said));
    EXPECT_THAT(names(), SizeIs(3)) << "all are shown";
}

TEST_F(TableTest, AHeadingSortsUpDownAndBack) {
    click_heading(0);
    EXPECT_TRUE(wait_for([&] { return panel().view()->header()->isSortIndicatorShown(); }));
    EXPECT_THAT(names(), ElementsAre("baseline", "no-query", "skipv1"));
    click_heading(0);
    EXPECT_TRUE(wait_for_names({"skipv1", "no-query", "baseline"}));
    click_heading(0);
    EXPECT_TRUE(wait_for_names({"baseline", "no-query", "skipv1"}));
}

TEST_F(TableTest, GroupsCountTheirRuns) {
    QComboBox& groups = option<QComboBox>("tableGroups");
    const int arch = groups.findData("model.arch");
    ASSERT_GE(arch, 0);
    groups.setCurrentIndex(arch);
    emit groups.activated(arch);
    ASSERT_TRUE(wait_for([&] {
        return panel().view()->headerItem()->text(panel().view()->columnCount() - 1) == "n";
    }));
    const int n = panel().view()->columnCount() - 1;
    EXPECT_EQ(panel().view()->topLevelItem(0)->text(n), "1");
    EXPECT_EQ(panel().view()->header()->visualIndex(n), 1) << "beside the name";
    groups.setCurrentIndex(0);
    emit groups.activated(0);
    const auto last = [&] { return panel().view()->columnCount() - 1; };
    ASSERT_TRUE(wait_for([&] { return panel().view()->headerItem()->text(last()) != "n"; }));
    for (int c = 0; c <= last(); ++c) EXPECT_EQ(panel().view()->header()->visualIndex(c), c);
}

TEST_F(TableTest, TheSelectedRowIsTheSelectedRunEverywhere) {
    QTreeWidget* view = panel().view();
    const QRect row = view->visualItemRect(view->topLevelItem(2));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, {row.left() + 20, row.center().y()});
    EXPECT_THAT(window_->session().look().selected, ElementsAre("skipv1"));
    select({"baseline"});
    EXPECT_TRUE(wait_for([&] { return view->topLevelItem(0)->isSelected(); }));
    EXPECT_FALSE(view->topLevelItem(2)->isSelected());
}

TEST_F(TableTest, AnyColumnCanBeChosen) {
    QTimer::singleShot(200, [] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        ASSERT_NE(dialog, nullptr);
        auto* list = dialog->findChild<QListWidget*>("columnList");
        for (int i = 0; i < list->count(); ++i)
            list->item(i)->setCheckState(list->item(i)->text() == "name" ||
                                                 list->item(i)->text() == "model.n_layer"
                                             ? Qt::Checked
                                             : Qt::Unchecked);
        dialog->accept();
    });
    QTest::mouseClick(&option<QToolButton>("tableColumns"), Qt::LeftButton);
    EXPECT_TRUE(wait_for([&] { return panel().view()->columnCount() == 2; }));
    EXPECT_THAT(panel().table().columns, ElementsAre("name", "model.n_layer"));
    restart_window();
    open(study_, 3);
    go_to("table");
    EXPECT_TRUE(wait_for([&] { return panel().view()->columnCount() == 2; })) << "kept";
}

TEST_F(TableTest, IsCopiedAsMarkdown) {
    for (QAction* action : option<QToolButton>("tableCopy").menu()->actions())
        if (action->text() == "Markdown") action->trigger();
    EXPECT_THAT(QApplication::clipboard()->text().toStdString(), HasSubstr("| baseline |"));
}

TEST_F(TableTest, TagsGoIntoTheStudysLabels) {
    emit panel().label_asked({"skipv1"}, {.tags = {"paper"}});
    EXPECT_TRUE(wait_for([&] {
        const StudyLabels labels = read_labels(study_);
        const auto found = labels.runs.find("skipv1");
        return found != labels.runs.end() &&
               found->second.tags == std::vector{std::string("paper")};
    }));
}

/// Several rows at once, by the mouse, the menu and the keys.
class MultiEdit : public TableTest {
  protected:
    QPoint place(int row) {
        const QRect rect = panel().view()->visualItemRect(panel().view()->topLevelItem(row));
        return {rect.left() + 30, rect.center().y()};
    }
    void click_rows(const std::vector<int>& rows) {
        for (const int row : rows)
            QTest::mouseClick(panel().view()->viewport(), Qt::LeftButton,
                              row == rows.front() ? Qt::NoModifier : Qt::ControlModifier,
                              place(row));
    }
    /// Opens the menu on a row, and presses the entry that begins so.
    void choose(const QString& entry, int row) {
        QTimer::singleShot(0, window_.get(), [entry] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            ASSERT_NE(menu, nullptr);
            for (QAction* action : menu->actions())
                if (action->text().startsWith(entry))
                    return QTest::mouseClick(menu, Qt::LeftButton, {},
                                             menu->actionGeometry(action).center());
            menu->close();
            FAIL() << "no " << entry.toStdString();
        });
        QWidget* viewport = panel().view()->viewport();
        QContextMenuEvent event(QContextMenuEvent::Mouse, place(row),
                                viewport->mapToGlobal(place(row)));
        QApplication::sendEvent(viewport, &event);
    }
    /// Types this into the dialog that the next thing opens, and presses Enter; what it asked and
    /// offered comes back.
    struct Asked {
        QString title, what, offered;
    };
    std::shared_ptr<Asked> answer(const QString& text) {
        auto asked = std::make_shared<Asked>();
        auto* timer = new QTimer(window_.get());
        connect_once(timer, [=] {
            auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
            if (!dialog) return false;
            *asked = {dialog->windowTitle(), dialog->labelText(), dialog->textValue()};
            auto* line = dialog->findChild<QLineEdit*>();
            line->selectAll();
            QTest::keyClicks(line, text);
            QTest::keyClick(line, Qt::Key_Return);
            return true;
        });
        return asked;
    }
    static void connect_once(QTimer* timer, const std::function<bool()>& done) {
        QObject::connect(timer, &QTimer::timeout, timer, [=] {
            if (!done()) return;
            timer->stop();
            timer->deleteLater();
        });
        timer->start(20);
    }
    std::vector<std::string> tags(const std::string& id) {
        const StudyLabels labels = read_labels(study_);
        const auto found = labels.runs.find(id);
        return found == labels.runs.end() ? std::vector<std::string>() : found->second.tags;
    }
    void press(Qt::Key key) { QTest::keyClick(panel().view(), key); }
    const StudyLook& look() { return window_->session().look(); }
};

TEST_F(MultiEdit, TagsOfSeveralRunsAndWhatOnlySomeHaveStays) {
    click_rows({0, 2});
    ASSERT_THAT(look().selected, ElementsAre("baseline", "skipv1"));
    answer("paper, first");
    choose("Tags", 2);
    ASSERT_TRUE(
        wait_for([&] { return tags("skipv1").size() == 2 && tags("baseline").size() == 2; }));
    EXPECT_THAT(tags("no-query"), testing::IsEmpty()) << "it was not selected";
    ASSERT_TRUE(wait_for([&] { return look().run("baseline")->label.tags.size() == 2; }));
    click_rows({0, 1});
    const auto asked = answer("again");
    press(Qt::Key_T);
    ASSERT_TRUE(wait_for([&] { return tags("no-query") == std::vector<std::string>{"again"}; }));
    EXPECT_EQ(asked->title, "Tags of 2 runs");
    EXPECT_EQ(asked->offered, "") << "no tag is on both";
    EXPECT_THAT(asked->what.toStdString(), HasSubstr("keep: paper first"));
    EXPECT_THAT(tags("baseline"), testing::UnorderedElementsAre("paper", "first", "again"));
    EXPECT_THAT(tags("skipv1"), testing::UnorderedElementsAre("paper", "first"));
    QApplication::setActiveWindow(window_.get());  // as in restart_window()
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(wait_for([&] { return tags("no-query").empty() && tags("baseline").size() == 2; }))
        << "one step takes both back";
}

TEST_F(MultiEdit, ANoteNameAndColourGoToAllThatAreSelected) {
    const auto label = [this](const char* id) { return read_labels(study_).runs[id]; };
    panel().label_asked({"baseline"}, {.note = "the old one"});
    ASSERT_TRUE(wait_for([&] { return label("baseline").note == "the old one"; }));
    ASSERT_TRUE(wait_for([&] { return look().run("baseline")->label.note == "the old one"; }));
    click_rows({0, 1});
    QString what;
    auto* timer = new QTimer(window_.get());
    connect_once(timer, [&what] {
        auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        if (!dialog) return false;
        what = dialog->labelText() + dialog->textValue();
        QTest::keyClicks(dialog->findChild<QPlainTextEdit*>(), "seen");
        dialog->accept();
        return true;
    });
    choose("Note", 0);
    ASSERT_TRUE(wait_for([&] { return label("no-query").note == "seen"; }));
    EXPECT_EQ(label("baseline").note, "seen");
    EXPECT_THAT(what.toStdString(), HasSubstr("differ"));
    EXPECT_THAT(what.toStdString(), testing::Not(HasSubstr("the old one")));
    EXPECT_EQ(label("skipv1").note, "");
    connect_once(new QTimer(window_.get()), [] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (!menu) return false;
        for (QAction* action : menu->actions())
            if (action->objectName() == "color:3")
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
        return true;
    });
    press(Qt::Key_C);
    ASSERT_TRUE(wait_for(
        [&] { return look().run("baseline")->color == 3 && look().run("no-query")->color == 3; }));
    EXPECT_NE(look().run("skipv1")->color, 3);
}

TEST_F(MultiEdit, HiddenShownAndRemovedTogether) {
    click_rows({1, 2});
    press(Qt::Key_E);
    EXPECT_THAT(look().hidden, ElementsAre("no-query", "skipv1"));
    press(Qt::Key_E);
    EXPECT_TRUE(look().hidden.empty());
    choose("Show only these", 1);
    EXPECT_THAT(look().hidden, ElementsAre("baseline"));
    choose("Show all", 1);
    EXPECT_TRUE(look().hidden.empty());
    press(Qt::Key_Delete);
    ASSERT_TRUE(wait_for_names({"baseline"})) << error_text();
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(wait_for_names({"baseline", "no-query", "skipv1"})) << error_text();
}

}  // namespace
}  // namespace headroom
