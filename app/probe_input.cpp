#include "app/probe_input.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/job_loading.h"
#include "app/token_list.h"
#include "app/token_text.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/tokenizer_spec.h"
#include "core/model/objective_data.h"
#include "core/probe/probe_list.h"
#include "core/study/run_folder.h"
#include "core/study/run_job.h"
#include "datasets/counter_random.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

/// The checkpoint of the run's folder that is meant.
CheckpointFiles find_run_checkpoint(const RunFolder& run, int64_t step) {
    const std::vector<CheckpointFiles> all = checkpoints_of(run);
    if (step < 0) return all.back();
    std::string steps;
    for (const CheckpointFiles& files : all) {
        if (files.step == step) return files;
        steps += fmt::format("{}{}", steps.empty() ? "" : ", ", files.step);
    }
    throw UserError(fmt::format("{} has no checkpoint of step {}", run.root.string(), step),
                    "use one of " + steps);
}

bool gives_tokens(const ProbeOptions& options) {
    return !options.token_list.empty() || !options.prompt.empty() || !options.eval.data.empty() ||
           options.repeat > 0;
}

void check_source(const ProbeSchema& schema, const ProbeOptions& options) {
    const bool file = !options.checkpoint.path.empty(), run = !options.run.empty();
    if (file == run)
        throw UserError(file ? "a run's folder and --checkpoint are both given"
                             : "it is not said what to probe",
                        file ? "leave one out" : "give a run's folder, or --checkpoint FILE");
    if (file && options.step >= 0)
        throw UserError("--step goes with a run's folder, not with --checkpoint", "leave it out");
    if (file && options.out.empty())
        throw UserError("--checkpoint FILE has no place of its own for probes",
                        "give --out FILE.h5");
    if (file && !schema.weights_alone && !gives_tokens(options))
        throw UserError("it is not said on which tokens to probe",
                        "give --prompt TEXT, --tokens 1,2,3 or --data SPEC");
}

CheckpointWeights open_weights(const ProbeOptions& options, ProbeHeader& header) {
    CheckpointArguments arguments = options.checkpoint;
    int64_t step = -1;
    if (!options.run.empty()) {
        const CheckpointFiles files = find_run_checkpoint({options.run}, options.step);
        arguments.path = files.weights.string();
        step = files.step;
    }
    header.checkpoint = arguments.path;
    CheckpointWeights weights = open_checkpoint(arguments);
    header.step = weights.metadata().step.value_or(step);
    header.model = weights.config();
    return weights;
}

/// The job that the run had, or one that evaluates the checkpoint; its data are those to probe.
Job probe_job(const WeightSource& weights, const ProbeOptions& options, ProbeHeader& header) {
    EvalOptions eval = options.eval;
    if (options.run.empty()) return evaluation_job(weights, eval);
    Job job = load_run_job({options.run});
    header.run = job.name;
    if (eval.seq_len == 0) eval.seq_len = job.train.seq_len;
    const Job evaluation = evaluation_job(weights, eval);
    job.model = evaluation.model;
    job.precision = evaluation.precision;
    job.train.seq_len = evaluation.train.seq_len;
    job.train.batch_size = evaluation.train.batch_size;
    if (!eval.data.empty()) job.data = evaluation.data;
    return job;
}

std::vector<int32_t> data_tokens(ProbeInput& input, const ProbeOptions& options) {
    input.data = open_all_evaluation_data(input.weights, input.job, options.eval);
    resolve_vocab_size(input.job, *input.data.batches);
    const int64_t rows = options.eval.batch_size, seq_len = input.job.train.seq_len;
    Batch batch = Batch::of_tokens(rows, seq_len);
    std::vector<int32_t> ids;
    for (int64_t index = 0; index < options.eval.batches; ++index) {
        input.data.batches->eval_batch(index, batch);
        ids.insert(ids.end(), batch.tokens().begin(), batch.tokens().end());
    }
    input.header.text = input.job.data.evaluated();
    input.tokens.batch_size = options.sequences();
    input.pass_rows = rows;
    return ids;
}

/// Every sequence is `options.repeat` random tokens, twice over.
std::vector<int32_t> repeated_tokens(ProbeInput& input, const ProbeOptions& options,
                                     const Tokenizer* tokenizer) {
    std::vector<int32_t> vocabulary;
    for (int32_t id = 0; id < input.weights.config().vocab_size; ++id)
        if (tokenizer == nullptr || tokenizer->knows(id)) vocabulary.push_back(id);
    std::vector<int32_t> ids;
    for (int64_t b = 0; b < options.sequences(); ++b) {
        CounterRandom random(
            {static_cast<uint64_t>(options.repeat_seed), static_cast<uint64_t>(b)});
        std::vector<int32_t> half;
        for (int64_t i = 0; i < options.repeat; ++i)
            half.push_back(vocabulary[static_cast<size_t>(random.below(std::ssize(vocabulary)))]);
        for (int twice = 0; twice < 2; ++twice) ids.insert(ids.end(), half.begin(), half.end());
    }
    input.header.text = fmt::format("repeat:{}?seed={}", options.repeat, options.repeat_seed);
    input.tokens.batch_size = options.sequences();
    input.pass_rows = options.eval.batch_size;
    return ids;
}

std::vector<int32_t> prompt_tokens(const WeightSource& weights, const ProbeOptions& options,
                                   const Tokenizer* tokenizer) {
    if (tokenizer == nullptr)
        throw UserError(weights.title() + " does not say which tokenizer it was trained with",
                        fmt::format("give --tokenizer {}, or --tokens", tokenizer_forms(false)));
    return tokens_to_read(*tokenizer, options.prompt);
}

/// The first images of the validation data.
void read_images(ProbeInput& input, const ProbeOptions& options) {
    if (!options.token_list.empty() || !options.prompt.empty() || options.repeat > 0)
        input.weights.check_reads_tokens();
    input.data = open_all_evaluation_data(input.weights, input.job, options.eval);
    resolve_vocab_size(input.job, *input.data.batches);
    const ModelConfig& model = input.job.model;
    const int64_t rows = options.sequences();
    input.images = Batch::of_images(rows, model.n_patch(), model.patch_width());
    input.data.batches->eval_batch(0, *input.images);
    input.tokens = image_places(model, rows);
    input.pass_rows = options.eval.batch_size;
    input.header.text = input.job.data.evaluated();
}

/// What each of them reads as, where there is a tokenizer.
void name_tokens(ProbeInput& input, const std::shared_ptr<const Tokenizer>& tokenizer) {
    input.tokenizer = tokenizer;
    if (tokenizer == nullptr) return;
    for (const int32_t id : input.tokens.ids)
        input.tokens.pieces.push_back(token_text(*tokenizer, id));
}

void read_tokens(ProbeInput& input, const ProbeOptions& options) {
    std::shared_ptr<const Tokenizer> tokenizer;
    const bool from_data =
        options.token_list.empty() && options.prompt.empty() && options.repeat == 0;
    if (!from_data) tokenizer = checkpoint_tokenizer(input.weights, options.eval.tokenizer);
    std::vector<int32_t>& ids = input.tokens.ids;
    if (!options.token_list.empty()) {
        ids = parse_token_list(options.token_list);
        input.header.text = "tokens";
    } else if (!options.prompt.empty()) {
        ids = prompt_tokens(input.weights, options, tokenizer.get());
        input.header.text = "prompt";
    } else if (options.repeat > 0) {
        ids = repeated_tokens(input, options, tokenizer.get());
    } else {
        ids = data_tokens(input, options);
        tokenizer = input.data.tokenizer;
    }
    input.tokens.seq_len = static_cast<int64_t>(ids.size()) / input.tokens.batch_size;
    input.weights.check_length(input.tokens.seq_len);
    name_tokens(input, tokenizer);
}

/// The first validation batch of what `data` has opened.
void read_first_batch(ProbeInput& input) {
    const TrainConfig& train = input.job.train;
    Batch batch = Batch::of_tokens(train.batch_size, train.seq_len);
    input.data.batches->eval_batch(0, batch);
    input.tokens = {
        train.batch_size, train.seq_len, {batch.tokens().begin(), batch.tokens().end()}, {}};
    name_tokens(input, input.data.tokenizer);
}

/// For a kind that trains: the run's batches, or those of the defaults of training, on the data
/// that are asked for.
void open_training_data(ProbeInput& input, const ProbeOptions& options) {
    Job& job = input.job;
    TrainConfig train;
    train.objective = job.train.objective;
    train.mask_rate = job.train.mask_rate;
    train.mask_span = job.train.mask_span;
    if (!options.run.empty()) train = load_run_job({options.run}).train;
    train.seq_len = job.train.seq_len;
    if (options.train_batch_size > 0) train.batch_size = options.train_batch_size;
    if (options.eval_batches > 0) train.eval_batches = options.eval_batches;
    job.train = train;
    if (!options.eval.data.empty()) job.data.val = options.val_data;
    input.data = open_all_evaluation_data(input.weights, job, options.eval);
    resolve_vocab_size(job, *input.data.batches);
    input.header.text = job.data.both();
    if (!job.model.reads_images()) read_first_batch(input);
    input.sequences = job.train.eval_batches * job.train.batch_size;
}

fs::path place_for(const ProbeOptions& options, const ProbeHeader& header) {
    if (!options.out.empty()) {
        check_not_source(options.out, header.checkpoint);
        return options.out;
    }
    const RunFolder run{options.run};
    make_probes_folder(run.root);
    return run.probes() / probe_file_name(header.kind, header.step);
}

}  // namespace

ProbeInput open_probe_input(const ProbeSchema& schema, const ProbeOptions& options) {
    check_source(schema, options);
    ProbeHeader header;
    header.kind = schema.file_word();
    CheckpointWeights weights = open_weights(options, header);
    Job job = probe_job(weights, options, header);
    const DType precision = job.precision;
    ProbeInput input{
        std::move(weights), std::move(job), std::move(header), {}, {}, {}, precision, 1, {}};
    if (input.job.model.reads_images() && !schema.of_images)
        throw UserError(fmt::format("{} reads texts, but {} is a model of images", schema.kind,
                                    input.weights.title()),
                        "headroom eval --data images:FOLDER says how many pictures are right");
    input.device = open_device(options.eval.device);
    if (schema.weights_alone && !gives_tokens(options)) {
        input.header.text = "the weights";
        input.tokens.batch_size = 0;
        input.out = place_for(options, input.header);
        return input;
    }
    if (input.job.model.reads_images())
        read_images(input, options);
    else if (schema.tokens != ProbeTokenUse::kTrainingData)
        read_tokens(input, options);
    input.sequences = input.tokens.batch_size;
    if (schema.tokens == ProbeTokenUse::kTrainingData) open_training_data(input, options);
    input.out = place_for(options, input.header);
    return input;
}

CheckpointWeights open_probe_weights(const std::string& file_or_run) {
    CheckpointArguments arguments;
    arguments.path = file_or_run;
    if (is_run({file_or_run}))
        arguments.path = find_run_checkpoint({file_or_run}, -1).weights.string();
    return open_checkpoint(arguments);
}

}  // namespace headroom
