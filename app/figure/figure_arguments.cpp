#include "app/figure/figure_arguments.h"

#include <CLI/CLI.hpp>

#include "core/base/error.h"
#include "core/study/figure_options.h"

namespace headroom {
namespace {

bool wants_dark(const std::string& theme) {
    if (theme == "dark") return true;
    if (theme == "light") return false;
    throw UserError("--theme " + theme + " is not known", "give light or dark");
}

}  // namespace

void add_figure_options(CLI::App& command, FigureArguments& arguments) {
    command
        .add_option("--out", arguments.out,
                    "File to write, ending in .pdf, .svg, .png or .csv; may stand several times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_option("--width", arguments.request.width_in,
                       "In inches: 3.25 for a column, 5.5 for NeurIPS text, 6.75 for two columns "
                       "(default: see the recipe)");
    command.add_option("--height", arguments.request.height_in,
                       "In inches (default: as the width asks for)");
    command.add_option("--title", arguments.request.title, "Written above the picture");
    command.add_option("--theme", arguments.theme, "light or dark")->capture_default_str();
    command
        .add_option("--count-from", arguments.count_from,
                    "What labels call the first layer and the first head: 0, as files and options "
                    "do, or 1")
        ->check(CLI::Range(0, 1))
        ->capture_default_str();
    command.add_flag("--no-notes", arguments.no_notes,
                     "Leave out the small print below; the CSV keeps it");
    command.add_flag("--json", arguments.json, "Print what was drawn as one JSON document");
}

FigureRequest checked_request(const FigureArguments& arguments) {
    FigureRequest request = arguments.request;
    request.dark = wants_dark(arguments.theme);
    request.notes = !arguments.no_notes;
    if (request.width_in) check_figure_inches("--width", *request.width_in);
    if (request.height_in) check_figure_inches("--height", *request.height_in);
    return request;
}

}  // namespace headroom
