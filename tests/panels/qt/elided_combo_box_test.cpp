#include "panels/qt/elided_combo_box.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(ElidedComboBox, LosesTheMiddleOfWhatDoesNotFit) {
    const QString whole = "SkipV1Former with many words, step 200";
    ElidedComboBox box;
    box.addItem(whole);
    box.resize(600, 30);
    EXPECT_EQ(box.shown_text(), whole);
    box.resize(160, 30);
    const QString shown = box.shown_text();
    EXPECT_TRUE(shown.startsWith("Skip")) << shown.toStdString();
    EXPECT_TRUE(shown.endsWith("200")) << shown.toStdString();
    EXPECT_TRUE(shown.contains(QChar(0x2026))) << shown.toStdString();
    EXPECT_LT(box.fontMetrics().horizontalAdvance(shown), 160);
    box.grab();
}

}  // namespace
}  // namespace headroom
