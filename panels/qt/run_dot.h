#pragma once

class QPainter;
class QPointF;

namespace headroom {

struct Theme;

/// The mark of a run in lists and tables: the colour and the shape that it has in figures
/// (run_style). `filled`: the run is shown.
void paint_run_dot(QPainter& painter, const QPointF& centre, double radius, int color, int shade,
                   bool filled, const Theme& theme);

}  // namespace headroom
