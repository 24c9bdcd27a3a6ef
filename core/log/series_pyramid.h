#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/log/run_series.h"

namespace headroom {

/// A long training series in stretches of equally many rows: for each its first row in full and the
/// extremes of all of them, as logged and smoothed by MovingAverage. A drawing of any part of the
/// series costs as much as its stretches; from where a stretch begins the smoothing can go on,
/// value for value.
struct SeriesPyramid {
    static constexpr size_t kMostBlocks = 32768;

    /// Plain bytes, also in the cache.
    struct Block {
        int64_t step = 0, tokens = 0;
        double seconds = 0;
        double value = 0;      ///< smoothed, of the first row
        double average = 0;    ///< MovingAverage::last() before the first row
        int64_t averaged = 0;  ///< MovingAverage::count() before the first row
        float raw = 0;         ///< of the first row
        /// Of the finite values; least > greatest where there is none. The smoothed ones are
        /// rounded to a float outwards.
        float raw_least = 0, raw_greatest = 0, least = 0, greatest = 0;
        float unused = 0;

        bool has_values() const { return raw_least <= raw_greatest; }
    };

    std::string series;  ///< "train/loss", …
    double weight = 0;   ///< of the smoothing; 0: none, the smoothed values are those logged
    int64_t rows = 0;
    int64_t block_rows = 1;
    std::vector<Block> blocks;
    Block last;                  ///< the last row, a stretch of its own
    int64_t first_bad_step = 0;  ///< the first step whose value is not finite; 0: none

    /// TensorBoard does not smooth such a series: then the smoothed values do not count.
    bool is_constant() const;
};

/// Whether there can be a pyramid: a float column of /train.
bool is_pyramid_series(std::string_view series);

/// Adds the rows that `pyramid` lacks, whose series and weight the caller has set; from scratch if
/// it has none. False if the steps do not ascend, as in a log that was resumed within its file:
/// then the pyramid is of no use. UserError if the log can no longer be read.
bool extend_pyramid(SeriesPyramid& pyramid, const TrainSeries& train);

/// Whether what the pyramid says of a few rows is what the log says.
bool agrees_with(const SeriesPyramid& pyramid, const TrainSeries& train);

}  // namespace headroom
