#pragma once

#include <QString>

namespace headroom {

/// `headroom-studio --bench inspector RECORD`: opens an attention record in the inspector and
/// prints how long it takes to open, until the first and until any other head is sharp, how many
/// frames a second it pans at the size of one pixel per token, and how much memory that took.
/// Returns the exit status; a file that is no record is refused in one line.
int bench_inspector(const QString& file);

}  // namespace headroom
