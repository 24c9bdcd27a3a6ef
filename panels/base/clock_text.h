#pragma once

#include <ctime>
#include <optional>
#include <string>

namespace headroom {

// Times of day as people read and type them, of Unix times, in this machine's time zone.

/// In this time zone; what lies far outside the calendar as its end.
std::tm local_time(double unix_time);

/// "07:27:50", or "2026-11-29 07:27:50" with the day.
std::string clock_text(double unix_time, bool with_day);

/// "07:27", "07:27:50", "2026-11-29", "2026-11-29 07:27:50". A time alone is of the first day from
/// that of `lower` on on which it is not before it. Nothing for another text.
std::optional<double> parse_clock(const std::string& text, double lower);

}  // namespace headroom
