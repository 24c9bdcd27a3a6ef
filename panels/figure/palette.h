#pragma once

#include "panels/base/rgb.h"
#include "panels/figure/figure.h"

namespace headroom {

inline constexpr int kPaletteSize = 8;

/// The colours of a figure's parts other than its curves. Exports are light unless asked otherwise.
struct FigureTheme {
    bool dark = false;
    Rgb ground;
    Rgb ink;    ///< text, axes
    Rgb muted;  ///< footnote, rules
    Rgb grid;
};

const FigureTheme& figure_theme(bool dark);

/// Colour `index` (taken modulo eight) of the palette of Okabe and Ito (2008), which readers with
/// any common colour blindness can tell apart. Ordered for contrast; black becomes near-white and
/// blue lighter on dark ground, yellow darker on light ground.
Rgb palette_color(int index, bool dark);
/// A lighter, darker or duller shade of it, for the runs of one variant; 0 is the colour itself.
/// Three differ, then they repeat; none is near a colour or shade of another variant.
Rgb palette_color(int index, int shade, bool dark);

/// What a model is made of or its memory goes to, in muted colours that no run wears: queries, keys
/// and values are kQueryPart to kValuePart in every picture. Taken modulo kPartColors.
inline constexpr int kPartColors = 7;
inline constexpr int kKeyPart = 0, kValuePart = 1, kQueryPart = 2;
Rgb part_color(int index, bool dark);

Rgb bar_color(const FigureBar& bar, bool dark);
Rgb line_color(const LineStyle& style, bool dark);

/// Style of the index-th variant: colour, dash and marker change together, so that a grey print
/// works, and from the ninth on the colours return with other dashes. Its runs differ in shade and
/// marker, from the fourth on in dash, too: twelve lines of one variant can be told apart.
LineStyle run_style(int index, int shade = 0);
/// Style of the index-th line of a figure that is of no run, such as layer `index`: colours that no
/// run wears, and other dashes, so that 42 can be told apart.
LineStyle part_style(int index);

}  // namespace headroom
