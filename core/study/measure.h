#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headroom {

/// The number by which runs are compared.
struct Measure {
    enum class Kind { kFinal, kBest, kMeanOfLast, kPerplexity, kSeries };
    Kind kind = Kind::kFinal;
    int last = 1;        ///< evaluations of kMeanOfLast
    std::string series;  ///< of kSeries: its value at the end, or at the number of tokens asked for

    /// "final", "best" or "last-5" (of the validation loss), "perplexity" (e to the final one), or
    /// a series that a log may have, such as "train/grad_norm" or "scalars/piqa.acc"; also a word
    /// that stands for one (measure_of_word). UserError for a word that is none of these.
    static Measure parse(const std::string& word);
    std::string name() const;
    /// Tokens are saved at equal validation loss, which says nothing of another series.
    bool is_of_validation_loss() const { return kind != Kind::kSeries || series == "val/loss"; }
    /// Of a loss less is better, of an accuracy more.
    bool more_is_better() const;
    bool is_better(double value, double than) const {
        return more_is_better() ? value > than : value < than;
    }
};

/// A number that follows from a job alone. Every one is a column of the table of runs
/// (panels/study/run_facts.cpp), which counts it.
struct ExactMeasure {
    std::string_view name;   ///< "params"
    std::string_view title;  ///< at the head of a column
};
std::span<const ExactMeasure> exact_measures();
/// Null where there is none of that name.
const ExactMeasure* find_exact_measure(std::string_view name);
bool is_exact_measure(const std::string& measure);
/// UserError, its text begun with `place`, for a word that is no exact measure and no Measure.
void require_measure(const std::string& measure, const std::string& place);

/// The measure that a person means: "final" of "val.loss", "best" of "val.best".
std::string measure_of_word(const std::string& word);

}  // namespace headroom
