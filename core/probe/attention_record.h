#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/model/image_patches.h"
#include "core/probe/probe_file.h"

namespace headroom {

/// How a cell of a coarser level sums up its entries.
enum class CellStatistic { kMean, kMax };

/// A rectangle of a map: rows are queries, columns keys, counted in cells of the level.
struct MapBox {
    int64_t row = 0, column = 0, rows = 0, columns = 0;

    bool operator==(const MapBox&) const = default;
};

/// The picture whose patches the maps are of, or one line that says why there is none.
struct RecordedPicture {
    std::shared_ptr<const SquarePicture> picture;  ///< null: none
    std::string problem;                           ///< "" where there is one, and of a text
};

/// The maps of all heads over one sequence, as `headroom probe attention` writes them. Opening
/// reads names and tokens only; maps are read in boxes, so memory is bounded by what is looked at.
/// Whoever wrote the file, every size is checked first. Calls from several threads are serialised.
class AttentionRecord {
  public:
    /// UserError if the file is missing, no attention record, or does not fit together.
    explicit AttentionRecord(std::filesystem::path path);

    const std::filesystem::path& path() const { return file_.path(); }
    const ProbeHeader& header() const { return header_; }
    /// One sequence: ids [1, seq_len], with pieces where the file has them.
    const ProbeTokens& tokens() const { return tokens_; }
    int64_t n_layer() const { return n_layer_; }
    int64_t n_head() const { return n_head_; }
    int64_t seq_len() const { return tokens_.seq_len; }
    /// Query i sees keys 0 to i only; the rest is masked.
    bool causal() const { return causal_; }
    bool has_logits() const { return has_logits_; }

    /// Levels of detail, finest first: 1, then 4, 16, ... entries per side of a cell.
    const std::vector<int64_t>& levels() const { return levels_; }
    /// Rows, and columns, of the map at a level: seq_len / level, rounded up.
    int64_t cells(int64_t level) const { return (seq_len() + level - 1) / level; }
    /// The whole map at a level.
    MapBox whole(int64_t level = 1) const { return {0, 0, cells(level), cells(level)}; }

    /// The weights in a box, row-major [box.rows, box.columns]; NaN where all entries of a cell are
    /// masked. At level 1 the statistic does not matter. UserError if the box or head is not in
    /// the record, or `level` is not one of levels().
    std::vector<float> read_box(int64_t layer, int64_t head, int64_t level, const MapBox& box,
                                CellStatistic statistic = CellStatistic::kMean) const;
    /// Scaled scores before the softmax, at level 1; NaN where masked. REQUIRES: has_logits().
    std::vector<float> read_logits(int64_t layer, int64_t head, const MapBox& box) const;
    /// What a model of images read. Maps can be looked at without: one that is missing or does not
    /// fit the model is no error.
    RecordedPicture read_picture() const;

  private:
    void find_maps();
    void find_levels();
    std::vector<float> read(const std::string& array, int64_t layer, int64_t head,
                            const MapBox& box) const;
    void mask(std::vector<float>& values, const MapBox& box) const;
    [[noreturn]] void fail(const std::string& what) const;

    ArrayFile file_;
    ProbeHeader header_;
    ProbeTokens tokens_;
    int64_t n_layer_ = 0, n_head_ = 0;
    bool causal_ = true, has_logits_ = false;
    std::vector<int64_t> levels_{1};
};

/// The array of a level: "/attention/levels/4/mean"; "/attention/weights" for level 1.
std::string attention_array(int64_t level, CellStatistic statistic);
/// The coarser levels that a record of so many tokens has: 4, 16, ... while seq_len / level >= 32.
std::vector<int64_t> attention_levels(int64_t seq_len);

}  // namespace headroom
