#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panels/figure/heatmap.h"
#include "panels/probe/probe_source.h"

namespace headroom {

/// Which similarities are drawn.
enum class SimilarityMap { kHeads, kTokens, kCka, kCkaOther };

struct SimilaritySettings {
    SimilarityMap map = SimilarityMap::kHeads;
    std::string tensor;            ///< "" = output between heads, stream between tokens
    std::optional<int64_t> layer;  ///< from 0; without: the last
    bool diagonal = true;          ///< false: what is 1 by definition is left out of maps and range
    std::optional<ColorMap> colors;  ///< without: vik where values have both signs, else viridis
    ColorChoice range;               ///< its map is not used

    bool operator==(const SimilaritySettings&) const = default;
};

/// "heads", "tokens", "cka", "cka-other": the spelling of the command line.
std::string_view name_of(SimilarityMap map);

/// The tensors that a map can be of, the default first; none for CKA.
std::vector<std::string> similarity_tensors(SimilarityMap map);

/// One map for each file of `headroom probe similarity`, side by side on one scale, as figures 13
/// and 14 of Wu et al. (SkipV1Former). Reads the files: call it off the UI thread. UserError for a
/// file that is none, or has no such tensor or layer.
HeatmapFigure build_similarity(std::span<const ProbeSource> sources,
                               const SimilaritySettings& settings);

}  // namespace headroom
