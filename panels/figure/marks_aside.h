#pragma once

#include "panels/figure/figure.h"

namespace headroom {

/// Moves marks that lie on each other apart: those of one x whose bars and markers overlap are
/// drawn side by side around it, in the order of the figure (FigureSeries::aside). All parts of one
/// id move together; lines over several x stay. None goes half the way to another x or over an
/// edge. REQUIRES: both ranges are set. True if any moved.
bool set_marks_aside(Figure& figure);

/// What the small print says where some did.
inline constexpr char kMarksAsideNote[] = "marks of one x stand side by side";

}  // namespace headroom
