#pragma once

#include <algorithm>
#include <string_view>

namespace headroom {

/// Excel and PowerShell begin their files with the mark.
inline std::string_view without_byte_order_mark(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    return text;
}

/// use(line) for every line of a text, without what ends it.
template <class Use>
void for_each_line(std::string_view text, Use&& use) {
    text = without_byte_order_mark(text);
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        text.remove_prefix(std::min(end + 1, text.size()));
        use(line);
    }
}

}  // namespace headroom
