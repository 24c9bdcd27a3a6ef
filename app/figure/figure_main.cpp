#include "app/figure/figure_main.h"

#include <QApplication>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command_guard.h"
#include "app/figure/figure_recipe.h"
#include "core/base/error.h"
#include "panels/figure/figure_export.h"

namespace headroom {
namespace {

/// What all recipes share.
struct FigureArguments {
    std::vector<std::string> out;
    double width = kTextWidthIn;
    std::optional<double> height;
    std::string title;
    std::string theme = "light";
    bool no_notes = false;
    bool json = false;
};

void add_shared_options(CLI::App& command, FigureArguments& arguments) {
    command
        .add_option("--out", arguments.out,
                    "File to write, ending in .pdf, .svg, .png or .csv; may stand several times")
        ->required()
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        .add_option("--width", arguments.width,
                    "In inches: 3.25 for a column, 5.5 for NeurIPS text, 6.75 for two columns")
        ->capture_default_str();
    command.add_option("--height", arguments.height,
                       "In inches (default 0.62 of the width, at least 2.4)");
    command.add_option("--title", arguments.title, "Written above the axes");
    command.add_option("--theme", arguments.theme, "light or dark")->capture_default_str();
    command.add_flag("--no-notes", arguments.no_notes,
                     "Leave out the small print below; the CSV keeps it");
    command.add_flag("--json", arguments.json, "Print what was drawn as one JSON document");
}

double checked_inches(const std::string& option, double inches) {
    constexpr double kLeast = 1, kMost = 40;
    if (inches >= kLeast && inches <= kMost) return inches;
    throw UserError(fmt::format("{} {} is out of range", option, inches),
                    fmt::format("give {} to {} inches", kLeast, kMost));
}

bool wants_dark(const std::string& theme) {
    if (theme == "dark") return true;
    if (theme == "light") return false;
    throw UserError("--theme " + theme + " is not known", "give light or dark");
}

/// Qt without a display and without its chatter.
std::unique_ptr<QApplication> start_qt() {
    static int argc = 1;
    static char name[] = "headroom-studio";
    static char* argv[] = {name, nullptr};
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
        if (type == QtCriticalMsg || type == QtFatalMsg)
            fmt::print(stderr, "{}\n", text.toStdString());
    });
    return std::make_unique<QApplication>(argc, argv);
}

void draw(FigureRecipe& recipe, const FigureArguments& arguments) {
    constexpr double kHeightShare = 0.62, kLeastHeight = 2.4;
    const bool dark = wants_dark(arguments.theme);
    const double width = checked_inches("--width", arguments.width);
    const double height = checked_inches(
        "--height", arguments.height.value_or(std::max(width * kHeightShare, kLeastHeight)));
    for (const std::string& path : arguments.out) figure_format(path);  // before any work

    nlohmann::json report = {{"recipe", recipe.name()}, {"files", arguments.out}};
    Figure figure = recipe.build(report);
    figure.title = arguments.title;
    figure.width_in = width;
    figure.height_in = height;
    const auto qt = start_qt();
    for (const std::string& path : arguments.out) {
        Figure written = figure;
        if (arguments.no_notes && figure_format(path) != FigureFormat::kCsv)
            written.footnote.clear();
        export_figure(written, path, dark);
        if (!arguments.json) fmt::print(stderr, "wrote {}\n", path);
    }
    if (arguments.json) fmt::print("{}\n", report.dump(2));
}

int parse_and_draw(int argc, char** argv) {
    const auto recipes = figure_recipes();
    FigureArguments arguments;
    CLI::App app("Writes figures without a window.", "headroom figure");
    app.require_subcommand(1);
    for (const auto& recipe : recipes) {
        CLI::App* command = app.add_subcommand(recipe->name(), recipe->help());
        recipe->add_options(*command);
        add_shared_options(*command, arguments);
        command->callback([&arguments, chosen = recipe.get()] { draw(*chosen, arguments); });
    }
    // The word "figure" stands in the place of the program's name.
    return run_commands(app, argc - 1, argv + 1);
}

}  // namespace

int figure_main(int argc, char** argv) {
    return run_guarded([&] { return parse_and_draw(argc, argv); });
}

}  // namespace headroom
