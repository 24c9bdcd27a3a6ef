#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom bench ops [--dtype f32|f64|bf16] [--naive] [--only TEXT] [--json]`: every kernel at a
/// training size beside the product rate of the vendors' libraries.
void add_bench_ops_command(CLI::App& bench);

}  // namespace headroom
