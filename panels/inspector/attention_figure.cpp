#include "panels/inspector/attention_figure.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "panels/base/numbering.h"
#include "panels/inspector/difference_source.h"
#include "panels/inspector/inspector_text.h"
#include "panels/inspector/map_tile.h"
#include "panels/inspector/token_labels.h"

namespace headroom {
namespace {

constexpr int64_t kAtlasCells = 64;

void check_head(const MapSource& source, const AttentionFigureSettings& settings) {
    const MapInfo& info = source.info();
    const auto [layer, head] = settings.head;
    if (layer < 0 || layer >= info.n_layer)
        throw UserError(fmt::format("{} has no layer {}", info.title, layer),
                        fmt::format("give --layer 0 to {}", info.n_layer - 1));
    if (head < 0 || head >= info.n_head)
        throw UserError(fmt::format("{} has no head {}", info.title, head),
                        fmt::format("give --head 0 to {}", info.n_head - 1));
    if (settings.colors.signal == MapSignal::kLogits && !info.has_logits)
        throw UserError(fmt::format("{} holds no logits", info.title), "probe again with --logits");
}

/// The whole map at a level.
HeatmapPanel read_panel(const MapSource& source, const MapPlane& plane, int level) {
    const MapInfo& info = source.info();
    HeatmapPanel panel;
    panel.rows = panel.columns = level_size(info.seq_len, int64_t{1} << level);
    std::vector<double> values(static_cast<size_t>(panel.rows * panel.columns));
    const int64_t tiles = level_size(panel.rows, kTileCells);
    for (int64_t r = 0; r < tiles; ++r)
        for (int64_t c = 0; c < tiles; ++c) {
            const TileKey key{source.serial(), plane, level, r, c};
            if (!tile_is_visible(info, key)) continue;
            const MapTile tile = load_tile(source, key);
            if (!tile.problem.empty())
                throw EnvironmentError(tile.problem, "make the record again with headroom probe");
            for (int64_t i = tile.box.row; i < tile.box.row + tile.box.rows; ++i)
                for (int64_t j = tile.box.column; j < tile.box.column + tile.box.columns; ++j)
                    values[static_cast<size_t>(i * panel.columns + j)] =
                        static_cast<double>(tile.at(i, j));
        }
    panel.values = std::make_shared<const std::vector<double>>(std::move(values));
    panel.mask = info.causal ? HeatmapMask::kAboveDiagonal : HeatmapMask::kNone;
    return panel;
}

PictureQuery query_of(const MapInfo& info, const std::string& text) {
    if (!info.of_image())
        throw UserError(fmt::format("{} is of a text, not of an image", info.title),
                        "leave --query out");
    const std::optional<PictureQuery> query = find_query(info, text);
    if (!query)
        throw UserError(fmt::format("{} has no position \"{}\"", info.title, text),
                        fmt::format("give {} to {}, a number, or mean", info.tokens.front(),
                                    info.tokens.back()));
    return *query;
}

/// What lies under the heat.
std::shared_ptr<const HeatmapGround> ground_of(const MapInfo& info, double heat) {
    if (!info.picture.picture)
        throw UserError(fmt::format("{}: {}", info.title, info.picture.problem),
                        "leave --picture out to draw the heat alone");
    const SquarePicture& picture = *info.picture.picture;
    return std::make_shared<const HeatmapGround>(
        HeatmapGround{picture.side, heat > 0 ? in_greys(picture).pixels : picture.pixels, heat});
}

/// What one query attends to, patch by patch.
HeatmapPanel picture_panel(const MapSource& source, const MapPlane& plane,
                           const AttentionFigureSettings& settings) {
    const MapInfo& info = source.info();
    const PictureQuery query = query_of(info, settings.query);
    HeatmapPanel panel;
    panel.rows = panel.columns = info.patch_columns;
    panel.row_axis = {kPatchAxes.rows};
    panel.column_axis = {kPatchAxes.columns};
    panel.values = std::make_shared<const std::vector<double>>(
        read_patch_attention(source, plane, query).values);
    if (settings.picture) panel.ground = ground_of(info, settings.colors.heat);
    return panel;
}

/// Tokens where each has a cell of its own, else the position at which a cell begins.
HeatmapAxis token_axis(const MapInfo& info, int level, const std::string& label) {
    HeatmapAxis axis{label, {}, level == 0};
    for (int64_t i = 0; i < info.seq_len; i += int64_t{1} << level)
        axis.names.push_back(level == 0 ? token_text(info.tokens[static_cast<size_t>(i)])
                                        : std::to_string(i));
    return axis;
}

int level_for(int64_t seq_len, int64_t most_cells) {
    int level = 0;
    while (level_size(seq_len, int64_t{1} << level) > most_cells) ++level;
    return level;
}

std::string cell_note(int level, CellValue value) {
    if (level == 0) return "";
    return fmt::format(" Each cell is the {} of {} × {} entries.",
                       value == CellValue::kMax ? "largest" : "mean", 1 << level, 1 << level);
}

/// One map with its axes: of one query over the picture, or of all positions to all.
HeatmapPanel map_panel(const MapSource& source, const MapPlane& plane,
                       const AttentionFigureSettings& settings, int64_t most_cells) {
    const MapInfo& info = source.info();
    if (!settings.query.empty()) return picture_panel(source, plane, settings);
    const int level = level_for(info.seq_len, most_cells);
    HeatmapPanel panel = read_panel(source, plane, level);
    panel.row_axis = token_axis(info, level, kTokenAxes.rows);
    panel.column_axis = token_axis(info, level, kTokenAxes.columns);
    return panel;
}

std::string map_note(const MapInfo& info, const AttentionFigureSettings& settings,
                     int64_t most_cells) {
    if (settings.query.empty())
        return cell_note(level_for(info.seq_len, most_cells), settings.colors.value);
    const PictureQuery query = query_of(info, settings.query);
    const bool mean = query.kind == PictureQuery::Kind::kMean;
    std::string note =
        fmt::format(" What {} to, over the picture.",
                    mean ? "all positions on average attend" : query_text(query) + " attends");
    if (settings.picture)
        note += settings.colors.heat > 0
                    ? fmt::format(" Colours cover {:.0f} % of the picture, which is in greys.",
                                  100 * settings.colors.heat)
                    : " No heat covers the picture, which is in its own colours.";
    return note;
}

/// What the class token, which lies in no picture, has of each.
std::string outside_note(const std::vector<MapSourcePointer>& sources,
                         const AttentionFigureSettings& settings) {
    std::vector<std::string> parts;
    for (const MapSourcePointer& source : sources) {
        const MapInfo& info = source->info();
        const PatchAttention attention =
            read_patch_attention(*source, plane_of(settings.colors, info, settings.head),
                                 query_of(info, settings.query));
        if (attention.class_token)
            parts.push_back((sources.size() > 1 ? info.title + " " : "") +
                            format_entry(*attention.class_token, 3));
    }
    if (parts.empty()) return "";
    return fmt::format(" Outside it (cls): {}.", fmt::join(parts, ", "));
}

void finish(HeatmapFigure& figure, const AttentionFigureSettings& settings, bool both_signs,
            bool differ = false) {
    figure.scale =
        make_color_scale(color_choice(settings.colors, both_signs), unmasked_values(figure.panels));
    const MapSignal signal = settings.colors.signal;
    figure.value_column = signal == MapSignal::kLogits ? "logit" : "weight";
    figure.value_label = measure_text(signal, differ);
}

std::vector<MapSourcePointer> differences_of(const std::vector<MapSourcePointer>& sources) {
    if (sources.size() < 2) throw UserError("a difference needs two records", "name another one");
    std::vector<MapSourcePointer> differences;
    for (size_t i = 1; i < sources.size(); ++i) {
        const std::string problem = why_not_comparable(sources[0]->info(), sources[i]->info());
        if (!problem.empty()) throw UserError(problem, "name records of the same tokens");
        differences.push_back(std::make_shared<DifferenceSource>(sources[0], sources[i]));
    }
    return differences;
}

/// Which maps are of other tokens or pictures than the first; "" where none is.
std::string other_tokens_note(const std::vector<MapSourcePointer>& sources) {
    std::vector<std::string> others;
    for (const MapSourcePointer& source : sources)
        if (!have_same_tokens(sources.front()->info(), source->info()))
            others.push_back(source->info().title);
    if (others.empty()) return "";
    return fmt::format(" Not on the same tokens as {}: {}.", sources.front()->info().title,
                       fmt::join(others, ", "));
}

/// What all names of several maps end with, such as " · step 200", goes into the small print: there
/// is little room above a map, and it belongs to what tells the maps apart.
void say_once_what_all_share(HeatmapFigure& figure) {
    constexpr std::string_view kDot = " · ";
    if (figure.panels.size() < 2) return;
    const std::string& first = figure.panels.front().name;
    const size_t dot = first.rfind(kDot);
    if (dot == std::string::npos || dot == 0) return;
    const std::string ending = first.substr(dot);
    if (!std::all_of(figure.panels.begin(), figure.panels.end(), [&](const HeatmapPanel& panel) {
            return panel.name.size() > ending.size() && panel.name.ends_with(ending);
        }))
        return;
    for (HeatmapPanel& panel : figure.panels) panel.name.resize(panel.name.size() - ending.size());
    figure.footnote += fmt::format(" All: {}.", ending.substr(kDot.size()));
}

}  // namespace

HeatmapFigure build_attention_figure(const std::vector<MapSourcePointer>& sources,
                                     const AttentionFigureSettings& settings) {
    for (const MapSourcePointer& source : sources) check_head(*source, settings);
    const bool differ = settings.colors.compare == CompareMode::kDifference;
    const std::vector<MapSourcePointer> shown = differ ? differences_of(sources) : sources;
    HeatmapFigure figure;
    bool both_signs = false;
    for (const MapSourcePointer& source : shown) {
        const MapInfo& info = source->info();
        const MapPlane plane = plane_of(settings.colors, info, settings.head);
        figure.panels.push_back(map_panel(*source, plane, settings, settings.most_cells));
        figure.panels.back().name = info.title;
        both_signs = both_signs || is_signed(info, plane.signal);
        figure.footnote = fmt::format("Layer {}, head {}.{}", shown_number(settings.head.layer),
                                      shown_number(settings.head.head),
                                      map_note(info, settings, settings.most_cells));
    }
    if (!settings.query.empty()) figure.footnote += outside_note(shown, settings);
    if (!differ) figure.footnote += other_tokens_note(shown);
    say_once_what_all_share(figure);
    finish(figure, settings, both_signs, differ);
    return figure;
}

HeatmapFigure build_attention_atlas(const MapSourcePointer& source,
                                    const AttentionFigureSettings& settings) {
    check_head(*source, settings);
    const MapInfo& info = source->info();
    HeatmapFigure figure;
    figure.grid = {numbered_axis("layer", info.n_layer), numbered_axis("head", info.n_head),
                   info.n_head};
    for (int layer = 0; layer < info.n_layer; ++layer)
        for (int head = 0; head < info.n_head; ++head) {
            const MapPlane plane = plane_of(settings.colors, info, {layer, head});
            figure.panels.push_back(map_panel(*source, plane, settings, kAtlasCells));
            figure.panels.back().name = fmt::format("{}.{}", layer, head);
        }
    finish(figure, settings, is_signed(info, settings.colors.signal));
    const HeatmapPanel& map = figure.panels.front();
    figure.footnote = fmt::format("{}. In every map the {} runs down, the {} to the right.{}",
                                  info.title, map.row_axis.label, map.column_axis.label,
                                  map_note(info, settings, kAtlasCells));
    return figure;
}

}  // namespace headroom
