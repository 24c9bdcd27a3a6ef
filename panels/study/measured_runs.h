#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panels/study/run.h"

namespace headroom {

/// The number by which runs are compared.
struct Measure {
    enum class Kind { kFinal, kBest, kMeanOfLast, kPerplexity, kSeries };
    Kind kind = Kind::kFinal;
    int last = 1;        ///< evaluations of kMeanOfLast
    std::string series;  ///< of kSeries: its value at the end, or at the number of tokens asked for

    /// "final", "best" or "last-5" (of the validation loss), "perplexity" (e to the final one), or
    /// a series of the log such as "train/grad_norm". UserError for a word that is none of these.
    static Measure parse(const std::string& text);
    std::string name() const;
    /// Of a loss less is better, of an accuracy more.
    bool more_is_better() const;
    bool is_better(double value, double than) const {
        return more_is_better() ? value > than : value < than;
    }
};

/// Runs of one configuration with their numbers; repeated seeds and runs without a number are
/// left out and noted.
struct MeasuredRuns {
    std::vector<RunPointer> runs;
    std::vector<double> values;  ///< of each run
    std::vector<std::string> notes;
    std::vector<int64_t> tokens;  ///< of each run, where its number is from
};

/// At the end of every run, or after `at_tokens`: the last number that its log has until then. A
/// run that has not got so far has no number.
MeasuredRuns measure_runs(const std::vector<RunPointer>& runs, const Measure& measure,
                          std::optional<int64_t> at_tokens);

/// Pairs: runs of one configuration and those of another, seed by seed, in the order of the first.
struct MeasuredPairs {
    std::vector<RunPointer> runs, partners;
    std::vector<double> values, partner_values;

    /// values - partner_values
    std::vector<double> differences() const;
};

/// What makes two runs of equal seed a pair: the same batches (pairing_problem()), or no more than
/// the same data.
enum class PairBy { kBatches, kSeed };

/// The runs that are pairs; why others are none goes to `notes`.
MeasuredPairs pair_runs(const MeasuredRuns& measured, const MeasuredRuns& others,
                        std::optional<int64_t> at_tokens, std::vector<std::string>& notes,
                        PairBy by = PairBy::kBatches);

}  // namespace headroom
