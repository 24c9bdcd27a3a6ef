#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// headroom bench train [--preset NAME | --job FILE] [--set KEY=VALUE]… [--json]
void add_bench_train_command(CLI::App& bench);

}  // namespace headroom
