#include "app/surgery/surgery_apply.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/job_loading.h"
#include "app/progress_line.h"
#include "app/stored_type_option.h"
#include "app/surgery/surgery_json.h"
#include "app/token_list.h"
#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_numbers.h"
#include "core/base/json_text.h"
#include "core/base/philox.h"
#include "core/model/token_ids.h"
#include "core/study/run_folder.h"
#include "core/surgery/norm_surgery.h"
#include "core/train/evaluation.h"
#include "core/train/training_session.h"
#include "core/weights/checkpoint_weights.h"
#include "core/weights/save_weights.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kRandomTokens = 64;

SurgeryRequest request_of(const ApplyArguments& arguments) {
    SurgeryRequest request{{}, arguments.layer, arguments.untie, arguments.seed};
    for (const std::string& letter : arguments.matrices)
        request.matrices.push_back(parse_attention_matrix(letter));
    return request;
}

void check_out(const ApplyArguments& arguments, const WeightSource& weights) {
    for (const std::string& out : {arguments.out, arguments.report})
        check_not_checkpoint(out, weights.title());
    check_not_of_study(arguments.report);
    if (arguments.out == arguments.report)
        throw UserError(fmt::format("{} is both --out and --report", arguments.out),
                        "name another file");
    if (!arguments.tokens.empty() && !arguments.eval.data.empty())
        throw UserError("--tokens and --data both say on what to compare", "give one of them");
}

/// Loss on the data, and the first sequence of it.
class Losses {
  public:
    Losses(const WeightSource& source, const EvalOptions& options, Device& device)
        : device_(device),
          options_(options),
          job_(evaluation_job(source, options)),
          data_(open_evaluation_data(source, job_, options)) {
        resolve_vocab_size(job_, *data_);
    }

    double of(const WeightSource& weights) const {
        Job job = job_;
        job.model = weights.config();
        EvaluationSession session(job, *data_, device_);
        session.load(weights);
        return session.evaluate();
    }

    int64_t seq_len() const { return job_.train.seq_len; }
    /// The first sequences that both losses are measured on, one after the other.
    std::vector<int32_t> first_sequences(int64_t rows) const {
        Batch batch = Batch::of_tokens(rows, seq_len());
        data_->eval_batch(0, batch);
        return {batch.tokens().begin(), batch.tokens().end()};
    }

    Json report(const WeightSource& before, const WeightSource& after) const {
        const double x = of(before), y = of(after);
        return {{"data", data_->info().description},
                {"tokens", options_.tokens(job_)},
                {"precision", options_.precision},
                {"before", x},
                {"after", y},
                {"difference", y - x}};
    }

  private:
    Device& device_;
    const EvalOptions& options_;
    Job job_;
    std::unique_ptr<DataSource> data_;
};

std::vector<int32_t> random_tokens(const WeightSource& source) {
    const ModelConfig& model = source.config();
    std::vector<int32_t> tokens;
    for (int64_t i = 0; i < std::min(kRandomTokens, model.block_size); ++i)
        tokens.push_back(
            static_cast<int32_t>(Philox::block({static_cast<uint32_t>(i), 0, 0, 0}, 1, 0)[0] %
                                 static_cast<uint64_t>(model.vocab_size)));
    return tokens;
}

Json counts(const ModelConfig& before, const ModelConfig& after) {
    const ParameterCount counted = count_parameters(before), left = count_parameters(after);
    const int64_t x = counted.total, y = left.total;
    // An embedding whose head became its own is read a row at a time.
    const int64_t rows = before.tie && !after.tie ? after.vocab_size * after.d_model : 0;
    return {{"params_before", x},
            {"params_after", y},
            {"weights_removed", x - y},
            {"share_removed", static_cast<double>(x - y) / static_cast<double>(x)},
            // A step of one sequence reads every weight once (Graef, section 3); of experts those
            // that its token is sent to.
            {"predicted_speedup",
             static_cast<double>(counted.active) / static_cast<double>(left.active - rows)}};
}

/// The type to which the file rounds what the surgery makes: one of fewer digits than float32 or
/// than the checkpoint's own. None where it holds every number.
std::optional<StoredType> rounded_to(const WeightSource& made, const WeightSource& written) {
    for (const ParameterSpec& spec : made.specs()) {
        if (!made.has(spec.name) || !written.has(spec.name)) continue;
        const StoredType type = written.type(spec.name);
        if (size_of(type) >= size_of(StoredType::kF32) &&
            size_of(type) >= size_of(made.type(spec.name)))
            continue;
        if (made.read<double>(spec.name) != written.read<double>(spec.name)) return type;
    }
    return std::nullopt;
}

/// On what the models are compared, opened once.
struct Comparison {
    std::unique_ptr<Device> device;
    std::optional<Losses> losses;
    std::vector<int32_t> tokens;

    Comparison(const ApplyArguments& arguments, const WeightSource& source)
        : device(open_device(arguments.eval.device)) {
        if (!arguments.eval.data.empty()) {
            losses.emplace(source, arguments.eval, *device);
            tokens = losses->first_sequences(1);
        } else {
            tokens = arguments.tokens.empty() ? random_tokens(source)
                                              : parse_token_list(arguments.tokens);
            check_token_ids(source.config(), tokens);  // before anything is written
        }
    }

    /// Over one batch of the data, or over the tokens.
    std::map<std::string, double> norm_scales(const WeightSource& source,
                                              const ApplyArguments& arguments) const {
        if (!losses) return measure_norm_scales(source, tokens, std::ssize(tokens), *device);
        return measure_norm_scales(source, losses->first_sequences(arguments.eval.batch_size),
                                   losses->seq_len(), *device);
    }

    Json report(const SurgeryPlan& plan, const WeightSource& before,
                const WeightSource& after) const {
        Json document{{"tokens", tokens}};
        for (const auto& [name, precision] : {std::pair{"float64", DType::kF64},
                                              {"float32", DType::kF32},
                                              {"bfloat16", DType::kBF16}})
            document["precisions"][name] =
                to_json(measure_surgery(before, after, plan, tokens, precision, *device));
        if (losses) document["loss"] = losses->report(before, after);
        return document;
    }
};

void print_report(const Json& report) {
    fmt::print("{}: {} of {} ({:.2f} %), {:.4f} times as fast at batch 1 if memory decides\n",
               report["out"].get<std::string>(),
               fewer_text(report["weights_removed"].get<int64_t>()),
               grouped_digits(report["params_before"].get<int64_t>()),
               100 * std::abs(report["share_removed"].get<double>()),
               report["predicted_speedup"].get<double>());
    for (const Json& inverted : report["inverted"])
        fmt::print("inverted {:<24} condition {}\n", inverted["tensor"].get<std::string>(),
                   inverted["condition"].is_null()
                       ? "infinite"
                       : fmt::format("{:.4g}", inverted["condition"].get<double>()));
    for (const Json& note : report.value("notes", Json::array()))
        fmt::print("{}\n", note.get<std::string>());
    if (report.contains("precisions"))
        for (const auto& [precision, found] : report["precisions"].items())
            fmt::print("{:<9} {}\n", precision,
                       found.contains("missing")
                           ? "not measured: " + found["missing"].get<std::string>()
                       : found["logits"]["relative"].is_null()
                           ? "the logits are not finite, or all alike"
                           : fmt::format("greatest logit difference {:.3g} of their spread",
                                         found["logits"]["relative"].get<double>()));
    if (report.contains("loss"))
        fmt::print("loss {:.6f} before, {:.6f} after\n", report["loss"]["before"].get<double>(),
                   report["loss"]["after"].get<double>());
    if (!report["rounded_to"].is_null())
        fmt::print("rounded to {}{}\n", report["rounded_to"].get<std::string>(),
                   report["transform_exact"].get<bool>()
                       ? ": no longer exact; --dtype f32 or f64 keeps it so"
                       : "");
    if (!report["transform_exact"].get<bool>())
        fmt::print(
            "`headroom surgery recover` makes a study that trains on from {}, with the norms gone "
            "at once and layer after layer\n",
            report["checkpoint"].get<std::string>());
}

}  // namespace

void apply_surgery(const ApplyArguments& arguments) {
    const std::optional<StoredType> type = stored_type_option(arguments.dtype);
    const std::shared_ptr<const WeightSource> before =
        std::make_shared<CheckpointWeights>(open_checkpoint(arguments.checkpoint));
    check_out(arguments, *before);
    const Surgery& surgery = find_surgery(arguments.transform);
    SurgeryRequest request = request_of(arguments);
    const bool measured =
        !arguments.report.empty() || !arguments.eval.data.empty() || !arguments.tokens.empty();
    std::optional<Comparison> comparison;
    if (measured) comparison.emplace(arguments, *before);
    if (!surgery.exact && plan_surgery(before->config(), surgery, request).applies()) {
        if (arguments.eval.data.empty() && arguments.tokens.empty())
            throw UserError(fmt::format("{} measures the norms' scales on data", surgery.name),
                            "give --data SPEC or --tokens LIST");
        request.norm_scales = comparison->norm_scales(*before, arguments);
    }
    const SurgeryPlan plan = plan_surgery(before->config(), surgery, request);
    const std::shared_ptr<const WeightSource> made = operated(before, plan);
    SurgeryNumbers numbers(*before);
    if (const std::string why = numbers.refusal(plan); !why.empty())
        throw UserError(fmt::format("{} does not apply to {}: {}", plan.name, before->title(), why),
                        "choose another matrix or checkpoint");
    ProgressLine line;
    const std::vector<std::string> warnings =
        save_weights(*made, arguments.out, {type, [&](double share) { line.show(share); }});
    line.clear();
    for (const std::string& warning : warnings) eprint("warning: {}\n", warning);

    const CheckpointWeights written = CheckpointWeights::open(arguments.out);
    const std::optional<StoredType> rounded = rounded_to(*made, written);
    Json report{{"out", arguments.out},
                {"checkpoint", arguments.checkpoint.path},
                {"transform", plan.name},
                {"theorem", surgery.theorem},
                {"exact", surgery.exact && !rounded},
                {"transform_exact", surgery.exact},
                {"rounded_to", rounded ? Json(name_of(*rounded)) : Json(nullptr)},
                {"matrix", matrix_of(plan.request)},
                {"layer", layer_of(plan.request)}};
    report.update(counts(before->config(), plan.config));
    report["inverted"] = Json::array();
    for (const InvertedMatrix& inverted : numbers.inverted(plan))
        report["inverted"].push_back(
            {{"tensor", inverted.tensor}, {"condition", number_or_null(inverted.condition)}});
    if (plan.basis_condition > 0) report["basis_condition"] = plan.basis_condition;
    if (!plan.notes.empty()) report["notes"] = plan.notes;
    if (!request.norm_scales.empty()) report["norm_scales"] = request.norm_scales;
    if (comparison) report.update(comparison->report(plan, *before, written));
    report["warnings"] = warnings;
    if (!arguments.report.empty())
        write_file_atomically(arguments.report, dump_text(report, 2) + "\n");
    if (arguments.json)
        fmt::print("{}\n", dump_text(report, 2));
    else
        print_report(report);
}

}  // namespace headroom
