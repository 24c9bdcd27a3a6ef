#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom study run|status|stop STUDY_DIR`: all runs of a study, one after the other.
void add_study_command(CLI::App& app);

}  // namespace headroom
