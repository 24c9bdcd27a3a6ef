#include "panels/inspector/draw_picture.h"

#include <algorithm>
#include <cmath>

#include "panels/imgui/imgui_theme.h"
#include "panels/inspector/imgui_label.h"

namespace headroom {
namespace {

/// Every how many names fit, in steps of 1, 2, 5, 10, ...
int64_t name_step(double pixels_per_name, double pixels_per_patch) {
    int64_t step = 1;
    for (int i = 0; static_cast<double>(step) * pixels_per_patch < pixels_per_name; ++i)
        step = step * (i % 3 == 1 ? 5 : 4) / 2;
    return step;
}

/// All keys of one query, out of the tiles of its row.
std::optional<std::vector<double>> stored_row(TileStore& store, const MapSourcePointer& source,
                                              const MapPlane& plane, int64_t position,
                                              Urgency urgency) {
    const MapInfo& info = source->info();
    std::vector<double> row;
    for (int64_t column = 0; column < level_size(info.seq_len, kTileCells); ++column) {
        const TileKey key{source->serial(), plane, 0, position / kTileCells, column};
        const auto tile = store.tile(source, key, urgency);
        if (!tile) return std::nullopt;
        for (int64_t i = tile->box.column; i < tile->box.column + tile->box.columns; ++i)
            row.push_back(static_cast<double>(tile->at(position, i)));
    }
    return row;
}

}  // namespace

std::optional<PatchAttention> stored_attention(TileStore& store, const MapSourcePointer& source,
                                               const MapPlane& plane, const PictureQuery& query,
                                               Urgency urgency) {
    const MapInfo& info = source->info();
    if (query.kind == PictureQuery::Kind::kMean) {
        const auto statistics = store.statistics(source, plane);
        if (!statistics) return std::nullopt;
        return split_positions(info, margin_values(statistics->keys, Margin::kMean));
    }
    const auto row = stored_row(store, source, plane, query_position(info, query), urgency);
    if (!row) return std::nullopt;
    return split_positions(info, *row);
}

MapSurround picture_surround() {
    const float line = ImGui::GetTextLineHeight();
    return {ImGui::CalcTextSize("r00").x + 8 + line, 4, 4, 2 * line + 8};
}

void draw_picture(ImDrawList& list, const MapPaint& paint, const MapSource& source,
                  const TileKey& key, const PatchAttention& attention, const MapFrame& frame,
                  const ColorScale& scale, double heat, const PixelBox& clip) {
    const MapInfo& info = source.info();
    const auto end = static_cast<double>(info.patch_columns);
    const ImVec2 from = to_vec(frame.x_of(0), frame.y_of(0)),
                 to = to_vec(frame.x_of(end), frame.y_of(end));
    const PixelBox seen = frame.shown();
    list.PushClipRect(to_vec(clip.x, clip.y), to_vec(clip.x + clip.width, clip.y + clip.height),
                      true);
    const SquarePicture* picture = info.picture.picture.get();
    const double share = picture ? std::clamp(heat, 0.0, 1.0) : 1.0;
    if (picture)
        list.AddImage(paint.images.picture(source.serial(), *picture, share > 0), from, to);
    void* cells =
        paint.images.image({key, false}, heat_tile(attention), info, scale, paint.theme.dark);
    list.AddImage(cells, from, to, {0, 0}, {1, 1},
                  IM_COL32(255, 255, 255, static_cast<int>(std::lround(255 * share))));
    list.AddRect(to_vec(seen.x - 1, seen.y - 1),
                 to_vec(seen.x + seen.width + 1, seen.y + seen.height + 1),
                 to_imgui(paint.theme.border));
    list.PopClipRect();
}

void draw_original(ImDrawList& list, const MapPaint& paint, const MapSource& source,
                   const PixelBox& box) {
    const ImVec2 from = to_vec(box.x, box.y), to = to_vec(box.x + box.width, box.y + box.height);
    list.AddImage(paint.images.picture(source.serial(), *source.info().picture.picture, false),
                  from, to);
    list.AddRect(from, to, to_imgui(paint.theme.border));
}

void draw_patch_names(ImDrawList& list, const Theme& theme, int64_t columns, const MapFrame& frame,
                      const std::optional<PatchPlace>& cursor) {
    const PixelBox seen = frame.shown();
    const double line = static_cast<double>(ImGui::GetTextLineHeight());
    const auto draw_row = [&](int64_t row, Rgb ink) {
        const double y = frame.y_of(static_cast<double>(row) + 0.5);
        if (y < seen.y || y > seen.y + seen.height) return;
        const std::string text = "r" + std::to_string(row);
        const double width = static_cast<double>(ImGui::CalcTextSize(text.c_str()).x);
        list.AddText(to_vec(seen.x - 5 - width, y - line / 2), to_imgui(ink), text.c_str());
    };
    const auto draw_column = [&](int64_t column, Rgb ink) {
        const double x = frame.x_of(static_cast<double>(column) + 0.5);
        if (x < seen.x || x > seen.x + seen.width) return;
        const std::string text = "c" + std::to_string(column);
        const double width = static_cast<double>(ImGui::CalcTextSize(text.c_str()).x);
        list.AddText(to_vec(x - width / 2, seen.y + seen.height + 3), to_imgui(ink), text.c_str());
    };
    const double widest = static_cast<double>(ImGui::CalcTextSize("c00 ").x);
    const double pixels = frame.pixels_per_token();
    const auto hides = [&](int64_t place, int64_t at, double room) {
        return std::fabs(static_cast<double>(place - at)) * pixels < room;
    };
    for (int64_t row = 0; row < columns; row += name_step(line, pixels))
        if (!cursor || !hides(row, cursor->row, line)) draw_row(row, theme.muted);
    for (int64_t column = 0; column < columns; column += name_step(widest, pixels))
        if (!cursor || !hides(column, cursor->column, widest)) draw_column(column, theme.muted);
    if (!cursor || cursor->row >= columns || cursor->column >= columns) return;
    draw_row(cursor->row, theme.accent);
    draw_column(cursor->column, theme.accent);
}

void draw_patch_frame(ImDrawList& list, const MapFrame& frame, PatchPlace patch, ImU32 colour,
                      ImU32 edges) {
    const PixelBox seen = frame.shown();
    const double x = frame.x_of(static_cast<double>(patch.column));
    const double y = frame.y_of(static_cast<double>(patch.row));
    const double side = frame.pixels_per_token();
    const auto draw = [&](double outwards, ImU32 ink, float width) {
        list.AddRect(to_vec(x - outwards, y - outwards),
                     to_vec(x + side + outwards, y + side + outwards), ink, 0, 0, width);
    };
    list.PushClipRect(to_vec(seen.x - 3, seen.y - 3),
                      to_vec(seen.x + seen.width + 3, seen.y + seen.height + 3), true);
    draw(2, edges, 1);
    draw(-1, edges, 1);
    draw(0.5, colour, 2);
    list.PopClipRect();
}

}  // namespace headroom
