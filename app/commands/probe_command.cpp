#include "app/commands/probe_command.h"

#include <CLI/CLI.hpp>

#include "app/commands/probe_attention_command.h"
#include "app/commands/probe_heads_command.h"
#include "app/commands/probe_lens_command.h"
#include "app/commands/probe_linear_command.h"
#include "app/commands/probe_mixing_command.h"
#include "app/commands/probe_similarity_command.h"
#include "app/commands/probe_weights_command.h"

namespace headroom {

/// Every kind of probe, in the order in which `headroom probe --help` lists them.
void add_probe_command(CLI::App& app) {
    CLI::App* probe = app.add_subcommand(
        "probe", "Look inside a checkpoint: measures of heads and layers, into an HDF5 file");
    probe->require_subcommand(1);
    add_probe_attention_command(*probe);
    add_probe_heads_command(*probe);
    add_probe_similarity_command(*probe);
    add_probe_lens_command(*probe);
    add_probe_weights_command(*probe);
    add_probe_mixing_command(*probe);
    add_probe_linear_command(*probe);
}

}  // namespace headroom
