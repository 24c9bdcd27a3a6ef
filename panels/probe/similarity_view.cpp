#include "panels/probe/similarity_view.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/probe_file.h"
#include "core/probe/similarity_probe.h"
#include "panels/base/numbering.h"
#include "panels/probe/probe_differences.h"

namespace headroom {
namespace {

/// A file with its header, checked to be of the kind.
struct OpenProbe {
    ArrayFile file;
    ProbeHeader header;
};

OpenProbe open_similarity(const std::filesystem::path& path) {
    ArrayFile file(path);
    ProbeHeader header = read_probe_header(file);
    if (header.kind != "similarity")
        throw UserError(fmt::format("{} holds the probe \"{}\"", path.string(), header.kind),
                        "give a file that headroom probe similarity wrote");
    return {std::move(file), std::move(header)};
}

struct MapPlace {
    std::string path;    ///< of the array
    bool layers = true;  ///< its first dimension is the layer
    bool streams = false;
};

MapPlace place_of(const SimilaritySettings& settings) {
    std::string tensor = settings.tensor;
    const std::vector<std::string> known = similarity_tensors(settings.map);
    if (tensor.empty() && !known.empty()) tensor = known.front();
    if (!known.empty() && std::find(known.begin(), known.end(), tensor) == known.end())
        throw UserError(fmt::format("between {} there is no similarity of the tensor {}",
                                    name_of(settings.map), tensor) +
                        suggestion(tensor, known));
    switch (settings.map) {
        case SimilarityMap::kHeads:
            return {probe_path(kHeadSimilarity, tensor)};
        case SimilarityMap::kTokens:
            return {probe_path(kTokenSimilarity, tensor), true, tensor == "stream"};
        case SimilarityMap::kCka:
            return {kStreamCka, false};
        case SimilarityMap::kCkaOther:
            return {kStreamCkaOther, false};
    }
    CHECK(false, "unknown map");
}

/// Index into the first dimension of an array of layers. Streams begin before the first block.
int64_t layer_index(const OpenProbe& probe, const MapPlace& place, int64_t count,
                    std::optional<int64_t> layer) {
    const int64_t first = place.streams ? 1 : 0;
    if (!layer) return count - 1;
    if (*layer < 0 || *layer + first >= count)
        throw UserError(fmt::format("{} has no layer {}", probe.file.path().string(), *layer),
                        fmt::format("layers are 0 to {}", count - 1 - first));
    return *layer + first;
}

[[noreturn]] void refuse_shape(const OpenProbe& probe, const std::string& path) {
    throw UserError(fmt::format("{}: {} has an unexpected shape", probe.file.path().string(), path),
                    "make the file again with headroom probe");
}

/// The matrix that is drawn.
HeatmapPanel read_map(const OpenProbe& probe, const MapPlace& place,
                      const SimilaritySettings& settings) {
    if (!probe.file.has(place.path))
        throw UserError(fmt::format("{} has no {}", probe.file.path().string(), place.path),
                        settings.map == SimilarityMap::kCkaOther
                            ? "make it with headroom probe similarity --other"
                            : "make the file again with headroom probe");
    const Shape shape = probe.file.type(place.path).shape;
    if (shape.size() != (place.layers ? 3U : 2U) || count_of(shape) == 0)
        refuse_shape(probe, place.path);
    HeatmapPanel panel;
    panel.rows = shape[shape.size() - 2];
    panel.columns = shape.back();
    constexpr int64_t kMostSide = 4096;
    if (std::max(panel.rows, panel.columns) > kMostSide) refuse_shape(probe, place.path);
    if (settings.map != SimilarityMap::kCkaOther && panel.rows != panel.columns)
        refuse_shape(probe, place.path);  // of everything with itself
    Shape first(shape.size(), 0), box = shape;
    if (place.layers) {
        first[0] = layer_index(probe, place, shape[0], settings.layer);
        box[0] = 1;
    }
    std::vector<double> values(static_cast<size_t>(panel.rows * panel.columns));
    probe.file.read<double>(place.path, first, box, values);
    panel.values = make_column(std::move(values));
    return panel;
}

/// "embed", "0", "1", …: the streams before the first block and after each.
HeatmapAxis stream_axis(int64_t count, const std::string& label) {
    HeatmapAxis axis{label, {"embed"}};
    for (int64_t i = 1; i < count; ++i) axis.names.push_back(std::to_string(shown_number(i - 1)));
    return axis;
}

/// Without names the axis counts from 0.
HeatmapAxis head_axis(int64_t count) {
    HeatmapAxis axis{"head"};
    if (numbering_base() == 0) return axis;
    for (int64_t head = 0; head < count; ++head)
        axis.names.push_back(std::to_string(shown_number(head)));
    return axis;
}

HeatmapAxis token_axis(const OpenProbe& probe, int64_t count) {
    HeatmapAxis axis{"token", {}, true};
    const ProbeTokens tokens = read_probe_tokens(probe.file);
    if (static_cast<int64_t>(tokens.pieces.size()) < count) return axis;
    axis.names.assign(tokens.pieces.begin(), tokens.pieces.begin() + count);
    for (std::string& name : axis.names)
        for (const auto& [white, sign] :
             {std::pair{"\n", "⏎"}, std::pair{"\t", "⇥"}, std::pair{" ", "·"}})
            for (size_t at = name.find(white); at != std::string::npos; at = name.find(white))
                name.replace(at, 1, sign);
    return axis;
}

void name_axes(HeatmapPanel& panel, const OpenProbe& probe, SimilarityMap map) {
    switch (map) {
        case SimilarityMap::kHeads:
            panel.row_axis = panel.column_axis = head_axis(panel.rows);
            return;
        case SimilarityMap::kTokens:
            panel.row_axis = panel.column_axis = token_axis(probe, panel.rows);
            return;
        case SimilarityMap::kCka:
            panel.row_axis = panel.column_axis = stream_axis(panel.rows, "layer");
            return;
        case SimilarityMap::kCkaOther:
            panel.row_axis = stream_axis(panel.rows, "layer");
            panel.column_axis = stream_axis(panel.columns, "layer of the other model");
            return;
    }
}

/// What the maps show, for the small print.
std::string describe(const OpenProbe& probe, const SimilaritySettings& settings,
                     const MapPlace& place) {
    const Shape tokens = probe.file.type(kProbeTokenIds).shape;
    std::string text;
    if (place.layers) {
        const int64_t count = probe.file.type(place.path).shape[0];
        const int64_t index = layer_index(probe, place, count, settings.layer);
        text = fmt::format("{} · layer {} · ", place.path.substr(place.path.rfind('/') + 1),
                           shown_number(index - (place.streams ? 1 : 0)));
    }
    if (settings.map == SimilarityMap::kTokens) return text + "one sequence";
    return text + fmt::format("{} sequence{} of {} tokens", tokens[0], tokens[0] == 1 ? "" : "s",
                              tokens.size() == 2 ? tokens[1] : 0);
}

ColorScale choose_scale(const HeatmapFigure& figure, const SimilaritySettings& settings) {
    const std::vector<double> values = unmasked_values(figure.panels);
    const bool signs =
        std::any_of(values.begin(), values.end(), [](double value) { return value < 0; });
    ColorChoice choice = settings.range;
    choice.map = settings.colors.value_or(signs ? ColorMap::kVik : ColorMap::kViridis);
    return make_color_scale(choice, values);
}

}  // namespace

std::string_view name_of(SimilarityMap map) {
    switch (map) {
        case SimilarityMap::kHeads:
            return "heads";
        case SimilarityMap::kTokens:
            return "tokens";
        case SimilarityMap::kCka:
            return "cka";
        case SimilarityMap::kCkaOther:
            return "cka-other";
    }
    CHECK(false, "unknown map");
}

std::vector<std::string> similarity_tensors(SimilarityMap map) {
    if (map == SimilarityMap::kHeads) return head_similarity_tensors();
    if (map == SimilarityMap::kTokens) return token_similarity_tensors();
    return {};
}

HeatmapFigure build_similarity(std::span<const ProbeSource> sources,
                               const SimilaritySettings& settings) {
    HeatmapFigure figure;
    const MapPlace place = place_of(settings);
    const bool cka = !place.layers;
    figure.value_label = cka ? "linear CKA" : "cosine similarity";
    figure.value_column = cka ? "cka" : "cosine";
    std::vector<std::string> notes;
    for (const ProbeSource& source : sources) {
        const OpenProbe probe = open_similarity(source.file);
        HeatmapPanel panel = read_map(probe, place, settings);
        panel.name = source.name;
        if (!settings.diagonal && settings.map != SimilarityMap::kCkaOther)
            panel.mask = HeatmapMask::kDiagonal;
        name_axes(panel, probe, settings.map);
        figure.panels.push_back(std::move(panel));
        figure.sources.push_back(source.source);
        const std::string note = describe(probe, settings, place);
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
    if (std::string note = seed_note(sources); !note.empty()) notes.push_back(std::move(note));
    for (std::string& note : probe_difference_notes(sources)) notes.push_back(std::move(note));
    figure.footnote = fmt::format("{}", fmt::join(notes, " | "));
    if (figure.panels.empty())
        figure.empty_text = "No similarity was measured yet.";
    else
        figure.scale = choose_scale(figure, settings);
    return figure;
}

}  // namespace headroom
