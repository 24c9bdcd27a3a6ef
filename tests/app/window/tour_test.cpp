#include "app/window/shell/tour.h"

#include <QApplication>
#include <QFrame>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <filesystem>

#include <gmock/gmock.h>

#include "app/program_files.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

class TourTest : public WindowTest {
  protected:
    Tour& tour() { return window_->tour(); }
    /// A copy of the demo study that nobody has started.
    fs::path demo(const std::string& name) {
        const fs::path study = folder(name);
        fs::copy_file(resource("demo/study.json"), study / "study.json");
        return study;
    }
    /// To whoever has the keyboard.
    static void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
    QString page() { return window_->workspace().active()->name(); }
};

TEST_F(TourTest, BeginsWithTheDemoStudyOnceAndWalksThroughFivePlaces) {
    const fs::path study = demo("copy");
    open(study, 3);
    ASSERT_TRUE(tour().is_running());
    const QString began_at = page();
    EXPECT_THAT(tour().text().toStdString(), testing::HasSubstr("eye"));
    std::vector<std::string> pages;
    for (int hint = 1; hint < Tour::count(); ++hint) {
        press(hint % 2 == 1 ? Qt::Key_Return : Qt::Key_Right);
        EXPECT_EQ(tour().at(), hint);
        EXPECT_EQ(QApplication::focusWidget(), tour().next());
        pages.push_back(page().toStdString());
    }
    EXPECT_THAT(pages, testing::ElementsAre("losses", "inspector", "figures", "newRuns"));
    press(Qt::Key_Left);
    EXPECT_EQ(page(), "figures");
    press(Qt::Key_Right);
    press(Qt::Key_Space);
    EXPECT_FALSE(tour().is_running());
    EXPECT_FALSE(tour().card()->isVisible());
    EXPECT_EQ(page(), began_at) << "where it began";

    restart_window();
    open(study, 3);
    EXPECT_FALSE(tour().is_running()) << "once only";
}

TEST_F(TourTest, EscEndsItAndTheHelpMenuBringsItBack) {
    open(demo("copy"), 3);
    ASSERT_TRUE(tour().is_running());
    press(Qt::Key_Escape);
    EXPECT_FALSE(tour().is_running());
    window_->action("tour")->trigger();
    EXPECT_TRUE(tour().is_running());
    window_->close_study();
    EXPECT_FALSE(tour().is_running());
    EXPECT_FALSE(window_->action("tour")->isEnabled());
}

TEST_F(TourTest, AStudyOfOnesOwnBeginsNone) {
    open(write_study("mine", {{"baseline", "gpt2"}}), 1);
    EXPECT_FALSE(tour().is_running());
}

TEST_F(TourTest, TheCardLiesInsideWhateverTheSize) {
    open(demo("copy"), 3);
    for (const QSize size : {QSize(1280, 800), QSize(915, 600), QSize(1900, 1000)}) {
        window_->resize(size);
        tour().start();
        for (int hint = 0; hint < Tour::count(); ++hint) {
            QApplication::processEvents();
            EXPECT_TRUE(window_->workspace().rect().contains(tour().card()->geometry()))
                << hint << " at " << size.width();
            EXPECT_GE(tour().card()->height(), tour().card()->sizeHint().height());
            if (hint + 1 < Tour::count()) QTest::mouseClick(tour().next(), Qt::LeftButton);
        }
        QTest::mouseClick(tour().card()->findChild<QToolButton*>("tourEnd"), Qt::LeftButton);
        EXPECT_FALSE(tour().is_running());
    }
}

}  // namespace
}  // namespace headroom
