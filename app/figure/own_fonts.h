#pragma once

namespace headroom {

/// Points fontconfig to the settings that came with the fonts where the machine has none, on which
/// it would remark with every figure. Before the application is made.
void settle_font_settings();

/// Adds the fonts that came with the program, in share/headroom/fonts of a relocatable tar; where
/// packages bring them there are none. REQUIRES: a QGuiApplication.
void add_own_fonts();

}  // namespace headroom
