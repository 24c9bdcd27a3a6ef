#pragma once

#include <filesystem>

#include "core/base/file_descriptor.h"

namespace headroom {

/// Waits until no other process or thread holds the folder, then holds it until the descriptor
/// closes. The lock is on the folder itself, so that no file is left over. EnvironmentError where
/// it cannot be locked.
FileDescriptor lock_folder(const std::filesystem::path& folder);

}  // namespace headroom
