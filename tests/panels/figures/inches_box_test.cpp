#include "panels/figures/inches_box.h"

#include <QSignalSpy>
#include <QTest>

#include <gtest/gtest.h>

#include "core/study/figure_options.h"

namespace headroom {
namespace {

/// What the box holds after somebody typed `text` into it, which was 2 before.
double typed(const QString& text) {
    InchesBox box("Width");
    box.setValue(2);
    box.show();
    box.selectAll();
    QTest::keyClicks(&box, text);
    QTest::keyClick(&box, Qt::Key_Return);
    return box.value();
}

// A quarter of an inch could be chosen, which the study then refused.
TEST(InchesBox, StepsOverWhatNoStudyTakes) {
    InchesBox box("Width");
    const QSignalSpy told(&box, &QDoubleSpinBox::valueChanged);
    EXPECT_EQ(box.text(), "auto");
    box.stepUp();
    EXPECT_EQ(box.value(), kLeastFigureInches);
    box.stepUp();
    EXPECT_EQ(box.value(), kLeastFigureInches + 0.25);
    box.stepBy(-2);
    EXPECT_EQ(box.value(), 0);
    EXPECT_EQ(told.count(), 3) << "never of what is refused";
    box.setValue(1000);
    EXPECT_EQ(box.value(), kMostFigureInches);
}

TEST(InchesBox, TakesWhatIsTypedWithinTheRange) {
    EXPECT_EQ(typed("3.25"), 3.25);
    EXPECT_EQ(typed("0.5"), kLeastFigureInches);
    EXPECT_EQ(typed("0"), 0) << "auto";
}

}  // namespace
}  // namespace headroom
