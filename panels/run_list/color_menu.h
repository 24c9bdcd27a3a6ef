#pragma once

#include <functional>
#include <vector>

#include "panels/base/study_look.h"
#include "panels/base/theme.h"

class QMenu;

namespace headroom {

/// Fills `menu` with the palette's colours, each with its name and the variant that wears it; the
/// one of `now` is bold. The first eight differ in colour, the next
/// eight in dashes, too. `choose` gets the number in the palette.
void fill_color_menu(QMenu& menu, const StudyLook& look, int now, const Theme& theme,
                     const std::function<void(int)>& choose);

}  // namespace headroom
