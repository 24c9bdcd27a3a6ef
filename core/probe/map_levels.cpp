#include "core/probe/map_levels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/cpu/parallel.h"

namespace headroom {
namespace {

int64_t divided_up(int64_t count, int64_t by) {
    return (count + by - 1) / by;
}

/// What is no number stays, and shows.
void keep_larger(double& largest, double value) {
    if (!(value <= largest) && !std::isnan(largest)) largest = value;
}

}  // namespace

MapLevels::MapLevels(int64_t seq_len, bool causal, std::span<const int64_t> levels)
    : seq_len_(seq_len), causal_(causal) {
    int64_t expected = kCoarser;
    for (const int64_t level : levels) {
        CHECK(level == expected, "levels in order");
        expected *= kCoarser;
        const int64_t cells = divided_up(seq_len, level);
        const auto size = static_cast<size_t>(std::max<int64_t>(1, kStrip / level) * cells);
        bands_.push_back({level, cells, 0, std::vector<double>(size), std::vector<double>(size)});
    }
}

void MapLevels::add_rows(Band& band, const Source& source) {
    const int64_t begin = source.first / kCoarser,
                  end = divided_up(source.first + source.rows, kCoarser);
    parallel_for(end - begin, 8, [&](int64_t from, int64_t to) {
        for (int64_t row = begin + from; row < begin + to; ++row) {
            double* sums = band.sums.data() + (row - band.first) * band.cells;
            double* maxima = band.maxima.data() + (row - band.first) * band.cells;
            const int64_t last = std::min((row + 1) * kCoarser, source.first + source.rows);
            for (int64_t i = std::max(row * kCoarser, source.first); i < last; ++i) {
                const int64_t at = (i - source.first) * source.columns;
                for (int64_t j = 0; j < source.columns; ++j) {
                    sums[j / kCoarser] += source.sums[at + j];
                    keep_larger(maxima[j / kCoarser], source.maxima[at + j]);
                }
            }
        }
    });
}

void MapLevels::add(int64_t first, int64_t rows, std::span<const double> weights,
                    const std::function<void(const LevelRows&)>& done) {
    const int64_t end = first + rows;
    Source source{first, rows, seq_len_, weights.data(), weights.data()};
    for (Band& band : bands_) {
        if (first % band.level == 0) {
            band.first = first / band.level;
            std::fill(band.sums.begin(), band.sums.end(), 0.0);
            std::fill(band.maxima.begin(), band.maxima.end(), 0.0);  // no weight is below
        }
        add_rows(band, source);
        if (end % band.level != 0 && end != seq_len_) return;  // more strips to come for this cell
        const LevelRows complete = finish(band, end);
        done(complete);
        source = {complete.first, complete.rows, complete.cells, band.sums.data(),
                  band.maxima.data()};
    }
}

LevelRows MapLevels::finish(const Band& band, int64_t end) const {
    LevelRows out{band.level, band.first, divided_up(end, band.level) - band.first,
                  band.cells, {},         {}};
    for (int64_t row = 0; row < out.rows; ++row)
        for (int64_t cell = 0; cell < band.cells; ++cell) {
            const int64_t count = unmasked(band.level, band.first + row, cell);
            const auto at = static_cast<size_t>(row * band.cells + cell);
            const float none = std::numeric_limits<float>::quiet_NaN();
            out.mean.push_back(
                count > 0 ? static_cast<float>(band.sums[at] / static_cast<double>(count)) : none);
            out.maxima.push_back(count > 0 ? static_cast<float>(band.maxima[at]) : none);
        }
    return out;
}

int64_t MapLevels::unmasked(int64_t level, int64_t row, int64_t column) const {
    const int64_t first_row = row * level, end_row = std::min(first_row + level, seq_len_);
    const int64_t first = column * level, end = std::min(first + level, seq_len_);
    if (!causal_ || end <= first_row + 1) return (end_row - first_row) * (end - first);
    int64_t count = 0;
    for (int64_t i = first_row; i < end_row; ++i)
        count += std::clamp<int64_t>(i + 1 - first, 0, end - first);
    return count;
}

}  // namespace headroom
