#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom doctor [--json]`: what this machine offers, what is missing and how to get it.
void add_doctor_command(CLI::App& app);

}  // namespace headroom
