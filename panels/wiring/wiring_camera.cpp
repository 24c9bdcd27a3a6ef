#include "panels/wiring/wiring_camera.h"

#include <algorithm>
#include <cmath>

#include "panels/wiring/wiring_painter.h"

namespace headroom {

namespace {

constexpr float kLeastCameraZoom = 0.25f, kMostCameraZoom = 40;

/// Pixels to a column or row at which the whole picture is seen.
float fitting_unit(const WiringLayout& layout, ImVec2 size) {
    constexpr float kLargest = 64;
    const float fits = std::min((size.x - 24) / layout.width(), (size.y - 16) / layout.height());
    return std::clamp(fits, 0.5f, kLargest);
}

}  // namespace

void show_whole(WiringCamera& camera) {
    camera.zoom = 1;
    camera.pan_x = camera.pan_y = 0;
}

bool zoom_by_wheel(WiringCamera& camera, ImVec2 canvas_centre) {
    const ImGuiIO& io = ImGui::GetIO();
    if (io.MouseWheel == 0) return false;
    const float zoom =
        std::clamp(camera.zoom * std::pow(1.18f, io.MouseWheel), kLeastCameraZoom, kMostCameraZoom);
    const float ratio = zoom / camera.zoom;
    const ImVec2 cursor{io.MousePos.x - canvas_centre.x, io.MousePos.y - canvas_centre.y};
    camera.pan_x = cursor.x + (camera.pan_x - cursor.x) * ratio;
    camera.pan_y = cursor.y + (camera.pan_y - cursor.y) * ratio;
    camera.zoom = zoom;
    return true;
}

WiringLayout fitting_layout(const WiringView& view, bool show_keys, bool show_values, ImVec2 size) {
    const float aspect = size.x / size.y;
    const float label = 2.8f * ImGui::GetFontSize();
    WiringLayout layout(view, show_keys, show_values, aspect);
    for (int i = 0; i < 3; ++i) {
        const float margin = std::max(WiringLayout::kMargin, label / fitting_unit(layout, size));
        layout = WiringLayout(view, show_keys, show_values, aspect, margin);
    }
    return layout;
}

WiringFrame frame_of(const WiringCamera& camera, const WiringLayout& layout, ImVec2 corner,
                     ImVec2 size) {
    float unit = fitting_unit(layout, size) * camera.zoom;
    // Cells of a few pixels are drawn on whole ones, or they would shimmer.
    if (unit < WiringPainter::kShapeUnit && unit >= 2) unit = std::floor(unit);
    return {{corner.x + size.x / 2 + camera.pan_x - unit * layout.width() / 2,
             corner.y + size.y / 2 + camera.pan_y - unit * layout.height() / 2},
            unit};
}

}  // namespace headroom
