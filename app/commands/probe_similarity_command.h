#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom probe similarity`: how alike heads, tokens and layers are, within a model and against
/// another one.
void add_probe_similarity_command(CLI::App& probe);

}  // namespace headroom
