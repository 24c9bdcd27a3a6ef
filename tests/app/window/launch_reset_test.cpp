#include <QCheckBox>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include <gtest/gtest.h>

#include "app/window/pages/launch_page.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

class LaunchResetTest : public WindowTest {
  protected:
    LaunchPanel& form() { return *part<LaunchPage>().panel(); }
    QPushButton* reset() { return form().summary()->reset_button(); }
};

// It stayed grey: these differ from the study's job in no key.
TEST_F(LaunchResetTest, TakesBackVariantsSeedsAndNameAlone) {
    open(folder("study"), 0);
    window_->action("newRuns")->trigger();
    const LaunchInput begun = form().input();
    EXPECT_FALSE(reset()->isEnabled());
    const auto is_taken_back = [&] {
        QTest::mouseClick(reset(), Qt::LeftButton);
        return form().input() == begun && !reset()->isEnabled();
    };
    QTest::mouseClick(form().variant_box("skipv1"), Qt::LeftButton);
    EXPECT_NE(form().input(), begun);
    EXPECT_TRUE(is_taken_back());
    for (const char* field : {"seeds", "name"}) {
        QTest::keyClicks(form().findChild<QLineEdit*>(field), "5");
        EXPECT_NE(form().input(), begun) << field;
        EXPECT_TRUE(is_taken_back()) << field;
    }
}

}  // namespace
}  // namespace headroom
