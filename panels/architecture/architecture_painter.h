#pragma once

#include "panels/architecture/drawing_layout.h"

class QPainter;

namespace headroom {

/// Paints a drawing with its corner at the painter's origin, `scale` of the painter's units to one
/// point: the one painter of the screen, PDF, SVG and PNG. What is marked as changed wears a halo.
void paint_drawing(QPainter& painter, const DrawingLayout& drawing, bool dark, double scale);

}  // namespace headroom
