#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom bench decode`: prefill and decoding of models in turn, against memory bandwidth.
void add_bench_decode_command(CLI::App& bench);

}  // namespace headroom
