#include "panels/study/run_question.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "panels/study/run_pairing.h"

namespace headroom {
namespace {

/// Whether the jobs name the same data to evaluate on.
bool name_same_validation(const DataConfig& a, const DataConfig& b) {
    if (a.val != b.val) return false;
    return !a.holds_out() || a.train == b.train;
}

bool have_same_masks(const TrainConfig& a, const TrainConfig& b) {
    return !a.is_masked() || (a.mask_rate == b.mask_rate && a.mask_span == b.mask_span);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

/// "a, b, c and 4 more".
std::string list_of(const std::vector<std::string>& names) {
    constexpr size_t kNamed = 4;
    if (names.size() <= kNamed) return fmt::format("{}", fmt::join(names, ", "));
    const std::span<const std::string> first(names.data(), kNamed - 1);
    return fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - first.size());
}

}  // namespace

std::optional<LossOver> loss_over(std::string_view series) {
    if (series.starts_with("val/")) return LossOver::kValidation;
    if (series == "train/loss") return LossOver::kTraining;
    return std::nullopt;
}

std::optional<LossOver> loss_over(const Measure& measure) {
    return measure.kind == Measure::Kind::kSeries ? loss_over(measure.series)
                                                  : LossOver::kValidation;
}

std::string_view question_difference(const Run& a, const Run& b, LossOver over) {
    if (!a.job || !b.job) return "";
    const DataConfig &x = a.job->data, &y = b.job->data;
    if (a.job->train.objective != b.job->train.objective) return "objective";
    if (!have_same_masks(a.job->train, b.job->train)) return "objective";
    if (a.job->train.seq_len != b.job->train.seq_len) return "seq_len";
    const std::string_view other_tokens = x.tokenizer == y.tokenizer ? "" : "tokenizer";
    if (over == LossOver::kTraining) {
        if (!other_tokens.empty()) return other_tokens;
        return x.train == y.train || begin_with_same_batch(a, b) ? "" : "training data";
    }
    if (evaluated_rows(*a.job) != evaluated_rows(*b.job)) return kEvaluationSequences;
    const bool same_names = other_tokens.empty() && name_same_validation(x, y);
    // Tasks that draw their data draw others for each seed.
    if (a.seed != b.seed && same_names) return "";
    const std::optional<bool> other = have_other_evaluations(a, b);
    if (other.value_or(!same_names)) return other_tokens.empty() ? "validation data" : other_tokens;
    return "";
}

bool is_about(std::string_view difference, std::string_view column) {
    if (difference == "objective")
        return column == "train.objective" || column.starts_with("train.mask_");
    if (difference == "seq_len") return column == "train.seq_len";
    if (difference == kEvaluationSequences)
        return column == "train.eval_batches" || column == "train.batch_size";
    return column.starts_with("data.");
}

void OtherQuestions::add(const std::string& name, const Run& run, const Run& asked,
                         std::string_view difference) {
    if (!run.job && asked.job) add_once(unknown_, name);
    if (difference.empty()) return;
    const auto known = std::find_if(names_.begin(), names_.end(),
                                    [&](const auto& each) { return each.first == difference; });
    if (known == names_.end())
        names_.push_back({std::string(difference), {name}});
    else
        add_once(known->second, name);
}

/// "" where all are.
std::string OtherQuestions::not_comparable() const {
    std::vector<std::string> parts;
    for (const auto& [difference, names] : names_)
        parts.push_back(fmt::format("{} ({})", list_of(names), difference));
    return parts.empty()
               ? ""
               : fmt::format("not comparable with {}: {}", asked_, fmt::join(parts, "; "));
}

std::vector<std::string> OtherQuestions::notes(bool left_out) const {
    std::vector<std::string> notes;
    if (const std::string line = not_comparable(); !line.empty())
        notes.push_back((left_out ? "left out, " : "") + line);
    if (!unknown_.empty())
        notes.push_back(fmt::format("nothing is known of the data of {}", list_of(unknown_)));
    return notes;
}

std::string OtherQuestions::why_empty() const {
    const std::string line = not_comparable();
    return line.empty() ? "" : "runs are left out, " + line;
}

}  // namespace headroom
