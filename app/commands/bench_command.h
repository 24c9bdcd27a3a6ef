#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom bench`: measures on this machine. Each subcommand has a file of its own.
void add_bench_command(CLI::App& app);

}  // namespace headroom
