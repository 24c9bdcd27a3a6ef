#include "app/eval_options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/checkpoint_loading.h"
#include "app/dtype_option.h"
#include "app/eprint.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/config/objective_json.h"
#include "core/data/data_spec.h"
#include "core/data/tokenizer_spec.h"

namespace headroom {

void add_eval_options(CLI::App& command, EvalOptions& options, CLI::Option* data) {
    CLI::Option* measuring[] = {
        command
            .add_option("--tokenizer", options.tokenizer,
                        tokenizer_forms() + ", where the checkpoint names none (byte)")
            ->capture_default_str(),
        command.add_option("--precision", options.precision, "float32, float64 or bfloat16")
            ->capture_default_str(),
        command
            .add_option("--batches", options.batches,
                        "Batches to average over; of images all unless given")
            ->check(CLI::Range(1, 1000000))
            ->capture_default_str(),
        command.add_option("--batch-size", options.batch_size, "Sequences per batch")
            ->check(CLI::Range(1, 65536))
            ->capture_default_str(),
        command.add_option("--seq-len", options.seq_len, "Tokens per sequence (block_size)")
            ->check(CLI::Range(1, 1 << 24))};
    if (data != nullptr)
        for (CLI::Option* option : measuring) option->needs(data);
    add_device_option(command, options.device);
}

Job evaluation_job(const WeightSource& weights, const EvalOptions& options) {
    Job job;
    job.model = weights.config();
    job.precision = computed_type_option("--precision", options.precision);
    // A spec alone is evaluated whole; the training side is then the same data, never drawn from.
    job.data = {options.data, options.data, options.tokenizer.empty() ? "byte" : options.tokenizer};
    job.train.batch_size = options.batch_size;
    job.train.seq_len = options.seq_len > 0 ? options.seq_len : job.model.block_size;
    weights.check_length(job.train.seq_len);
    if (job.model.reads_images()) {
        job.train.objective = TrainingObjective::kClasses;
        if (job.train.seq_len != job.model.block_size)
            throw UserError(fmt::format("an image has {} positions, not {}", job.model.block_size,
                                        job.train.seq_len),
                            "leave --seq-len out");
    }
    const auto& entries = weights.metadata().other;
    if (const auto objective = entries.find("objective"); objective != entries.end())
        read_objective(objective->second, weights.title(), job.train);
    job.train.eval_batches = options.batches;
    return job;
}

OpenedData open_all_evaluation_data(const WeightSource& weights, const Job& job,
                                    const EvalOptions& options) {
    // char takes its alphabet from the data only where no checkpoint knows it.
    const bool named = weights.metadata().other.contains("tokenizer");
    if (!named && options.tokenizer == "char") return open_all_data(job.data, job.seed);
    const bool is_text = data_kind_of(job.data.val) == DataSpec::Kind::kText;
    if (!named && !is_text && options.tokenizer.empty()) {
        // Ids need none, but say what they were made with, and one may lie beside the checkpoint.
        const bool is_task = data_kind_of(job.data.val) == DataSpec::Kind::kTask;
        return open_all_data(job.data, job.seed, is_task ? nullptr : readable_tokenizer(weights));
    }
    const auto tokenizer = checkpoint_tokenizer(weights, options.tokenizer);
    OpenedData data = open_all_data(job.data, job.seed, tokenizer);
    if (!tokenizer && is_text)
        eprint("note: {} names no tokenizer; its text is read as bytes\n", weights.title());
    return data;
}

std::unique_ptr<DataSource> open_evaluation_data(const WeightSource& weights, const Job& job,
                                                 const EvalOptions& options) {
    return open_all_evaluation_data(weights, job, options).batches;
}

}  // namespace headroom
