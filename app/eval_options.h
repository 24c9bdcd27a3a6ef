#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/config/job.h"
#include "core/data/data_source.h"
#include "core/weights/weight_source.h"
#include "datasets/open_data.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace headroom {

/// How a command measures the loss of a checkpoint.
struct EvalOptions {
    std::string data;  ///< text:PATH, tokens:FILE or task:NAME; evaluated whole
    std::string tokenizer, precision = "float32", device = "auto";
    int64_t batches = 20, batch_size = 16;
    int64_t seq_len = 0;  ///< 0 = block_size

    int64_t tokens(const Job& job) const { return batches * batch_size * job.train.seq_len; }
};

/// Adds --tokenizer, --precision, --batches, --batch-size, --seq-len and --device; the option for
/// the data is the command's own. Where it may be left out, the others but --device need it: they
/// say how, and without it nothing is measured.
void add_eval_options(CLI::App& command, EvalOptions& options, CLI::Option* data = nullptr);

/// A job for an EvaluationSession of `weights`, which measures what they were trained to predict.
/// UserError for sequences that the model cannot take.
Job evaluation_job(const WeightSource& weights, const EvalOptions& options);

/// The data of `job`, cut by the tokenizer that the checkpoint was trained with, or by the one that
/// is given where it names none (byte). UserError if both are there and differ.
std::unique_ptr<DataSource> open_evaluation_data(const WeightSource& weights, const Job& job,
                                                 const EvalOptions& options);
/// The same, with the tokenizer that cuts it.
OpenedData open_all_evaluation_data(const WeightSource& weights, const Job& job,
                                    const EvalOptions& options);

}  // namespace headroom
