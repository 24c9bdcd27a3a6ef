#include "app/command_line.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/command_guard.h"
#include "app/help/program_tree.h"
#include "app/program_files.h"
#include "app/studio_process.h"
#include "app/study/study_argument.h"
#include "core/base/cpu_features.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/weights/interop/tensor_set.h"
#include "datasets/text/parquet_stream.h"

namespace headroom {
namespace {

/// `headroom WORD` where WORD is no command: a folder or checkpoint opens in the studio, the rest
/// is an error.
int open_study(const CLI::App& app, int argc, char** argv) {
    const std::string word = argv[1];
    std::error_code ignored;
    if (!std::filesystem::is_directory(without_study_file(word), ignored) &&
        !names_checkpoint(word)) {
        std::vector<std::string> names;
        for (const CLI::App* command : app.get_subcommands({}))
            names.push_back(command->get_name());
        throw UserError("\"" + word + "\" is neither a command nor a study folder or checkpoint" +
                        suggestion(word, names));
    }
    exec_studio_window({argv + 1, argv + argc});
}

int dispatch(int argc, char** argv) {
    check_cpu_features();
    CLI::App app;
    add_program_commands(app);

    if (argc < 2) exec_studio_window({});
    const auto commands = app.get_subcommands({});
    const bool is_command = std::any_of(commands.begin(), commands.end(), [&](const auto* command) {
        return command->get_name() == argv[1];
    });
    if (!is_command && argv[1][0] != '-') return open_study(app, argc, argv);
    return run_commands(app, argc, argv);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    return run_guarded([&] {
        set_parquet_module(program_files().modules / "headroom-parquet.so");
        return dispatch(argc, argv);
    });
}

}  // namespace headroom
