#pragma once

#include <QIcon>

#include "panels/base/theme.h"

namespace headroom {

/// The marks of a row in the list of runs, drawn in the theme's colours, sharp at `ratio` device
/// pixels to a pixel.
QIcon run_dot(int color, int shade, bool shown, const Theme& theme, double ratio);
enum class Eye { kClosed, kHalfOpen, kOpen };
/// Half open: some of the runs of a group are shown.
QIcon eye_icon(Eye eye, const Theme& theme, double ratio);
QIcon star_icon(bool filled, const Theme& theme, double ratio);

}  // namespace headroom
