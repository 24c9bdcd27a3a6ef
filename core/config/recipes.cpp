#include "core/config/recipes.h"

namespace headroom {

// Steps stand in a recipe only where its paper has one number for all sizes.
const std::vector<Recipe>& recipes() {
    static const std::vector<Recipe> list{
        {"query_free_100k",
         "Query-free attention, first version: 100,000 steps of a cosine of 600,000; models with "
         "W_Q = I took weight_decay 0.03125",
         R"({"steps": 100000, "decay_steps": 600000, "batch_size": 12, "grad_accum": 40,
             "seq_len": 1024, "lr": 6e-4, "min_lr": 6e-5, "warmup_steps": 2000,
             "schedule": "nanogpt", "beta1": 0.9, "beta2": 0.95, "weight_decay": 0.1,
             "decay_groups": "matrices", "grad_clip": 1.0, "dropout": 0.0, "eval_every": 1000,
             "eval_batches": 200})"},
        {"query_free_60k",
         "Query-free attention, second version: its baseline, 60,000 steps; the rates of the "
         "reduced models are not stated",
         R"({"steps": 60000, "batch_size": 12, "grad_accum": 40, "seq_len": 1024, "lr": 6e-4,
             "min_lr": 6e-5, "warmup_steps": 2000, "schedule": "nanogpt", "beta1": 0.9,
             "beta2": 0.95, "weight_decay": 0.1, "decay_groups": "matrices", "grad_clip": 1.0,
             "dropout": 0.0, "eval_every": 1000, "eval_batches": 200})"},
        {"skipv1_gpt2", "SkipV1Former's GPT-2 runs; the 550M model took lr 6e-4",
         R"({"steps": 40000, "batch_size": 120, "seq_len": 1024, "lr": 1e-3, "min_lr_share": 0.1,
             "warmup_share": 0.1, "schedule": "one_cycle", "beta1": 0.9, "beta2": 0.95,
             "weight_decay": 0.1, "decay_groups": "no_embeddings", "grad_clip": 0.0,
             "dropout": 0.2})"},
        {"skipv1_llama",
         "SkipV1Former's LLaMA runs to 350M: steps follow the size (2,500 to 30,000); 1.3B and 3B "
         "took lr 1e-3 and 5e-4, weight_decay 0.1, grad_clip 1",
         R"({"batch_size": 512, "seq_len": 1024, "lr": 2e-3, "min_lr_share": 0.1,
             "warmup_share": 0.1, "schedule": "linear_cosine", "beta1": 0.9, "beta2": 0.95,
             "weight_decay": 0.0, "decay_groups": "all", "grad_clip": 0.0, "dropout": 0.0})"},
        {"uptraining",
         "SkipV1Former's uptraining of a GPT-2: lr from 8e-5 to 2e-4, 10 to 15 % of the steps",
         R"({"batch_size": 120, "seq_len": 1024, "lr": 1.5e-4, "min_lr_share": 0.1,
             "warmup_share": 0.1, "schedule": "one_cycle", "beta1": 0.9, "beta2": 0.95,
             "weight_decay": 0.1, "decay_groups": "no_embeddings", "grad_clip": 0.0,
             "dropout": 0.0})"},
        {"vision", "SkipV1Former's image classifiers",
         R"({"steps": 15000, "batch_size": 1024, "lr": 1e-3, "min_lr_share": 0.1,
             "warmup_share": 0.1, "schedule": "linear_cosine", "beta1": 0.9, "beta2": 0.999,
             "weight_decay": 0.1, "decay_groups": "matrices", "eval_every": 500,
             "eval_batches": 10})"},
    };
    return list;
}

const Recipe* find_recipe(std::string_view name) {
    for (const Recipe& recipe : recipes())
        if (recipe.name == name) return &recipe;
    return nullptr;
}

}  // namespace headroom
