#include <algorithm>
#include <cmath>
#include <memory>
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
#include "app/job_loading.h"
#include "app/progress_line.h"
#include "app/word_check.h"
#include "core/account/parameter_count.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/config/conversions.h"
#include "core/linalg/svd.h"
#include "core/model/objective_data.h"
#include "core/surgery/uptrain_model.h"
#include "core/train/evaluation.h"
#include "core/weights/save_weights.h"
#include "datasets/open_data.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

struct UptrainArguments {
    CheckpointArguments checkpoint;
    std::string to, method, out;
    int64_t n_kv_head = 0;
    EvalOptions eval;
    bool json = false;
};

/// The loss of one conversion before any training.
struct InitialLoss {
    std::string method;
    double loss = 0;
    int64_t parameters = 0;
};

/// The architectures that a conversion gives.
std::vector<std::string> targets() {
    std::vector<std::string> names;
    for (const Conversion& conversion : conversions())
        if (!conversion.target.empty() &&
            (names.empty() || names.back() != std::string(conversion.target)))
            names.emplace_back(conversion.target);
    return names;
}

/// "skipv1: mean_v, mean_vo, ...; gqa: mean_kv"
std::string ways_to_all() {
    std::vector<std::string> lines;
    for (const std::string& target : targets())
        lines.push_back(fmt::format("{}: {}", target, fmt::join(conversions_to(target), ", ")));
    return fmt::format("{}", fmt::join(lines, "; "));
}

UptrainChoice choice_of(const UptrainArguments& arguments) {
    const std::vector<std::string> possible = conversions_to(arguments.to);
    UptrainChoice choice{possible.front(), arguments.n_kv_head};
    if (!arguments.method.empty()) choice.conversion = find_conversion(arguments.method).name;
    if (std::find(possible.begin(), possible.end(), choice.conversion) == possible.end())
        throw UserError(
            fmt::format("--method {} does not lead to {}", arguments.method, arguments.to),
            fmt::format("use {}", fmt::join(possible, ", ")));
    if (arguments.to != "gqa" && arguments.n_kv_head != 0)
        throw UserError(fmt::format("--n-kv-head does not go with --to {}", arguments.to),
                        "leave it out: SkipV1Former keeps half of the value heads");
    return choice;
}

class LossComparison {
  public:
    LossComparison(std::shared_ptr<const WeightSource> source, const EvalOptions& options)
        : source_(std::move(source)),
          device_(open_device(options.device)),
          job_(evaluation_job(*source_, options)),
          data_(open_evaluation_data(*source_, job_, options)) {
        resolve_vocab_size(job_, *data_);
    }

    InitialLoss of_source() {
        EvaluationSession session(job_, *data_, *device_);
        session.load(*source_);
        return {"source", session.evaluate(), count_parameters(job_.model).total};
    }

    InitialLoss of(const UptrainChoice& choice) {
        const auto weights = uptrain(source_, choice);
        Job job = job_;
        job.model = weights->config();
        EvaluationSession session(job, *data_, *device_);
        session.load(*weights);
        return {choice.conversion, session.evaluate(), count_parameters(job.model).total};
    }

    std::string data() const { return data_->info().description; }
    const Job& job() const { return job_; }

  private:
    std::shared_ptr<const WeightSource> source_;
    std::unique_ptr<Device> device_;
    Job job_;
    std::unique_ptr<DataSource> data_;
};

/// A bar as long as the loss, the longest of 30 characters.
std::string bar(double loss, double largest) {
    std::string text;
    const long length = loss > 0 && largest > 0 ? std::lround(30 * loss / largest) : 0;
    for (long i = 0; i < length; ++i) text += "▇";
    return text;
}

void print_comparison(const std::vector<InitialLoss>& losses, int64_t tokens,
                      const std::string& spec) {
    double largest = 0;
    for (const InitialLoss& row : losses) largest = std::max(largest, row.loss);
    fmt::print("initial loss in nats per token, over {} tokens of {}\n", grouped_digits(tokens),
               spec);
    for (const InitialLoss& row : losses)
        fmt::print("{:<8} {:>8.4f} {:>+8.4f}  {:>14} parameters  {}\n", row.method, row.loss,
                   row.loss - losses.front().loss, grouped_digits(row.parameters),
                   bar(row.loss, largest));
}

Json compare(const UptrainArguments& arguments, std::shared_ptr<const WeightSource> source) {
    LossComparison comparison(std::move(source), arguments.eval);
    std::vector<InitialLoss> losses{comparison.of_source()};
    for (const std::string& conversion : conversions_to(arguments.to))
        losses.push_back(comparison.of({conversion, arguments.n_kv_head}));
    const int64_t tokens = arguments.eval.tokens(comparison.job());
    if (!arguments.json) print_comparison(losses, tokens, arguments.eval.data);
    Json rows = Json::array();
    for (const InitialLoss& row : losses)
        rows.push_back({{"method", row.method},
                        {"loss", row.loss},
                        {"difference", row.loss - losses.front().loss},
                        {"params_total", row.parameters}});
    return {{"data", comparison.data()}, {"tokens", tokens}, {"losses", rows}};
}

Json write(const UptrainArguments& arguments, const UptrainChoice& choice,
           const WeightSource& source, const WeightSource& weights) {
    ProgressLine line;
    const std::vector<std::string> warnings =
        save_weights(weights, arguments.out, {{}, [&](double share) { line.show(share); }});
    line.clear();
    for (const std::string& warning : warnings) eprint("warning: {}\n", warning);
    const int64_t before = count_parameters(source.config()).total;
    const int64_t after = count_parameters(weights.config()).total;
    if (!arguments.json)
        fmt::print("{}: {} with {}{}, {} parameters of {}\n", arguments.out, arguments.to,
                   choice.conversion, choice.conversion == "svd" ? " (" + svd_name() + ")" : "",
                   grouped_digits(after), grouped_digits(before));
    return {{"out", arguments.out},          {"to", arguments.to},
            {"method", choice.conversion},   {"params_total", after},
            {"source_params_total", before}, {"warnings", warnings}};
}

void uptrain(const UptrainArguments& arguments) {
    if (arguments.out.empty() && arguments.eval.data.empty())
        throw UserError("nothing to do", "give --out FILE, --compare DATA or both");
    const UptrainChoice choice = choice_of(arguments);
    const auto source =
        std::make_shared<const CheckpointWeights>(open_checkpoint(arguments.checkpoint));
    check_not_checkpoint(arguments.out, source->title());
    const auto weights = uptrain(source, choice);
    Json document = Json::object();
    if (!arguments.out.empty()) document = write(arguments, choice, *source, *weights);
    if (!arguments.eval.data.empty()) document["compare"] = compare(arguments, source);
    if (arguments.json) fmt::print("{}\n", dump_text(document, 2));
}

}  // namespace

/// `headroom convert uptrain`.
void add_uptrain_command(CLI::App& convert) {
    CLI::App* command = convert.add_subcommand(
        "uptrain", "Turn a multi-head checkpoint into SkipV1Former or GQA, to train on from there");
    const auto arguments = std::make_shared<UptrainArguments>();
    add_checkpoint_options(*command, arguments->checkpoint);
    command->add_option("--to", arguments->to, fmt::format("{}", fmt::join(targets(), " or ")))
        ->check(one_of(targets()))
        ->required();
    command->add_option("--method", arguments->method,
                        ways_to_all() + "; the first of each is the default");
    command
        ->add_option("--n-kv-head", arguments->n_kv_head,
                     "gqa: key/value heads that remain, a divisor of n_head (n_head / 2)")
        ->check(CLI::Range(1, 1 << 20));
    CLI::Option* out = command->add_option("--out", arguments->out, "Checkpoint file to write");
    command->get_option("--method")->needs(out);  // --compare measures all of them
    CLI::Option* compare =
        command->add_option("--compare", arguments->eval.data,
                            "Measure the loss of every method before any training, beside the "
                            "source's, on text:PATH, tokens:FILE or task:NAME");
    add_eval_options(*command, arguments->eval, compare);
    command->add_flag("--json", arguments->json, "Print one JSON document");
    command->callback([arguments] { uptrain(*arguments); });
}

}  // namespace headroom
