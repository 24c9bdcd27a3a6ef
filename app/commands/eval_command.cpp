#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/eprint.h"
#include "app/eval_options.h"
#include "app/eval_positions.h"
#include "app/eval_task.h"
#include "app/job_loading.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/model/objective_data.h"
#include "core/train/evaluation.h"
#include "datasets/evaluations/evaluation_task.h"
#include "datasets/open_data.h"
#include "datasets/target_bytes.h"
#include "datasets/whole_source.h"

namespace headroom {
namespace {

struct EvalArguments {
    CheckpointArguments checkpoint;
    EvalOptions options;
    EvalTaskOptions task;
    bool by_position = false;
    bool whole = false;
    bool all_images = true;  ///< --batches is not given
};

std::vector<std::string> names_of_tasks() {
    std::vector<std::string> names;
    for (const EvaluationTask& task : evaluation_tasks()) names.push_back(task.name);
    return names;
}

/// Positions that the data ignore are left out.
nlohmann::ordered_json position_rows(const std::vector<LossSum>& sums) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (size_t t = 0; t < sums.size(); ++t)
        if (sums[t].targets > 0)
            rows.push_back(
                {{"position", t}, {"loss", sums[t].mean()}, {"targets", sums[t].targets}});
    return rows;
}

void print_positions(const nlohmann::ordered_json& rows) {
    fmt::print("position      loss   targets\n");
    for (const auto& row : rows)
        fmt::print("{:>8}  {:>8.4f}  {:>8}\n", row["position"].get<int64_t>(),
                   row["loss"].get<double>(), row["targets"].get<int64_t>());
}

/// Of models that predict the next token of a text: what compares them where tokenizers differ.
std::optional<double> bits_per_byte(const LossSum& sum, const Job& job, const OpenedData& opened) {
    if (!opened.tokenizer || job.train.is_masked()) return std::nullopt;
    const std::optional<int64_t> bytes =
        target_bytes(*opened.batches, job.train.eval_batches,
                     Batch::of_tokens(job.train.batch_size, job.train.seq_len), *opened.tokenizer);
    if (!bytes || *bytes == 0) return std::nullopt;
    return sum.nats / std::numbers::ln2 / static_cast<double>(*bytes);
}

struct MeasuredLoss {
    LossSum sum;
    int64_t tokens = 0;                     ///< that were read
    std::optional<double> bits_per_byte;    ///< none where the tokens stand for no text
    nlohmann::ordered_json positions = {};  ///< position_rows(); null where nobody asked
};

void print_loss(const MeasuredLoss& measured, bool masked, const DataInfo& data, bool as_json) {
    const LossSum& sum = measured.sum;
    if (as_json) {
        nlohmann::ordered_json document = {{"loss", sum.mean()},
                                           {"perplexity", std::exp(sum.mean())}};
        if (measured.bits_per_byte) document["bits_per_byte"] = *measured.bits_per_byte;
        document["tokens"] = measured.tokens;
        document["data"] = data.description;
        if (masked) document["masked_tokens"] = sum.targets;
        if (!measured.positions.is_null()) document["positions"] = measured.positions;
        fmt::print("{}\n", dump_text(document, 2));
        return;
    }
    fmt::print("loss {:.4f} nats per {}token, perplexity {:.3f}, {}{}{} tokens\n", sum.mean(),
               masked ? "masked " : "", std::exp(sum.mean()),
               measured.bits_per_byte
                   ? fmt::format("{:.4f} bits per byte, ", *measured.bits_per_byte)
                   : "",
               masked ? fmt::format("{} masked of ", sum.targets) : "", measured.tokens);
    if (!measured.positions.is_null()) print_positions(measured.positions);
}

void print_classes(const LossSum& sum, const DataInfo& data, bool as_json) {
    if (as_json)
        fmt::print("{}\n", dump_text(nlohmann::ordered_json{{"loss", sum.mean()},
                                                            {"accuracy", sum.accuracy()},
                                                            {"correct", sum.correct},
                                                            {"images", sum.targets},
                                                            {"data", data.description}},
                                     2));
    else
        fmt::print("loss {:.4f} nats per image, accuracy {:.2f} %, {:.0f} of {} images\n",
                   sum.mean(), 100 * sum.accuracy(), sum.correct, sum.targets);
}

/// Classes are numbers to a model: which they are to it, only its own data tell.
void note_other_classes(const ModelConfig& model, const DataInfo& data) {
    if (data.vocab_size < model.vocab_size)
        eprint(
            "note: the model tells {} classes apart, and the data have {}: the accuracy means "
            "something only where they are its first ones, in its order\n",
            model.vocab_size, data.vocab_size);
}

/// Every token of the data once, in place of windows spread over them.
void walk_whole(OpenedData& opened, Job& job) {
    if (opened.val == nullptr || job.train.objective != TrainingObjective::kNextToken)
        throw UserError("--whole is of models that predict the next token", "leave it out");
    // They would read what fills up the last window.
    if (!job.model.causal)
        throw UserError("--whole is of models that read from left to right (model.causal)",
                        "leave it out");
    if (job.model.mlp_capacity > 0)
        eprint("note: what fills up the last batch takes places of experts, too (mlp_capacity)\n");
    job.train.eval_batches = whole_batches(*opened.val, job.train.batch_size, job.train.seq_len);
    opened.batches = make_whole_source(opened.val, opened.batches->info());
}

void evaluate(const EvalArguments& arguments) {
    const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
    if (!arguments.task.tasks.empty())
        return evaluate_tasks(weights, arguments.options, arguments.task);
    const std::unique_ptr<Device> device = open_device(arguments.options.device);
    Job job = evaluation_job(weights, arguments.options);
    OpenedData opened = open_all_evaluation_data(weights, job, arguments.options);
    if (arguments.whole) walk_whole(opened, job);
    const std::unique_ptr<DataSource>& data = opened.batches;
    resolve_vocab_size(job, *data);
    if (job.model.reads_images()) {
        if (arguments.by_position)
            throw UserError("--by-position is of tokens, and the model reads images",
                            "leave it out");
        note_other_classes(job.model, data->info());
        const int64_t rows = job.train.batch_size;
        if (arguments.all_images) job.train.eval_batches = (opened.val_tokens + rows - 1) / rows;
    }

    EvaluationSession session(job, *data, *device);
    session.load(weights);
    const LossSum sum = session.evaluate_sum();
    if (job.model.reads_images()) return print_classes(sum, data->info(), arguments.task.json);
    if (!std::isfinite(sum.mean()))
        throw UserError(fmt::format("the loss of {} is no number", weights.title()),
                        "its training has diverged: take an earlier checkpoint");
    const int64_t read = arguments.whole ? sum.targets : arguments.options.tokens(job);
    if (opened.val_tokens > 0 && read > opened.val_tokens)
        eprint(
            "note: the data have {} tokens; windows spread over them read some more than "
            "once (--whole reads each once)\n",
            opened.val_tokens);
    // What the mean is over: tasks ask of some tokens alone.
    const int64_t tokens = job.train.is_masked() ? read : sum.targets;
    MeasuredLoss measured{sum, tokens, bits_per_byte(sum, job, opened)};
    if (arguments.by_position)
        measured.positions = position_rows(loss_by_position(job, *data, weights, *device));
    print_loss(measured, job.train.is_masked(), data->info(), arguments.task.json);
}

}  // namespace

/// headroom eval --checkpoint FILE (--data SPEC | --task NAME:FILE... [--limit N]) [--json]
void add_eval_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand(
        "eval", "Measure a checkpoint's loss on data, or its zero-shot scores on a task");
    const auto arguments = std::make_shared<EvalArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    auto* what = command->add_option_group("what to measure on")->require_option(1);
    what->add_option(
        "--data", arguments->options.data,
        "text:PATH, tokens:FILE, hdf5:FILE, task:NAME or, for a model of images, images:FOLDER");
    CLI::Option* tasks =
        what->add_option(
                "--task", arguments->task.tasks,
                fmt::format("NAME:FILE, a task in JSONL, or a name alone where the program makes "
                            "it up; may be repeated: {}",
                            fmt::join(names_of_tasks(), ", ")))
            ->take_all();
    command->add_option("--limit", arguments->task.limit, "Items of each task; 0: all")
        ->check(CLI::Range(int64_t{0}, int64_t{1} << 32))
        ->needs(tasks);
    command->add_option("--out", arguments->task.out, "Keep every item's scores in this HDF5 file")
        ->needs(tasks);
    command
        ->add_option("--against", arguments->task.against,
                     "Another model's --out: the same items compared, with McNemar's exact test")
        ->needs(tasks);
    command
        ->add_option("--harness", arguments->task.harness,
                     "Write the results as lm-evaluation-harness does, into this JSON file")
        ->needs(tasks);
    add_eval_options(*command, arguments->options);
    command
        ->add_flag("--whole", arguments->whole,
                   "Every token of the data once, from end to end, in place of --batches spread "
                   "over them")
        ->excludes(command->get_option("--batches"));
    command->add_flag("--by-position", arguments->by_position,
                      "The loss at every position of the sequences, too (from 0: of the token "
                      "after it)");
    // A task has its own items, one at a time.
    for (const char* of_data :
         {"--batches", "--batch-size", "--seq-len", "--whole", "--by-position"})
        command->get_option(of_data)->excludes(tasks);
    command->add_flag("--json", arguments->task.json, "Print one JSON document");
    command->callback([arguments, command] {
        arguments->all_images = command->count("--batches") == 0;
        evaluate(*arguments);
    });
}

}  // namespace headroom
