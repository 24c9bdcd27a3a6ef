#include "app/commands/bench_command.h"

#include <CLI/CLI.hpp>

#include "app/commands/bench_decode_command.h"
#include "app/commands/bench_ops_command.h"
#include "app/commands/bench_probe_command.h"
#include "app/commands/bench_train_command.h"

namespace headroom {

void add_bench_command(CLI::App& app) {
    CLI::App* bench = app.add_subcommand("bench", "Measure how fast this machine computes");
    bench->require_subcommand(1);
    add_bench_decode_command(*bench);
    add_bench_ops_command(*bench);
    add_bench_probe_command(*bench);
    add_bench_train_command(*bench);
}

}  // namespace headroom
