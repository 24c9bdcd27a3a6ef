#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/checkpoint_loading.h"
#include "app/describe/model_source.h"
#include "app/number_checks.h"
#include "app/progress_line.h"
#include "app/surgery/recovery_study.h"
#include "app/surgery/surgery_apply.h"
#include "app/surgery/surgery_json.h"
#include "app/surgery/surgery_table.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/json_text.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

struct PlanArguments {
    CheckpointArguments checkpoint;
    std::string preset;
    bool untie = false, json = false;
};

std::string subject(const Json& row) {
    std::string text = row["name"].get<std::string>();
    if (!row["matrix"].is_null()) text += " " + row["matrix"].get<std::string>();
    if (!row["layer"].is_null()) text += fmt::format(" layer {}", row["layer"].get<int>());
    return text;
}

void print_surgery_row(const Json& row) {
    if (!row["applies"].get<bool>()) {
        fmt::print("no   {:<28} {}\n", subject(row), row["reason"].get<std::string>());
        return;
    }
    const std::string condition =
        row["condition"].is_null()
            ? ""
            : fmt::format(", condition {:.4g}", row["condition"].get<double>());
    fmt::print("{}  {:<28} {}{}\n", row["exact"].get<bool>() ? "yes" : "≈  ", subject(row),
               fewer_text(row["weights_removed"].get<int64_t>()), condition);
    for (const Json& note : row["notes"]) fmt::print("     {}\n", note.get<std::string>());
}

Json rows_of(const ModelConfig& model, SurgeryNumbers* numbers, const PlanArguments& arguments) {
    Json rows = Json::array();
    ProgressLine line;
    std::vector<SurgeryPlan> plans;
    for (const Surgery& surgery : surgeries())
        for (SurgeryRequest request : surgery.requests(model)) {
            request.untie = arguments.untie;
            plans.push_back(plan_surgery(model, surgery, request));
        }
    for (const SurgeryPlan& plan : plans) {
        line.show(static_cast<double>(rows.size()) / static_cast<double>(plans.size()));
        rows.push_back(plan_row(model, plan, numbers));
        line.clear();
        if (!arguments.json) print_surgery_row(rows.back());
    }
    return rows;
}

void plan(const PlanArguments& arguments) {
    if (arguments.preset.empty() == arguments.checkpoint.path.empty())
        throw UserError("a plan is of one model", "give either --checkpoint FILE or --preset NAME");
    Json rows;
    if (!arguments.preset.empty()) {
        nlohmann::json document;
        ModelSource source =
            ModelSource::read(arguments.preset, "", arguments.checkpoint.options.sets, document);
        resolve_vocabularies(source);
        rows = rows_of(source.job.model, nullptr, arguments);
    } else {
        const auto weights = open_checkpoint(arguments.checkpoint);
        SurgeryNumbers numbers(weights);
        rows = rows_of(weights.config(), &numbers, arguments);
    }
    if (arguments.json) fmt::print("{}\n", dump_text(Json{{"transforms", rows}}, 2));
}

void add_plan(CLI::App& surgery) {
    CLI::App* command = surgery.add_subcommand(
        "plan", "Which weights can be removed exactly and, where not, which assumption fails");
    const auto arguments = std::make_shared<PlanArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->get_option("--checkpoint")->required(false);
    command->add_option("--preset", arguments->preset,
                        "A preset instead of a checkpoint: nothing is known of its numbers");
    command->add_flag("--untie", arguments->untie,
                      "As if apply gave a model with tied embeddings a head of its own");
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { plan(*arguments); });
}

std::string names_of_surgeries() {
    std::string text;
    for (const Surgery& surgery : surgeries())
        text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", surgery.name, surgery.summary);
    return text;
}

void add_apply(CLI::App& surgery) {
    CLI::App* command =
        surgery.add_subcommand("apply", "Write the checkpoint without the weights, and a report");
    const auto arguments = std::make_shared<ApplyArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("--transform", arguments->transform, names_of_surgeries())->required();
    command->add_option("--matrix", arguments->matrices, "q, k, v or o (q)")->delimiter(',');
    command->add_option("--layer", arguments->layer, "Counts from 0");
    command->add_flag("--untie", arguments->untie,
                      "Give a model with tied embeddings a head of its own");
    command
        ->add_option("--seed", arguments->seed,
                     fmt::format("Of the bases that change-head-basis draws ({})", kBasisSeed))
        ->check(not_below_zero, "FROM 0");
    command
        ->add_option("--dtype", arguments->dtype,
                     "Type of the written weights: f64, f32, bf16, f16 or keep. Rounding to "
                     "fewer digits makes the result an approximation")
        ->capture_default_str();
    command->add_option("--out", arguments->out, "Checkpoint file to write")->required();
    command->add_option("--report", arguments->report, "JSON file for what was measured");
    command->add_option("--tokens", arguments->tokens,
                        "Token ids on which both models are compared, e.g. 1,2,3");
    CLI::Option* data =
        command->add_option("--data", arguments->eval.data,
                            "Measure both losses on text:PATH, tokens:FILE or task:NAME");
    add_eval_options(*command, arguments->eval, data);
    command->add_flag("--json", arguments->json, "Print the report as one JSON document");
    command->callback([arguments] { apply_surgery(*arguments); });
}

void add_recover(CLI::App& surgery) {
    CLI::App* command = surgery.add_subcommand(
        "recover",
        "Make a study that takes the norms out of a trained checkpoint and trains on: at once, and "
        "one layer after the other");
    const auto arguments = std::make_shared<RecoverArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("STUDY_DIR", arguments->study_dir, "The folder to make")->required();
    command->add_option("--data", arguments->data, "What it trains on: text:PATH, tokens:FILE, …")
        ->required();
    command->add_option("--val", arguments->val, "What its losses are measured on")
        ->capture_default_str();
    command->add_option("--tokenizer", arguments->tokenizer, "Where the checkpoint names none");
    command
        ->add_option("--steps", arguments->steps,
                     "Of training, of each way; one at least for each of its stages")
        ->check(CLI::Range(1, 1000000000))
        ->capture_default_str();
    command->add_option("--batch-size", arguments->batch_size, "Sequences per step")
        ->check(CLI::Range(1, 65536))
        ->capture_default_str();
    command->add_option("--seq-len", arguments->seq_len, "Tokens per sequence (block_size, ≤ 256)")
        ->check(CLI::Range(1, 1 << 24));
    command->add_option("--lr", arguments->lr, "Constant after ten steps of warm-up")
        ->check(CLI::Range(1e-9, 1.0))
        ->capture_default_str();
    command->callback([arguments] { make_recovery_study(*arguments); });
}

void add_table(CLI::App& surgery) {
    CLI::App* command = surgery.add_subcommand(
        "table", "Weights before and after removing W_Q and W_O, as Graef's table counts them");
    const auto arguments = std::make_shared<SurgeryTableArguments>();
    command->add_option("--preset", arguments->presets, "Models, separated by commas")
        ->delimiter(',')
        ->capture_default_str();
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { print_surgery_table(*arguments); });
}

}  // namespace

void add_surgery_command(CLI::App& app) {
    CLI::App* surgery = app.add_subcommand(
        "surgery", "Remove weights that a model does not need, exactly, and see why others stay");
    surgery->require_subcommand(1);
    add_plan(*surgery);
    add_apply(*surgery);
    add_recover(*surgery);
    add_table(*surgery);
}

}  // namespace headroom
