#include "panels/inspector/draw_atlas.h"

#include <algorithm>
#include <cmath>

#include "panels/base/numbering.h"
#include "panels/imgui/imgui_theme.h"
#include "panels/inspector/draw_picture.h"
#include "panels/inspector/imgui_label.h"

namespace headroom {
namespace {

/// Level at which the whole map has about as many cells as the thumbnail has pixels.
int thumbnail_level(int64_t seq_len, double side) {
    int level = coarsest_level(seq_len);
    while (static_cast<double>(level_size(seq_len, int64_t{1} << level)) > std::max(side, 8.0))
        ++level;
    return level;
}

void draw_numbers(ImDrawList& list, const Theme& theme, const HeadGrid& grid,
                  const AtlasLayout& layout, const HeadId& shown) {
    const float line = ImGui::GetTextLineHeight();
    const int every_row = layout.label_every(static_cast<double>(line));
    const int every_column = layout.label_every(1.4 * static_cast<double>(line));
    const auto ink = [&](bool on) { return to_imgui(on ? theme.accent : theme.muted); };
    for (int l = 0; l < grid.n_layer; ++l) {
        if (l % every_row != 0 && l != shown.layer) continue;
        const PixelBox cell = layout.cell({l, 0});
        const std::string text = std::to_string(shown_number(l));
        const float width = ImGui::CalcTextSize(text.c_str()).x;
        list.AddText(to_vec(cell.x - 5 - static_cast<double>(width),
                            cell.y + (cell.height - static_cast<double>(line)) / 2),
                     ink(l == shown.layer), text.c_str());
    }
    for (int h = 0; h < grid.n_head; ++h) {
        if (h % every_column != 0 && h != shown.head) continue;
        const PixelBox cell = layout.cell({0, h});
        const std::string text = std::to_string(shown_number(h));
        const float width = ImGui::CalcTextSize(text.c_str()).x;
        list.AddText(to_vec(cell.x + (cell.width - static_cast<double>(width)) / 2,
                            cell.y - 3 - static_cast<double>(line)),
                     ink(h == shown.head), text.c_str());
    }
}

/// What a thumbnail shows; nothing until it is read.
struct Thumbnail {
    TileKey key;
    TileStore::TilePointer tile;
};

Thumbnail map_thumbnail(TileStore& store, const MapSourcePointer& source, const MapPlane& plane,
                        double side) {
    const int level = thumbnail_level(source->info().seq_len, side);
    const TileKey key{source->serial(), plane, level, 0, 0};
    return {key, store.tile(source, key, Urgency::kThumbnail)};
}

Thumbnail picture_thumbnail(TileStore& store, const MapSourcePointer& source, const MapPlane& plane,
                            const PictureQuery& query) {
    Thumbnail thumbnail{heat_key(source->serial(), plane, source->info(), query), nullptr};
    if (const auto attention = stored_attention(store, source, plane, query, Urgency::kThumbnail))
        thumbnail.tile = std::make_shared<const MapTile>(heat_tile(*attention));
    return thumbnail;
}

void draw_thumbnail(ImDrawList& list, const MapPaint& paint, const MapSourcePointer& source,
                    const InspectorSettings& settings, const Thumbnail& thumbnail,
                    const PixelBox& cell) {
    const MapInfo& info = source->info();
    const ImVec2 from = to_vec(cell.x, cell.y);
    const ImVec2 to = to_vec(cell.x + cell.width, cell.y + cell.height);
    if (!thumbnail.tile) {
        const Rgb ground = info.causal ? map_inks(paint.theme.dark).mask : paint.theme.raised;
        list.AddImage(paint.images.flat(ground), from, to);
        return;
    }
    const ColorChoice choice = color_choice(settings, is_signed(info, settings.signal));
    const ColorScale& scale = paint.store.own_scale(thumbnail.key, *thumbnail.tile, info, choice);
    list.AddImage(
        paint.images.image({thumbnail.key, true}, *thumbnail.tile, info, scale, paint.theme.dark),
        from, to);
}

void draw_frame(ImDrawList& list, const PixelBox& cell, ImU32 colour, float width) {
    list.AddRect(to_vec(cell.x - 2, cell.y - 2),
                 to_vec(cell.x + cell.width + 2, cell.y + cell.height + 2), colour, 0, 0, width);
}

}  // namespace

void draw_atlas(ImDrawList& list, const MapPaint& paint,
                std::span<const InspectorPane* const> panes, const InspectorSettings& settings,
                const InspectorPlace& place, const PixelBox& name, const AtlasLayout& layout,
                bool pictures, const std::optional<HeadId>& hovered) {
    const InspectorPane* pane = pane_of_atlas(panes);
    if (pane == nullptr) return;
    const HeadGrid grid = head_grid(panes);
    const MapSourcePointer& source = pane->source;
    paint.images.begin_opaque(list);
    for (int l = 0; l < grid.n_layer; ++l)
        for (int h = 0; h < grid.n_head; ++h) {
            if (!has_head(*pane, {l, h})) continue;
            if (pictures && !has_query(source->info(), place.query)) continue;
            const MapPlane plane = plane_of(settings, source->info(), {l, h});
            draw_thumbnail(list, paint, source, settings,
                           pictures ? picture_thumbnail(paint.store, source, plane, place.query)
                                    : map_thumbnail(paint.store, source, plane, layout.side()),
                           layout.cell({l, h}));
        }
    paint.images.end_opaque(list);
    if (name.width > 0)
        list.AddText(to_vec(name.x, name.y), to_imgui(paint.theme.muted),
                     fitted_text("Heads of " + pane->name, static_cast<float>(name.width)).c_str());
    draw_numbers(list, paint.theme, grid, layout, hovered.value_or(place.head));
    if (hovered) draw_frame(list, layout.cell(*hovered), to_imgui(paint.theme.text), 1);
    if (grid.has(place.head))
        draw_frame(list, layout.cell(place.head), to_imgui(paint.theme.accent),
                   place.locked ? 3.0f : 1.5f);
}

}  // namespace headroom
