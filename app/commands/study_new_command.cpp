#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/study/study_templates.h"
#include "app/study/text_table.h"
#include "core/base/json_text.h"
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
            {"tokens", training_tokens(study, template_search(chosen, scale))}};
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
    std::string from, scale = "laptop", study_dir;
    TemplateChanges changes;
};

void make(const NewArguments& arguments) {
    const StudyTemplate chosen = find_template(templates_folder(), arguments.from, arguments.scale);
    make_study(chosen, arguments.scale, arguments.study_dir, arguments.changes);
    const Study study = load_study(std::filesystem::path(arguments.study_dir) / "study.json");
    const auto search = load_search(arguments.study_dir);
    const std::string found = search ? fmt::format(" and {} wirings to be found",
                                                   search->candidates * search->generations)
                                     : "";
    fmt::print(stderr, "{}: {} runs{}, {} tokens in all; headroom study run {} trains them\n",
               arguments.study_dir, study.runs.size(), found,
               format_count(static_cast<double>(training_tokens(study, search))),
               arguments.study_dir);
    if (!study.runs.empty() && study.runs.front().job.data.train.starts_with("tokens:data/"))
        fmt::print(stderr,
                   "it reads {0}/data/train.bin and val.bin, which headroom data prepare makes\n",
                   arguments.study_dir);
}

}  // namespace

/// `headroom study templates` and `headroom study new --from NAME STUDY_DIR`.
void add_study_new(CLI::App& study) {
    const auto as_json = std::make_shared<bool>(false);
    CLI::App* templates = study.add_subcommand(
        "templates", "The papers' figures and tables as studies, at up to three scales");
    templates->add_flag("--json", *as_json, "Print one JSON document");
    templates->callback([as_json] { print_templates(*as_json); });

    const auto arguments = std::make_shared<NewArguments>();
    CLI::App* verb = study.add_subcommand("new", "Make a study from a template");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The folder to make")->required();
    verb->add_option("--from", arguments->from, "A name that headroom study templates lists")
        ->required();
    verb->add_option("--scale", arguments->scale, "laptop, gpu or paper")->capture_default_str();
    verb->add_option("--budget", arguments->changes.budget,
                     "Of a template that searches wirings: cache, params, non-embedding or flops, "
                     "as a share of the baseline's")
        ->type_name("BY=SHARE");
    verb->add_option("--set", arguments->changes.sets,
                     "Override a key of the job that all runs share, e.g. "
                     "data.train=text:book.txt (repeatable)")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    verb->callback([arguments] { make(*arguments); });
}

}  // namespace headroom
