#include "app/commands/eval_command.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/train/evaluation.h"
#include "core/train/training_session.h"
#include "datasets/open_data.h"

namespace headroom {
namespace {

struct EvalArguments {
    CheckpointArguments checkpoint;
    std::string data, tokenizer = "byte", precision = "float32", device = "auto";
    int64_t batches = 20, batch_size = 16, seq_len = 0;
    bool json = false;
};

void evaluate(const EvalArguments& arguments) {
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const ModelWeights weights = open_checkpoint(arguments.checkpoint);
    Job job;
    job.model = weights.config();
    job.precision = parse_dtype(arguments.precision);
    // A spec alone is evaluated whole; the training side is then the same data, never drawn from.
    job.data = {arguments.data, arguments.data, arguments.tokenizer};
    job.train.batch_size = arguments.batch_size;
    job.train.seq_len = arguments.seq_len > 0 ? arguments.seq_len : job.model.block_size;
    weights.check_length(job.train.seq_len);
    job.train.eval_batches = arguments.batches;
    const std::unique_ptr<BatchSource> data = open_data(job.data, job.seed);
    resolve_vocab_size(job, *data);

    EvaluationSession session(job, *data, *device);
    session.load(weights);
    const double loss = session.evaluate();
    const int64_t tokens = job.train.eval_batches * job.train.batch_size * job.train.seq_len;
    if (arguments.json) {
        const nlohmann::ordered_json document = {{"loss", loss},
                                                 {"perplexity", std::exp(loss)},
                                                 {"tokens", tokens},
                                                 {"data", data->describe()}};
        fmt::print("{}\n", document.dump(2));
    } else {
        fmt::print("loss {:.4f} nats per token, perplexity {:.3f}, {} tokens\n", loss,
                   std::exp(loss), tokens);
    }
}

}  // namespace

void add_eval_command(CLI::App& app) {
    CLI::App* command =
        app.add_subcommand("eval", "Measure a checkpoint's loss and perplexity on data");
    const auto arguments = std::make_shared<EvalArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("--data", arguments->data, "text:PATH, tokens:FILE or task:NAME")
        ->required();
    command->add_option("--tokenizer", arguments->tokenizer, "byte, char, gpt2:FOLDER or json:FILE")
        ->capture_default_str();
    command->add_option("--precision", arguments->precision, "float32, float64 or bfloat16")
        ->capture_default_str();
    command->add_option("--batches", arguments->batches, "Batches to average over")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command->add_option("--batch-size", arguments->batch_size, "Sequences per batch")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    command->add_option("--seq-len", arguments->seq_len, "Tokens per sequence (block_size)")
        ->check(CLI::Range(1, 1 << 24));
    command->add_option("--device", arguments->device, "cpu, cuda or auto")
        ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { evaluate(*arguments); });
}

}  // namespace headroom
