#include "panels/inspector/picture_attention.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "panels/inspector/head_statistics.h"

namespace headroom {

std::string query_text(const PictureQuery& query) {
    switch (query.kind) {
        case PictureQuery::Kind::kClassToken:
            return "cls";
        case PictureQuery::Kind::kMean:
            return "mean";
        case PictureQuery::Kind::kPatch:
            break;
    }
    return fmt::format("r{}c{}", query.patch.row, query.patch.column);
}

bool has_query(const MapInfo& info, const PictureQuery& query) {
    if (!info.of_image()) return false;
    const auto inside = [&](int64_t place) { return place >= 0 && place < info.patch_columns; };
    switch (query.kind) {
        case PictureQuery::Kind::kClassToken:
            return info.first_patch > 0;
        case PictureQuery::Kind::kMean:
            return true;
        case PictureQuery::Kind::kPatch:
            break;
    }
    return inside(query.patch.row) && inside(query.patch.column);
}

PictureQuery default_query(const MapInfo& info) {
    return {info.first_patch > 0 ? PictureQuery::Kind::kClassToken : PictureQuery::Kind::kMean};
}

std::vector<PictureQuery> all_queries(const MapInfo& info) {
    std::vector<PictureQuery> all;
    if (!info.of_image()) return all;
    if (info.first_patch > 0) all.push_back({PictureQuery::Kind::kClassToken});
    all.push_back({PictureQuery::Kind::kMean});
    for (int64_t row = 0; row < info.patch_columns; ++row)
        for (int64_t column = 0; column < info.patch_columns; ++column)
            all.push_back(PictureQuery::of_patch({row, column}));
    return all;
}

int64_t query_position(const MapInfo& info, const PictureQuery& query) {
    CHECK(has_query(info, query) && query.kind != PictureQuery::Kind::kMean, "a row of the maps");
    if (query.kind == PictureQuery::Kind::kClassToken) return 0;
    return info.first_patch + query.patch.row * info.patch_columns + query.patch.column;
}

std::optional<PictureQuery> find_query(const MapInfo& info, const std::string& text) {
    for (const PictureQuery& query : all_queries(info)) {
        if (query_text(query) == text) return query;
        if (query.kind != PictureQuery::Kind::kMean &&
            std::to_string(query_position(info, query)) == text)
            return query;
    }
    return std::nullopt;
}

double PatchAttention::sum() const {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

PatchAttention split_positions(const MapInfo& info, std::span<const double> keys) {
    CHECK(info.of_image() && std::ssize(keys) == info.seq_len, "all keys of an image");
    PatchAttention attention;
    attention.columns = info.patch_columns;
    attention.values.assign(keys.begin() + info.first_patch, keys.end());
    if (info.first_patch > 0) attention.class_token = keys[0];
    return attention;
}

PatchAttention read_patch_attention(const MapSource& source, const MapPlane& plane,
                                    const PictureQuery& query) {
    const MapInfo& info = source.info();
    if (query.kind == PictureQuery::Kind::kMean) {
        const HeadStatistics statistics = measure_head(source, plane);
        if (!statistics.problem.empty())
            throw EnvironmentError(statistics.problem, "make the record again with headroom probe");
        return split_positions(info, margin_values(statistics.keys, Margin::kMean));
    }
    std::vector<float> row(static_cast<size_t>(info.seq_len));
    source.read(plane, 1, {query_position(info, query), 0, 1, info.seq_len}, row);
    return split_positions(info, std::vector<double>(row.begin(), row.end()));
}

SquarePicture in_greys(const SquarePicture& picture) {
    SquarePicture grey = picture;
    for (size_t i = 0; i + 2 < grey.pixels.size(); i += 3) {
        const double luma =
            0.2126 * grey.pixels[i] + 0.7152 * grey.pixels[i + 1] + 0.0722 * grey.pixels[i + 2];
        std::fill_n(grey.pixels.begin() + static_cast<std::ptrdiff_t>(i), 3,
                    static_cast<uint8_t>(std::lround(luma)));
    }
    return grey;
}

MapTile heat_tile(const PatchAttention& attention) {
    MapTile tile;
    tile.box = {0, 0, attention.columns, attention.columns};
    tile.values.assign(attention.values.begin(), attention.values.end());
    return tile;
}

TileKey heat_key(uint64_t source, const MapPlane& plane, const MapInfo& info,
                 const PictureQuery& query) {
    const bool mean = query.kind == PictureQuery::Kind::kMean;
    return {source, plane, 0, mean ? -1 : query_position(info, query), -1};
}

}  // namespace headroom
