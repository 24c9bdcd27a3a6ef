#pragma once

#include <cstdint>
#include <memory>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "datasets/sequence_source.h"
#include "datasets/tokenizers/tokenizer.h"

namespace headroom {

/// Opens the data of a job. `seed` chooses the training batches, never the evaluation batches.
/// Paths are used as they stand (relative ones from the working directory). The specs are:
///   text:FILE_OR_FOLDER  text, cut into tokens by config.tokenizer
///   tokens:FILE          a nanoGPT or llm.c token file; ?vocab=N declares its vocabulary,
///                        otherwise it is that of a gpt2:, json: or sp: tokenizer, otherwise of
///                        the manifest, otherwise the largest id + 1
///   hdf5:FILE            an array of integers of an HDF5 file (datasets/formats/stored_tokens.h)
///   task:NAME?KEY=VALUE  a built-in synthetic task (datasets/tasks/task.h)
///   images:PATH          pictures and their classes (datasets/images/open_images.h)
///   split:F              for val only: the last fraction F of the training data; for a task, a
///                        stream of its own
/// Throws UserError for a bad spec or bad data (missing, empty, binary, id outside the vocabulary).
/// Data too short for the sequence length are reported by the first batch asked for.
/// `tokenizer`, if given, cuts text in place of config.tokenizer: that of a checkpoint.
std::unique_ptr<DataSource> open_data(const DataConfig& config, int64_t seed,
                                      std::shared_ptr<const Tokenizer> tokenizer = nullptr);

/// The same, with what the batches do not tell.
struct OpenedData {
    std::unique_ptr<DataSource> batches;
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null where the tokens stand for no text
    int64_t train_tokens = -1;                   ///< -1 = endless; of images their number
    int64_t val_tokens = -1;
    std::shared_ptr<const SequenceSource> val{};  ///< the rows of `batches`; null of images
    std::string problem{};  ///< one line where what is validated is trained on, else ""
};
OpenedData open_all_data(const DataConfig& config, int64_t seed,
                         std::shared_ptr<const Tokenizer> tokenizer = nullptr);

/// The vocabulary that is known before the data of data.train are there: that of a task, of a
/// tokenizer that has one of its own, or what a tokens: or hdf5: spec declares; 0 where only the
/// data say it. UserError for a bad spec or tokenizer.
int64_t known_vocabulary(const DataConfig& config);

}  // namespace headroom
