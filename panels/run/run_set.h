#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/log/run_log_reader.h"
#include "panels/run/run_names.h"
#include "panels/run/run_snapshot.h"

namespace headroom {

/// Some run folders, read again whenever asked. Reading can take long and waits for other users of
/// the HDF5 library: keep it off the UI thread (RunFollower does). One thread at a time.
class RunSet {
  public:
    RunSet();
    ~RunSet();

    /// Replaces the folders; those that stay keep their readers and their colours.
    void follow(const std::vector<std::filesystem::path>& folders);

    /// Reads what is new. Returns whether anything changed, the set of folders included.
    /// A run without a log is empty; one whose log cannot be read says so in `problem`.
    bool poll();

    const std::vector<RunPointer>& runs() const { return runs_; }

  private:
    struct Entry;

    std::vector<std::unique_ptr<Entry>> entries_;
    RunColors colors_;
    std::vector<RunPointer> runs_;
    bool changed_ = false;
};

}  // namespace headroom
