#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QMenu>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <utility>

#include <gmock/gmock.h>

#include "app/window/services/saved_views.h"
#include "app/window/services/study_notices.h"
#include "app/window/services/study_session.h"
#include "app/window/shell/notice_bar.h"
#include "app/window/shell/settings_page.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "core/study/study_labels.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/base/numbering.h"
#include "panels/compare/compare_panel.h"
#include "panels/figure/figure_chart.h"
#include "panels/jobs/study_news.h"
#include "panels/loss/loss_controls.h"
#include "panels/qt/qt_theme.h"
#include "panels/run_list/run_list.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

class SettingsTest : public WindowTest {
  protected:
    void SetUp() override {
        const auto study = write_study(
            "study", {{"baseline", "gpt2"}, {"no-query", "wq_identity"}, {"skipv1", "skipv1"}});
        file_ = study / "study.json";
        open(study, 3);
    }
    void TearDown() override { set_numbering_base(0); }
    SettingsPage& page() {
        if (!window_->shows_settings())
            QTest::keyClick(window_.get(), Qt::Key_Comma, Qt::ControlModifier);
        if (!window_->shows_settings()) throw std::logic_error("Ctrl+, opens no settings");
        return part<SettingsPage>();
    }
    template <class Part>
    Part& part_of(SettingsPage& page, const char* name) {
        return *page.findChild<Part*>(name);
    }
    std::filesystem::path file_;
    /// Chooses an entry with the keys.
    static void choose(QComboBox& box, int index) {
        box.setFocus();
        while (box.currentIndex() < index) QTest::keyClick(&box, Qt::Key_Down);
        while (box.currentIndex() > index) QTest::keyClick(&box, Qt::Key_Up);
    }
};

TEST_F(SettingsTest, TheQueueTrainsAsManyRunsAtATimeAsTheySay) {
    auto& spin = part_of<QSpinBox>(page(), "settingsSlots");
    EXPECT_EQ(spin.text(), "one, or one for each GPU");
    spin.setFocus();
    QTest::keyClick(&spin, Qt::Key_Up);
    QTest::keyClick(&spin, Qt::Key_Up);
    EXPECT_EQ(window_->settings().run_slots(), 2);
    QTest::keyClick(&spin, Qt::Key_Escape);
    window_->action("startQueue")->trigger();
    const auto at_work = [&] {
        int training = 0;
        for (const JobRow& row : window_->session().table().rows)
            training += row.state == "running" ? 1 : 0;
        return training;
    };
    EXPECT_TRUE(wait_for([&] { return at_work() == 2; }));
    for (const JobRow& row : window_->session().table().rows)
        write_request(file_.parent_path() / "runs" / row.id, ControlRequest::kStop);
    EXPECT_TRUE(wait_for([&] { return at_work() == 0; }));
    window_->set_run_slots(0);
}

TEST_F(SettingsTest, AreAPageThatEscAndTheKeysOfActivitiesLeave) {
    page();
    EXPECT_EQ(QApplication::focusWidget()->objectName(), "settingsTheme");
    EXPECT_FALSE(window_->workspace().isVisible());
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Escape);
    EXPECT_FALSE(window_->shows_settings());
    EXPECT_TRUE(window_->workspace().isVisible());

    window_->set_theme(ThemeChoice::kDark);
    EXPECT_EQ(part_of<QComboBox>(page(), "settingsTheme").currentIndex(), 2) << "as it is now";
    QTest::keyClick(window_.get(), Qt::Key_2, Qt::AltModifier);
    EXPECT_FALSE(window_->shows_settings());
    EXPECT_EQ(window_->workspace().active()->name(), "losses");

    page();
    QTest::keyClick(window_.get(), Qt::Key_Comma, Qt::ControlModifier);
    EXPECT_FALSE(window_->shows_settings()) << "the same key leaves it";
    window_->close_study();
    page();
    QTest::mouseClick(&part_of<QPushButton>(page(), "settingsBack"), Qt::LeftButton);
    EXPECT_FALSE(window_->shows_settings());
    EXPECT_FALSE(window_->has_study());
    window_->set_theme(ThemeChoice::kLight);
}

TEST_F(SettingsTest, TakeTheKeysFromEveryPage) {
    for (const PageInfo* info : window_->workspace().pages()) {
        SCOPED_TRACE(info->name.toStdString());
        go_to(info->name);
        window_->workspace().find(info->name)->focus_target()->setFocus();
        SettingsPage& settings = page();
        QTest::qWait(20);
        const QWidget* with_keys = QApplication::focusWidget();
        EXPECT_TRUE(with_keys && settings.isAncestorOf(with_keys))
            << (with_keys ? with_keys->metaObject()->className() : "nobody");
        QTest::keyClick(window_.get(), Qt::Key_Comma, Qt::ControlModifier);
    }
}

TEST_F(SettingsTest, ThemeAndTextSizeChangeAtOnceAndStay) {
    SettingsPage& settings = page();
    choose(part_of<QComboBox>(settings, "settingsTheme"), 2);
    EXPECT_TRUE(current_theme().dark);
    const double before = QApplication::font().pointSizeF();
    auto& size = part_of<QSpinBox>(settings, "settingsTextSize");
    size.setFocus();
    QTest::keyClick(&size, Qt::Key_Up);
    EXPECT_NEAR(QApplication::font().pointSizeF(), before * 1.1, 0.01);
    restart_window();
    EXPECT_TRUE(current_theme().dark);
    EXPECT_NEAR(QApplication::font().pointSizeF(), before * 1.1, 0.01);
    window_->set_text_size(100);
    window_->set_theme(ThemeChoice::kLight);
    EXPECT_NEAR(QApplication::font().pointSizeF(), before, 0.01);
}

TEST_F(SettingsTest, LayersCountFromOneInLabelsAndFromZeroInFiles) {
    go_to("compare");
    select({"skipv1"});
    const auto texts = [&] {
        std::string text;
        for (const CompareSection& section : part<ComparePanel>().view().sections)
            for (const CompareRow& row : section.rows) text += row.name + "\n";
        return text;
    };
    EXPECT_THAT(texts(), HasSubstr("Layer 0\n"));
    choose(part_of<QComboBox>(page(), "settingsFirstNumber"), 1);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    EXPECT_THAT(texts(), testing::Not(HasSubstr("Layer 0\n")));
    EXPECT_THAT(texts(), HasSubstr("Layer 1\n"));
    go_to("architecture");
    EXPECT_NE(part<ArchitecturePanel>().view().title, "");
    for (QToolButton* button : window_->findChildren<QToolButton*>("pageFigure"))
        if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return !load_study(file_).figures.empty(); }));
    EXPECT_EQ(load_study(file_).figures[0].options.at("count-from"), "1")
        << "drawn anew as it was looked at";
    restart_window();
    EXPECT_EQ(numbering_base(), 1);
}

TEST_F(SettingsTest, TheLegendGoesFromTheCurves) {
    const bool before = losses().settings().legend;
    auto& box = part_of<QCheckBox>(page(), "settingsLegend");
    EXPECT_EQ(box.isChecked(), before);
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Space);
    EXPECT_EQ(losses().settings().legend, !before);
    EXPECT_EQ(losses().controls()->findChild<QCheckBox*>("legend")->isChecked(), !before);
}

TEST_F(SettingsTest, ARunThatDivergesIsSaidInTheWindowUnlessThatIsOff) {
    StudyNews news{StudyNews::Kind::kDiverged, "skipv1 has diverged at step 7", "skipv1"};
    window_->news().tell(news);
    ASSERT_TRUE(window_->notices()->isVisible());
    EXPECT_THAT(window_->notices()->text().toStdString(), HasSubstr("diverged at step 7"));
    QTest::mouseClick(window_->notices()->action_button(), Qt::LeftButton);
    EXPECT_EQ(window_->session().look().selected, std::vector<std::string>{"skipv1"});
    EXPECT_FALSE(window_->notices()->isVisible());
    auto& box = part_of<QCheckBox>(page(), "settingsNotices");
    box.setFocus();
    QTest::keyClick(&box, Qt::Key_Space);
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    ASSERT_FALSE(window_->shows_settings());
    window_->news().tell(news);
    EXPECT_FALSE(window_->notices()->isVisible());
}

TEST_F(SettingsTest, ANoticeMovesNothingThatSomebodyPointsAt) {
    window_->resize(window_->minimumSize());
    go_to("losses");
    const auto place = [&] {
        const QWidget& chart = *losses().chart();
        return QRect(chart.mapTo(window_.get(), QPoint()), chart.size());
    };
    QRect before;
    ASSERT_TRUE(wait_for([&] {  // until all is laid out
        const QRect last = std::exchange(before, place());
        return last == before && !before.isEmpty();
    }));
    window_->news().tell({StudyNews::Kind::kDiverged,
                          "skipv1 has diverged at step 7, which is more than the window is wide",
                          "skipv1"});
    QApplication::processEvents();
    ASSERT_TRUE(window_->notices()->isVisible());
    EXPECT_EQ(place(), before);
    EXPECT_EQ(window_->size(), window_->minimumSize());
    QToolButton& action = *window_->notices()->action_button();
    EXPECT_EQ(action.visibleRegion().boundingRect(), action.rect());
}

}  // namespace
}  // namespace headroom
