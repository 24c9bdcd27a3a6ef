#include "panels/figure/palette.h"

#include <array>

namespace headroom {
namespace {

/// A colour and what two further runs of its variant wear: of all 24 no two are nearer than 20 in
/// CIE L*a*b*, and none is lost in its ground.
using Shades = std::array<Rgb, 3>;
constexpr std::array<Shades, kPaletteSize> kOnLight = {{
    {rgb(0x0072b2), rgb(0x2d466e), rgb(0x69a0f5)},
    {rgb(0xd55e00), rgb(0x8c1e00), rgb(0x733c28)},
    {rgb(0x009e73), rgb(0x055537), rgb(0x82af96)},
    {rgb(0xcc79a7), rgb(0x821950), rgb(0x7d5069)},
    {rgb(0xe69f00), rgb(0x8c5a00), rgb(0xd29b69)},
    {rgb(0x56b4e9), rgb(0x37738c), rgb(0x91aabe)},
    {rgb(0x000000), rgb(0x827d78), rgb(0x414646)},
    {rgb(0xb8a900), rgb(0x4b4b0f), rgb(0x919646)},
}};
constexpr std::array<Shades, kPaletteSize> kOnDark = {{
    {rgb(0x3d9fe0), rgb(0x1e69aa), rgb(0x506987)},
    {rgb(0xf07b2a), rgb(0xa54b2d), rgb(0xfaa587)},
    {rgb(0x1fbf93), rgb(0x14735f), rgb(0x9bf0dc)},
    {rgb(0xdc90bb), rgb(0x875573), rgb(0xffd2f5)},
    {rgb(0xe69f00), rgb(0x876400), rgb(0xffd782)},
    {rgb(0x8fd0f5), rgb(0x0087aa), rgb(0x7d9baf)},
    {rgb(0xe8e8e8), rgb(0xb4afaa), rgb(0x78736e)},
    {rgb(0xf0e442), rgb(0x829600), rgb(0x969b5f)},
}};
constexpr std::array<Rgb, kPartColors> kPartsOnLight = {
    rgb(0x5b5ea6), rgb(0xb05a6e), rgb(0x4e8c86), rgb(0xa98f52),
    rgb(0x7f8b3e), rgb(0x9b7baf), rgb(0x808a97),
};
constexpr std::array<Rgb, kPartColors> kPartsOnDark = {
    rgb(0x8a8ddb), rgb(0xd4838a), rgb(0x7dbdb6), rgb(0xd6c089),
    rgb(0xb4c06c), rgb(0xa98bb0), rgb(0x98a3b3),
};
constexpr std::array kDashes = {LineDash::kSolid, LineDash::kDash,     LineDash::kDashDot,
                                LineDash::kDot,   LineDash::kLongDash, LineDash::kDashDotDot};
constexpr std::array kMarkers = {Marker::kCircle,  Marker::kSquare,       Marker::kTriangle,
                                 Marker::kDiamond, Marker::kTriangleDown, Marker::kCross,
                                 Marker::kPlus};

size_t wrapped(int index, size_t count) {
    const auto n = static_cast<int>(count);
    return static_cast<size_t>(((index % n) + n) % n);
}

/// Where the shades of a colour repeat, the next dash tells them apart. Odd steps: the variants
/// that share a colour stand two dashes apart.
int dash_of_shade(int shade) {
    const int round = shade / static_cast<int>(std::tuple_size_v<Shades>);
    return round == 0 ? 0 : 2 * round - 1;
}

}  // namespace

const FigureTheme& figure_theme(bool dark) {
    static const FigureTheme light_theme{false, rgb(0xffffff), rgb(0x1d2330), rgb(0x5b6472),
                                         rgb(0xe6e8ec)};
    static const FigureTheme dark_theme{true, rgb(0x1c1f26), rgb(0xe4e7ec), rgb(0x9ba4b3),
                                        rgb(0x30353f)};
    return dark ? dark_theme : light_theme;
}

Rgb palette_color(int index, bool dark) {
    return palette_color(index, 0, dark);
}

Rgb palette_color(int index, int shade, bool dark) {
    const Shades& shades = (dark ? kOnDark : kOnLight)[wrapped(index, kPaletteSize)];
    return shades[wrapped(shade, shades.size())];
}

Rgb part_color(int index, bool dark) {
    return (dark ? kPartsOnDark : kPartsOnLight)[wrapped(index, kPartColors)];
}

Rgb bar_color(const FigureBar& bar, bool dark) {
    return bar.is_part ? part_color(bar.color, dark) : palette_color(bar.color, dark);
}

Rgb line_color(const LineStyle& style, bool dark) {
    return style.is_part ? part_color(style.color, dark)
                         : palette_color(style.color, style.shade, dark);
}

LineStyle run_style(int index, int shade) {
    LineStyle style;
    style.color = static_cast<int>(wrapped(index, kPaletteSize));
    style.shade = shade;
    // 8 colours, 6 dashes and 7 markers: the triple repeats only after 168 variants.
    style.dash = kDashes[wrapped(index + dash_of_shade(shade), kDashes.size())];
    style.marker = kMarkers[wrapped(index + shade, kMarkers.size())];
    return style;
}

LineStyle part_style(int index) {
    LineStyle style;
    style.is_part = true;
    style.color = static_cast<int>(wrapped(index, kPartColors));
    style.dash = kDashes[wrapped(index, kDashes.size())];
    return style;
}

}  // namespace headroom
