#include "app/commands/figure_table_command.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/eprint.h"
#include "app/study/result_table_text.h"
#include "app/study/study_argument.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

struct FigureTableArguments {
    std::string study_dir;
    ResultTableSettings settings;
    std::vector<std::string> out;
};

using Writer = std::string (*)(const ResultTable&);

Writer writer_of(const fs::path& path) {
    if (path.extension() == ".md")
        return [](const ResultTable& t) { return markdown_table(printed_table(t)); };
    if (path.extension() == ".tex")
        return [](const ResultTable& t) { return latex_table(printed_table(t)); };
    if (path.extension() == ".csv") return csv_table;
    throw UserError(fmt::format("{} ends in no format of tables", path.string()),
                    "end it in .md, .tex or .csv");
}

void write(const FigureTableArguments& arguments) {
    for (const std::string& path : arguments.out) writer_of(path);  // before any work
    const fs::path folder = study_folder(arguments.study_dir);
    std::optional<Study> plan;
    if (fs::exists(StudyFolder{folder}.plan())) plan = read_plan(folder, "plan");
    const ResultTable table =
        build_result_table(plan ? &*plan : nullptr, *read_study(folder), arguments.settings);
    for (const std::string& path : arguments.out) {
        write_file_atomically(path, writer_of(path)(table));
        eprint("wrote {}\n", path);
    }
    if (arguments.out.empty()) fmt::print("{}", markdown_table(printed_table(table)));
}

}  // namespace

void add_figure_table(CLI::App& figure) {
    const auto arguments = std::make_shared<FigureTableArguments>();
    CLI::App* verb = figure.add_subcommand(
        "table", "A study's variants by several measures as Markdown, LaTeX (booktabs) or CSV");
    verb->prefix_command(false);  // unlike the recipes of `headroom figure`
    verb->set_help_flag("-h,--help", "Print this help message and exit");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->add_option("--baseline", arguments->settings.baseline,
                     "A run of the baseline, or its name; the first variant unless told otherwise");
    verb->add_option(
            "--measures", arguments->settings.measures,
            "params, params_active, kv_bytes_per_token, flops_per_token, final, best, last-5, "
            "perplexity or series of the log, with commas; unless told otherwise those of "
            "study.json, else params, kv_bytes_per_token and final")
        ->delimiter(',');
    verb->add_option("--out", arguments->out,
                     "A file that ends in .md, .tex or .csv; may be repeated; without one the "
                     "Markdown is printed")
        ->take_all();
    verb->callback([arguments] { write(*arguments); });
}

}  // namespace headroom
