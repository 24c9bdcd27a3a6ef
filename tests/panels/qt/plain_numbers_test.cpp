#include "panels/qt/plain_numbers.h"

#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QLocale>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/comma_locale.h"

namespace headroom {
namespace {

/// What a field of numbers makes of a text that is typed.
double typed_into_spin_box(const QString& text) {
    QDoubleSpinBox box;
    box.setMaximum(1000);
    box.findChild<QLineEdit*>()->setText(text);
    box.interpretText();
    return box.value();
}

TEST(PlainNumbers, HaveAPointUnderALocaleWithCommas) {
    const CommaLocale comma;
    if (!comma.made()) GTEST_SKIP() << "localedef makes no de_DE here";
    ASSERT_TRUE(comma.enter());  // as QApplication does
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    ASSERT_EQ(std::strtod("3.25", nullptr), 3);
    ASSERT_NE(typed_into_spin_box("3.25"), 3.25);
    use_plain_numbers();
    EXPECT_EQ(std::strtod("3.25", nullptr), 3.25);
    EXPECT_EQ(typed_into_spin_box("3.25"), 3.25);
    EXPECT_EQ(QLocale().toString(1234.5), "1234.5");
    EXPECT_NE(std::string(std::setlocale(LC_CTYPE, nullptr)), "C") << "letters stay the desktop's";
}

}  // namespace
}  // namespace headroom
