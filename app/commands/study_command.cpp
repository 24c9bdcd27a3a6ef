#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/eprint.h"
#include "app/number_checks.h"
#include "app/stop_signals.h"
#include "app/studio_process.h"
#include "app/study/claims_text.h"
#include "app/study/comparison_text.h"
#include "app/study/plan_follower.h"
#include "app/study/run_slots.h"
#include "app/study/run_table_text.h"
#include "app/study/search_runs.h"
#include "app/study/study_argument.h"
#include "app/study/study_expand.h"
#include "app/study/study_figures.h"
#include "app/study/study_runner.h"
#include "app/study/study_status.h"
#include "app/study/study_templates.h"
#include "app/word_check.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"
#include "core/study/study_folder.h"
#include "panels/study/comparison_rows.h"
#include "panels/study/label_runs.h"
#include "panels/study/named_run.h"
#include "panels/study/run_table.h"
#include "panels/study/run_table_export.h"
#include "panels/study/study_comparison.h"
#include "panels/study/study_reader.h"

namespace headroom {

// In files of their names.
void add_study_check(CLI::App& study);
void add_study_new(CLI::App& study);
void add_study_report(CLI::App& study);
void add_study_trash(CLI::App& study);

namespace {

namespace fs = std::filesystem;

struct StudyArguments {
    std::string study_dir;
    std::string from, scale{kLaptopScale};  ///< of a template; "": the study is there
    bool retry = false;
    bool json = false;
    int slots = 0;
};

volatile std::sig_atomic_t g_interrupted = 0;

void say(const std::string& line) {
    eprint("{}\n", printable(line));
}

/// Nothing is drawn, and nothing is wrong, where the studio was not built.
bool draw_figures(const Study& study, const fs::path& folder) {
    std::string studio;
    try {
        studio = studio_program().string();
    } catch (const EnvironmentError& error) {
        say(fmt::format("no figures: {}", error.what()));
        return true;
    }
    return write_figures(study, folder, studio, say);
}

/// On one run at a time, or one for each GPU, unless told otherwise.
std::vector<RunSlot> slots_for(const std::optional<Study>& study, int wanted) {
    const bool on_gpu =
        study && std::any_of(study->runs.begin(), study->runs.end(),
                             [](const StudyRun& run) { return run.job.device != "cpu"; });
    return run_slots(wanted, examine_run_machine(on_gpu));
}

StudyRunnerOptions runner_options(const std::optional<Study>& study, const fs::path& folder,
                                  const StudyArguments& arguments) {
    StudyRunnerOptions options{.headroom = (program_folder() / "headroom").string(),
                               .order = [folder] { return run_order(folder); },
                               .slots = slots_for(study, arguments.slots),
                               .say = say};
    options.update = [folder, plan = PlanFollower(folder, say), retry = arguments.retry]() mutable {
        plan.update();
        if (std::exchange(retry, false)) requeue(folder);
    };
    options.next = [folder] { return queue_search_runs(folder, say); };
    return options;
}

/// One of this template that is there already is gone on with.
void make_from_template(const StudyArguments& arguments) {
    const StudyTemplate chosen = find_template(arguments.from, arguments.scale);
    const fs::path file = StudyFolder{arguments.study_dir}.plan();
    if (!fs::exists(file)) return make_study(chosen, arguments.scale, arguments.study_dir);
    const std::string is_there = load_study(file).name;
    const std::string asked = template_study(chosen, arguments.scale).name;
    if (is_there != asked)
        throw UserError(fmt::format("{} holds another study, \"{}\" and not \"{}\"",
                                    arguments.study_dir, printable(is_there), printable(asked)),
                        "name another folder, or leave --from out to go on with that study");
    const bool same = read_text(file) == template_text(chosen, arguments.scale);
    say(fmt::format("{} is there already; going on with it{}", arguments.study_dir,
                    same ? "" : " (its study.json differs from the template's)"));
}

void print_claims(const Study& study, const fs::path& folder) {
    if (study.expect.empty()) return;
    fmt::print("\n{}", claims_table(answer_claims(study, *read_study(folder))));
}

/// Trains, then draws and answers what there is, also after a failure or an interrupt.
void run(const StudyArguments& arguments) {
    if (!arguments.from.empty()) make_from_template(arguments);
    const fs::path folder = study_folder(arguments.study_dir);
    std::optional<Study> study;
    if (fs::exists(StudyFolder{folder}.plan())) study = load_study(StudyFolder{folder}.plan());
    check_search(folder);  // before anything is trained
    for (const int signal : stop_signals()) std::signal(signal, [](int) { g_interrupted = 1; });
    std::signal(SIGPIPE, SIG_IGN);  // whoever has read the progress may leave

    StudyRunner runner(folder, runner_options(study, folder, arguments));
    const bool all_finished = runner.run_all([] { return g_interrupted != 0; });
    if (study) study = load_study(StudyFolder{folder}.plan());  // a search has added runs
    const bool all_drawn = !study || study->figures.empty() || draw_figures(*study, folder);
    fmt::print("{}", status_table(study_rows(folder)));
    if (study) print_claims(*study, folder);
    if (!all_finished)
        throw EnvironmentError(folder.string() + ": not every run finished",
                               "headroom study run goes on with interrupted runs, with --retry "
                               "also with failed and stopped ones");
    if (!all_drawn)
        throw EnvironmentError(folder.string() + ": not every figure could be drawn",
                               "the lines above say why");
}

void status(const StudyArguments& arguments) {
    const fs::path folder = study_folder(arguments.study_dir);
    const auto rows = study_rows(folder);
    if (arguments.json)
        fmt::print("{}\n", dump_text(status_json(folder, rows), 2));
    else if (!rows.empty())
        fmt::print("{}", status_table(rows));
    size_t planned = 0;  // a plan that cannot be read is said below the runs that there are
    if (fs::exists(StudyFolder{folder}.plan()))
        planned = load_study(StudyFolder{folder}.plan()).runs.size();
    if (rows.empty() && !arguments.json)
        fmt::print("none of {} planned runs has begun; headroom study run {} trains them\n",
                   planned, arguments.study_dir);
}

void stop(const StudyArguments& arguments) {
    const int count = request_stop(study_folder(arguments.study_dir));
    eprint("{} run(s) asked to stop; headroom study run --retry goes on with them\n", count);
}

/// The texts of a table, made when asked for.
struct TableTexts {
    std::function<std::string()> terminal, csv;
    std::function<PrintedTable()> printed;
    std::function<nlohmann::ordered_json()> json;
};

/// How a table is printed: for a terminal unless one of these is asked for.
struct TableFormat {
    bool csv = false, markdown = false, latex = false, json = false;

    void add_to(CLI::App& verb) {
        CLI::Option_group* one = verb.add_option_group("format", "");
        one->add_flag("--csv", csv, "Print CSV, numbers in full");
        one->add_flag("--markdown", markdown, "Print Markdown");
        one->add_flag("--latex", latex, "Print a LaTeX tabular with booktabs");
        one->add_flag("--json", json, "Print one JSON document");
        one->require_option(0, 1);
    }

    void print(const TableTexts& texts) const {
        fmt::print("{}", json       ? dump_text(texts.json(), 2) + "\n"
                         : csv      ? texts.csv()
                         : markdown ? markdown_table(texts.printed())
                         : latex    ? latex_table(texts.printed())
                                    : texts.terminal());
    }
};

struct CompareArguments {
    std::string study_dir, baseline, measure = "final";
    std::optional<int64_t> at_tokens;
    bool welch = false;
    TableFormat format;
};

void compare(const CompareArguments& arguments) {
    ComparisonSettings settings;
    settings.baseline = arguments.baseline;
    settings.measure = Measure::parse(arguments.measure);
    settings.at_tokens = arguments.at_tokens;
    settings.welch = arguments.welch;
    const StudyPointer study = read_study(study_folder(arguments.study_dir));
    const StudyComparison comparison = compare_study(study->runs, settings);
    arguments.format.print({.terminal = [&] { return comparison_table(comparison); },
                            .csv = [&] { return comparison_csv(comparison); },
                            .printed = [&] { return printed_table(comparison); },
                            .json = [&] { return comparison_json(comparison); }});
    if (const std::string note = note_of_changed_runs(study->folder); !note.empty())
        eprint("note: {}\n", note);
}

void add_compare(CLI::App& study) {
    const auto arguments = std::make_shared<CompareArguments>();
    CLI::App* verb = study.add_subcommand(
        "compare",
        "Compare variants with one of them: paired by seed and equal batches, with "
        "interval, p (Holm), seeds needed and tokens saved");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->add_option("--baseline", arguments->baseline, "A run of the baseline, or its name")
        ->required();
    verb->add_option(
            "--measure", arguments->measure,
            "val.loss at the end (final), best or last-5, perplexity, or a series of the log such "
            "as train/grad_norm")
        ->capture_default_str();
    verb->add_option("--at", arguments->at_tokens, "Compare after so many tokens, not at the end")
        ->check(not_below_zero, "FROM 0");
    verb->add_flag("--welch", arguments->welch,
                   "Do not pair: Welch's test, for runs that saw different batches");
    arguments->format.add_to(*verb);
    verb->callback([arguments] { compare(*arguments); });
}

struct RunTableArguments {
    std::string study_dir;
    RunTableSettings settings;
    TableFormat format;
};

void runs(const RunTableArguments& arguments) {
    const StudyPointer study = read_study(study_folder(arguments.study_dir));
    RunFacts facts;
    facts.set_runs(study->runs);
    const RunTable table = build_run_table(facts, arguments.settings);
    arguments.format.print({.terminal = [&] { return run_table_text(table); },
                            .csv = [&] { return run_table_csv(table); },
                            .printed = [&] { return printed_table(table); },
                            .json = [&] { return run_table_json(table); }});
}

void add_runs(CLI::App& study) {
    const auto arguments = std::make_shared<RunTableArguments>();
    RunTableSettings& settings = arguments->settings;
    CLI::App* verb = study.add_subcommand("runs", "The runs as a table: filter, sort, group");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->add_option("--filter", settings.filter,
                     "Words and conditions that all hold: arch:skipv1 lr>1e-3 state:finished "
                     "tags:paper /regex/ -word");
    verb->add_option(
            "--columns", settings.columns,
            "Columns, job keys (train.lr, or lr) and series (train/grad_norm), with commas")
        ->delimiter(',');
    verb->add_option("--sort", settings.sort_by, "A column");
    verb->add_flag("--descending", settings.descending, "The greatest first");
    verb->add_option("--group-by", settings.group_by,
                     "A column, group for variants: means with deviations and n");
    verb->add_flag("--differing", settings.only_differing, "Leave out columns of equal values");
    arguments->format.add_to(*verb);
    verb->callback([arguments] { runs(*arguments); });
}

struct LabelArguments {
    std::string study_dir;
    std::vector<std::string> runs;
    std::optional<int> color;
    std::optional<std::string> name, note;
    std::vector<std::string> tags, untags;
};

/// Name and colour are of the whole group, tags and note of the runs that are named.
void label(const LabelArguments& arguments) {
    const fs::path folder = study_folder(arguments.study_dir);
    const StudyPointer study = StudyReader(folder, {RunReader::Rows::kNone, {}, true}).look();
    if (!study->problem.empty()) throw UserError(study->problem);
    std::vector<std::string> ids;
    for (const std::string& word : arguments.runs) {
        const std::vector<RunPointer> named = find_named_runs(study->runs, word);
        for (const RunPointer& run : named) ids.push_back(run->id);
        if (named.empty())
            throw UserError("\"" + word + "\" is no run of " + folder.string(),
                            "headroom study runs lists them");
    }
    LabelChange change;
    change.color = arguments.color;
    change.name = arguments.name;
    change.note = arguments.note;
    change.tags = arguments.tags;
    change.untags = arguments.untags;
    label_runs(*study, ids, change);
}

/// As the window takes them: a line of tags is split at blanks and commas.
std::string problem_of_tag(const std::string& tag) {
    return tag.empty() || tag.find_first_of(kTagSeparators) != tag.npos
               ? "a tag is one word without commas; give --tag once for each"
               : "";
}

void add_label(CLI::App& study) {
    const auto arguments = std::make_shared<LabelArguments>();
    CLI::App* verb =
        study.add_subcommand("label", "Colour, name, tags and note of runs (labels.json)");
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->add_option("RUN", arguments->runs, "Runs, or names of groups")->required();
    verb->add_option("--color", arguments->color,
                     "Number in the palette, of all runs that differ in their seed alone")
        ->check(CLI::Range(0, kMostColors - 1));
    verb->add_option("--name", arguments->name, "Of those too; \"\" for the job's");
    verb->add_option("--tag", arguments->tags, "A tag to add; may be repeated")
        ->take_all()
        ->check(problem_of_tag);
    verb->add_option("--untag", arguments->untags, "A tag to take off")->take_all();
    verb->add_option("--note", arguments->note, "Markdown; \"\" for none");
    verb->callback([arguments] { label(*arguments); });
}

CLI::App* add_verb(CLI::App& study, const char* name, const char* help,
                   const std::shared_ptr<StudyArguments>& arguments,
                   void (*work)(const StudyArguments&)) {
    CLI::App* verb = study.add_subcommand(name, help);
    verb->add_option("STUDY_DIR", arguments->study_dir, "The study's folder")->required();
    verb->callback([arguments, work] { work(*arguments); });
    return verb;
}

}  // namespace

/// `headroom study run|status|stop STUDY_DIR`: all runs of a study, one after the other.
void add_study_command(CLI::App& app) {
    CLI::App* study = app.add_subcommand("study", "Train all runs of a study, or look after them");
    study->require_subcommand(1);
    const auto arguments = std::make_shared<StudyArguments>();
    CLI::App* verb =
        add_verb(*study, "run", "Train every queued run, draw the figures and answer the claims",
                 arguments, run);
    CLI::Option* from =
        verb->add_option("--from", arguments->from,
                         "Make STUDY_DIR of this template first, if it is not there: a name that "
                         "headroom study templates lists, or a folder like those");
    add_scale_option(*verb, arguments->scale)->needs(from);
    verb->add_flag("--retry", arguments->retry, "Take up failed and stopped runs again");
    verb->add_option("--slots", arguments->slots,
                     "Runs at a time: they share the processor's threads, or take turns at its "
                     "GPUs (default: one for each GPU, else one)")
        ->check(CLI::Range(1, kMostRunSlots));
    add_verb(*study, "status", "Say how far every run is", arguments, status)
        ->add_flag("--json", arguments->json, "Print one JSON document");
    add_compare(*study);
    add_runs(*study);
    add_label(*study);
    add_study_check(*study);
    add_study_new(*study);
    add_study_report(*study);
    add_study_trash(*study);
    add_verb(*study, "stop", "Ask every run to stop after its step", arguments, stop);
}

}  // namespace headroom
