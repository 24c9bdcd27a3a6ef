#include "panels/inspector/imgui_label.h"

namespace headroom {

/// ImGui writes from left to right only: the quads that it added are turned by 90 degrees.
void draw_upward_text(ImDrawList& list, ImVec2 end, ImU32 colour, const std::string& text) {
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    const int first = list.VtxBuffer.Size;
    // Whatever is clipped before it is turned would be clipped in the wrong place.
    list.PushClipRectFullScreen();
    list.AddText({0, 0}, colour, text.c_str());
    list.PopClipRect();
    for (int i = first; i < list.VtxBuffer.Size; ++i) {
        ImVec2& at = list.VtxBuffer[i].pos;
        at = {end.x + at.y, end.y + (size.x - at.x)};
    }
}

std::string fitted_text(const std::string& text, float width) {
    if (ImGui::CalcTextSize(text.c_str()).x <= width) return text;
    std::string cut = text;
    while (!cut.empty()) {
        do cut.pop_back();
        while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xc0) == 0x80);
        if (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xc0) == 0xc0) cut.pop_back();
        if (ImGui::CalcTextSize((cut + "\u2026").c_str()).x <= width) break;
    }
    return cut + "\u2026";
}

}  // namespace headroom
