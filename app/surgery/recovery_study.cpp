#include "app/surgery/recovery_study.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/config/objective_json.h"
#include "core/study/job_paths.h"
#include "core/study/study.h"
#include "core/study/study_folder.h"
#include "core/surgery/norm_surgery.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// As a job spells it: what is given, what the checkpoint names, or what lies beside it.
std::string tokenizer_of(const WeightSource& weights, const RecoverArguments& arguments) {
    if (!arguments.tokenizer.empty()) return arguments.tokenizer;
    const auto tokenizer = checkpoint_tokenizer(weights, "");
    return tokenizer ? tokenizer->name() : "byte";
}

/// The keys in which `model` has fewer norms than before. A head of its own lets the surgeries that
/// follow change the basis.
Json norm_keys(const ModelConfig& model) {
    const nlohmann::json keys = to_json(model);
    return {{"norm", keys.at("norm")}, {"norm_f", keys.at("norm_f")}, {"tie", false}};
}

ModelConfig without_norms(ModelConfig model, int64_t layers) {
    model.norm_f = NormKind::kNone;
    for (int64_t layer = 0; layer < layers; ++layer)
        model.norm.set(layer, model.n_layer, NormKind::kNone);
    return model;
}

/// ln_f first, then layer after layer; each run goes on from the one before.
Json one_by_one(const ModelConfig& model, int64_t steps, const std::string& first) {
    std::vector<int64_t> stages{0};
    for (int64_t layer = 0; layer < model.n_layer; ++layer)
        if (model.norm.at(layer) != NormKind::kNone) stages.push_back(layer + 1);
    if (model.norm_f == NormKind::kNone) stages.erase(stages.begin());
    Json runs = Json::array();
    std::string from = first;
    for (int64_t stage = 0; stage < std::ssize(stages); ++stage) {
        const int64_t layers = stages[static_cast<size_t>(stage)];
        const int64_t each = std::max<int64_t>(
            1, steps * (stage + 1) / std::ssize(stages) - steps * stage / std::ssize(stages));
        const std::string id = fmt::format("one-by-one-{}", runs.size());
        runs.push_back(
            {{"id", id},
             {"job",
              {{"name", layers == 0 ? std::string("one by one: ln_f")
                                    : fmt::format("one by one: up to layer {}", layers - 1)},
               {"model", norm_keys(without_norms(model, layers))},
               {"train",
                {{"steps", each},
                 {"warmup_steps", std::clamp<int64_t>(each / 10, 1, 10)},
                 {"eval_every", std::max<int64_t>(1, each / 3)},
                 {"init_from", from},
                 {"init_convert", "freeze_norms"}}}}}});
        from = "run:" + id;
    }
    return runs;
}

/// Its paths do not depend on where the study is trained from.
Job data_job(const WeightSource& weights, const RecoverArguments& arguments) {
    Job job;
    job.data.train = arguments.data;
    job.data.val = arguments.val;
    job.data.tokenizer = tokenizer_of(weights, arguments);
    make_paths_absolute(job, fs::current_path());
    return job;
}

/// The keys of `train`, and those that say what the weights were trained to predict.
Json with_objective(const WeightSource& weights, Json train) {
    const auto& entries = weights.metadata().other;
    const auto objective = entries.find("objective");
    if (objective == entries.end()) return train;
    TrainConfig trained;
    read_objective(objective->second, weights.title(), trained);  // refuses what is not one
    const nlohmann::json keys = parse_json(objective_json(trained), weights.title());
    for (const auto& [key, value] : keys.items()) train[key] = value;
    return train;
}

Json study_of(const WeightSource& weights, const RecoverArguments& arguments) {
    const Job data = data_job(weights, arguments);
    const ModelConfig& model = weights.config();
    const int64_t steps = arguments.steps;
    const std::string file = fs::absolute(weights.title()).string();
    Json runs = Json::array();
    runs.push_back(
        {{"id", "with-norms"},
         {"job", {{"name", "trained on with norms"}, {"train", {{"init_from", file}}}}}});
    runs.push_back({{"id", "at-once"},
                    {"job",
                     {{"name", "all norms frozen at once"},
                      {"model", norm_keys(without_norms(model, model.n_layer))},
                      {"train", {{"init_from", file}, {"init_convert", "freeze_norms"}}}}}});
    Json curves{"with-norms", "at-once"};
    for (Json& run : one_by_one(model, steps, file)) {
        curves.push_back(run.at("id"));
        runs.push_back(std::move(run));
    }
    const int64_t seq_len =
        arguments.seq_len > 0 ? arguments.seq_len : std::min<int64_t>(256, model.block_size);
    return {{"schema", kStudySchema},
            {"name", "without norms"},
            {"description",
             fmt::format("What does {} lose without its norms, and how much of it does training on "
                         "bring back? As it is, with all norms frozen at once, and one layer after "
                         "the other.",
                         weights.title())},
            {"job",
             {{"model", to_json(model)},
              {"data",
               {{"train", data.data.train},
                {"val", data.data.val},
                {"tokenizer", data.data.tokenizer}}},
              {"train", with_objective(weights, {{"steps", steps},
                                                 {"batch_size", arguments.batch_size},
                                                 {"seq_len", seq_len},
                                                 {"lr", arguments.lr},
                                                 {"min_lr", arguments.lr},
                                                 {"warmup_steps", std::min<int64_t>(10, steps)},
                                                 {"eval_every", std::max<int64_t>(1, steps / 15)},
                                                 {"eval_batches", 16},
                                                 {"checkpoint_every", 0}})}}},
            {"runs", std::move(runs)},
            {"figures",
             {{{"name", "recovery"},
               {"recipe", "loss"},
               {"runs", std::move(curves)},
               {"options", {{"x", "steps"}, {"series", "val"}}}}}}};
}

void check_norms(const WeightSource& weights) {
    const ModelConfig& model = weights.config();
    if (model.norm_f == NormKind::kNone &&
        !model.norm.any([](NormKind kind) { return kind != NormKind::kNone; }))
        throw UserError(weights.title() + " has no norms to take out",
                        "`headroom surgery plan` lists what applies to it as it is");
    SurgeryRequest request{.untie = model.tie};
    const SurgeryPlan plan = plan_freeze_norms(model, request);
    if (!plan.applies())
        throw UserError(fmt::format("{}: {}", weights.title(), plan.refusal), plan.remedy);
}

}  // namespace

void make_recovery_study(const RecoverArguments& arguments) {
    const fs::path file = StudyFolder{arguments.study_dir}.plan();
    if (fs::exists(file))
        throw UserError(file.string() + " is there already", "name another folder");
    const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
    check_norms(weights);
    const Json document = study_of(weights, arguments);
    const Study study = parse_study(nlohmann::json(document), "the study of the recovery");
    make_folder(arguments.study_dir);
    write_file_atomically(file, dump_text(document, 2) + "\n");
    fmt::print("{}: {} runs; `headroom study run {}` trains them\n", file.string(),
               study.runs.size(), arguments.study_dir);
}

}  // namespace headroom
