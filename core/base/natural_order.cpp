#include "core/base/natural_order.h"

#include <algorithm>

namespace headroom {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The digits at the front of `text`, which go from it, without leading zeros.
std::string_view take_number(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_digit);
    std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
    const std::string_view all_a = a, all_b = b;
    while (!a.empty() && !b.empty()) {
        if (is_digit(a.front()) && is_digit(b.front())) {
            const std::string_view x = take_number(a), y = take_number(b);
            if (x.size() != y.size()) return x.size() < y.size();
            if (x != y) return x < y;
            continue;
        }
        if (a.front() != b.front())
            return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front());
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    if (a.empty() != b.empty()) return a.empty();
    return all_a < all_b;  // 01 and 1
}

}  // namespace headroom
