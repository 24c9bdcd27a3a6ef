#include <memory>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/eprint.h"
#include "app/studio_process.h"
#include "app/study/study_argument.h"
#include "app/study/study_figures.h"
#include "app/study/study_report.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/printable.h"
#include "core/study/study_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;

struct ReportArguments {
    std::string study_dir, out;
    bool keep_figures = false;
};

/// Figures that cannot be drawn are said, and are missing in the report.
void draw(const Study& plan, const fs::path& folder) {
    const auto say = [](const std::string& line) { eprint("{}\n", printable(line)); };
    try {
        write_figures(plan, folder, studio_program().string(), say);
    } catch (const EnvironmentError& error) {
        say(fmt::format("no figures: {}", error.what()));
    }
}

void report(const ReportArguments& arguments) {
    const fs::path out = arguments.out;
    const bool html = out.extension() == ".html";
    if (!html && out.extension() != ".md")
        throw UserError(arguments.out + " ends in no format of reports", "end it in .html or .md");
    const fs::path folder = study_folder(arguments.study_dir);
    const Study plan = read_plan(folder, "report");
    if (!arguments.keep_figures && !plan.figures.empty()) draw(plan, folder);
    const ReportDocument document =
        report_study(plan, *read_study(folder), read_text(StudyFolder{folder}.plan()));
    const fs::path beside = fs::absolute(out).parent_path();
    write_file_atomically(out, html ? report_html(document) : report_markdown(document, beside));
    eprint("wrote {}\n", arguments.out);
}

}  // namespace

/// `headroom study report STUDY_DIR --out FILE`: what one sends to a colleague.
void add_study_report(CLI::App& study) {
    const auto arguments = std::make_shared<ReportArguments>();
    CLI::App* verb = study.add_subcommand(
        "report",
        "Question, claims, results, figures, variants and commands of a study in one file");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->add_option("--out", arguments->out, "report.html, which needs no other file, or .md")
        ->required();
    verb->add_flag("--keep-figures", arguments->keep_figures,
                   "Take the figures as they lie in figures/ and do not draw them anew");
    verb->callback([arguments] { report(*arguments); });
}

}  // namespace headroom
