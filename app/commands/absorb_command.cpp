#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/absorb/absorption_history.h"
#include "app/absorb/absorption_report.h"
#include "app/checkpoint_loading.h"
#include "app/eprint.h"
#include "app/progress_line.h"
#include "core/absorb/absorption.h"
#include "core/absorb/checkpoint_absorption.h"
#include "core/absorb/nearest_absorbable.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/weights/save_weights.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

struct AbsorbArguments {
    std::string mlp, activation, skip, target_skip, out;
    bool converse = false, widen = false, json = false;
    CheckpointArguments checkpoint;
    std::optional<int64_t> layer;
    AbsorptionOptions options;
    std::vector<int64_t> set;
};

/// `mlp` is asked to take in a skip; what remains around it is `target`, empty for none.
struct Question {
    Mlp mlp;
    Matrix target;
};

std::string activation_of_file(const AbsorbArguments& arguments) {
    if (!arguments.activation.empty()) return arguments.activation;
    const SafetensorsFile file = SafetensorsFile::open(arguments.mlp);
    const auto named = file.metadata().find("activation");
    if (named != file.metadata().end()) return named->second;
    throw UserError(arguments.mlp + " does not say its activation", "give --activation NAME");
}

/// MLP(x) + x Z = MLP'(x) + x Z' asks MLP to absorb Z - Z' (Corollary 12).
Question question_of_file(const AbsorbArguments& arguments) {
    Question question{read_mlp(arguments.mlp, parse_mlp_kind(activation_of_file(arguments))), {}};
    Mlp& mlp = question.mlp;
    if (!arguments.skip.empty()) mlp.skip = read_skip(arguments.skip, mlp.d_model());
    if (arguments.converse) {
        mlp.skip = Matrix(mlp.d_model(), mlp.d_model());
        question.target = identity_matrix(mlp.d_model());
    } else if (!arguments.target_skip.empty()) {
        question.target = read_skip(arguments.target_skip, mlp.d_model());
    }
    for (size_t i = 0; i < question.target.values.size(); ++i)
        mlp.skip.values[i] -= question.target.values[i];
    return question;
}

void check_source(const AbsorbArguments& arguments) {
    const bool file = !arguments.mlp.empty(), checkpoint = !arguments.checkpoint.path.empty();
    if (file == checkpoint)
        throw UserError(file ? "--mlp and --checkpoint are both given" : "nothing to look at",
                        "give --mlp FILE with --activation NAME, or --checkpoint FILE");
    const bool of_files = !arguments.activation.empty() || !arguments.skip.empty() ||
                          !arguments.target_skip.empty() || arguments.converse;
    if (checkpoint && of_files)
        throw UserError("a checkpoint has its own activation and skip",
                        "leave --activation, --skip, --target-skip and --converse out, or give "
                        "--mlp FILE");
    if (file && !arguments.checkpoint.options.sets.empty())
        throw UserError("--set goes with --checkpoint", "leave it out: an MLP file has no keys");
    if (file && arguments.layer)
        throw UserError("--layer goes with --checkpoint", "leave it out: an MLP file is one MLP");
    if (arguments.converse && (!arguments.skip.empty() || !arguments.target_skip.empty()))
        throw UserError("--converse goes without --skip and --target-skip",
                        "it asks for the identity around an MLP that has no skip");
}

std::vector<int64_t> chosen_layers(const AbsorbArguments& arguments, const ModelConfig& model) {
    if (arguments.layer) return {*arguments.layer};
    std::vector<int64_t> layers = layers_with_mlp_skip(model);
    if (layers.empty())
        throw UserError(model.has_experts()
                            ? "no layer of this model has one MLP with a skip around it: experts "
                              "absorb none"
                            : "no layer of this model has a skip around its MLP",
                        "there is nothing to absorb");
    return layers;
}

bool can_have_depth_witness(const ModelConfig& model) {
    return !model.bias &&
           !model.mlp.any([](MlpKind kind) { return !is_gated(kind) && kind != MlpKind::kRelu2; });
}

void decide(const AbsorbArguments& arguments) {
    check_source(arguments);
    std::vector<NamedAbsorption> all;
    std::optional<Witness> depth;
    if (!arguments.mlp.empty()) {
        const Question question = question_of_file(arguments);
        all.push_back({{}, decide_absorption(question.mlp, arguments.options), {}});
    } else {
        const CheckpointWeights weights = open_checkpoint(arguments.checkpoint);
        std::vector<Mlp> mlps;
        const bool want_depth = can_have_depth_witness(weights.config());
        for (const int64_t layer : chosen_layers(arguments, weights.config())) {
            LayerAbsorption one = decide_layer(weights, layer, arguments.options);
            all.push_back({layer, std::move(one.answer), one.mlp_alone});
            if (want_depth) mlps.push_back(layer_mlp(weights, layer));
        }
        if (mlps.size() > 1) depth = stack_witness(mlps);
    }
    if (!arguments.json) {
        fmt::print("{}", absorption_table(all));
        if (depth)
            fmt::print(
                "{} of them in a row, at an input of length {:g}: the output is {:.4g} of it "
                "with the skips and {:.4g} without (Corollary 7)\n",
                all.size(), depth->lambda.back(), depth->with_skip.back(),
                depth->without_skip.back());
        return;
    }
    Json document = to_json(all);
    if (depth) document["depth"] = to_json(*depth);
    fmt::print("{}\n", dump_text(document, 2));
}

/// Rows of numbers between -2 and 2 that fill the inputs: cosines of incommensurable steps.
Matrix probe_rows(int64_t d_model) {
    constexpr int64_t kRows = 64;
    Matrix rows(kRows, d_model);
    for (size_t i = 0; i < rows.values.size(); ++i)
        rows.values[i] = 2 * std::cos(static_cast<double>(i) * 1.6180339887498949 + 0.3);
    return rows;
}

/// Greatest difference of two MLPs' outputs over the greatest output.
double difference_of(const Mlp& a, const Mlp& b) {
    const Matrix x = probe_rows(a.d_model());
    const Matrix ya = mlp_forward(a, x), yb = mlp_forward(b, x);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < ya.values.size(); ++i) {
        worst = std::max(worst, std::abs(ya.values[i] - yb.values[i]));
        largest = std::max(largest, std::abs(ya.values[i]));
    }
    return largest > 0 ? worst / largest : worst;
}

/// Layers to change: the one that is named, or all that can be.
std::vector<int64_t> absorbing_layers(const AbsorbArguments& arguments,
                                      const WeightSource& weights) {
    if (arguments.layer) return {*arguments.layer};
    std::vector<int64_t> layers;
    for (const int64_t layer : chosen_layers(arguments, weights.config()))
        if (decide_layer(weights, layer, arguments.options).answer.decision == Decision::kYes)
            layers.push_back(layer);
    if (layers.empty())
        throw UserError(fmt::format("{}: no layer absorbs its skip", weights.title()),
                        "`headroom absorb decide` says why");
    return layers;
}

void save(const AbsorbArguments& arguments, const WeightSource& weights,
          const std::vector<int64_t>& layers, const SaveOptions& options) {
    const std::vector<std::string> warnings = save_weights(weights, arguments.out, options);
    for (const std::string& warning : warnings) eprint("warning: {}\n", warning);
    if (arguments.json)
        fmt::print("{}\n", dump_text(Json{{"out", arguments.out}, {"layers", layers}}, 2));
    else
        fmt::print("{}: layer {}\n", arguments.out, fmt::join(layers, ", "));
}

/// To be written to --out with another MLP.
std::shared_ptr<const WeightSource> open_shared(const AbsorbArguments& arguments) {
    auto weights = std::make_shared<const CheckpointWeights>(open_checkpoint(arguments.checkpoint));
    check_not_checkpoint(arguments.out, weights->title());
    return weights;
}

void apply_to_checkpoint(const AbsorbArguments& arguments) {
    if (arguments.widen)
        throw UserError("--widen goes with --mlp: the layers of a checkpoint have one d_ff",
                        "leave it out");
    const auto source = open_shared(arguments);
    const std::vector<int64_t> layers = absorbing_layers(arguments, *source);
    save(arguments, *without_mlp_skips(source, layers, arguments.options), layers, {});
}

void make_in_checkpoint(const AbsorbArguments& arguments) {
    const auto source = open_shared(arguments);
    const std::vector<int64_t> layers = chosen_layers(arguments, source->config());
    save(arguments, *with_absorbable_mlps(source, layers, arguments.set), layers,
         {.type = StoredType::kF64});
}

void apply(const AbsorbArguments& arguments) {
    check_source(arguments);
    if (!arguments.checkpoint.path.empty()) return apply_to_checkpoint(arguments);
    check_not_source(arguments.out, arguments.mlp);
    const Question question = question_of_file(arguments);
    const Mlp& mlp = question.mlp;
    Json report = {{"out", arguments.out}};
    Mlp result;
    if (arguments.widen) {
        result = widened(mlp);
        report["neurons_added"] = result.d_ff() - mlp.d_ff();
    } else {
        const Absorption answer = decide_absorption(mlp, arguments.options);
        if (answer.decision != Decision::kYes)
            throw UserError(
                fmt::format("{} does not absorb its skip ({}): {}", arguments.mlp,
                            name_of(answer.decision), answer.reason),
                "`headroom absorb make` gives an MLP near it that does, --widen an equal one with "
                "more neurons");
        result = absorbed(mlp, answer);
        report["set"] = answer.set;
    }
    report["difference"] = difference_of(mlp, result);
    result.skip = question.target;
    write_mlp(arguments.out, result, arguments.widen ? StoredType::kF64 : mlp.stored);
    if (arguments.json)
        fmt::print("{}\n", dump_text(report, 2));
    else
        fmt::print("{}: {} neurons, greatest difference {:.3g} of the greatest output\n",
                   arguments.out, result.d_ff(), report.at("difference").get<double>());
}

void make(const AbsorbArguments& arguments) {
    check_source(arguments);
    if (!arguments.checkpoint.path.empty()) return make_in_checkpoint(arguments);
    check_not_source(arguments.out, arguments.mlp);
    const Question question = question_of_file(arguments);
    NearestAbsorbable nearest = arguments.set.empty()
                                    ? nearest_absorbable(question.mlp)
                                    : nearest_absorbable(question.mlp, arguments.set);
    Mlp& mlp = nearest.mlp;
    if (!question.target.empty())
        for (size_t i = 0; i < mlp.skip.values.size(); ++i)
            mlp.skip.values[i] += question.target.values[i];
    if (arguments.converse) mlp.skip = {};
    write_mlp(arguments.out, mlp, StoredType::kF64);
    if (arguments.json)
        fmt::print("{}\n", dump_text(Json{{"out", arguments.out},
                                          {"set", nearest.set},
                                          {"set_chosen", arguments.set.empty()},
                                          {"change", nearest.change},
                                          {"relative_change", nearest.relative_change}},
                                     2));
    else
        fmt::print(
            "{}: {} neurons turn their sign, down changed by {:.4g} ({:.3g} of its norm){}\n",
            arguments.out, nearest.set.size(), nearest.change, nearest.relative_change,
            arguments.set.empty() ? "; other neurons than these chosen ones may change it less"
                                  : "");
}

void add_source_options(CLI::App& command, AbsorbArguments& arguments) {
    add_checkpoint_options(command, arguments.checkpoint);
    command.get_option("--checkpoint")->required(false);
    command.add_option("--layer", arguments.layer,
                       "Of a checkpoint: this layer alone, from 0 (all that have a skip)");
    command.add_option("--mlp", arguments.mlp,
                       "safetensors file with up [d, f], down [f, d] and, if wanted, gate [d, f], "
                       "skip [d, d] and up_bias, gate_bias, down_bias");
    command.add_option("--activation", arguments.activation,
                       "relu, gelu, gelu_tanh, silu, relu2, reglu, geglu or swiglu; with a gate "
                       "also relu, gelu, silu");
    command.add_option("--skip", arguments.skip,
                       "File with the tensor skip [d, d], y = MLP(x) + x skip (the identity)");
    command.add_option("--target-skip", arguments.target_skip,
                       "File with the skip [d, d] that is to remain (none)");
    command.add_flag("--converse", arguments.converse,
                     "The other direction: an MLP without a skip as one with the identity");
    command.add_flag("--json", arguments.json, "Print one JSON document");
}

/// How it is decided whether the skip is absorbed.
void add_decision_options(CLI::App& command, AbsorbArguments& arguments) {
    command
        .add_option("--tolerance", arguments.options.tolerance,
                    "Of the residual over the skip's norm (1e-9, 1e-5 or 5e-3, as the weights are "
                    "stored)")
        ->check(CLI::Range(1e-15, 0.5));
    command
        .add_option("--exhaustive", arguments.options.exhaustive,
                    "Where up to so many neurons depend on the others, try all their 0/1 choices "
                    "and answer no if none fits")
        ->check(CLI::Range(0, 30));
}

void add_out_option(CLI::App& command, AbsorbArguments& arguments) {
    command
        .add_option("--out", arguments.out,
                    "MLP file or checkpoint to write; what make changes is in float64")
        ->required();
}

void add_decide(CLI::App& absorb) {
    CLI::App* command = absorb.add_subcommand(
        "decide",
        "Say of every MLP whether one of the same width without a skip computes the same");
    const auto arguments = std::make_shared<AbsorbArguments>();
    add_source_options(*command, *arguments);
    add_decision_options(*command, *arguments);
    command->callback([arguments] { decide(*arguments); });
}

struct HistoryArguments {
    std::string run;
    std::optional<int64_t> layer;
    bool json = false;
};

void history(const HistoryArguments& arguments) {
    ProgressLine line;
    const std::vector<StepAbsorption> steps =
        absorption_history(arguments.run, arguments.layer, [&](double share) { line.show(share); });
    line.clear();
    if (arguments.json)
        fmt::print("{}\n", dump_text(to_json(arguments.run, steps), 2));
    else
        fmt::print("{}", history_table(steps));
}

void add_history(CLI::App& absorb) {
    CLI::App* command = absorb.add_subcommand(
        "history", "How far every layer of a run was from it at each of its checkpoints");
    const auto arguments = std::make_shared<HistoryArguments>();
    command->add_option("RUN_DIR", arguments->run, "Folder of a run with checkpoints")->required();
    command->add_option("--layer", arguments->layer, "This layer alone, from 0 (all with a skip)");
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { history(*arguments); });
}

void add_absorb_apply(CLI::App& absorb) {
    CLI::App* command =
        absorb.add_subcommand("apply", "Write the MLP that computes the same without the skip");
    const auto arguments = std::make_shared<AbsorbArguments>();
    add_source_options(*command, *arguments);
    add_decision_options(*command, *arguments);
    CLI::Option* widen = command->add_flag(
        "--widen", arguments->widen,
        "With d more neurons, which works for all weights of relu, gelu and silu");
    for (const char* deciding : {"--tolerance", "--exhaustive"})
        command->get_option(deciding)->excludes(widen);
    add_out_option(*command, *arguments);
    command->callback([arguments] { apply(*arguments); });
}

void add_make(CLI::App& absorb) {
    CLI::App* command = absorb.add_subcommand(
        "make",
        "Write an MLP near it that absorbs its skip: the least change of down for the neurons that "
        "turn their sign. Without --neurons these are chosen, and others may change it less");
    const auto arguments = std::make_shared<AbsorbArguments>();
    add_source_options(*command, *arguments);
    command
        ->add_option("--neurons", arguments->set,
                     "The neurons that are to turn their sign, at least d of them (those of the "
                     "greatest least-squares coefficients, as many of ten numbers as change least)")
        ->delimiter(',');
    add_out_option(*command, *arguments);
    command->callback([arguments] { make(*arguments); });
}

}  // namespace

/// `headroom absorb (decide|history|apply|make)`: whether an MLP can take in the skip around it,
/// and the MLP that does.
void add_absorb_command(CLI::App& app) {
    CLI::App* absorb = app.add_subcommand(
        "absorb", "Decide whether an MLP can take in the skip around it, and write the MLP");
    absorb->require_subcommand(1);
    add_decide(*absorb);
    add_history(*absorb);
    add_absorb_apply(*absorb);
    add_make(*absorb);
}

}  // namespace headroom
