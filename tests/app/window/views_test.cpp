#include <QApplication>
#include <QCheckBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QTest>
#include <QTimer>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "app/window/services/saved_views.h"
#include "app/window/services/study_session.h"
#include "core/study/study_labels.h"
#include "panels/figure/figure_chart.h"
#include "panels/loss/loss_controls.h"
#include "panels/run_list/run_list.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::ElementsAre;

/// Saved views, and what a person changes about a variant in the list of runs.
class ViewsTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = write_study(
            "study", {{"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}});
        open(study_, 3);
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QTest::keyClick(window_.get(), key, modifiers);
    }
    /// Types a name into the question that Ctrl+Shift+S asks.
    void save_as(const QString& name) {
        QTimer::singleShot(0, window_.get(), [name] {
            QWidget* dialog = QApplication::activeModalWidget();
            ASSERT_NE(dialog, nullptr);
            auto* line = dialog->findChild<QLineEdit*>();
            line->selectAll();
            QTest::keyClicks(line, name);
            QTest::keyClick(line, Qt::Key_Return);
        });
        press(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    }
    void pick_in_palette(const QString& typed) {
        QTimer::singleShot(0, window_.get(), [typed] {
            auto* line = QApplication::activePopupWidget()
                             ? QApplication::activePopupWidget()->findChild<QLineEdit*>()
                             : nullptr;
            ASSERT_NE(line, nullptr);
            QTest::keyClicks(line, typed);
            QTest::keyClick(line, Qt::Key_Return);
        });
        press(Qt::Key_K, Qt::ControlModifier);
        QApplication::processEvents();
    }
    const StudyLook& look() const { return window_->session().look(); }
    QPoint dot_of(const std::string& name) {
        QTreeWidget* tree = part<RunList>().tree();
        for (QTreeWidgetItemIterator it(tree); *it; ++it) {
            const QRect row = tree->visualItemRect(*it);
            if ((*it)->text(0).toStdString() == name) return {row.left() + 9, row.center().y()};
        }
        throw std::logic_error("no such row");
    }

    std::filesystem::path study_;
};

TEST_F(ViewsTest, AViewComesBackWithRunsReferenceOptionsAndRanges) {
    go_to("losses");
    window_->session().hide({"baseline"});
    window_->session().set_reference("skipv1");
    losses().controls()->findChild<QCheckBox*>("logY")->click();
    losses().look_at({10, 90}, Range{2, 4});
    save_as("Paper: early");
    EXPECT_THAT(window_->saved_views().names(), ElementsAre("Paper: early"));

    losses().fit();
    losses().controls()->findChild<QCheckBox*>("logY")->click();
    window_->session().hide({"skipv1"});
    window_->session().set_reference("no-query");
    go_to("memory");
    pick_in_palette("paper: early");
    ASSERT_TRUE(wait_for([&] { return window_->workspace().active()->name() == "losses"; }));
    EXPECT_EQ(look().hidden, std::set<std::string>{"baseline"});
    EXPECT_EQ(look().reference, "skipv1");
    EXPECT_TRUE(losses().settings().log_y);
    EXPECT_EQ(losses().settings().x_range, (Range{10, 90}));
    EXPECT_EQ(losses().settings().y_range, (Range{2, 4}));

    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(window_->workspace().active()->name(), "memory");
    EXPECT_EQ(look().hidden, std::set<std::string>{"skipv1"});
    EXPECT_EQ(look().reference, "no-query");
}

TEST_F(ViewsTest, ViewsOfTwoPagesOutliveTheWindowAndBelongToTheirStudy) {
    go_to("wiring");
    press(Qt::Key_Backslash, Qt::ControlModifier);
    ASSERT_TRUE(window_->workspace().is_split());
    window_->saved_views().save("both");
    restart_window();
    open(study_, 3);
    go_to("runs");
    window_->workspace().set_split(false);
    ASSERT_NE(window_->action("view:both"), nullptr);
    window_->action("view:both")->trigger();
    EXPECT_TRUE(window_->workspace().is_split());
    EXPECT_EQ(window_->workspace().main_page()->name(), "wiring");
    EXPECT_EQ(window_->workspace().page_beside()->name(), "losses");
    open(write_study("other", {{"a", "gpt2"}}), 1);
    EXPECT_TRUE(window_->saved_views().names().isEmpty());
}

// It hid the run that had been trained since.
TEST_F(ViewsTest, RunsThatCameLaterStayAsTheyAre) {
    window_->session().hide({"skipv1"});
    window_->saved_views().save("early");
    window_->session().hide({});
    write_study("study", {{"baseline", "gpt2"},
                          {"no-query", "wq_identity"},
                          {"skipv1", "skipv1"},
                          {"later", "gpt2"}});
    ASSERT_TRUE(wait_for([&] { return look().run("later") != nullptr; }));
    window_->action("view:early")->trigger();
    EXPECT_EQ(look().hidden, std::set<std::string>{"skipv1"});
}

TEST_F(ViewsTest, ARemovedViewComesBackWithUndo) {
    window_->saved_views().save("one");
    window_->action("removeView:one")->trigger();
    ASSERT_TRUE(wait_for([&] { return window_->saved_views().names().isEmpty(); }));
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_THAT(window_->saved_views().names(), ElementsAre("one"));
}

TEST_F(ViewsTest, AClickOnTheDotChoosesTheVariantsColourEverywhere) {
    const int before = look().run("skipv1")->color;
    QTreeWidget* tree = part<RunList>().tree();
    QTimer::singleShot(0, window_.get(), [] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        ASSERT_NE(menu, nullptr);
        for (int i = 0; i < 6; ++i) QTest::keyClick(menu, Qt::Key_Down);  // orange, the fifth
        if (menu->activeAction()->objectName() != "color:4")
            menu->setActiveAction(menu->findChild<QAction*>("color:4"));
        QTest::keyClick(menu, Qt::Key_Return);
    });
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, dot_of("skipv1"));
    ASSERT_TRUE(wait_for([&] { return look().run("skipv1")->color == 4; })) << error_text();
    EXPECT_EQ(read_labels(study_).runs.at("skipv1").color, 4);
    EXPECT_EQ(row("skipv1")->color, 4) << "in the queue, too";
    press(Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(wait_for([&] { return look().run("skipv1")->color == before; }));
}

}  // namespace
}  // namespace headroom
