#include "panels/inspector/map_input.h"

#include <algorithm>
#include <cmath>

#include <imgui.h>

namespace headroom {
namespace {

constexpr double kSplitReach = 6;

double split_x(const PixelBox& box, const InspectorPlace& place) {
    return box.x + box.width * place.split;
}

MapDrag drag_of_press(const PixelBox& box, const InspectorPlace& place, bool split) {
    const ImGuiIO& io = ImGui::GetIO();
    const double x = static_cast<double>(io.MousePos.x);
    if (io.MouseClicked[2] || (io.MouseClicked[0] && io.KeyShift)) return MapDrag::kPan;
    if (!io.MouseClicked[0]) return MapDrag::kNone;
    if (split && std::fabs(x - split_x(box, place)) <= kSplitReach) return MapDrag::kSplit;
    return MapDrag::kBox;
}

PixelBox dragged_box(const PixelBox& within) {
    const ImVec2 from = ImGui::GetIO().MouseClickedPos[0], to = ImGui::GetIO().MousePos;
    const auto hold = [](float v, double low, double size) {
        return std::clamp(static_cast<double>(v), low, low + size);
    };
    const double x0 = hold(std::min(from.x, to.x), within.x, within.width);
    const double x1 = hold(std::max(from.x, to.x), within.x, within.width);
    const double y0 = hold(std::min(from.y, to.y), within.y, within.height);
    const double y1 = hold(std::max(from.y, to.y), within.y, within.height);
    return {x0, y0, x1 - x0, y1 - y0};
}

/// Whether the mouse is where this button was pressed.
bool is_still(int button) {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 from = io.MouseClickedPos[button];
    return std::fabs(from.x - io.MousePos.x) + std::fabs(from.y - io.MousePos.y) < 5;
}

/// Goes on with a drag that began on this item.
void drag(const PixelBox& box, int64_t side, InspectorPlace& place, MapInput& input) {
    const ImGuiIO& io = ImGui::GetIO();
    const double x = static_cast<double>(io.MousePos.x);
    switch (place.drag) {
        case MapDrag::kPan:
            place.window = panned(place.window, box, side, static_cast<double>(io.MouseDelta.x),
                                  static_cast<double>(io.MouseDelta.y));
            input.changed = true;
            break;
        case MapDrag::kSplit:
            place.split = std::clamp((x - box.x) / box.width, 0.0, 1.0);
            input.changed = true;
            break;
        case MapDrag::kBox:
            if (ImGui::IsMouseDragging(0, 3)) input.zoom_box = dragged_box(box);
            break;
        case MapDrag::kNone:
            break;
    }
}

void release(const PixelBox& box, int64_t side, InspectorPlace& place, MapInput& input) {
    if (place.drag == MapDrag::kBox && !ImGui::GetIO().KeyCtrl) {
        input.clicked = is_still(0);
        const MapWindow next = zoomed_into(place.window, box, side, dragged_box(box));
        input.changed = input.changed || next != place.window;
        place.window = next;
    }
    place.drag = MapDrag::kNone;
}

}  // namespace

MapInput handle_map(const PixelBox& box, int64_t side, InspectorPlace& place, bool split) {
    MapInput input;
    ImGui::SetCursorScreenPos({static_cast<float>(box.x), static_cast<float>(box.y)});
    ImGui::InvisibleButton("map", {static_cast<float>(box.width), static_cast<float>(box.height)},
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonMiddle |
                               ImGuiButtonFlags_MouseButtonRight);
    const ImGuiIO& io = ImGui::GetIO();
    const double x = static_cast<double>(io.MousePos.x), y = static_cast<double>(io.MousePos.y);
    if (ImGui::IsItemActivated()) place.drag = drag_of_press(box, place, split);
    if (ImGui::IsItemActive()) drag(box, side, place, input);
    if (ImGui::IsItemDeactivated()) {
        input.reference_asked = io.MouseReleased[1] && is_still(1);
        release(box, side, place, input);
    }
    if (!ImGui::IsItemHovered()) return input;
    if (io.MouseWheel != 0) {
        place.window = zoomed_at(place.window, box, side, x, y,
                                 std::pow(1.18, static_cast<double>(io.MouseWheel)));
        input.changed = true;
    }
    if (ImGui::IsMouseDoubleClicked(0)) {
        place.window = MapWindow{};
        place.drag = MapDrag::kNone;
        input.changed = true;
    }
    input.entry = MapFrame(box, side, place.window).entry_at(x, y);
    if (split && std::fabs(x - split_x(box, place)) <= kSplitReach)
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    return input;
}

int handle_inspector_keys(const HeadGrid& grid, InspectorPlace& place, bool& changed) {
    if (!ImGui::IsWindowFocused()) return 0;
    const auto pressed = [](ImGuiKey key) { return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key)); };
    const int across = pressed(ImGuiKey_RightArrow) - pressed(ImGuiKey_LeftArrow);
    const int down = pressed(ImGuiKey_DownArrow) - pressed(ImGuiKey_UpArrow);
    const bool has_heads = grid.n_layer > 0;  // else no record was read
    if (has_heads && (across != 0 || down != 0)) {
        place.head = stepped(place.head, down, across, grid.n_layer, grid.n_head);
        changed = true;
    }
    if (pressed(ImGuiKey_Home)) {
        place.window = MapWindow{};
        changed = true;
    }
    if (pressed(ImGuiKey_Escape) && place.locked) {
        place.locked = false;
        changed = true;
    }
    return pressed(ImGuiKey_PageDown) - pressed(ImGuiKey_PageUp);
}

}  // namespace headroom
