#pragma once

#include <cstdint>
#include <string>

#include "app/checkpoint_loading.h"
#include "app/eval_options.h"

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

    std::string out;  ///< "": RUN_DIR/probes/KIND-step-N.h5
    bool json = false;

    int64_t sequences() const { return eval.batches * eval.batch_size; }
};

/// The options that every kind of probe has. `eval` of `options` says what they default to.
void add_probe_options(CLI::App& command, ProbeOptions& options);

/// --batches and --batch-size, for kinds that look at more than one sequence.
void add_probe_batch_options(CLI::App& command, ProbeOptions& options);

}  // namespace headroom
