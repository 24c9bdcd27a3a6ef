#include "panels/base/theme.h"

#include <algorithm>
#include <cmath>

namespace headroom {

const Theme& light_theme() {
    static const Theme theme{
        .dark = false,
        .window = rgb(0xf3f4f6),
        .panel = rgb(0xffffff),
        .raised = rgb(0xf8f9fb),
        .text = rgb(0x1d2330),
        .muted = rgb(0x5b6472),
        .border = rgb(0xd4d8df),
        .accent = rgb(0x1763b6),
        .on_accent = rgb(0xffffff),
        .good = rgb(0x0b7a4b),
        .warning = rgb(0x9a5b00),
        .bad = rgb(0xb3261e),
        .own = rgb(0x5a6780),
        .reused = rgb(0xa66a1f),
    };
    return theme;
}

const Theme& dark_theme() {
    static const Theme theme{
        .dark = true,
        .window = rgb(0x15171c),
        .panel = rgb(0x1c1f26),
        .raised = rgb(0x262a33),
        .text = rgb(0xe4e7ec),
        .muted = rgb(0x9ba4b3),
        .border = rgb(0x3a404b),
        .accent = rgb(0x5aa9f2),
        .on_accent = rgb(0x0b1a2b),
        .good = rgb(0x53c98e),
        .warning = rgb(0xeeb04f),
        .bad = rgb(0xff8278),
        .own = rgb(0x93a1bd),
        .reused = rgb(0xd9a869),
    };
    return theme;
}

static double luminance(Rgb colour) {
    const auto linear = [](uint8_t channel) {
        const double value = channel / 255.0;
        return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(colour.r) + 0.7152 * linear(colour.g) + 0.0722 * linear(colour.b);
}

double contrast(Rgb a, Rgb b) {
    const auto [dark, light] = std::minmax({luminance(a), luminance(b)});
    return (light + 0.05) / (dark + 0.05);
}

}  // namespace headroom
