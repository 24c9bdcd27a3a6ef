#pragma once

class QPainter;
class QPointF;

namespace headroom {

struct Theme;

/// The mark of a run in lists and tables, in its colour: a disc, and where the colours of variants
/// return, from the ninth and the seventeenth on, a square and a diamond. `filled`: the run is
/// shown.
void paint_run_dot(QPainter& painter, const QPointF& centre, double radius, int color, int shade,
                   bool filled, const Theme& theme);

}  // namespace headroom
