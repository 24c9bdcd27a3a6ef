#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/config/conversions.h"
#include "core/config/field_binding.h"
#include "core/config/recipes.h"

namespace headroom {
namespace {

constexpr char kTraining[] = "Training";
constexpr char kOptimizer[] = "Optimizer";
constexpr char kReports[] = "Evaluation and checkpoints";

template <class T>
BoundField bind_train(T TrainConfig::*member, Field field) {
    field.path = "train." + field.path;
    return bind(
        std::move(field), [member](auto& job) -> auto& { return job.train.*member; });
}

/// Understood when reading: what they mean is written out under other keys.
BoundField input_field(Field field) {
    field.path = "train." + field.path;
    field.input_only = true;
    return {std::move(field), [](const Job&) { return nlohmann::json(); },
            [](Job&, const nlohmann::json&) {}};
}

BoundField recipe_field() {
    Field field{.path = "recipe",
                .help =
                    "Published recipe that fills what the train section leaves open; "
                    "precision stays the job's",
                .type = FieldType::kChoice,
                .default_text = "none",
                .group = kTraining};
    for (const Recipe& recipe : recipes()) field.choices.push_back(recipe.name);
    return input_field(std::move(field));
}

BoundField share_field(std::string key, const std::string& number, std::string help) {
    return input_field({.path = std::move(key),
                        .help = std::move(help),
                        .type = FieldType::kNumber,
                        .default_text = "none: " + number,
                        .minimum = 0,
                        .maximum = 1,
                        .group = kOptimizer,
                        .advanced = true,
                        .instead_of = "train." + number});
}

void add_lengths(std::vector<BoundField>& fields) {
    fields.push_back(recipe_field());
    fields.push_back(
        bind_train(&TrainConfig::steps, {.path = "steps",
                                         .help = "Optimizer steps; 0 = only a checkpoint "
                                                 "and the probes of step 0",
                                         .unit = "steps",
                                         .minimum = 0,
                                         .maximum = kMostTrainSteps,
                                         .group = kTraining}));
    fields.push_back(bind_train(&TrainConfig::batch_size, {.path = "batch_size",
                                                           .help = "Sequences per micro-batch",
                                                           .unit = "sequences",
                                                           .minimum = 1,
                                                           .maximum = 1 << 16,
                                                           .group = kTraining}));
    const int64_t usual = TrainConfig{}.seq_len;
    fields.push_back(with_default(
        bind_train(&TrainConfig::seq_len, {.path = "seq_len",
                                           .help = "Tokens per sequence, at most model.block_size",
                                           .unit = "tokens",
                                           .minimum = 1,
                                           .maximum = 1 << 20,
                                           .group = kTraining}),
        fmt::format("{}, or block_size if that is less; of images block_size", usual),
        [usual](OpenKeys& keys) {
            const ModelConfig& model = keys.model();
            return model.reads_images() ? model.block_size : std::min(usual, model.block_size);
        }));
    fields.push_back(bind_train(&TrainConfig::grad_accum,
                                {.path = "grad_accum",
                                 .help = "Micro-batches whose gradients one step averages",
                                 .unit = "micro-batches",
                                 .minimum = 1,
                                 .maximum = 1 << 16,
                                 .group = kTraining,
                                 .advanced = true}));
    fields.push_back(bind_train(&TrainConfig::dropout,
                                {.path = "dropout",
                                 .help = "Share of activations dropped in training (embedding sum, "
                                         "attention weights, after W_O, after W_down)",
                                 .minimum = 0,
                                 .maximum = 1,
                                 .open_maximum = true,
                                 .group = kTraining}));
}

void add_objective(std::vector<BoundField>& fields) {
    fields.push_back(with_default(
        bind_train(&TrainConfig::objective,
                   {.path = "objective",
                    .help = "What is predicted: the next token, or (masked; needs model.causal = "
                            "false) the originals of masked tokens; the mask is one token more in "
                            "model.vocab_size; of images their classes",
                    .group = kTraining,
                    .advanced = true,
                    .newer = true}),
        "next_token; of images classes",
        [](OpenKeys& keys) { return keys.model().reads_images() ? "classes" : "next_token"; }));
    fields.push_back(bind_train(
        &TrainConfig::mask_rate,
        {.path = "mask_rate",
         .help = "Share of the positions that are chosen, at least one a row; of them 80 % become "
                 "the mask, 10 % another token, 10 % stay",
         .minimum = 0,
         .maximum = 1,
         .open_minimum = true,
         .group = kTraining,
         .advanced = true,
         .newer = true}));
    fields.push_back(bind_train(&TrainConfig::mask_span,
                                {.path = "mask_span",
                                 .help = "Neighbours that are chosen together, until the rate is "
                                         "met; 1 = every position by itself; at most seq_len",
                                 .unit = "tokens",
                                 .minimum = 1,
                                 .maximum = 1 << 16,
                                 .group = kTraining,
                                 .advanced = true,
                                 .newer = true}));
}

std::vector<std::string> none_or_conversion() {
    std::vector<std::string> choices{"none"};
    for (const Conversion& conversion : conversions()) choices.emplace_back(conversion.name);
    return choices;
}

void add_start(std::vector<BoundField>& fields) {
    fields.push_back(bind_train(
        &TrainConfig::init_from,
        {.path = "init_from",
         .help = "Initial weights: random, or a checkpoint file, looked for from the folder of "
                 "the job or study",
         .group = kTraining,
         .advanced = true}));
    fields.push_back(bind_train(
        &TrainConfig::init_convert,
        {.path = "init_convert",
         .help = fmt::format("How the checkpoint in init_from becomes this model: a multi-head one "
                             "SkipV1Former by {}, GQA by {}",
                             fmt::join(conversions_to("skipv1"), ", "),
                             fmt::join(conversions_to("gqa"), ", ")) +
                 "; freeze_norms turns the "
                 "norms that model.norm and norm_f lack into their average scale; rewire keeps the "
                 "heads that model.wiring still projects, one that several of its layer read "
                 "with the weights of the first",
         .choices = none_or_conversion(),
         .group = kTraining,
         .advanced = true}));
}

void add_schedule(std::vector<BoundField>& fields) {
    fields.push_back(share_field("min_lr_share", "min_lr", "min_lr as a share of lr"));
    fields.push_back(
        bind_train(&TrainConfig::schedule,
                   {.path = "schedule",
                    .help = "How the rate runs: nanoGPT's linear warm-up and cosine, "
                            "one_cycle (cosine warm-up from lr / 100), or linear_cosine "
                            "(from 0)",
                    .group = kOptimizer,
                    .advanced = true,
                    .newer = true}));
    fields.push_back(bind_train(&TrainConfig::decay_steps,
                                {.path = "decay_steps",
                                 .help = "Steps after which the cosine has reached min_lr; more "
                                         "than steps = a run that stops on the way; 0 = steps",
                                 .unit = "steps",
                                 .minimum = 0,
                                 .maximum = kMostTrainSteps,
                                 .group = kOptimizer,
                                 .advanced = true,
                                 .newer = true}));
    fields.push_back(share_field("warmup_share", "warmup_steps",
                                 "warmup_steps as a share of the steps of the cosine"));
}

/// Of min_lr_share; a tenth without.
double default_min_lr(OpenKeys& keys) {
    const double lr = keys.number("lr");
    return keys.has("min_lr_share") ? lr * keys.number("min_lr_share") : lr / 10;
}

/// Of warmup_share; else 50 steps, or as many as there are.
int64_t default_warmup(OpenKeys& keys) {
    TrainConfig train;
    train.steps = keys.whole("steps");
    train.decay_steps = keys.whole("decay_steps");
    if (!keys.has("warmup_share")) return std::min(train.warmup_steps, train.cosine_steps());
    return std::llround(keys.number("warmup_share") * static_cast<double>(train.cosine_steps()));
}

void add_rates(std::vector<BoundField>& fields) {
    fields.push_back(bind_train(&TrainConfig::lr, {.path = "lr",
                                                   .help = "Peak learning rate",
                                                   .minimum = 0,
                                                   .maximum = 10,
                                                   .open_minimum = true,
                                                   .group = kOptimizer}));
    fields.push_back(
        with_default(bind_train(&TrainConfig::min_lr,
                                {.path = "min_lr",
                                 .help = "Learning rate at the end of the cosine; at most lr",
                                 .minimum = 0,
                                 .maximum = 10,
                                 .group = kOptimizer}),
                     "lr / 10", default_min_lr));
    fields.push_back(with_default(
        bind_train(&TrainConfig::warmup_steps,
                   {.path = "warmup_steps",
                    .help = "Steps of warm-up; at most decay_steps, or steps without those",
                    .unit = "steps",
                    .minimum = 0,
                    .maximum = kMostTrainSteps,
                    .group = kOptimizer}),
        fmt::format("{}, or the most that there may be", TrainConfig{}.warmup_steps),
        default_warmup));
}

void add_moments(std::vector<BoundField>& fields) {
    fields.push_back(bind_train(&TrainConfig::beta1, {.path = "beta1",
                                                      .help = "AdamW: decay of the mean gradient",
                                                      .minimum = 0,
                                                      .maximum = 1,
                                                      .open_maximum = true,
                                                      .group = kOptimizer,
                                                      .advanced = true}));
    fields.push_back(
        bind_train(&TrainConfig::beta2, {.path = "beta2",
                                         .help = "AdamW: decay of the mean squared gradient",
                                         .minimum = 0,
                                         .maximum = 1,
                                         .open_maximum = true,
                                         .group = kOptimizer,
                                         .advanced = true}));
    fields.push_back(bind_train(&TrainConfig::eps, {.path = "eps",
                                                    .help = "AdamW: added to the denominator",
                                                    .minimum = 0,
                                                    .maximum = 1,
                                                    .open_minimum = true,
                                                    .group = kOptimizer,
                                                    .advanced = true}));
}

void add_decay(std::vector<BoundField>& fields) {
    fields.push_back(bind_train(&TrainConfig::dwa_decay,
                                {.path = "dwa_decay",
                                 .help = "DenseFormer's averaging weights decay too, as in its "
                                         "published code",
                                 .group = kOptimizer,
                                 .advanced = true}));
    fields.push_back(bind_train(&TrainConfig::weight_decay,
                                {.path = "weight_decay",
                                 .help = "Decoupled weight decay of the tensors that "
                                         "decay_groups names",
                                 .minimum = 0,
                                 .maximum = 10,
                                 .group = kOptimizer}));
    fields.push_back(bind_train(&TrainConfig::decay_groups,
                                {.path = "decay_groups",
                                 .help = "What decays: every tensor of two dimensions or more, "
                                         "those without embeddings and tied head, or all (gains "
                                         "and biases too)",
                                 .group = kOptimizer,
                                 .advanced = true,
                                 .newer = true}));
    fields.push_back(bind_train(&TrainConfig::grad_clip,
                                {.path = "grad_clip",
                                 .help = "Largest global gradient norm; 0 = no clipping",
                                 .minimum = 0,
                                 .maximum = 1e9,
                                 .group = kOptimizer}));
}

void add_reports(std::vector<BoundField>& fields) {
    fields.push_back(
        bind_train(&TrainConfig::eval_every, {.path = "eval_every",
                                              .help = "Steps between evaluations; 0 = never",
                                              .unit = "steps",
                                              .minimum = 0,
                                              .maximum = kMostTrainSteps,
                                              .group = kReports}));
    fields.push_back(
        bind_train(&TrainConfig::eval_batches, {.path = "eval_batches",
                                                .help = "Fixed validation batches per evaluation",
                                                .unit = "batches",
                                                .minimum = 1,
                                                .maximum = 1 << 20,
                                                .group = kReports}));
    fields.push_back(bind_train(&TrainConfig::checkpoint_every,
                                {.path = "checkpoint_every",
                                 .help = "Steps between checkpoints; 0 = only the last step",
                                 .unit = "steps",
                                 .minimum = 0,
                                 .maximum = kMostTrainSteps,
                                 .group = kReports}));
    fields.push_back(
        bind_train(&TrainConfig::keep_checkpoints, {.path = "keep_checkpoints",
                                                    .help = "Newest checkpoints to keep; 0 = all",
                                                    .unit = "checkpoints",
                                                    .minimum = 0,
                                                    .maximum = kMostTrainSteps,
                                                    .group = kReports,
                                                    .advanced = true}));
}

}  // namespace

std::vector<BoundField> train_fields() {
    std::vector<BoundField> fields;
    add_lengths(fields);
    add_objective(fields);
    add_start(fields);
    add_rates(fields);
    add_schedule(fields);
    add_moments(fields);
    add_decay(fields);
    add_reports(fields);
    const auto dense = [](const Job& job) { return job.model.dense; };
    const auto decays = [](const Job& job) { return job.train.weight_decay > 0; };
    const auto evaluates = [](const Job& job) { return job.train.eval_every > 0; };
    const auto masks = [](const Job& job) { return job.train.is_masked(); };
    count_when(fields, {"mask_rate", "mask_span"}, {"objective = masked", masks});
    count_when(fields, {"dwa_decay"}, {"model.dense = true", dense});
    count_when(fields, {"decay_groups"}, {"weight_decay > 0", decays});
    count_when(fields, {"eval_batches"}, {"eval_every > 0", evaluates});
    let_resume(fields, {"steps", "decay_steps", "checkpoint_every", "keep_checkpoints"});
    set_concern(fields, {"eval_every", "eval_batches", "checkpoint_every", "keep_checkpoints"},
                Concern::kRecord);
    return fields;
}

}  // namespace headroom
