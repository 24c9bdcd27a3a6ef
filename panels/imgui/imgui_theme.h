#pragma once

#include <imgui.h>

#include "panels/base/theme.h"

namespace headroom {

/// Dresses the current ImGui context in the studio's colours and spacing.
void apply_theme(ImGuiStyle& style, const Theme& theme);

inline ImU32 to_imgui(Rgb c) {
    return IM_COL32(c.r, c.g, c.b, c.a);
}
ImVec4 to_imvec4(Rgb colour);

}  // namespace headroom
