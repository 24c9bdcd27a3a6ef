#pragma once

namespace headroom {

/// `headroom-studio figure RECIPE … --out FILE`: writes a figure without a window; needs no
/// display. argv[1] is "figure". Returns the exit status.
int figure_main(int argc, char** argv);

}  // namespace headroom
