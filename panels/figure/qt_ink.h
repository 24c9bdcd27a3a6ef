#pragma once

#include <QFont>
#include <QPen>

#include "panels/base/rgb.h"
#include "panels/figure/figure.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

/// Figures are measured in CSS pixels, 96 to the inch, on every output.
inline constexpr double kPixelsPerInch = 96.0;

constexpr double pixels(double points) {
    return points * kPixelsPerInch / 72.0;
}

/// The figure's type face at a size in points. Unhinted, so that text keeps its widths in PDF.
QFont figure_font(double points, bool bold = false);

/// The pen of a line. Faint lines let the ground through; with `ground`, they have the colour that
/// this gives on it.
QPen line_pen(const LineStyle& style, Rgb colour, const Rgb* ground = nullptr);

}  // namespace headroom
