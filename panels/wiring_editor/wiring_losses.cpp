#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "panels/base/colormap.h"
#include "panels/base/number_format.h"
#include "panels/imgui/imgui_theme.h"
#include "panels/wiring_editor/draw_wiring_editor.h"

namespace headroom {

namespace {

/// Pixels to a column from which on losses are written out.
constexpr float kNumberUnit = 30;

struct SourceLoss {
    KvTable lane = KvTable::kKeys;
    HeadId place;
    double change = 0;
};

/// For every place that a marked head could read at its own number.
std::vector<SourceLoss> source_losses(const WiringEditorFrame& frame, const RewireMap& map) {
    std::vector<std::vector<HeadId>> readers(static_cast<size_t>(map.n_kv_head));
    for (const HeadId head : frame.editor.marked())
        readers[static_cast<size_t>(head.head)].push_back(head);
    std::vector<SourceLoss> losses;
    for (const KvTable lane : frame.layout.lanes()) {
        if (!frame.editor.edits(lane)) continue;
        for (int g = 0; g < map.n_kv_head; ++g)
            for (int layer = 0; layer < map.n_layer; ++layer) {
                const double change =
                    mean_change(map, lane, readers[static_cast<size_t>(g)], g, layer);
                if (std::isfinite(change)) losses.push_back({lane, {layer, g}, change});
            }
    }
    return losses;
}

}  // namespace

bool fits(const RewireMap& map, const WiringEditor& editor) {
    return map.n_layer == editor.wiring().n_layer && map.n_kv_head == editor.wiring().n_kv_head;
}

void paint_losses(const WiringEditorFrame& frame, const Theme& theme, ImDrawList& list) {
    const std::vector<SourceLoss> losses = source_losses(frame, *frame.view.rewire);
    std::vector<double> values;
    for (const SourceLoss& loss : losses) values.push_back(loss.change);
    const ColorScale scale = make_color_scale({}, values);
    for (const SourceLoss& loss : losses) {
        const WiringBox box = frame.layout.cell_box(loss.lane, loss.place);
        const ImVec2 a = frame.to_screen({box.x0, box.y0}), b = frame.to_screen({box.x1, box.y1});
        if (!ImGui::IsRectVisible(a, b)) continue;
        const Rgb colour = scale.color(loss.change, theme.dark);
        list.AddRectFilled(a, b, to_imgui(colour));
        if (frame.place.unit < kNumberUnit) continue;
        constexpr double kShown = 0.005;  // less has no sign in two decimals
        const std::string text = std::abs(loss.change) < kShown
                                     ? "0.00"
                                     : with_minus_signs(fmt::format("{:+.2f}", loss.change));
        const float size = std::min(ImGui::GetFontSize(), frame.place.unit * 0.28f);
        const ImVec2 extent = ImGui::GetFont()->CalcTextSizeA(size, FLT_MAX, 0, text.c_str());
        const Rgb white{255, 255, 255}, black{0, 0, 0};
        const Rgb ink = contrast(white, colour) > contrast(black, colour) ? white : black;
        list.AddText(ImGui::GetFont(), size,
                     {(a.x + b.x - extent.x) / 2, (a.y + b.y - extent.y) / 2}, to_imgui(ink),
                     text.c_str());
    }
}

std::string loss_words(const WiringEditor& editor, const RewireMap& map, const SourcePick& pick) {
    double sum = 0;
    int count = 0;
    for (const KvTable table : {KvTable::kKeys, KvTable::kValues}) {
        if (!editor.edits(table)) continue;
        for (const HeadId head : editor.marked()) {
            if (pick.head && *pick.head != head.head) return "";
            sum += map.change(table, head, pick.layer);
            ++count;
        }
    }
    const double mean = sum / std::max(count, 1);
    if (count == 0 || !std::isfinite(mean)) return "";
    return with_minus_signs(fmt::format("; without training, {} {:+.4f} nats",
                                        count == 1 ? "it costs" : "each alone costs", mean));
}

}  // namespace headroom
