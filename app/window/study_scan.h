#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "panels/jobs/job_table.h"

namespace headroom {

/// A study at one moment: its folder, its runs, its scheduler. Immutable once made and shared by
/// pointer between the thread that looks and the thread that draws.
struct StudySnapshot {
    std::filesystem::path folder;
    std::string name;
    std::vector<RunEntryPointer> runs;  ///< in the order of their folders' names
    bool scheduler_alive = false;
    std::string problem;  ///< one line where the folder cannot be read as a study, else ""

    RunEntryPointer find(const std::string& id) const;
};
using StudyPointer = std::shared_ptr<const StudySnapshot>;

/// "" if `folder` can be opened as a study (it holds study.json or runs/, or is an empty folder
/// that may become one), else one line that says why not and what to do.
std::string why_not_a_study(const std::filesystem::path& folder);

/// The study that a dropped or named path belongs to: the folder itself, or the study around a
/// study.json, a run's folder or a file in one. Empty if there is none.
std::filesystem::path study_around(const std::filesystem::path& path);

/// Looks at a study again and again. Remembers what it need not read anew. Takes about a
/// millisecond a run: not for the UI thread. One thread.
class StudyScanner {
  public:
    explicit StudyScanner(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// Never throws for what it finds in the folder.
    StudyPointer look();

  private:
    struct Known {
        std::filesystem::file_time_type job_time{};
        std::shared_ptr<const Job> job;
        std::string job_problem;
    };
    RunEntryPointer look_at_run(const std::filesystem::path& folder);
    void read_job(const std::filesystem::path& file, Known& known) const;

    void read_plan(StudySnapshot& study);

    std::filesystem::path folder_;
    std::filesystem::file_time_type plan_time_{};
    std::vector<RunEntryPointer> plan_;  ///< the runs of study.json
    std::string plan_name_;
    std::string plan_problem_;
    std::map<std::string, Known> known_;
};

}  // namespace headroom
