#include "panels/base/clock_text.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace headroom {

std::tm local_time(double unix_time) {
    const auto seconds = static_cast<std::time_t>(std::clamp(unix_time, -6e10, 2.5e11));
    std::tm parts{};
    localtime_r(&seconds, &parts);
    return parts;
}

std::string clock_text(double unix_time, bool with_day) {
    const std::tm parts = local_time(unix_time);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), with_day ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &parts);
    return text.data();
}

std::optional<double> parse_clock(const std::string& text, double lower) {
    for (const char* shape :
         {"%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%H:%M:%S", "%H:%M"}) {
        const bool has_day = shape[1] == 'Y';
        std::tm parts = local_time(lower);
        parts.tm_hour = parts.tm_min = parts.tm_sec = 0;
        const char* end = strptime(text.c_str(), shape, &parts);
        if (end == nullptr || *end != '\0') continue;
        parts.tm_isdst = -1;
        const std::tm read = parts;
        auto time = static_cast<double>(std::mktime(&parts));
        if (!has_day && time < lower) {
            std::tm next = read;
            ++next.tm_mday;
            time = static_cast<double>(std::mktime(&next));
        }
        return time;
    }
    return std::nullopt;
}

}  // namespace headroom
