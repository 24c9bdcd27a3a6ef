#include "core/base/parse_number.h"

#include <cmath>
#include <cstdlib>

#include <gtest/gtest.h>

#include "tests/support/comma_locale.h"

namespace headroom {
namespace {

TEST(ParseNumber, TakesWholeTextsOnly) {
    EXPECT_EQ(parse_number("0.5"), 0.5);
    EXPECT_EQ(parse_number("+2"), 2);
    EXPECT_EQ(parse_number("-1e-3"), -1e-3);
    EXPECT_EQ(parse_number(".25"), 0.25);
    EXPECT_EQ(parse_number("inf"), HUGE_VAL);
    for (const char* wrong :
         {"", "+", "+-1", "++1", " 1", "1 ", "1,5", "1k", "0x10", "e3", "1e999"})
        EXPECT_FALSE(parse_number(wrong)) << wrong;
}

TEST(ParseNumber, TheLocaleDoesNotMatter) {
    const CommaLocale comma;
    if (!comma.made()) GTEST_SKIP() << "localedef makes no de_DE here";
    ASSERT_TRUE(comma.enter());
    ASSERT_EQ(std::strtod("0.5", nullptr), 0) << "as it would be read without parse_number";
    EXPECT_EQ(parse_number("0.5"), 0.5);
    EXPECT_FALSE(parse_number("0,5"));
}

}  // namespace
}  // namespace headroom
