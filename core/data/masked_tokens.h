#pragma once

#include <cstdint>
#include <vector>

#include "core/data/data_source.h"

namespace headroom {

/// How many positions of a sequence are chosen, and whether neighbours are chosen together.
struct MaskOptions {
    double rate = 0.15;
    int64_t span = 1;

    bool operator==(const MaskOptions&) const = default;
};

/// What becomes of one position.
enum class MaskChoice : uint8_t {
    kUntouched,  ///< not chosen: read as it is, no target
    kMask,       ///< chosen, becomes the mask
    kOther,      ///< chosen, becomes another token
    kStay        ///< chosen, stays
};

/// Which row's masks: those of a training row follow from the seed, the step and the row's number
/// in it (micro-batch times batch_size plus row), those of a validation row from its number alone.
struct MaskKey {
    static constexpr uint32_t kTraining = 0, kValidation = 1;

    uint32_t use = kTraining;
    uint64_t seed = 0;
    int64_t step = 0;
    int64_t row = 0;
};

/// The choices for a row of seq_len positions: every position by itself with probability `rate`,
/// at least one; with `span` > 1 stretches of that length at random places until ceil(rate
/// seq_len) positions are chosen. Of the chosen ones 80 % become the mask, 10 % another token, 10 %
/// stay (Devlin et al. 2019, arXiv:1810.04805, section 3.1 and appendix A.1; stretches: Joshi et
/// al. 2020, arXiv:1907.10529, section 3.1, of one length here). Part of what a seed means.
std::vector<MaskChoice> choose_masked(const MaskOptions& options, const MaskKey& key,
                                      int64_t seq_len);

/// Masks rows, the first of which has `key` and the others the numbers after it: of every row's
/// chosen positions the target is the token that stood there, of the others kIgnoredTarget.
/// `vocabulary`: tokens that may stand in for another.
void mask_rows(const MaskOptions& options, MaskKey key, int32_t mask_token, int64_t vocabulary,
               Batch& batch);

/// Data for an encoder that predicts masked tokens: the tokens of other data, some of them
/// replaced; each chosen position's target is its original, the others are kIgnoredTarget. Which
/// positions does not depend on the tokens, so that every variant of a study sees the same.
class MaskedTokens : public DataSource {
  public:
    /// `plain` must outlive it. `mask_token`: above all tokens of `plain`. REQUIRES: 0 < rate <= 1,
    /// span >= 1.
    MaskedTokens(const DataSource& plain, const MaskOptions& options, int64_t seed,
                 int32_t mask_token);

    /// Of `plain`, with the mask in the vocabulary.
    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override;
    void eval_batch(int64_t index, Batch& batch) const override;

    /// Chosen positions of the first `rows` rows of a step.
    int64_t count_chosen(int64_t step, int64_t rows, int64_t seq_len) const;

  private:
    void mask(const MaskKey& first, Batch& batch) const;

    const DataSource& plain_;
    MaskOptions options_;
    uint64_t seed_;
    int32_t mask_token_;
    DataInfo info_;
};

}  // namespace headroom
