#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/base/file_watch.h"

namespace headroom {

/// Keeps the runs of a study at what its study.json says while a queue works on them.
class PlanFollower {
  public:
    PlanFollower(std::filesystem::path study_dir, std::function<void(const std::string&)> say);

    /// expand_study() where study.json is another than last time, restore_jobs() where there is
    /// none. UserError if it cannot be read the first time; later that is said, and the plan of
    /// before stands.
    void update();

  private:
    std::filesystem::path study_dir_;
    std::function<void(const std::string&)> say_;
    FileWatch file_;
    std::string taken_up_;  ///< the text
    bool begun_ = false;
};

}  // namespace headroom
