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
#include "app/eprint.h"
#include "app/figure/figure_arguments.h"
#include "app/figure/figure_recipe.h"
#include "app/figure/own_fonts.h"
#include "app/help/completion.h"
#include "app/help/man_output.h"
#include "app/help/program_tree.h"
#include "core/base/json_text.h"
#include "panels/base/numbering.h"
#include "panels/figure/page_export.h"
#include "panels/qt/plain_numbers.h"

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
        if (type == QtCriticalMsg || type == QtFatalMsg) eprint("{}\n", text.toStdString());
    });
    auto application = std::make_unique<QApplication>(argc, argv);
    use_plain_numbers();
    return application;
}

void draw(FigureRecipe& recipe, const FigureArguments& arguments) {
    const FigureRequest request = checked_request(arguments);
    for (const std::string& path : arguments.out) figure_format(path);  // before any work

    nlohmann::json report = {{"recipe", recipe.name()}, {"files", arguments.out}};
    const NumberingScope numbers(arguments.count_from);
    const auto qt = start_qt();
    add_own_fonts();
    const FigurePage page = recipe.build(request, report);
    report["width_in"] = page.width_in;
    report["height_in"] = page.height_in;
    for (const std::string& path : arguments.out) {
        export_page(page, path);
        if (!arguments.json) eprint("wrote {}\n", path);
    }
    if (arguments.json) fmt::print("{}\n", dump_text(report, 2));
}

using Recipes = std::vector<std::unique_ptr<FigureRecipe>>;

/// A command for each recipe. The arguments and recipes must outlive `app`.
void add_recipes(CLI::App& app, const Recipes& recipes, FigureArguments& arguments) {
    app.name("headroom figure");
    app.description("Writes figures without a window.");
    app.require_subcommand(1);
    for (const auto& recipe : recipes) {
        CLI::App* command = app.add_subcommand(recipe->name(), recipe->help());
        recipe->add_options(*command);
        add_figure_options(*command, arguments);
        command->get_option("--out")->required();
        command->callback([&arguments, chosen = recipe.get()] { draw(*chosen, arguments); });
    }
    add_figure_table(app);
}

int parse_and_draw(int argc, char** argv) {
    const Recipes recipes = figure_recipes();
    FigureArguments arguments;
    CLI::App app;
    add_recipes(app, recipes, arguments);
    // The word "figure" stands in the place of the program's name.
    return run_commands(app, argc - 1, argv + 1);
}

}  // namespace

int figure_main(int argc, char** argv) {
    return run_guarded([&] { return parse_and_draw(argc, argv); });
}

CommandPage whole_program_tree() {
    const Recipes recipes = figure_recipes();
    FigureArguments arguments;
    CLI::App figure;
    add_recipes(figure, recipes, arguments);
    CommandPage tree = program_tree();
    for (CommandPage& command : tree.commands)
        if (command.word() == "figure") command = describe_command(figure);
    return tree;
}

int help_main(int argc, char** argv) {
    return run_guarded([&] {
        const std::vector<std::string> words(argv + 1, argv + argc);
        const auto word = [&](size_t i) { return i < words.size() ? words[i] : std::string(); };
        if (word(0) == "completion")
            fmt::print("{}", completion_script(whole_program_tree(), word(1)));
        else
            put_out_man(whole_program_tree(), word(1), word(2));
        return 0;
    });
}

}  // namespace headroom
