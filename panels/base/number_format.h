#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace headroom {

/// How numbers read everywhere in the studio. A value that is not finite reads as an en dash where
/// there is nothing to say and as "NaN" or "inf" where a measurement went wrong.

/// 1,234,567
std::string format_integer(int64_t value);
/// 950, 12.3 k, 1.24 M, 7.00 G: three digits and an SI prefix.
std::string format_count(double value);
/// A number as people type it: "250000", "250k", "2.5e5", "1.2 M"; nothing if it is none.
std::optional<double> parse_shown_number(const std::string& text);
/// 640 B, 1.50 KiB, 22.4 MiB, 3.00 GiB
std::string format_bytes(int64_t bytes);
/// A unit of memory, and how many bytes it has.
struct ByteUnit {
    const char* name;
    double bytes;
};
/// The one in which format_bytes() says so many.
ByteUnit byte_unit(double bytes);
/// The same in a unit that is given, such as that of an axis: 0.0352 GiB
std::string format_bytes(int64_t bytes, const ByteUnit& unit);
/// 0.4 s, 12 s, 3 min 05 s, 2 h 07 min, 4 d 03 h; a negative or NaN duration is unknown: "–".
std::string format_duration(double seconds);
/// 2.1873 nats; four decimals because the differences of this field are in the third, and from 100
/// on six digits.
std::string format_loss(double loss);
/// 25 %, 22.9 %
std::string format_percent(double fraction);
/// A hyphen before a digit as the sign that it stands for: "-0.5 %" as "−0.5 %".
std::string with_minus_signs(const std::string& text);

}  // namespace headroom
