#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/probe/attention_record.h"

namespace headroom {

/// What a map holds: weights after the softmax, or scaled scores before it.
enum class MapSignal { kWeights, kLogits };

/// What a cell stands for where it covers several entries.
enum class CellValue { kMean, kMax };

/// One map of a source.
struct MapPlane {
    int layer = 0;
    int head = 0;
    MapSignal signal = MapSignal::kWeights;
    CellValue value = CellValue::kMean;

    auto operator<=>(const MapPlane&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// What there is to look at. Queries are rows, keys are columns.
struct MapInfo {
    std::string title;  ///< "baseline · step 500"
    int n_layer = 0;
    int n_head = 0;
    int64_t seq_len = 0;
    bool causal = false;
    bool has_logits = false;
    bool differs = false;             ///< a difference of two: signed, whatever the signal
    std::vector<std::string> tokens;  ///< what each position reads as; ids where nothing better
    std::vector<int32_t> ids;
    /// Of an image: patches side by side, as many one above another, and the position of the first
    /// of them. 0: of a text.
    int64_t patch_columns = 0, first_patch = 0;
    RecordedPicture picture = {};

    bool of_image() const { return patch_columns > 0; }
};

/// A rectangle of cells.
struct CellBox {
    int64_t row = 0;
    int64_t column = 0;
    int64_t rows = 0;
    int64_t columns = 0;

    int64_t count() const { return rows * columns; }
    bool operator==(const CellBox&) const = default;
};

/// All maps of one record, read in boxes so that memory follows the view and not the file. Any
/// thread may read; calls may wait for each other.
class MapSource {
  public:
    MapSource();
    virtual ~MapSource() = default;
    MapSource(const MapSource&) = delete;
    MapSource& operator=(const MapSource&) = delete;

    virtual const MapInfo& info() const = 0;
    /// Sizes of the cells that are stored, ascending; the first is 1.
    virtual std::vector<int64_t> factors(const MapPlane& plane) const = 0;
    /// Cells of the level of `factor`: entry (r, c) covers queries [r F, (r + 1) F) and keys
    /// likewise. What no query sees has any value. REQUIRES: the box lies in the level.
    virtual void read(const MapPlane& plane, int64_t factor, const CellBox& box,
                      std::span<float> out) const = 0;

    /// Never given twice while the program runs.
    uint64_t serial() const { return serial_; }

  private:
    uint64_t serial_;
};
using MapSourcePointer = std::shared_ptr<const MapSource>;

/// How many cells of size `factor` cover `seq_len` tokens.
inline int64_t level_size(int64_t seq_len, int64_t factor) {
    return (seq_len + factor - 1) / factor;
}

/// How many entries of a cell the mask lets through: 0 where it is masked as a whole.
int64_t visible_entries(const MapInfo& info, int64_t factor, int64_t row, int64_t column);

}  // namespace headroom
