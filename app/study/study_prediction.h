#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/account/training_cost.h"
#include "core/device/device.h"
#include "core/study/study.h"
#include "core/study/wiring_search.h"

namespace headroom {

/// What the runs of one variant will take; those that differ in their seeds take the same.
struct PredictedVariant {
    std::string variant;
    int64_t runs = 0;
    Job job;                   ///< of the first of them, with its vocabulary
    TrainingCost cost;         ///< of one run
    int64_t memory_bytes = 0;  ///< of one run while it trains
    double seconds = 0;        ///< of one run, evaluations included; 0 = nothing could be timed
    bool timed = false;        ///< whether this very model was timed, or another gave its speed
    bool is_search = false;    ///< all of a search for wirings, in place of a variant
};

/// What a study will take on this machine, one run after the other.
struct StudyPrediction {
    std::string device;  ///< "CPU, 2 threads"
    std::vector<PredictedVariant> variants;
    int64_t runs = 0;             ///< those of the study; a search, which makes its own, is none
    bool search = false;          ///< whether there is one
    double tokens = 0;            ///< a whole number
    double flops = 0;             ///< of training
    double seconds = 0;           ///< of all runs
    int64_t memory_bytes = 0;     ///< of the largest run
    int64_t disk_bytes = 0;       ///< of all runs
    double flops_per_second = 0;  ///< of training: all FLOPs that count over all seconds
};

/// Counts every run, and times a few steps of the models that most of the work goes into, in
/// batches that keep a step short; a model that half of the free memory does not hold is not timed.
/// A search counts as one variant, "search". Data paths of jobs are used as they stand. UserError
/// where a vocabulary is that of data which are not there.
StudyPrediction predict_study(const Study& study, const std::optional<WiringSearch>& search,
                              Device& device);

/// Tokens for each run with which `study` takes `hours` as predicted, in two digits. Runs that say
/// their steps keep them; `with` gives the study that trains the others on so many tokens.
/// UserError where the hours are too few, and for a search, whose length is that of its rungs.
int64_t tokens_within(double hours, const StudyPrediction& prediction,
                      const std::function<Study(int64_t tokens)>& with);

/// device; variants[]: variant, runs, params, tokens, flops, seconds and memory_bytes of one run,
/// timed; total: runs, search, tokens, flops, seconds, memory_bytes, disk_bytes; flops_per_second.
nlohmann::ordered_json to_json(const StudyPrediction& prediction);

/// The same as a table, and a line of the whole.
std::string prediction_text(const StudyPrediction& prediction);

}  // namespace headroom
