#pragma once

namespace CLI {
class App;
}

namespace headroom {

/// `headroom figure table STUDY_DIR`: needs no renderer, so that a build without the studio has it
/// too.
void add_figure_table(CLI::App& figure);

}  // namespace headroom
