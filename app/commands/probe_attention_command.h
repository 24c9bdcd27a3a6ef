#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe attention`: the attention maps of all heads over one sequence.
void add_probe_attention_command(CLI::App& probe);

}  // namespace headroom
