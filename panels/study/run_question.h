#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/study/measure.h"
#include "panels/study/run.h"

namespace headroom {

/// What a loss is a mean over: what is trained on, or what is evaluated.
enum class LossOver { kTraining, kValidation };
/// Of a series of the log or of a measure of runs; none for what is over neither.
std::optional<LossOver> loss_over(std::string_view series);
std::optional<LossOver> loss_over(const Measure& measure);

/// What keeps the losses of two runs from being answers to one question, so that the lower is not
/// the better: "objective" (the masks of one as well), "seq_len", "tokenizer", "training data",
/// "validation data" or, where their numbers differ, kEvaluationSequences; "" if nothing does, or
/// where the job of one is not known. Data
/// are told by the hashes of evaluation batches where both logs have them, else as the jobs name
/// them.
inline constexpr std::string_view kEvaluationSequences = "evaluation sequences";
std::string_view question_difference(const Run& a, const Run& b, LossOver over);

/// Whether a column of the run table, such as "train.mask_rate", shows such a difference: a picture
/// over it is of several questions because somebody asks so.
bool is_about(std::string_view difference, std::string_view column);

/// Runs whose losses answer another question than those of one run, gathered into one line of small
/// print for each kind of it.
class OtherQuestions {
  public:
    /// `asked`: the name of the run, or of the variant, that the others are held against.
    explicit OtherQuestions(std::string asked) : asked_(std::move(asked)) {}

    /// What question_difference() says of `run` and the one that it is held against, `asked`, under
    /// the name that the picture has for it. That nothing is known of a run's data is gathered,
    /// too, where it is known of the other's.
    void add(const std::string& name, const Run& run, const Run& asked,
             std::string_view difference);

    /// "not comparable with base: char, bpe (tokenizer); wiki (validation data)" and "nothing is
    /// known of the data of plain"; `left_out`: "left out, not comparable …".
    std::vector<std::string> notes(bool left_out) const;
    /// "runs are left out, not comparable …", for a picture that is empty by that; "" without any.
    std::string why_empty() const;

  private:
    std::string not_comparable() const;

    std::string asked_;
    std::vector<std::pair<std::string, std::vector<std::string>>> names_;  ///< by difference
    std::vector<std::string> unknown_;
};

}  // namespace headroom
