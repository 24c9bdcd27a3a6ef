#include "panels/wiring/wiring_painter.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "panels/base/numbering.h"
#include "panels/figure/palette.h"
#include "panels/imgui/imgui_theme.h"

namespace headroom {

namespace {

constexpr float kDimmed = 0.28f;
constexpr float kTextUnit = 26;  // pixels to a cell below which its text is left out

/// One mark, used by the cells and by the legend.
void paint_mark(ImDrawList& list, ImVec2 a, ImVec2 b, HeadRole role, const Theme& theme,
                float strength) {
    const ImU32 own = to_imgui(with_alpha(theme.own, strength));
    const ImU32 reused = to_imgui(with_alpha(theme.reused, strength));
    const float height = b.y - a.y;
    const float line = std::clamp(height * 0.09f, 1.0f, 2.5f);
    switch (role) {
        case HeadRole::kOwn:
            list.AddRectFilled(a, b, own, height * 0.15f);
            break;
        case HeadRole::kReused:
            list.AddRectFilled(a, b, to_imgui(with_alpha(theme.reused, 0.12 * strength)),
                               height * 0.5f);
            list.AddRect(a, b, reused, height * 0.5f, 0, line);
            break;
        case HeadRole::kMixed:
            list.AddTriangleFilled(a, {b.x, a.y}, {a.x, b.y}, own);
            list.AddRect(a, b, reused, height * 0.15f, 0, line);
            break;
        case HeadRole::kNone: {
            const ImU32 muted = to_imgui(with_alpha(theme.muted, strength));
            list.AddLine(a, b, muted, line);
            list.AddLine({a.x, b.y}, {b.x, a.y}, muted, line);
            break;
        }
    }
}

/// One mark of the picture by owner.
void paint_owner_mark(ImDrawList& list, ImVec2 a, ImVec2 b, const HeadOwnership& head,
                      const Theme& theme, float strength) {
    const float height = b.y - a.y;
    const float line = std::clamp(height * 0.09f, 1.0f, 2.5f);
    if (head.reads_nothing) return paint_mark(list, a, b, HeadRole::kNone, theme, strength);
    const Rgb colour = owner_color(head.hue, theme);
    const ImU32 full = to_imgui(with_alpha(colour, strength));
    const float rounding = height * (head.keeps ? 0.15f : 0.5f);
    if (head.keeps) {
        list.AddRectFilled(a, b, full, rounding);
    } else {
        list.AddRectFilled(a, b, to_imgui(with_alpha(colour, 0.3 * strength)), rounding);
        list.AddRect(a, b, full, rounding, 0, line);
    }
    if (head.sums && head.second != kOwnHue)
        list.AddTriangleFilled(b, {a.x + (b.x - a.x) * 0.4f, b.y}, {b.x, a.y + height * 0.2f},
                               to_imgui(with_alpha(owner_color(head.second, theme), strength)));
}

void centred_text(ImDrawList& list, ImVec2 centre, ImU32 colour, const std::string& text,
                  float size) {
    ImFont* font = ImGui::GetFont();
    const ImVec2 extent = font->CalcTextSizeA(size, FLT_MAX, 0, text.c_str());
    list.AddText(font, size,
                 {std::round(centre.x - extent.x / 2), std::round(centre.y - extent.y / 2)}, colour,
                 text.c_str());
}

}  // namespace

Rgb owner_color(int hue, const Theme& theme) {
    return hue == kOwnHue ? theme.own : palette_color(1 + hue % (kPaletteSize - 1), theme.dark);
}

WiringPainter::WiringPainter(const WiringView& view, const WiringLayout& layout, const Theme& theme,
                             WiringPoint origin, float unit, const WiringOwnership* ownership)
    : view_(view),
      layout_(layout),
      theme_(theme),
      origin_(origin),
      unit_(unit),
      ownership_(ownership) {}

Rgb WiringPainter::edge_color(KvTable lane, HeadId source) const {
    return ownership_ ? owner_color(ownership_->head(lane, source).hue, theme_) : theme_.reused;
}

/// Of a cell that is too small for a shape.
Rgb WiringPainter::plain_color(KvTable lane, HeadId ref) const {
    const HeadRole role = view_.lane(lane).cells[ref.layer][ref.head].role;
    if (role == HeadRole::kNone) return theme_.border;
    if (ownership_) {
        const HeadOwnership& head = ownership_->head(lane, ref);
        const Rgb colour = owner_color(head.hue, theme_);
        return head.keeps ? colour : blend(colour, theme_.panel, 0.55);
    }
    if (role == HeadRole::kOwn) return theme_.own;
    return role == HeadRole::kMixed ? blend(theme_.own, theme_.reused, 0.5) : theme_.reused;
}

ImVec2 WiringPainter::to_screen(WiringPoint p) const {
    return {origin_.x + p.x * unit_, origin_.y + p.y * unit_};
}

WiringPoint WiringPainter::to_world(ImVec2 pixel) const {
    return {(pixel.x - origin_.x) / unit_, (pixel.y - origin_.y) / unit_};
}

void WiringPainter::paint(ImDrawList& list, const std::optional<TableHead>& focus) const {
    for (const KvTable lane : layout_.lanes()) {
        paint_labels(list, lane);
        if (unit_ >= kShapeUnit) paint_buses(list, lane, focus.has_value());
        for (int l = 0; l < view_.n_layer; ++l)
            for (int g = 0; g < view_.n_kv_head; ++g)
                paint_cell(list, lane, {l, g}, focus ? kDimmed : 1.0f);
    }
    if (focus) paint_focus(list, *focus);
}

/// Head numbers above the lane, layer numbers beside it; every n-th where they would touch.
void WiringPainter::paint_labels(ImDrawList& list, KvTable lane) const {
    const WiringBox box = layout_.lane_box(lane);
    const float size = ImGui::GetFontSize();
    const ImU32 muted = to_imgui(theme_.muted);
    const int step = std::max(1, static_cast<int>(std::ceil(size * 1.6f / unit_)));
    const auto shown = [step](int i) { return i % step == 0; };

    const ImVec2 corner = to_screen({box.x0, box.y0});
    const float numbers_y = corner.y - size * 0.55f;
    list.AddText({corner.x, numbers_y - size * 1.6f}, to_imgui(theme_.text),
                 lane == KvTable::kKeys ? "Keys by head" : "Values by head");
    for (int g = 0; g < view_.n_kv_head; ++g) {
        const WiringBox cell = layout_.cell_box(lane, {0, g});
        if (!shown(g) && cell.x1 - cell.x0 < 1.0f) continue;
        centred_text(list, {to_screen(cell.centre()).x, numbers_y}, muted,
                     std::to_string(shown_number(g)), size);
    }
    for (int l = 0; l < view_.n_layer; ++l) {
        if (!shown(l)) continue;
        const std::string text = fmt::format("L{}", shown_number(l));
        const ImVec2 at = to_screen({box.x0, box.y0 + static_cast<float>(l) + 0.5f});
        list.AddText({std::round(at.x - ImGui::CalcTextSize(text.c_str()).x - 4),
                      std::round(at.y - size / 2)},
                     muted, text.c_str());
    }
}

void WiringPainter::stroke(ImDrawList& list, KvTable lane, HeadId reader, HeadId source, Rgb colour,
                           float thickness) const {
    const auto points = layout_.edge(lane, reader, source);
    for (const WiringPoint& p : points) list.PathLineTo(to_screen(p));
    list.PathStroke(to_imgui(colour), 0, thickness);
    if (unit_ < 10) return;
    const ImVec2 end = to_screen(points.back());
    list.AddCircleFilled(end, thickness * 1.6f, to_imgui(colour), 8);
}

void WiringPainter::paint_buses(ImDrawList& list, KvTable lane, bool dimmed) const {
    const float thickness = std::clamp(unit_ * 0.045f, 1.0f, 2.0f);
    for (const WiringBus& bus : view_.lane(lane).buses) {
        const Rgb colour = with_alpha(edge_color(lane, bus.source), dimmed ? 0.16 : 0.6);
        // The line from the farthest reader passes all others: they need only their taps.
        stroke(list, lane, {bus.readers.back(), bus.column}, bus.source, colour, thickness);
        for (size_t i = 0; i + 1 < bus.readers.size(); ++i) {
            const auto edge = layout_.edge(lane, {bus.readers[i], bus.column}, bus.source);
            list.AddLine(to_screen(edge[0]), to_screen(edge[1]), to_imgui(colour), thickness);
        }
    }
}

void WiringPainter::paint_cell(ImDrawList& list, KvTable lane, HeadId head, float strength) const {
    const WiringBox box = layout_.cell_box(lane, head);
    const ImVec2 a = to_screen({box.x0, box.y0});
    const ImVec2 b = to_screen({box.x1, box.y1});
    if (!ImGui::IsRectVisible(a, b)) return;
    const WiringCell& cell = view_.lane(lane).cells[head.layer][head.head];
    if (unit_ < kShapeUnit) {
        const Rgb colour = plain_color(lane, head);
        // Whole columns and rows, but for a pixel between them where there is room.
        const HeadRange columns = query_heads(head.head, view_.n_head, view_.n_kv_head);
        const WiringBox lane_box = layout_.lane_box(lane);
        const float gap = unit_ >= 3 ? 1.0f : 0.0f;
        const ImVec2 corner = to_screen({lane_box.x0 + static_cast<float>(columns.first),
                                         lane_box.y0 + static_cast<float>(head.layer)});
        const float wide = unit_ * static_cast<float>(columns.last - columns.first + 1);
        list.AddRectFilled(corner, {corner.x + wide - gap, corner.y + unit_ - gap},
                           to_imgui(with_alpha(colour, strength)));
        return;
    }
    if (ownership_)
        paint_owner_mark(list, a, b, ownership_->head(lane, head), theme_, strength);
    else
        paint_mark(list, a, b, cell.role, theme_, strength);
    if (unit_ < kTextUnit) return;
    const ImVec2 centre{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const float size = std::min(ImGui::GetFontSize(), unit_ * 0.36f);
    const Rgb ink = cell.role == HeadRole::kOwn ? theme_.panel : theme_.text;
    if (const std::string text = cell_text(cell); !text.empty())
        centred_text(list, centre, to_imgui(with_alpha(ink, strength)), text, size);
}

void WiringPainter::paint_focus(ImDrawList& list, const TableHead& focus) const {
    const KvTable lane = focus.table;
    if (std::find(layout_.lanes().begin(), layout_.lanes().end(), lane) == layout_.lanes().end())
        return;
    const WiringCell& cell = view_.lane(lane).cells[focus.head.layer][focus.head.head];
    const float thickness = std::clamp(unit_ * 0.07f, 1.5f, 3.0f);
    const auto is_self = [&](HeadId other) { return other == focus.head; };
    for (const HeadId& reader : cell.readers)
        stroke(list, lane, reader, focus.head, edge_color(lane, focus.head), thickness);
    for (const HeadSource& source : cell.sources)
        if (!is_self({source.layer, source.head}))
            stroke(list, lane, focus.head, {source.layer, source.head},
                   edge_color(lane, {source.layer, source.head}), thickness);
    for (const HeadId& reader : cell.readers) paint_cell(list, lane, reader, 1);
    for (const HeadSource& source : cell.sources)
        paint_cell(list, lane, {source.layer, source.head}, 1);
    paint_cell(list, lane, focus.head, 1);
    const WiringBox box = layout_.cell_box(lane, focus.head);
    const ImVec2 a = to_screen({box.x0, box.y0});
    const ImVec2 b = to_screen({box.x1, box.y1});
    list.AddRect({a.x - 3, a.y - 3}, {b.x + 3, b.y + 3}, to_imgui(theme_.text), 5, 0, 2);
}

/// Width of one sample with its name.
static float legend_entry_width(const char* name) {
    return ImGui::GetFontSize() * 1.3f + 6 + ImGui::CalcTextSize(name).x;
}

/// One sample, beside what came before as long as there is room.
static void legend_entry(const char* name, const std::function<void(ImVec2, ImVec2)>& paint) {
    constexpr float kGap = 14;
    const float right = ImGui::GetWindowContentRegionMax().x + ImGui::GetWindowPos().x;
    if (ImGui::GetItemRectMax().x + kGap + legend_entry_width(name) < right)
        ImGui::SameLine(0, kGap);
    const float size = ImGui::GetFontSize();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float top = at.y + (ImGui::GetFrameHeight() - size) / 2;
    paint({at.x, top + 2}, {at.x + size * 1.3f, top + size - 1});
    ImGui::Dummy({size * 1.3f, size});
    ImGui::SameLine(0, 6);
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(name);
}

void draw_wiring_legend(const Theme& theme, const WiringOwnership* ownership) {
    if (ownership != nullptr) {
        for (const OwnerSample& sample : owner_legend(*ownership))
            legend_entry(sample.name, [&](ImVec2 a, ImVec2 b) {
                paint_owner_mark(*ImGui::GetWindowDrawList(), a, b, sample.head, theme, 1);
            });
        return;
    }
    for (const HeadRole role : {HeadRole::kOwn, HeadRole::kReused, HeadRole::kMixed})
        legend_entry(name_of(role), [&](ImVec2 a, ImVec2 b) {
            paint_mark(*ImGui::GetWindowDrawList(), a, b, role, theme, 1);
        });
}

}  // namespace headroom
