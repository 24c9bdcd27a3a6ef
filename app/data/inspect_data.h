#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/data/data_card.h"
#include "core/config/job.h"

namespace headroom {

struct InspectOptions {
    DataConfig data;
    int64_t seed = 1;
    int64_t batch_size = 16, seq_len = 256, grad_accum = 1;
    int64_t batches = 3;  ///< of each kind to hash
};

/// A look at data as a run would see them.
struct DataReport {
    std::string description;
    int64_t vocab_size = 0;
    bool images = false;  ///< then what is counted are images, and hashes are of 32 pixels in
                          ///< patches of 4
    int64_t train_tokens = -1, val_tokens = -1;  ///< -1 = endless
    double scored = 1;   ///< part of the targets in the first batches that the loss counts
    std::string sample;  ///< start of the first training row; ids where there is no text
    bool sample_is_text = false;
    std::vector<uint64_t> train_hashes;  ///< of steps 1, 2, ..., as a run records them
    std::vector<uint64_t> eval_hashes;   ///< of evaluation batches 0, 1, ...
    std::optional<DataCard> card;        ///< of a token file
    /// nullptr where the tokens are no text, or nobody says of which vocabulary.
    std::shared_ptr<const Tokenizer> tokenizer;
};

/// Throws UserError as open_data does.
DataReport inspect_data(const InspectOptions& options);

}  // namespace headroom
