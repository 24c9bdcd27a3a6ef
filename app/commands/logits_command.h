#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// headroom logits --checkpoint FILE --tokens 1,2,3 [--dtype f32|f64|bf16] --out FILE.safetensors
void add_logits_command(CLI::App& app);

}  // namespace headroom
