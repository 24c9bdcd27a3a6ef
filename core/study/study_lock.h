#pragma once

#include <filesystem>
#include <optional>

#include <sys/types.h>

#include "core/base/file_descriptor.h"

namespace headroom {

/// STUDY_DIR/queue.lock, held by the one process that works on a study's queue. The system lets go
/// of it when that process ends, however it ends.
class StudyLock {
  public:
    /// None if another process holds it. Throws EnvironmentError if the folder is not writable.
    static std::optional<StudyLock> try_acquire(const std::filesystem::path& study_dir);

    /// The process that holds it, if one does.
    static std::optional<pid_t> holder(const std::filesystem::path& study_dir);

  private:
    explicit StudyLock(FileDescriptor file) : file_(std::move(file)) {}
    FileDescriptor file_;
};

}  // namespace headroom
