#include "panels/inspector/draw_map.h"

#include <algorithm>
#include <cmath>

#include "panels/imgui/imgui_theme.h"
#include "panels/inspector/imgui_label.h"
#include "panels/inspector/token_labels.h"

namespace headroom {
namespace {

/// One tile, or the part of a coarser one that covers it.
struct Patch {
    TileStore::TilePointer tile;
    TileKey key;
};

Patch nearest_coarser(TileStore& store, const TileKey& wanted, int coarsest) {
    for (TileKey key = wanted; key.level < coarsest;) {
        ++key.level;
        key.row /= 2;
        key.column /= 2;
        if (auto tile = store.find(key)) return {std::move(tile), key};
    }
    return {};
}

/// Draws what of `patch` lies under the tile `wanted`.
void draw_patch(ImDrawList& list, const MapPaint& paint, const Patch& patch, const MapInfo& info,
                const TileKey& wanted, const MapFrame& frame, const ColorScale& scale) {
    const CellBox box = tile_box(info, wanted);
    const auto cell = static_cast<double>(wanted.factor());
    const double k0 = static_cast<double>(box.column) * cell;
    const double q0 = static_cast<double>(box.row) * cell;
    const double k1 = k0 + static_cast<double>(box.columns) * cell;
    const double q1 = q0 + static_cast<double>(box.rows) * cell;
    const auto part = [](double token, int64_t first, int64_t count, int64_t factor) {
        const double at = token / static_cast<double>(factor) - static_cast<double>(first);
        return std::clamp(at / static_cast<double>(count), 0.0, 1.0);
    };
    const CellBox& held = patch.tile->box;
    const int64_t factor = patch.tile->factor;
    void* image =
        paint.images.image({patch.key, false}, *patch.tile, info, scale, paint.theme.dark);
    list.AddImage(
        image, to_vec(frame.x_of(k0), frame.y_of(q0)), to_vec(frame.x_of(k1), frame.y_of(q1)),
        to_vec(part(k0, held.column, held.columns, factor), part(q0, held.row, held.rows, factor)),
        to_vec(part(k1, held.column, held.columns, factor), part(q1, held.row, held.rows, factor)));
}

}  // namespace

MapSurround map_surround(const InspectorSettings& settings, const InspectorView& view) {
    const float line = ImGui::GetTextLineHeight();
    const float bars = settings.show_margins ? 1.6f * line : 4;
    const std::string longest(std::max<size_t>(view.label_letters, 3), 'n');
    const float labels = ImGui::CalcTextSize(longest.c_str()).x + 8 + line;
    return {labels, bars, bars, labels};
}

void draw_map(ImDrawList& list, const MapPaint& paint, const MapSourcePointer& source,
              const MapPlane& plane, const MapFrame& frame, const ColorScale& scale,
              const PixelBox& clip) {
    const MapInfo& info = source->info();
    const PixelBox seen = frame.shown();
    const MapInks& inks = map_inks(paint.theme.dark);
    list.PushClipRect(to_vec(clip.x, clip.y), to_vec(clip.x + clip.width, clip.y + clip.height),
                      true);
    const Rgb ground = info.causal ? inks.mask : paint.theme.raised;
    paint.images.begin_opaque(list);
    list.AddImage(paint.images.flat(ground), to_vec(seen.x, seen.y),
                  to_vec(seen.x + seen.width, seen.y + seen.height));
    const int coarsest = coarsest_level(info.seq_len);
    const TileKey whole{source->serial(), plane, coarsest, 0, 0};
    paint.store.tile(source, whole, Urgency::kFirstLook);
    for (const TileKey& key : frame.tiles(info, source->serial(), plane, frame.level())) {
        Patch patch{paint.store.tile(source, key, Urgency::kInSight), key};
        if (!patch.tile) patch = nearest_coarser(paint.store, key, coarsest);
        if (patch.tile) draw_patch(list, paint, patch, info, key, frame, scale);
    }
    paint.images.end_opaque(list);
    list.AddRect(to_vec(seen.x - 1, seen.y - 1),
                 to_vec(seen.x + seen.width + 1, seen.y + seen.height + 1),
                 to_imgui(paint.theme.border));
    list.PopClipRect();
}

void draw_axis_names(ImDrawList& list, const Theme& theme, const MapAxes& axes,
                     const MapFrame& frame, const MapSurround& room) {
    const PixelBox seen = frame.shown();
    const float line = ImGui::GetTextLineHeight();
    const std::string rows = fitted_text(axes.rows, static_cast<float>(seen.height)),
                      columns = fitted_text(axes.columns, static_cast<float>(seen.width));
    const float tall = ImGui::CalcTextSize(rows.c_str()).x,
                wide = ImGui::CalcTextSize(columns.c_str()).x;
    draw_upward_text(list, to_vec(seen.x - room.left, seen.y + (seen.height - tall) / 2),
                     to_imgui(theme.text), rows);
    list.AddText(
        to_vec(seen.x + (seen.width - wide) / 2, seen.y + seen.height + room.bottom - line),
        to_imgui(theme.text), columns.c_str());
}

void draw_tokens(ImDrawList& list, const Theme& theme, const MapInfo& info, const MapFrame& frame,
                 const std::optional<MapEntry>& cursor, const MapSurround& around) {
    const PixelBox seen = frame.shown();
    const float line = ImGui::GetTextLineHeight();
    const float room = around.left - line - 6;
    const ImU32 muted = to_imgui(theme.muted), strong = to_imgui(theme.accent);
    const auto draw_row = [&](const TokenLabel& label, ImU32 colour) {
        const double y = frame.y_of(static_cast<double>(label.position) + 0.5);
        if (y < seen.y || y > seen.y + seen.height) return;
        const std::string text = fitted_text(label.text, room);
        list.AddText(to_vec(seen.x - 5 - ImGui::CalcTextSize(text.c_str()).x, y - line / 2), colour,
                     text.c_str());
    };
    const auto draw_column = [&](const TokenLabel& label, ImU32 colour) {
        const double x = frame.x_of(static_cast<double>(label.position) + 0.5);
        if (x < seen.x || x > seen.x + seen.width) return;
        draw_upward_text(list, to_vec(x - line / 2, seen.y + seen.height + 5), colour,
                         fitted_text(label.text, room));
    };
    const double pixels = frame.pixels_per_token();
    const auto near_cursor = [&](int64_t position, int64_t at) {
        return std::fabs(static_cast<double>(position - at)) * pixels < line;
    };
    for (const TokenLabel& label : axis_labels(info.tokens, frame.query_at(seen.y),
                                               frame.query_at(seen.y + seen.height), pixels, line))
        if (!cursor || !near_cursor(label.position, cursor->query)) draw_row(label, muted);
    for (const TokenLabel& label : axis_labels(info.tokens, frame.key_at(seen.x),
                                               frame.key_at(seen.x + seen.width), pixels, line))
        if (!cursor || !near_cursor(label.position, cursor->key)) draw_column(label, muted);
    if (!cursor) return;
    const auto token = [&](int64_t position) {
        const auto i = static_cast<size_t>(position);
        return TokenLabel{position, i < info.tokens.size() ? token_text(info.tokens[i], 10) : ""};
    };
    draw_row(token(cursor->query), strong);
    draw_column(token(cursor->key), strong);
}

void draw_crosshair(ImDrawList& list, const Theme& theme, const MapFrame& frame,
                    const MapEntry& entry) {
    const PixelBox seen = frame.shown();
    const double x0 = frame.x_of(static_cast<double>(entry.key));
    const double x1 = frame.x_of(static_cast<double>(entry.key + 1));
    const double y0 = frame.y_of(static_cast<double>(entry.query));
    const double y1 = frame.y_of(static_cast<double>(entry.query + 1));
    const ImU32 faint = to_imgui(with_alpha(theme.accent, 0.55));
    list.PushClipRect(to_vec(seen.x, seen.y), to_vec(seen.x + seen.width, seen.y + seen.height),
                      true);
    const double cx = (x0 + x1) / 2, cy = (y0 + y1) / 2;
    list.AddLine(to_vec(seen.x, cy), to_vec(x0, cy), faint);
    list.AddLine(to_vec(x1, cy), to_vec(seen.x + seen.width, cy), faint);
    list.AddLine(to_vec(cx, seen.y), to_vec(cx, y0), faint);
    list.AddLine(to_vec(cx, y1), to_vec(cx, seen.y + seen.height), faint);
    list.AddRect(to_vec(x0 - 1, y0 - 1), to_vec(x1 + 1, y1 + 1), to_imgui(theme.accent), 0, 0, 2);
    list.PopClipRect();
}

}  // namespace headroom
