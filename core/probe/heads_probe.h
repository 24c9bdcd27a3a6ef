#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/log/array_file.h"
#include "core/probe/attention_map.h"

namespace headroom {

/// What the heads of a model attend to: one number per measure and head. core/probe/README.md
/// defines each measure; its order here is that of the file.
enum class HeadMeasure {
    kEntropy,
    kSinkMass,
    kPreviousToken,
    kCurrentToken,
    kDuplicateToken,
    kInduction,
    kMeanDistance
};
inline constexpr size_t kHeadMeasures = 7;
/// Its name in the file: "entropy", "sink_mass", ...
std::string_view name_of(HeadMeasure measure);

/// Row-major arrays over [n_layer, n_head].
struct HeadScores {
    int64_t n_layer = 0, n_head = 0, seq_len = 0;
    std::vector<double> measures[kHeadMeasures];  ///< NaN where no sequence has such rows
    std::vector<double> distance_profile;         ///< [n_layer, n_head, seq_len]

    double at(HeadMeasure measure, int64_t layer, int64_t head) const {
        return measures[static_cast<size_t>(measure)][static_cast<size_t>(layer * n_head + head)];
    }
};

/// Means over sequences of the same length.
class HeadScoreSum {
  public:
    HeadScoreSum(int64_t n_layer, int64_t n_head, int64_t seq_len);

    /// Counts row `b` of the pass in; `tokens` [seq_len] are its ids. REQUIRES: a tap on the
    /// attention of every layer.
    void add(const ProbePass& pass, int64_t b, std::span<const int32_t> tokens);

    HeadScores mean() const;

  private:
    HeadScores sums_;
    std::vector<int64_t> counts_;  ///< of sequences, [kHeadMeasures]
    int64_t sequences_ = 0;
};

/// Writes the group /heads.
void write_head_scores(ArrayFileWriter& file, const HeadScores& scores);

}  // namespace headroom
