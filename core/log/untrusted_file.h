#pragma once

#include <filesystem>

#include "core/log/h5.h"

namespace headroom::h5 {

/// Opens a file that anybody may have made: after a look at its structure (h5_structure.h) unless
/// it is to be of another program, and, in a program that called start_trials(), after the library
/// has read it in a child process and that came back (trial.h). A file that passed is not tried
/// again until its size or time changes.
/// Throws Error or UserError.
Id open_untrusted(const std::filesystem::path& path, Reading reading);

}  // namespace headroom::h5
