#pragma once

#include <cstdint>
#include <string>

#include "app/checkpoint_loading.h"

namespace headroom {

struct RecoverArguments {
    CheckpointArguments checkpoint;
    std::string data, val = "split:0.1", tokenizer, study_dir;
    int64_t steps = 150, batch_size = 16, seq_len = 0;  ///< seq_len 0: block_size, at most 256
    double lr = 3e-4;
};

/// Makes a study that takes the norms out of a trained checkpoint and trains on: as it is, with all
/// norms frozen at once, and with those of one layer after the other (Karbevski & Mijoski, remark
/// 2), each for `steps` steps in all. Its last runs have no norms, so that exact surgeries apply to
/// them. UserError where the model has no norms or they cannot be frozen.
void make_recovery_study(const RecoverArguments& arguments);

}  // namespace headroom
