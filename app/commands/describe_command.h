#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom describe (--preset NAME | --job FILE) [--set KEY=VALUE]... [--dtype D] [--seq N]
/// [--json]`: what a model has, costs and caches, without building it. `--against BASELINE` sets
/// two models side by side; `--match BASELINE [--by MEASURE] [--vary KEY] [--multiple-of N]` solves
/// for the size that makes a count equal. `--keys` prints the table of all job keys instead.
void add_describe_command(CLI::App& app);

}  // namespace headroom
