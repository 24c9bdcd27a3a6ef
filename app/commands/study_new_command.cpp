#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/job_loading.h"
#include "app/number_checks.h"
#include "app/study/study_argument.h"
#include "app/study/study_prediction.h"
#include "app/study/study_templates.h"
#include "app/study/text_table.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/study/job_paths.h"
#include "core/study/run_folder.h"
#include "core/study/study_folder.h"
#include "panels/base/number_format.h"

namespace headroom {
namespace {

using nlohmann::ordered_json;

/// One template at one scale.
ordered_json describe(const StudyTemplate& chosen, const std::string& scale) {
    const Study study = template_study(chosen, scale);
    return {{"name", chosen.name},
            {"scale", scale},
            {"title", study.name},
            {"description", study.description},
            {"runs", study.runs.size()},
            {"seeds", study.seeds},
            {"claims", study.expect.size()},
            {"tokens", std::llround(training_tokens(study, template_search(chosen, scale)))}};
}

void print_templates(bool as_json) {
    ordered_json all = ordered_json::array();
    for (const StudyTemplate& each : list_templates(templates_folder()))
        for (const std::string& scale : each.scales) all.push_back(describe(each, scale));
    if (as_json) {
        fmt::print("{}\n", dump_text(all, 2));
        return;
    }
    std::vector<std::vector<std::string>> rows{
        {"NAME", "SCALE", "RUNS", "CLAIMS", "TOKENS", "WHAT"}};
    for (const ordered_json& each : all) {
        const auto text = [&](const char* key) { return each.at(key).get<std::string>(); };
        const auto count = [&](const char* key) {
            return std::to_string(each.at(key).get<int64_t>());
        };
        rows.push_back({text("name"), text("scale"), count("runs"), count("claims"),
                        format_count(each.at("tokens").get<double>()), text("title")});
    }
    fmt::print("{}", text_table(rows));
}

struct NewArguments {
    std::string from, scale{kLaptopScale}, study_dir;
    double hours = 0;  ///< 0: as long as it says
    TemplateChanges changes;
};

/// So many tokens for each run that the study takes the hours that were asked for.
int64_t tokens_of_hours(const NewArguments& arguments, const StudyTemplate& chosen) {
    TemplateChanges changes = arguments.changes;
    const auto with = [&](int64_t tokens) {
        changes.tokens = tokens;
        return changed_study(chosen, arguments.scale, changes);
    };
    const Study study = with(0);
    const std::unique_ptr<Device> device = open_device(study.runs.front().job.device);
    const StudyPrediction prediction =
        predict_study(study, template_search(chosen, arguments.scale), *device);
    return tokens_within(arguments.hours, prediction, with);
}

void make(NewArguments& arguments) {
    const StudyTemplate chosen = find_template(arguments.from, arguments.scale);
    if (arguments.hours > 0) arguments.changes.tokens = tokens_of_hours(arguments, chosen);
    make_study(chosen, arguments.scale, arguments.study_dir, arguments.changes);
    const Study study = load_study(StudyFolder{arguments.study_dir}.plan());
    const auto search = load_search(arguments.study_dir);
    const std::string found = search ? fmt::format(" and {} wirings to be found",
                                                   search->candidates * search->generations)
                                     : "";
    eprint("{}: {} runs{}, {} tokens in all; headroom study run {} trains them\n",
           arguments.study_dir, study.runs.size(), found,
           format_count(training_tokens(study, search)), arguments.study_dir);
    if (reads_own_tokens(study))
        eprint("it reads {0}/data/train.bin and val.bin, which headroom data prepare makes\n",
               arguments.study_dir);
}

struct PredictArguments {
    std::string study_dir, from, scale{kLaptopScale}, device = "auto";
    bool json = false;
};

/// The study and its search, of a folder or a template; data paths as a run of it sees them.
std::pair<Study, std::optional<WiringSearch>> asked_study(const PredictArguments& arguments) {
    if (arguments.study_dir.empty() == arguments.from.empty())
        throw UserError("nothing to predict, or two things",
                        "give STUDY_DIR, or --from a name of headroom study templates");
    if (!arguments.from.empty()) {
        const StudyTemplate chosen = find_template(arguments.from, arguments.scale);
        return {template_study(chosen, arguments.scale), template_search(chosen, arguments.scale)};
    }
    const std::filesystem::path folder = study_folder(arguments.study_dir);
    Study study = read_plan(folder, "prediction");
    for (StudyRun& run : study.runs) make_paths_absolute(run.job, folder);
    std::optional<WiringSearch> search = load_search(folder);
    if (search) make_paths_absolute(search->job, folder);
    return {std::move(study), std::move(search)};
}

void predict(const PredictArguments& arguments) {
    const auto [study, search] = asked_study(arguments);
    const std::unique_ptr<Device> device = open_device(arguments.device);
    const StudyPrediction prediction = predict_study(study, search, *device);
    if (arguments.json)
        fmt::print("{}\n", dump_text(to_json(prediction), 2));
    else
        fmt::print("{}", prediction_text(prediction));
}

void add_predict(CLI::App& study) {
    const auto arguments = std::make_shared<PredictArguments>();
    CLI::App* verb = study.add_subcommand(
        "predict", "Time, memory, disk and FLOPs that a study will take on this machine");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study");
    CLI::Option* from = verb->add_option(
        "--from", arguments->from, "Instead of it a name that headroom study templates lists");
    add_scale_option(*verb, arguments->scale)->needs(from);
    add_device_option(*verb, arguments->device, "cpu, cuda or auto: where steps are timed")
        ->capture_default_str();
    verb->add_flag("--json", arguments->json, "Print one JSON document");
    verb->callback([arguments] { predict(*arguments); });
}

}  // namespace

/// `headroom study templates`, `headroom study predict` and `headroom study new --from NAME
/// STUDY_DIR`.
void add_study_new(CLI::App& study) {
    add_predict(study);
    const auto as_json = std::make_shared<bool>(false);
    CLI::App* templates = study.add_subcommand(
        "templates", "The papers' figures and tables as studies, at up to three scales");
    templates->add_flag("--json", *as_json, "Print one JSON document");
    templates->callback([as_json] { print_templates(*as_json); });

    const auto arguments = std::make_shared<NewArguments>();
    CLI::App* verb = study.add_subcommand("new", "Make a study from a template");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The folder to make")->required();
    verb->add_option("--from", arguments->from,
                     "A name that headroom study templates lists, or a folder of your own like "
                     "those")
        ->required();
    add_scale_option(*verb, arguments->scale);
    verb->add_option("--budget", arguments->changes.budget,
                     "Of a template that searches wirings: cache, params, non-embedding or flops, "
                     "as a share of the baseline's")
        ->type_name("BY=SHARE");
    verb->add_option("--hours", arguments->hours,
                     "Train its runs so long that all of it takes about so many hours on this "
                     "machine, by timing a few steps: \"budget\" in its study.json, in tokens")
        ->check(above_zero, "ABOVE 0");
    verb->add_option("--set", arguments->changes.sets,
                     "Override a key of the job that all runs share, e.g. "
                     "data.train=text:book.txt (repeatable)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb->callback([arguments] { make(*arguments); });
}

}  // namespace headroom
