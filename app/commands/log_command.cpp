#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/log_dump.h"
#include "app/log_transfer.h"
#include "core/base/error.h"
#include "core/log/run_log_reader.h"
#include "core/study/run_folder.h"

namespace headroom {
namespace {

struct DumpArguments {
    std::string run_dir;
    std::vector<std::string> series;
    bool csv = false, json = false;
};

/// A run folder, or the log itself.
std::filesystem::path log_of(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
    return RunFolder{path}.log();
}

void dump(const DumpArguments& arguments) {
    const RunSeries series = read_run_log(log_of(arguments.run_dir));
    std::vector<std::string> names = arguments.series;
    for (std::string& name : names)
        if (name.starts_with('/')) name.erase(0, 1);
    const bool lists = names.empty() && !arguments.json && !arguments.csv;
    if (names.empty()) names = series_names(series);
    const std::string text = arguments.json ? dump_json(series, names)
                             : lists        ? dump_contents(series)
                                            : dump_csv(series, names);
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

/// headroom log dump RUN_DIR [--series GROUP/NAME]… [--csv|--json]
void add_log_command(CLI::App& app) {
    CLI::App* command = app.add_subcommand("log", "Read the log of a run, or that of another tool");
    command->require_subcommand(1);
    CLI::App* dump_command =
        command->add_subcommand("dump", "Print series of a run, also while it is running");
    const auto arguments = std::make_shared<DumpArguments>();
    dump_command->add_option("RUN_DIR", arguments->run_dir, "Run folder or log.h5")->required();
    dump_command
        ->add_option("--series", arguments->series,
                     "A series such as train/loss (repeatable); without it, lists what there is")
        ->type_name("GROUP/NAME")
        ->allow_extra_args(false);
    CLI::Option* csv = dump_command->add_flag("--csv", arguments->csv, "Comma-separated (default)");
    dump_command->add_flag("--json", arguments->json, "One JSON document")->excludes(csv);
    dump_command->callback([arguments] { dump(*arguments); });
    add_log_import(*command);
    add_log_export(*command);
}

}  // namespace headroom
