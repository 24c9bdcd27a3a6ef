#pragma once

#include <optional>
#include <string>

#include "panels/inspector/atlas_layout.h"
#include "panels/inspector/head_statistics.h"
#include "panels/inspector/map_frame.h"
#include "panels/inspector/picture_attention.h"

namespace headroom {

/// What rows and columns of a map are, in the window and in figures: of all positions to all, and
/// of one query over a picture.
struct MapAxes {
    const char* rows;
    const char* columns;
};
inline constexpr MapAxes kTokenAxes{"query", "key"};
inline constexpr MapAxes kPatchAxes{"row of patches", "column of patches"};
/// What the colours measure: "attention weight". `differ`: of differences of two runs.
std::string measure_text(MapSignal signal, bool differ);

/// So many significant digits, "NaN", "infinite" or "−infinite". What sums many entries up takes
/// three.
std::string format_entry(double value, int digits = 6);

/// `query 17 "the" → key 4 "cat"`
std::string entry_text(const MapInfo& info, const MapEntry& entry);
/// "layer 3, head 2"
std::string head_text(HeadId head);

/// What a map has at an entry: its value, or that it is masked; nothing while it is being read.
std::string value_text(const MapInfo& info, const MapEntry& entry, std::optional<double> value);
/// "query cls → patch r1c2", of a picture.
std::string patch_text(const PictureQuery& query, const std::optional<PatchPlace>& patch);
/// What the query has there, and what it has in the picture and outside it. `sums`: the values are
/// weights, which can be added up.
std::string attention_text(const PatchAttention& attention, const std::optional<PatchPlace>& patch,
                           bool sums);

/// What its row and its column come to.
std::string margins_text(const MapInfo& info, const MapEntry& entry,
                         const HeadStatistics& statistics);
/// Least, mean and greatest of the whole map.
std::string summary_text(const HeadStatistics& statistics);

}  // namespace headroom
