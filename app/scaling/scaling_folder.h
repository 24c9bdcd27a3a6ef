#pragma once

#include <filesystem>

namespace headroom {

/// A folder of its own for what a benchmark writes, removed with it. EnvironmentError if none can
/// be made.
class ScalingFolder {
  public:
    ScalingFolder();
    ~ScalingFolder();
    ScalingFolder(const ScalingFolder&) = delete;
    ScalingFolder& operator=(const ScalingFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace headroom
