#pragma once

#include <QIcon>

#include "panels/base/theme.h"

namespace headroom {

/// The marks of a row in the list of runs, drawn in the theme's colours, sharp at `ratio` device
/// pixels to a pixel.
QIcon run_dot(int color, int shade, bool shown, const Theme& theme, double ratio);
QIcon eye_icon(bool open, const Theme& theme, double ratio);
QIcon star_icon(bool filled, const Theme& theme, double ratio);

}  // namespace headroom
