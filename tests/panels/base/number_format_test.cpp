#include "panels/base/number_format.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(NumberFormat, IntegersAreGroupedByThousands) {
    EXPECT_EQ(format_integer(0), "0");
    EXPECT_EQ(format_integer(999), "999");
    EXPECT_EQ(format_integer(124373760), "124,373,760");
    EXPECT_EQ(format_integer(-1234), "-1,234");
    EXPECT_EQ(format_integer(-123), "-123");
}

TEST(NumberFormat, CountsKeepThreeDigits) {
    EXPECT_EQ(format_count(7), "7");
    EXPECT_EQ(format_count(12345), "12.3 k");
    EXPECT_EQ(format_count(999600), "1.00 M");
    EXPECT_EQ(format_count(124373760), "124 M");
    EXPECT_EQ(format_count(std::numeric_limits<double>::quiet_NaN()), "NaN");
}

TEST(NumberFormat, BytesUseBinaryUnits) {
    EXPECT_EQ(format_bytes(0), "0 B");
    EXPECT_EQ(format_bytes(1023), "1023 B");
    EXPECT_EQ(format_bytes(1536), "1.50 KiB");
    EXPECT_EQ(format_bytes(int64_t{3} << 30), "3.00 GiB");
    const ByteUnit unit = byte_unit(double{3} * (1 << 30));
    EXPECT_EQ(format_bytes(int64_t{1} << 31, unit), "2.00 GiB");
    EXPECT_EQ(format_bytes(int64_t{1} << 21, unit), "0.00195 GiB") << "of an axis with larger ones";
    EXPECT_EQ(format_bytes(1536, byte_unit(100)), "1536 B");
}

TEST(NumberFormat, DurationsChangeTheirUnitWithTheirLength) {
    EXPECT_EQ(format_duration(0.44), "0.4 s");
    EXPECT_EQ(format_duration(59.6), "1 min 00 s");
    EXPECT_EQ(format_duration(185), "3 min 05 s");
    EXPECT_EQ(format_duration(7620), "2 h 07 min");
    EXPECT_EQ(format_duration(4 * 86400 + 3 * 3600), "4 d 03 h");
    EXPECT_EQ(format_duration(-1), "–");
    EXPECT_EQ(format_duration(std::nan("")), "–");
}

TEST(NumberFormat, LossesShowWhenTheyWentWrong) {
    EXPECT_EQ(format_loss(2.18731), "2.1873");
    EXPECT_EQ(format_loss(99.5), "99.5000");
    EXPECT_EQ(format_loss(123.456789), "123.457");
    EXPECT_EQ(format_loss(12345678), "1.23457e+07");
    EXPECT_EQ(format_loss(std::numeric_limits<double>::infinity()), "inf");
}

TEST(NumberFormat, HyphensBeforeDigitsAreMinusSigns) {
    EXPECT_EQ(with_minus_signs("-0.5 % (-12)"), "−0.5 % (−12)");
    EXPECT_EQ(with_minus_signs("yoco-v - 3"), "yoco-v - 3");
}

TEST(NumberFormat, PercentagesDropAnEmptyDecimal) {
    EXPECT_EQ(format_percent(0.25), "25 %");
    EXPECT_EQ(format_percent(11.0 / 48.0), "22.9 %");
}

TEST(NumberFormat, ReadsNumbersAsPeopleTypeThem) {
    EXPECT_EQ(parse_shown_number("250000"), 250000);
    EXPECT_EQ(parse_shown_number("250k"), 250000);
    EXPECT_EQ(parse_shown_number("2.5e5"), 250000);
    EXPECT_EQ(parse_shown_number("1.2M"), 1.2e6);
    EXPECT_EQ(parse_shown_number("1.2 M"), 1.2e6);  // as the fields show it
    EXPECT_EQ(parse_shown_number("-3"), -3);
    for (const char* wrong : {"", "k", "2x", "inf", "nan", "1 2"})
        EXPECT_FALSE(parse_shown_number(wrong)) << wrong;
}

}  // namespace
}  // namespace headroom
