#pragma once

#include <filesystem>

namespace headroom {

/// Whether a file or folder changed since it was looked at last, for one stat().
class FileWatch {
  public:
    /// True the first time, and whenever `path` came, went or was written since. A time so young
    /// that a later write could carry it too counts as changed.
    bool changed(const std::filesystem::path& path);

  private:
    std::filesystem::file_time_type time_{};
    bool known_ = false, there_ = false, settled_ = false;
};

}  // namespace headroom
