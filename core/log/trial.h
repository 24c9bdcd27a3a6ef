#pragma once

#include <filesystem>

#include "core/log/reading.h"

namespace headroom {

/// Starts the process that tries files of HDF5 before this one reads them, in a child of its own
/// that goes on until a file ends it. To be called first thing in main(), for it keeps the memory
/// that this process has now, and its children may use no library that another thread was just
/// using. It ends with this process. Where it cannot be started, nothing is tried.
void start_trials();

/// The signal that ended the child that read `path`, 0 if it came back. SIGALRM: it took more than
/// a minute. 0, too, in a program that never called start_trials(). Thread-safe, one at a time.
int signal_of_trial(const std::filesystem::path& path, h5::Reading reading);

}  // namespace headroom
