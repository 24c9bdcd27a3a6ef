#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/study/measure.h"
#include "panels/study/run.h"

namespace headroom {

/// Why a run has no number.
enum class NoNumber {
    kRepeatsSeed,
    kUnreadable,  ///< its log
    kNotBegun,
    kDiverged,
    kEndedEarly,  ///< before the tokens that were asked for
    kNotFinished,
    kWithout,  ///< the measure, or with one that is no number
};

struct UnmeasuredRun {
    RunPointer run;
    NoNumber why = NoNumber::kWithout;
    std::string text;  ///< to be read behind its name: "diverged at step 5"
};

/// Runs of one configuration with their numbers; repeated seeds and runs without a number are
/// left out and noted.
struct MeasuredRuns {
    std::vector<RunPointer> runs;
    std::vector<double> values;  ///< of each run
    std::vector<UnmeasuredRun> unmeasured;
    std::vector<std::string> notes;  ///< of unmeasured, those of one text together
    std::vector<int64_t> tokens;     ///< of each run, where its number is from
    bool of_validation = false;      ///< the numbers are of validation losses

    /// Takes a run out, with all that is known of it.
    void erase(size_t index);
};

/// How many tokens a run has been trained on, as its log tells: an imported one may go on with
/// evaluations where its training losses end, or have none of these.
int64_t tokens_reached(const Run& run);

/// "a, b diverged at step 5": a line for each text, in the order in which they came.
std::vector<std::string> notes_of(const std::vector<UnmeasuredRun>& runs);

bool any_diverged(const std::vector<RunPointer>& runs);

/// At the end of every run, or after `at_tokens`: the last number that its log has until then. A
/// run that has not got so far has no number, nor has one that diverged, whenever that was.
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

/// The runs that are pairs; why others are none goes to `notes`. Numbers from before `at_tokens`
/// are a pair only where both logs have them after equal tokens: a loss falls while one trains.
MeasuredPairs pair_runs(const MeasuredRuns& measured, const MeasuredRuns& others,
                        std::optional<int64_t> at_tokens, std::vector<std::string>& notes,
                        PairBy by = PairBy::kBatches);

}  // namespace headroom
