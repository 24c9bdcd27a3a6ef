#pragma once

#include "panels/base/rgb.h"

namespace headroom {

/// What a person may choose; kSystem follows the desktop.
enum class ThemeChoice { kSystem, kLight, kDark };

/// The colours that every panel is drawn in, whichever toolkit draws it. Text on its ground has a
/// contrast of at least 4.5 : 1 in both themes; a test holds the tables to that.
struct Theme {
    bool dark = false;
    Rgb window;  ///< behind docks and dialogs
    Rgb panel;   ///< ground of tables, forms, charts and canvases
    Rgb raised;  ///< buttons, headers, alternate rows
    Rgb text;
    Rgb muted;  ///< secondary text
    Rgb border;
    Rgb accent;     ///< selection, links, the default button
    Rgb on_accent;  ///< text on accent
    Rgb good;
    Rgb warning;
    Rgb bad;
    Rgb own;     ///< wiring: a head that its layer projects itself
    Rgb reused;  ///< wiring: a head that reads another layer's projection
};

const Theme& light_theme();
const Theme& dark_theme();

/// WCAG 2 contrast ratio of two opaque colours, 1 to 21.
double contrast(Rgb a, Rgb b);

}  // namespace headroom
