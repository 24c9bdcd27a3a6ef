#pragma once

#include <QElapsedTimer>
#include <string>

namespace headroom {

/// What benchmarks of the window measure.

/// The largest resident size of this process so far, in MiB; 0 where /proc does not say.
double peak_resident_mib();
/// Of all threads of this process: what a frame costs on a busy machine, too.
double cpu_seconds();
double elapsed_ms(const QElapsedTimer& timer);

}  // namespace headroom
