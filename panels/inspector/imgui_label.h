#pragma once

#include <string>

#include <imgui.h>

namespace headroom {

inline ImVec2 to_vec(double x, double y) {
    return {static_cast<float>(x), static_cast<float>(y)};
}

/// Text that reads upwards, its end at `end` (the top of the text's line is on the left).
void draw_upward_text(ImDrawList& list, ImVec2 end, ImU32 colour, const std::string& text);

/// The text shortened with an ellipsis to at most `width` pixels.
std::string fitted_text(const std::string& text, float width);

}  // namespace headroom
