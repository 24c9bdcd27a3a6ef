#include "panels/inspector/draw_readout.h"

#include "panels/imgui/imgui_theme.h"
#include "panels/inspector/imgui_label.h"
#include "panels/inspector/inspector_text.h"

namespace headroom {
namespace {

/// Swatches of what is in no map's colours. Returns where they begin.
double draw_swatches(ImDrawList& list, const Theme& theme, const PixelBox& box) {
    const MapInks& inks = map_inks(theme.dark);
    const struct {
        Rgb ink;
        const char* name;
    } swatches[] = {{inks.infinity, "infinite"}, {inks.nan, "NaN"}, {inks.mask, "masked"}};
    double x = box.x + box.width;
    const double line = static_cast<double>(ImGui::GetTextLineHeight());
    for (const auto& swatch : swatches) {
        x -= static_cast<double>(ImGui::CalcTextSize(swatch.name).x) + 4;
        list.AddText(to_vec(x, box.y), to_imgui(theme.muted), swatch.name);
        x -= line;
        list.AddRectFilled(to_vec(x, box.y + 3), to_vec(x + line - 5, box.y + line - 2),
                           to_imgui(swatch.ink));
        x -= 8;
    }
    return x;
}

/// Lines of text from the top of a box downwards.
class ReadoutLines {
  public:
    ReadoutLines(ImDrawList& list, const PixelBox& box) : list_(list), box_(box), y_(box.y) {}

    /// A second line where both do not fit into one, and `wraps`.
    void write_both(const std::string& text, const std::string& more, Rgb colour, bool wraps) {
        const std::string whole = text + "  \u00b7  " + more;
        const bool fits = static_cast<double>(ImGui::CalcTextSize(whole.c_str()).x) <= box_.width;
        if (fits || !wraps) return write(whole, colour, box_.width);
        write(text, colour, box_.width);
        write(more, colour, box_.width);
    }

    void write(const std::string& text, Rgb colour, double width) {
        list_.AddText(to_vec(box_.x, y_), to_imgui(colour),
                      fitted_text(text, static_cast<float>(width)).c_str());
        y_ += static_cast<double>(ImGui::GetTextLineHeightWithSpacing());
    }

  private:
    ImDrawList& list_;
    const PixelBox& box_;
    double y_;
};

std::string place_text(const InspectorPlace& place) {
    return head_text(place.head) + (place.locked ? " (kept)" : "");
}

/// What can be done with a picture, or why there is none.
std::string picture_hint(const std::vector<const InspectorPane*>& panes) {
    for (const InspectorPane* pane : panes)
        if (pane->source && !pane->source->info().picture.problem.empty())
            return "Heat alone, " + pane->name + ": " + pane->source->info().picture.problem;
    return "Hover a patch for its weight; a click shows what it attends to, another goes back.";
}

/// Whether what a run has at the cursor may take two lines: of few runs there is room for it.
bool readout_wraps(size_t panes) {
    return panes <= 2;
}

}  // namespace

double readout_lines(size_t panes) {
    const double n = static_cast<double>(panes);
    return readout_wraps(panes) ? 1 + 2 * n : 2 + n;
}

std::optional<double> value_at(TileStore& store, const MapSourcePointer& source,
                               const MapPlane& plane, const MapEntry& entry) {
    const TileKey key{source->serial(), plane, 0, entry.query / kTileCells, entry.key / kTileCells};
    if (!tile_is_visible(source->info(), key)) return std::nullopt;
    const auto tile = store.tile(source, key, Urgency::kCursor);
    if (!tile) return std::nullopt;
    return static_cast<double>(tile->at(entry.query, entry.key));
}

void draw_readout(ImDrawList& list, const MapPaint& paint,
                  const std::vector<const InspectorPane*>& panes,
                  const std::vector<TileStore::StatisticsPointer>& statistics,
                  const InspectorSettings& settings, const InspectorPlace& place,
                  const PixelBox& box) {
    const double end = draw_swatches(list, paint.theme, box);
    ReadoutLines lines(list, box);
    const MapInfo* info = nullptr;
    for (const InspectorPane* pane : panes)
        if (!info && pane->source) info = &pane->source->info();
    if (!info) return;
    std::string first = place_text(place);
    if (place.cursor) first += "  \u00b7  " + entry_text(*info, *place.cursor);
    lines.write(first, paint.theme.accent, end - box.x);
    for (size_t i = 0; i < panes.size(); ++i) {
        const MapSourcePointer& source = panes[i]->source;
        if (!source || place.head.layer >= source->info().n_layer ||
            place.head.head >= source->info().n_head)
            continue;
        const MapInfo& own = source->info();
        std::string text = panes.size() > 1 ? panes[i]->name + ":  " : "";
        const bool inside =
            place.cursor && place.cursor->query < own.seq_len && place.cursor->key < own.seq_len;
        if (inside)
            text += value_text(
                own, *place.cursor,
                value_at(paint.store, source, plane_of(settings, own, place.head), *place.cursor));
        if (inside && statistics[i]) {
            lines.write_both(text, margins_text(own, *place.cursor, *statistics[i]),
                             paint.theme.text, readout_wraps(panes.size()));
            continue;
        }
        if (statistics[i]) text += summary_text(*statistics[i]);
        lines.write(text, paint.theme.text, box.width);
    }
    if (!place.cursor)
        lines.write(
            "Hover a head to see it large, click to keep it; drag in the map zooms, the wheel too, "
            "Shift drag pans, a double click fits.",
            paint.theme.muted, box.width);
}

void draw_picture_readout(ImDrawList& list, const MapPaint& paint,
                          const std::vector<const InspectorPane*>& panes,
                          const std::vector<std::optional<PatchAttention>>& attention,
                          const InspectorSettings& settings, const InspectorPlace& place,
                          const PixelBox& box) {
    ReadoutLines lines(list, box);
    lines.write(place_text(place) + "  \u00b7  " + patch_text(place.query, place.patch),
                paint.theme.accent, box.width);
    for (size_t i = 0; i < panes.size(); ++i) {
        if (!attention[i]) continue;
        const MapPlane plane = plane_of(settings, panes[i]->source->info(), place.head);
        const std::string name = panes.size() > 1 ? panes[i]->name + ":  " : "";
        const bool sums = plane.signal == MapSignal::kWeights;
        lines.write(name + attention_text(*attention[i], place.patch, sums), paint.theme.text,
                    box.width);
    }
    if (!place.patch) lines.write(picture_hint(panes), paint.theme.muted, box.width);
}

}  // namespace headroom
