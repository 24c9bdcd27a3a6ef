#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headroom {

/// Rows of cells of one level of detail of a map: [rows, cells] row-major.
struct LevelRows {
    int64_t level = 0;                ///< entries per side of a cell
    int64_t first = 0, rows = 0;      ///< rows of cells
    int64_t cells = 0;                ///< columns
    std::vector<float> mean, maxima;  ///< NaN where all entries of a cell are masked
};

/// Sums up the levels of detail of one map while its rows come by in strips, so that no more than a
/// strip is held. A cell of level F is F x F entries, of which masked ones do not count.
class MapLevels {
  public:
    /// Each level's cells have so many times the side of those of the one before.
    static constexpr int64_t kCoarser = 4;
    /// Rows of the map in a strip (the last one may have fewer).
    static constexpr int64_t kStrip = 256;

    /// `levels` ascending, each four times the one before, the first 4.
    MapLevels(int64_t seq_len, bool causal, std::span<const int64_t> levels);

    /// The map's rows [first, first + rows), weights with 0 where masked: [rows, seq_len]. `done`
    /// gets the rows of cells that are complete. REQUIRES: strips in order.
    void add(int64_t first, int64_t rows, std::span<const double> weights,
             const std::function<void(const LevelRows&)>& done);

  private:
    struct Band {
        int64_t level = 0, cells = 0;
        int64_t first = 0;                 ///< row of cells that row 0 here is
        std::vector<double> sums, maxima;  ///< [max(1, kStrip / level), cells]
    };
    /// Rows of the map, or of a finer level: of each entry its sum and its largest.
    struct Source {
        int64_t first = 0, rows = 0, columns = 0;
        const double *sums = nullptr, *maxima = nullptr;
    };

    static void add_rows(Band& band, const Source& source);
    LevelRows finish(const Band& band, int64_t end) const;
    int64_t unmasked(int64_t level, int64_t row, int64_t column) const;

    int64_t seq_len_;
    bool causal_;
    std::vector<Band> bands_;
};

}  // namespace headroom
