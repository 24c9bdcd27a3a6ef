#include "panels/imgui/imgui_theme.h"

namespace headroom {

ImVec4 to_imvec4(Rgb c) {
    return {static_cast<float>(c.r) / 255.0f, static_cast<float>(c.g) / 255.0f,
            static_cast<float>(c.b) / 255.0f, static_cast<float>(c.a) / 255.0f};
}

void apply_theme(ImGuiStyle& style, const Theme& theme) {
    if (theme.dark)
        ImGui::StyleColorsDark(&style);
    else
        ImGui::StyleColorsLight(&style);
    style.WindowRounding = 6;
    style.FrameRounding = 4;
    style.PopupRounding = 6;
    style.WindowBorderSize = 1;
    style.FrameBorderSize = 1;
    style.WindowPadding = {10, 8};
    style.FramePadding = {8, 4};
    style.ItemSpacing = {8, 6};

    ImVec4* colours = style.Colors;
    colours[ImGuiCol_Text] = to_imvec4(theme.text);
    colours[ImGuiCol_TextDisabled] = to_imvec4(theme.muted);
    colours[ImGuiCol_WindowBg] = to_imvec4(theme.panel);
    colours[ImGuiCol_ChildBg] = to_imvec4(with_alpha(theme.panel, 0));
    colours[ImGuiCol_PopupBg] = to_imvec4(theme.raised);
    colours[ImGuiCol_Border] = to_imvec4(theme.muted);  // an empty radio button is its border
    colours[ImGuiCol_FrameBg] = to_imvec4(theme.raised);
    colours[ImGuiCol_FrameBgHovered] = to_imvec4(blend(theme.raised, theme.accent, 0.2));
    colours[ImGuiCol_FrameBgActive] = to_imvec4(blend(theme.raised, theme.accent, 0.35));
    colours[ImGuiCol_Button] = to_imvec4(theme.raised);
    colours[ImGuiCol_ButtonHovered] = to_imvec4(blend(theme.raised, theme.accent, 0.2));
    colours[ImGuiCol_ButtonActive] = to_imvec4(blend(theme.raised, theme.accent, 0.35));
    colours[ImGuiCol_CheckMark] = to_imvec4(theme.accent);
    colours[ImGuiCol_Separator] = to_imvec4(theme.border);
}

}  // namespace headroom
