#include "app/figure/figure_main.h"

#include <QApplication>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/command_guard.h"
#include "app/commands/figure_table_command.h"
#include "app/figure/figure_arguments.h"
#include "app/figure/figure_recipe.h"
#include "app/figure/own_fonts.h"
#include "core/base/json_text.h"
#include "panels/figure/page_export.h"

namespace headroom {
namespace {

/// Qt without a display and without its chatter.
std::unique_ptr<QApplication> start_qt() {
    static int argc = 1;
    static char name[] = "headroom-studio";
    static char* argv[] = {name, nullptr};
    setenv("QT_QPA_PLATFORM", "offscreen", 1);
    settle_font_settings();
    qInstallMessageHandler([](QtMsgType type, const QMessageLogContext&, const QString& text) {
        if (type == QtCriticalMsg || type == QtFatalMsg)
            fmt::print(stderr, "{}\n", text.toStdString());
    });
    return std::make_unique<QApplication>(argc, argv);
}

void draw(FigureRecipe& recipe, const FigureArguments& arguments) {
    const FigureRequest request = checked_request(arguments);
    for (const std::string& path : arguments.out) figure_format(path);  // before any work

    nlohmann::json report = {{"recipe", recipe.name()}, {"files", arguments.out}};
    const auto qt = start_qt();
    add_own_fonts();
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
        add_figure_options(*command, arguments);
        command->get_option("--out")->required();
        command->callback([&arguments, chosen = recipe.get()] { draw(*chosen, arguments); });
    }
    add_figure_table(app);
    // The word "figure" stands in the place of the program's name.
    return run_commands(app, argc - 1, argv + 1);
}

}  // namespace

int figure_main(int argc, char** argv) {
    return run_guarded([&] { return parse_and_draw(argc, argv); });
}

}  // namespace headroom
