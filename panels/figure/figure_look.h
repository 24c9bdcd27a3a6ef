#pragma once

namespace headroom {

/// How a figure is drawn, as opposed to what is in it.
struct FigureLook {
    bool dark = false;
    bool hidden_in_legend = false;  ///< hidden series keep a greyed entry, to be clicked on again
    double columns_per_pixel = 1;   ///< detail of curves; more than 1 for print
    /// Draw faint lines in a lighter colour in place of a transparent one, which vector formats
    /// give as the outline of every stroke: five times the file.
    bool opaque = false;
    bool quick = false;  ///< draw lines that fill areas with a thin pen: 20 times faster
};

}  // namespace headroom
