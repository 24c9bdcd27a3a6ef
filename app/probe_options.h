#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "app/checkpoint_loading.h"
#include "app/eval_options.h"
#include "core/config/probe_schema.h"

namespace headroom {

/// What `headroom probe KIND` is told: which weights, on which tokens, and where to write.
struct ProbeOptions {
    CheckpointArguments checkpoint;  ///< or
    std::string run;                 ///< a run's folder ...
    int64_t step = -1;               ///< ... and the step of one of its checkpoints; -1: the newest

    std::string token_list;   ///< --tokens
    std::string prompt;       ///< --prompt
    int64_t repeat = 0;       ///< random tokens that come twice; 0: none
    int64_t repeat_seed = 1;  ///< of them
    EvalOptions eval;         ///< --data and how much of it; precision and device

    /// Of a kind that trains on data, in place of those of the run.
    std::string val_data = "split:0.1";
    int64_t train_batch_size = 0, eval_batches = 0;

    std::string out;  ///< "": RUN_DIR/probes/KIND-step-N.h5
    bool json = false;
    bool stream = false;  ///< progress and the result as JSON, an object a line

    int64_t sequences() const { return eval.batches * eval.batch_size; }
};

/// The options that say what is probed, as the kind asks for tokens.
void add_probe_options(CLI::App& command, const ProbeSchema& schema, ProbeOptions& options);

/// What the options of one kind are given on the command line.
struct GivenProbeValues {
    std::map<std::string, bool> flags;
    std::map<std::string, int64_t> wholes;
    std::map<std::string, std::string> texts;
    std::map<std::string, std::vector<int64_t>> whole_lists;
    std::map<std::string, std::vector<double>> lists;

    /// With the defaults of what is not given.
    ProbeValues values(const ProbeSchema& schema) const;
};

/// An option for each of the kind's own: --NAME, or --no-NAME where it holds by default.
void add_kind_options(CLI::App& command, const ProbeSchema& schema, GivenProbeValues& given);

}  // namespace headroom
