#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// headroom log import SOURCE --study DIR: what another tool logged becomes a run of the study.
void add_log_import(CLI::App& log);
/// headroom log export RUN_DIR --out FOLDER: the log as an event file of TensorBoard.
void add_log_export(CLI::App& log);

}  // namespace headroom
