#include "app/figure/figure_main.h"

#include <QApplication>
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
#include "core/base/json_text.h"
#include "panels/figure/page_export.h"

namespace headroom {
namespace {

/// What all recipes share.
struct FigureArguments {
    std::vector<std::string> out;
    FigureRequest request;
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
    command.add_option("--width", arguments.request.width_in,
                       "In inches: 3.25 for a column, 5.5 for NeurIPS text, 6.75 for two columns "
                       "(default: see the recipe)");
    command.add_option("--height", arguments.request.height_in,
                       "In inches (default: as the width asks for)");
    command.add_option("--title", arguments.request.title, "Written above the picture");
    command.add_option("--theme", arguments.theme, "light or dark")->capture_default_str();
    command.add_flag("--no-notes", arguments.no_notes,
                     "Leave out the small print below; the CSV keeps it");
    command.add_flag("--json", arguments.json, "Print what was drawn as one JSON document");
}

void check_inches(const std::string& option, const std::optional<double>& inches) {
    constexpr double kLeast = 1, kMost = 40;
    if (!inches || (*inches >= kLeast && *inches <= kMost)) return;
    throw UserError(fmt::format("{} {} is out of range", option, *inches),
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
    FigureRequest request = arguments.request;
    request.dark = wants_dark(arguments.theme);
    request.notes = !arguments.no_notes;
    check_inches("--width", request.width_in);
    check_inches("--height", request.height_in);
    for (const std::string& path : arguments.out) figure_format(path);  // before any work

    nlohmann::json report = {{"recipe", recipe.name()}, {"files", arguments.out}};
    const auto qt = start_qt();
    const FigurePage page = recipe.build(request, report);
    report["width_in"] = page.width_in;
    report["height_in"] = page.height_in;
    for (const std::string& path : arguments.out) {
        export_page(page, path);
        if (!arguments.json) fmt::print(stderr, "wrote {}\n", path);
    }
    if (arguments.json) fmt::print("{}\n", dump_text(report, 2));
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
