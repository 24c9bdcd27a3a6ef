#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/decode/sampler.h"

namespace headroom {

/// What a person asks of all models alike.
struct TrySettings {
    std::string prompt = "The ";
    SamplingOptions sampling{.temperature = 0.8, .top_k = 0, .top_p = 1.0, .seed = 1};
    int64_t max_new = 200;
    bool greedy = false;    ///< the most likely token each time: the sampling does not matter
    bool in_turns = false;  ///< one model after the other, so that their speeds can be compared
    bool shade = true;      ///< tokens that the model held unlikely stand on a tint

    bool operator==(const TrySettings&) const = default;
};

/// A checkpoint to choose from. Immutable.
struct TryCheckpoint {
    std::string run_id, run_name;
    int64_t step = 0;  ///< -1: it is of no run
    std::string path;
    int color = -1;                      ///< of the run in all views; -1: none yet
    int shade = 0;                       ///< likewise
    std::vector<std::string> sets = {};  ///< model.KEY=VALUE that the file leaves open

    bool operator==(const TryCheckpoint&) const = default;
};

/// "SkipV1Former, step 1,000"
std::string checkpoint_title(const TryCheckpoint& checkpoint);

/// The words after `headroom` that make a worker speak; it reads the prompt on standard input.
std::vector<std::string> generate_arguments(const std::string& checkpoint,
                                            const TrySettings& settings,
                                            const std::vector<std::string>& sets = {});

/// Index of the newest checkpoint of each of the runs, in their order, at most `most`; of the first
/// run that has one where `run_ids` have none. REQUIRES: checkpoints of a run stand together.
std::vector<size_t> newest_checkpoints(const std::vector<TryCheckpoint>& checkpoints,
                                       const std::vector<std::string>& run_ids, size_t most);

}  // namespace headroom
