#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "panels/inspector/map_source.h"

namespace headroom {

/// What the entries of each row, or each column, come to. Masked entries do not count.
struct LineSums {
    std::vector<double> sum;
    /// The largest, of a difference what is furthest from 0; NaN where all are masked.
    std::vector<double> most;
    std::vector<int64_t> most_at;  ///< the column (row) of the largest
    std::vector<int64_t> entries;
};

enum class Margin { kSum, kMean, kMax };

/// Over all unmasked entries of one map, exact ones and not the means of cells.
struct HeadStatistics {
    double least = 0, most = 0, mean = 0, deviation = 0;  ///< of the finite entries
    int64_t finite = 0, not_finite = 0;
    /// Ascending, evenly spaced in rank; the first and the last are exact, between them within
    /// 0.8 % of the value. Empty if no entry is finite.
    std::vector<double> quantiles;
    LineSums queries;  ///< by row
    LineSums keys;     ///< by column
    std::string problem;

    size_t bytes() const;
};

/// One value of each line.
std::vector<double> margin_values(const LineSums& lines, Margin margin);

/// Streams the map through a fixed amount of memory; for 4096 tokens about a tenth of a second. Not
/// for the UI thread. Never throws for what is in the file.
HeadStatistics measure_head(const MapSource& source, const MapPlane& plane);

}  // namespace headroom
