#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/probe/probe_pass.h"

namespace headroom {

/// The attention of one head over one sequence, row by row, made again in float64 from the queries
/// and keys that the pass kept: S_ij = scale q_i · k_j, P_i = softmax(S_i) over j <= i if causal.
/// (Vaswani et al. 2017, arXiv:1706.03762, section 3.2.) Nothing of size T x T is held. Const
/// members may be called from several threads at once.
class AttentionMap {
  public:
    AttentionMap(const ProbePass& pass, int layer, int head, int64_t b);

    int64_t seq_len() const { return query_.rows; }
    bool causal() const { return causal_; }
    /// How many keys query i sees: those before `visible(i)`.
    int64_t visible(int64_t i) const { return causal_ ? i + 1 : seq_len(); }

    /// Scores of the queries [first, first + rows), into `out` [rows, seq_len]; where query i does
    /// not see a key, what stands there means nothing.
    void logits(int64_t first, int64_t rows, std::span<double> out) const;
    /// Weights of these queries; keys that they do not see get 0.
    void weights(int64_t first, int64_t rows, std::span<double> out) const;
    /// logits() turned into weights, in place.
    void soften(int64_t first, int64_t rows, std::span<double> logits) const;

    void logits(int64_t i, std::span<double> out) const { logits(i, 1, out); }
    void weights(int64_t i, std::span<double> out) const { weights(i, 1, out); }

  private:
    TokenMatrix query_;
    std::vector<double> key_panels_;  ///< [panels, d_head, kPanel]: keys side by side
    double scale_;
    bool causal_;
};

}  // namespace headroom
