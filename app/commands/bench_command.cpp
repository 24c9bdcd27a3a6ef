#include <CLI/CLI.hpp>

#include "app/commands/commands.h"

namespace headroom {

// Each in the file of its name.
void add_bench_decode_command(CLI::App& bench);
void add_bench_ops_command(CLI::App& bench);
void add_bench_probe_command(CLI::App& bench);
void add_bench_scaling_command(CLI::App& bench);
void add_bench_train_command(CLI::App& bench);

/// `headroom bench`: measures on this machine. Each subcommand has a file of its own.
void add_bench_command(CLI::App& app) {
    CLI::App* bench = app.add_subcommand("bench", "Measure how fast this machine computes");
    bench->require_subcommand(1);
    for (const AddCommand add :
         {add_bench_decode_command, add_bench_ops_command, add_bench_probe_command,
          add_bench_scaling_command, add_bench_train_command})
        add(*bench);
}

}  // namespace headroom
