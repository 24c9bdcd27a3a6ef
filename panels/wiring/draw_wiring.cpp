#include "panels/wiring/draw_wiring.h"

#include <algorithm>

#include <imgui.h>

#include "panels/imgui/imgui_theme.h"
#include "panels/wiring/wiring_painter.h"

namespace headroom {

namespace {

/// Beside the rest where there is room, else on a line of its own.
void draw_coloring(WiringSettings& settings) {
    const float wide = 22 * ImGui::GetFontSize();
    const float right = ImGui::GetWindowContentRegionMax().x + ImGui::GetWindowPos().x;
    if (ImGui::GetItemRectMax().x + wide < right) ImGui::SameLine(0, 16);
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Colour by");
    ImGui::SameLine();
    if (ImGui::RadioButton("source", settings.color_by == WiringColoring::kSource))
        settings.color_by = WiringColoring::kSource;
    ImGui::SameLine();
    if (ImGui::RadioButton("cache owner", settings.color_by == WiringColoring::kCacheOwner))
        settings.color_by = WiringColoring::kCacheOwner;
}

bool draw_toolbar(WiringSettings& settings) {
    const WiringSettings before = settings;
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Show");
    ImGui::SameLine();
    ImGui::Checkbox("Keys", &settings.show_keys);
    ImGui::SameLine();
    ImGui::Checkbox("Values", &settings.show_values);
    // One of the two is always there: switching the last one off brings the other back.
    if (!settings.show_keys && !settings.show_values) {
        settings.show_keys = !before.show_keys;
        settings.show_values = !before.show_values;
    }
    ImGui::SameLine(0, 16);
    if (ImGui::Button("Fit")) show_whole(settings);
    draw_coloring(settings);
    return before.color_by != settings.color_by || before.show_keys != settings.show_keys ||
           before.show_values != settings.show_values || before.zoom != settings.zoom;
}

/// Pan and zoom of the canvas item that was just submitted.
bool handle_mouse(WiringSettings& settings, ImVec2 centre) {
    const ImGuiIO& io = ImGui::GetIO();
    bool changed = false;
    if (ImGui::IsItemActive() && (ImGui::IsMouseDragging(0) || ImGui::IsMouseDragging(2))) {
        settings.pan_x += io.MouseDelta.x;
        settings.pan_y += io.MouseDelta.y;
        changed = io.MouseDelta.x != 0 || io.MouseDelta.y != 0;
    }
    if (!ImGui::IsItemHovered()) return changed;
    changed |= zoom_by_wheel(settings, centre);
    if (ImGui::IsMouseDoubleClicked(0)) {
        show_whole(settings);
        changed = true;
    }
    return changed;
}

void draw_readout(const WiringView& view, const WiringOwnership* ownership, const Theme& theme,
                  const std::optional<TableHead>& head, bool locked) {
    ImGui::PushTextWrapPos(0);
    if (!head) {
        ImGui::TextUnformatted(describe_total(view).c_str());
        if (ownership != nullptr && view.latents.empty())
            ImGui::TextUnformatted(describe_owners(*ownership).c_str());
        ImGui::TextDisabled(
            "Hover a head to see what it reads and what that saves; click keeps it.");
        ImGui::PopTextWrapPos();
        return;
    }
    bool first = true;
    for (const std::string& line : describe_head(view, head->table, head->head)) {
        if (first) {
            ImGui::TextColored(to_imvec4(theme.accent), "%s%s", line.c_str(),
                               locked ? "  · kept, click again to let go" : "");
        } else {
            ImGui::TextUnformatted(line.c_str());
        }
        first = false;
    }
    ImGui::PopTextWrapPos();
}

bool draw_canvas(const WiringView& view, const WiringOwnership* ownership, const Theme& theme,
                 WiringSettings& settings, ImVec2 size, WiringCommands& commands) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 centre{corner.x + size.x / 2, corner.y + size.y / 2};
    ImGui::InvisibleButton("canvas", size,
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle);
    bool changed = handle_mouse(settings, centre);

    const WiringLayout layout =
        fitting_layout(view, settings.show_keys, settings.show_values, size);
    const WiringFrame frame = frame_of(settings, layout, corner, size);
    const WiringPainter painter(view, layout, theme, frame.origin, frame.unit, ownership);

    if (ImGui::IsItemHovered())
        commands.hovered = layout.head_at(painter.to_world(ImGui::GetIO().MousePos));
    const bool dragged = ImGui::GetIO().MouseDragMaxDistanceSqr[0] > 16;
    if (ImGui::IsItemDeactivated() && !dragged) {
        settings.locked = settings.locked == commands.hovered ? std::nullopt : commands.hovered;
        changed = true;
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(corner, {corner.x + size.x, corner.y + size.y}, true);
    painter.paint(*list, commands.hovered ? commands.hovered : settings.locked);
    list->PopClipRect();
    return changed;
}

/// Arrows step through layers and heads, from the keys' last head on to the values' first.
bool handle_keys(const WiringView& view, WiringSettings& settings) {
    if (!ImGui::IsWindowFocused() || view.n_kv_head == 0) return false;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const int across = pressed(ImGuiKey_RightArrow) - pressed(ImGuiKey_LeftArrow);
    const int down = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
    if (pressed(ImGuiKey_Escape)) settings.locked.reset();
    if (across == 0 && down == 0) return false;
    const KvTable first = settings.show_keys ? KvTable::kKeys : KvTable::kValues;
    if (!settings.locked) {
        settings.locked = TableHead{first, {0, 0}};
        return true;
    }
    auto& [lane, head] = *settings.locked;
    const bool both = settings.show_keys && settings.show_values;
    const int offset = both && lane == KvTable::kValues ? view.n_kv_head : 0;
    const int column =
        std::clamp(offset + head.head + across, 0, (both ? 2 : 1) * view.n_kv_head - 1);
    if (both) lane = column < view.n_kv_head ? KvTable::kKeys : KvTable::kValues;
    head.head = column % view.n_kv_head;
    head.layer = std::clamp(head.layer + down, 0, view.n_layer - 1);
    return true;
}

bool is_in(const WiringView& view, const TableHead& head) {
    return head.head.layer < view.n_layer && head.head.head < view.n_kv_head;
}

}  // namespace

WiringCommands draw_wiring(const WiringView& view, const WiringOwnership& ownership,
                           const Theme& theme, WiringSettings& settings) {
    WiringCommands commands;
    if (settings.locked && !is_in(view, *settings.locked)) settings.locked.reset();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin("wiring", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar(2);
    if (view.empty()) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled("%s", view.empty_text.empty()
                                      ? "Select a run to see where its heads' keys and values "
                                        "come from."
                                      : view.empty_text.c_str());
        ImGui::PopTextWrapPos();
        ImGui::End();
        return commands;
    }
    commands.settings_changed = draw_toolbar(settings);
    commands.settings_changed |= handle_keys(view, settings);
    const WiringOwnership* owned =
        settings.color_by == WiringColoring::kCacheOwner ? &ownership : nullptr;
    draw_wiring_legend(theme, owned);
    ImGui::TextUnformatted(view.title.c_str());
    constexpr int kReadoutLines = 5;
    const float readout = kReadoutLines * ImGui::GetTextLineHeightWithSpacing();
    ImVec2 size = ImGui::GetContentRegionAvail();
    size.x = std::max(size.x, 16.0f);
    size.y = std::max(size.y - readout, 16.0f);
    commands.settings_changed |= draw_canvas(view, owned, theme, settings, size, commands);
    draw_readout(view, owned, theme, commands.hovered ? commands.hovered : settings.locked,
                 settings.locked && (!commands.hovered || commands.hovered == settings.locked));
    ImGui::End();
    return commands;
}

}  // namespace headroom
