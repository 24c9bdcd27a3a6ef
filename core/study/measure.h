#pragma once

#include <string>
#include <vector>

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
    /// Of a loss less is better, of an accuracy more.
    bool more_is_better() const;
    bool is_better(double value, double than) const {
        return more_is_better() ? value > than : value < than;
    }
};

/// Numbers that follow from a job alone: params, params_active, kv_bytes_per_token,
/// flops_per_token.
const std::vector<std::string>& exact_measures();
bool is_exact_measure(const std::string& measure);
/// UserError, its text begun with `place`, for a word that is no exact measure and no Measure.
void require_measure(const std::string& measure, const std::string& place);

/// The measure that a person means: "final" of "val.loss", "best" of "val.best".
std::string measure_of_word(const std::string& word);

}  // namespace headroom
