#pragma once

#include <QString>

namespace headroom {

/// `headroom-studio --bench curves STUDY [--runs N] [--points N]`: shows the losses of a study as
/// the window does and reports how long it takes from the folder to the first curve and to all of
/// them, frames per second while one pans and zooms, memory, what following costs while nothing
/// happens and while eight runs grow by ten steps a second, and the size of the PDF. Makes the
/// study first where there is none: N runs (100) of N steps (1,000,000). Returns the exit status.
int bench_curves(const QString& study, int runs, int points);

/// `--bench write-curves STUDY`: makes the last eight runs grow by ten steps a second until it is
/// killed. What bench_curves() starts.
int write_curves(const QString& study);

}  // namespace headroom
