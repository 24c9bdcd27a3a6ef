#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panels/inspector/map_tile.h"

namespace headroom {

/// A patch of a picture, from its upper left.
struct PatchPlace {
    int64_t row = 0, column = 0;
    bool operator==(const PatchPlace&) const = default;
};

/// Whose attention lies over a picture: by what it is and not by its position, which differs
/// between models with and without a class token.
struct PictureQuery {
    enum class Kind { kClassToken, kMean, kPatch };
    Kind kind = Kind::kClassToken;
    PatchPlace patch = {};  ///< of kPatch

    static PictureQuery of_patch(PatchPlace patch) { return {Kind::kPatch, patch}; }
    bool operator==(const PictureQuery&) const = default;
};

/// "cls", "mean", "r1c2": as positions of images read, and as `--query` takes them.
std::string query_text(const PictureQuery& query);
/// By such a text, or by a position's number; nothing where these maps have no such query.
std::optional<PictureQuery> find_query(const MapInfo& info, const std::string& text);
bool has_query(const MapInfo& info, const PictureQuery& query);
/// What the classes are told from: the class token, or the mean of all.
PictureQuery default_query(const MapInfo& info);
/// All that there are: the class token, the mean of all, the patches row by row.
std::vector<PictureQuery> all_queries(const MapInfo& info);
/// Which row of the maps it is. REQUIRES: has_query(), and not the mean.
int64_t query_position(const MapInfo& info, const PictureQuery& query);

/// What a query attends to: in the picture, patch by patch, and outside it.
struct PatchAttention {
    int64_t columns = 0;         ///< as many rows
    std::vector<double> values;  ///< [columns, columns]
    std::optional<double> class_token;

    double at(PatchPlace patch) const {
        return values[static_cast<size_t>(patch.row * columns + patch.column)];
    }
    double sum() const;
};

/// `keys`: what the query has for every position. REQUIRES: maps of an image.
PatchAttention split_positions(const MapInfo& info, std::span<const double> keys);
/// Reads it. Not for the UI thread where the mean is asked for. EnvironmentError where it cannot
/// be read.
PatchAttention read_patch_attention(const MapSource& source, const MapPlane& plane,
                                    const PictureQuery& query);

/// Without its hues, which under heat would be taken for those of the scale (luma of ITU-R BT.709).
SquarePicture in_greys(const SquarePicture& picture);

/// As cells that are drawn like those of a map, and what they are known by: the column, of which
/// tiles of maps have none, tells them apart.
MapTile heat_tile(const PatchAttention& attention);
TileKey heat_key(uint64_t source, const MapPlane& plane, const MapInfo& info,
                 const PictureQuery& query);

}  // namespace headroom
