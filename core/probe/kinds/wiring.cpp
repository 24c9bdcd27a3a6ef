#include <cmath>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/conversions.h"
#include "core/config/job_json.h"
#include "core/config/model_check.h"
#include "core/probe/loss_pass.h"
#include "core/probe/probe_kind.h"
#include "core/stats/paired_test.h"
#include "core/wiring/wiring_edit.h"
#include "core/wiring/wiring_json.h"

namespace headroom::kinds::wiring {
namespace {

struct Numbers {
    double loss = 0, rewired = 0;          ///< nats per token
    std::vector<double> before, after;     ///< of every sequence
    double standard_error = std::nan("");  ///< of the mean difference between sequences
    Wiring wiring;
    std::string way;
};

/// "values 4-7 read 1; keys 5 read 1"
std::vector<std::string> lines_of(const std::string& edits) {
    std::vector<std::string> lines;
    std::istringstream text(edits);
    for (std::string line; std::getline(text, line, ';');) lines.push_back(line);
    return lines;
}

/// The table of a file: one, or that of a model section or a job, even of one that names a rule.
Wiring wiring_of_file(const std::string& path, const ModelConfig& model) {
    const nlohmann::json document = load_json(path);
    const bool is_job = document.is_object() && document.contains("model");
    if (is_job && document.at("model").is_object() && !document.at("model").contains("wiring"))
        return parse_job(document, path).model.wiring;
    return parse_wiring_document(document, model.n_layer, model.n_head, model.n_kv_head,
                                 model.wiring_choice);
}

ModelConfig wanted_model(const ModelConfig& given, const ProbeValues& options) {
    const auto& file = options.get<std::string>("wiring");
    const auto& edit = options.get<std::string>("edit");
    if (file.empty() && edit.empty())
        throw UserError("it is not said which wiring to try",
                        "give --wiring FILE.json, or --edit \"values 4-7 read 1\"");
    ModelConfig wanted = given;
    if (!file.empty()) wanted.wiring = wiring_of_file(file, given);
    wanted.wiring = edited(wanted.wiring, lines_of(edit), given.wiring_choice, EditFor::kWeights);
    wanted.n_kv_head = wanted.wiring.n_kv_head;
    wanted.custom_wiring = true;
    check_model(wanted);
    return wanted;
}

/// Standard error of the mean of the differences, NaN for one sequence.
double error_of_mean(const std::vector<double>& before, const std::vector<double>& after) {
    std::vector<double> differences;
    for (size_t i = 0; i < before.size(); ++i)
        if (const double difference = after[i] - before[i]; std::isfinite(difference))
            differences.push_back(difference);  // others have no targets
    if (differences.empty()) return std::nan("");
    const SampleMoments moments = moments_of(differences);
    return moments.deviation.value_or(std::nan("")) / std::sqrt(static_cast<double>(moments.n));
}

/// The loss of one model after the other on the same sequences, one at a time.
class Trial {
  public:
    explicit Trial(const ProbeTask& task) : task_(task), asked_(task.asked()) {}

    Numbers measure() {
        Numbers numbers;
        const ModelConfig wanted = wanted_model(task_.weights.config(), task_.options);
        numbers.wiring = wanted.wiring;
        numbers.way = task_.options.get<std::string>("convert");
        const std::shared_ptr<const WeightSource> given(std::shared_ptr<const void>(),
                                                        &task_.weights);
        CHECK(task_.convert != nullptr, "weights can be converted");
        const std::shared_ptr<const WeightSource> drawn = task_.convert(given, wanted, numbers.way);
        if (drawn->config().wiring != wanted.wiring)
            throw UserError(fmt::format("--convert {} makes another wiring than this", numbers.way),
                            "use --convert rewire, or draw what it makes");
        numbers.loss = loss(*given, numbers.before);
        numbers.rewired = loss(*drawn, numbers.after);
        numbers.standard_error = error_of_mean(numbers.before, numbers.after);
        return numbers;
    }

  private:
    double loss(const WeightSource& weights, std::vector<double>& by_sequence) {
        ProbeShape shape = task_.shape();
        shape.batch_size = 1;
        LossPass pass(weights.config(), shape, no_edit(), task_.device);
        pass.load(weights);
        return pass.loss(asked_, {.before = [this](int64_t) { task_.check_going(); },
                                  .after =
                                      [&](double nats) {
                                          by_sequence.push_back(nats);
                                          tell();
                                      }});
    }
    void tell() {
        const auto all = static_cast<double>(2 * asked_.batch_size());
        if (task_.progress) task_.progress(static_cast<double>(++done_) / all);
    }

    const ProbeTask& task_;
    Batch asked_;
    int64_t done_ = 0;
};

std::string table(const Numbers& numbers) {
    const std::string error = std::isfinite(numbers.standard_error)
                                  ? fmt::format(" ± {:.4f}", numbers.standard_error)
                                  : "";
    return fmt::format(
        "loss {:.4f} nats as trained, {:.4f} with this wiring ({}), without training: {}{}\n",
        numbers.loss, numbers.rewired, numbers.way, change_text(numbers.rewired - numbers.loss),
        error);
}

void write(const Numbers& numbers, ArrayFileWriter& file) {
    const auto sequences = static_cast<int64_t>(numbers.before.size());
    file.add("/wiring/loss", {1}, std::vector<double>{numbers.loss}, "nats");
    file.add("/wiring/rewired", {1}, std::vector<double>{numbers.rewired}, "nats");
    std::vector<double> both = numbers.before;
    both.insert(both.end(), numbers.after.begin(), numbers.after.end());
    file.add("/wiring/sequences", {2, sequences}, both, "nats");
    file.attribute("/wiring", "table", dump_text(to_json(numbers.wiring)));
    file.attribute("/wiring", "convert", numbers.way);
    file.plot_hint({"/wiring", "sequences"});
}

ProbeFindings measure(const ProbeTask& task) {
    const auto numbers = std::make_shared<const Numbers>(Trial(task).measure());
    return {[numbers](ArrayFileWriter& file) { write(*numbers, file); },
            [numbers] { return table(*numbers); },
            [numbers](nlohmann::ordered_json& document) {
                document["loss"] = numbers->loss;
                document["rewired"] = numbers->rewired;
                document["difference"] = numbers->rewired - numbers->loss;
                document["standard_error"] = numbers->standard_error;  // NaN becomes null
                document["convert"] = numbers->way;
                document["wiring"] = to_json(numbers->wiring);
            }};
}

int64_t bytes(const Job& job, const ProbeConfig& config, int threads) {
    ProbeShape shape = live_probe_shape(job, config);
    shape.batch_size = 1;
    return LossPass::memory(job.model, shape, no_edit(), threads).total;
}

}  // namespace

ProbeKind kind() {
    return {{.kind = "wiring",
             .help = "The loss with another wiring laid over the trained weights, without training",
             .batch_size = 8,
             .options = {{.name = "wiring",
                          .help = "JSON file with the table, or the job of a run that has it",
                          .standard = std::string(),
                          .command_only = true},
                         {.name = "edit",
                          .help = "Edits as `describe --wire` takes them, with ; between, of the "
                                  "file's table or the model's own",
                          .standard = std::string()},
                         {.name = "convert",
                          .help = fmt::format(
                              "{}: sources are read as they are; {}: layers that keep half of "
                              "their values are converted; {}: groups of heads",
                              kRewire, fmt::join(conversions_to("skipv1"), ", "),
                              fmt::join(conversions_to("gqa"), ", ")),
                          .standard = std::string(kRewire)}},
             .needed = "edit",
             .of_images = true},
            nullptr,
            measure,
            bytes};
}

}  // namespace headroom::kinds::wiring
