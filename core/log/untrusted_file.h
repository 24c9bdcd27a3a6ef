#pragma once

#include <filesystem>

#include "core/log/h5.h"

namespace headroom::h5 {

/// Looks at a file that anybody may have made before the library opens it here: at its structure
/// (h5_structure.h) unless it is to be of another program, and, in a program that called
/// start_trials(), at how the library fares with it in a child process (trial.h), which may take a
/// minute. What came of that holds until the file's size or time changes. Throws Error or UserError
/// for one that must not be opened. Thread-safe.
void require_survivable(const std::filesystem::path& path, Reading reading);

/// The same, then opens it.
Id open_untrusted(const std::filesystem::path& path, Reading reading);

}  // namespace headroom::h5
