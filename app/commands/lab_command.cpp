#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "app/eprint.h"
#include "app/progress_stream.h"
#include "app/stop_signals.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/lab/experiment.h"
#include "core/study/run_folder.h"

namespace headroom {
namespace {

using Json = nlohmann::ordered_json;

struct LabArguments {
    std::string out;
    bool json = false, stream = false;
};

Json describe(Experiment& experiment) {
    Json options = Json::array();
    const Json values = options_json(experiment);
    for (const LabOption& option : experiment.options()) {
        Json entry = {
            {"name", option.name}, {"default", values.at(option.name)}, {"help", option.help}};
        if (option.choices.empty()) {
            entry["least"] = option.least;
            entry["most"] = option.most;
        } else {
            entry["choices"] = option.choices;
        }
        options.push_back(std::move(entry));
    }
    return {{"name", experiment.name()},
            {"title", experiment.title()},
            {"theorem", experiment.theorem()},
            {"shows", experiment.shows()},
            {"options", std::move(options)}};
}

void print_table(const LabTable& table) {
    std::vector<size_t> widths;
    for (const std::string& column : table.columns) widths.push_back(column.size());
    for (const auto& row : table.rows)
        for (size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], cell_text(row[i]).size());
    fmt::print("\n{}\n", table.name);
    for (size_t i = 0; i < widths.size(); ++i)
        fmt::print("{:>{}}{}", table.columns[i], widths[i], i + 1 < widths.size() ? "  " : "\n");
    for (const auto& row : table.rows)
        for (size_t i = 0; i < row.size(); ++i)
            fmt::print("{:>{}}{}", cell_text(row[i]), widths[i], i + 1 < row.size() ? "  " : "\n");
}

void print_text(Experiment& experiment, const LabResult& result) {
    fmt::print("{}: {}\n{}\n", experiment.title(), experiment.theorem(), experiment.shows());
    for (const LabTable& table : result.tables) print_table(table);
    if (!result.checks.empty()) fmt::print("\n");
    for (const LabCheck& check : result.checks)
        fmt::print("{:<13}  {}: {}, expected {} within {}\n", name_of(check.verdict()),
                   check.claim_text(), check.measured_text(), check.expected_text(),
                   check.tolerance_text());
    if (result.stopped) fmt::print("stopped before its end\n");
}

/// A line that is written over on a terminal, or a stream.
LabProgress progress_lines(bool stream, const StopSignals& signals) {
    return [stream, &signals, lines = ProgressStream()](double share,
                                                        const std::string& doing) mutable {
        if (stream) lines.tell(share, doing);
        if (!stream && ::isatty(STDERR_FILENO) != 0)
            eprint("\r\x1b[K{:3.0f} % {}{}", share * 100, doing, share >= 1 ? "\n" : "");
        return !signals.noted();
    };
}

void run(Experiment& experiment, const LabArguments& arguments) {
    check_options(experiment);
    check_not_of_study(arguments.out);
    StopSignals signals;
    signals.note();
    const double began = now_s();
    const LabResult result = experiment.run(progress_lines(arguments.stream, signals));
    Json document = {{"experiment", experiment.name()},
                     {"title", experiment.title()},
                     {"theorem", experiment.theorem()},
                     {"options", options_json(experiment)},
                     {"seconds", now_s() - began}};
    document.update(to_json(result));
    if (!arguments.out.empty()) write_file_atomically(arguments.out, dump_text(document, 1) + "\n");
    if (arguments.stream)
        ProgressStream::finish(std::move(document));
    else if (arguments.json)
        fmt::print("{}\n", dump_text(document, 2));
    else
        print_text(experiment, result);
}

void add_option(CLI::App& command, const LabOption& option) {
    std::visit(
        [&](auto* value) {
            CLI::Option* added =
                command.add_option("--" + option.name, *value, option.help)->capture_default_str();
            using T = std::remove_pointer_t<decltype(value)>;
            if constexpr (!std::is_same_v<T, std::string> && !std::is_arithmetic_v<T>)
                added->delimiter(',');
        },
        option.value);
}

void list_experiments(bool as_json) {
    Json all = Json::array();
    for (const auto& experiment : experiments()) {
        if (!as_json)
            fmt::print("{:<24} {} ({})\n", experiment->name(), experiment->title(),
                       experiment->theorem());
        all.push_back(describe(*experiment));
    }
    if (as_json) fmt::print("{}\n", dump_text(Json{{"experiments", std::move(all)}}, 2));
}

}  // namespace

/// `headroom lab NAME`: the papers' theorems as experiments (core/lab/).
void add_lab_command(CLI::App& app) {
    CLI::App* lab = app.add_subcommand(
        "lab", "The papers' theorems as experiments: runs one, prints its numbers, checks them");
    lab->require_subcommand(1);
    CLI::App* names = lab->add_subcommand("list", "Every experiment, with its options");
    const auto as_json = std::make_shared<bool>(false);
    names->add_flag("--json", *as_json, "Print one JSON document");
    names->callback([as_json] { list_experiments(*as_json); });
    std::vector<std::unique_ptr<Experiment>> all = experiments();
    for (std::unique_ptr<Experiment>& one : all) {
        const std::shared_ptr<Experiment> experiment = std::move(one);
        CLI::App* command = lab->add_subcommand(
            experiment->name(),
            experiment->title() + ": " + experiment->theorem() + ". " + experiment->shows());
        const auto arguments = std::make_shared<LabArguments>();
        for (const LabOption& option : experiment->options()) add_option(*command, option);
        command->add_option("--out", arguments->out,
                            "Write the result as JSON, for `headroom figure lab`");
        CLI::Option* json = command->add_flag("--json", arguments->json, "Print one JSON document");
        command
            ->add_flag("--stream", arguments->stream,
                       "Print a JSON object a line: how far it is, in the end the result")
            ->excludes(json);
        command->callback([experiment, arguments] { run(*experiment, *arguments); });
    }
}

}  // namespace headroom
