#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/study/study_labels.h"
#include "panels/study/run_reader.h"
#include "panels/study/study_snapshot.h"

namespace headroom {

struct StudyReadOptions {
    RunReader::Rows rows = RunReader::Rows::kAll;
    /// Ids of the runs whose logs count; none: all.
    std::optional<std::set<std::string>> only = {};
    /// Give runs their stored colours, and store those of new ones. Off: all are 0.
    bool colors = true;
};

/// Reads a study's folder again and again, each file only when it changed: the one place where a
/// run's folder becomes a Run. Reading waits for other users of the HDF5 library: not for the UI
/// thread. One thread.
class StudyReader {
  public:
    explicit StudyReader(std::filesystem::path folder, StudyReadOptions options = {});
    ~StudyReader();

    /// The study as it is now; the same pointer as before if nothing changed, and the same pointers
    /// to its runs that did not. Never throws for what it finds in the folder. Gives up reading
    /// logs after about a quarter of a second, and says so in StudySnapshot::reading.
    StudyPointer look();
    /// look() until nothing is left to be read.
    StudyPointer look_at_all();

  private:
    struct PlannedRun {
        Run run;
        JobIdentity identity;
    };

    bool list_folders();
    bool poll_runs();
    bool read_plan();
    bool read_study_labels();
    std::vector<const PlannedRun*> planned_runs() const;
    std::vector<std::string> ids_in_order() const;
    void identify();
    void assign_stored_colors();
    void store_colors();
    void build_snapshot(const std::string& problem);

    std::filesystem::path folder_;
    StudyReadOptions options_;
    std::map<std::string, std::unique_ptr<RunReader>> readers_;  ///< by id
    FileWatch plan_file_, labels_file_;
    std::vector<PlannedRun> plan_;  ///< of study.json, in its order, seeds of a variant together
    std::vector<StudyFigure> plan_figures_;
    std::string plan_name_, plan_job_, plan_problem_;
    double flops_per_second_ = 0;
    StudyLabels labels_;
    std::string labels_problem_;
    std::set<std::string> in_trash_;
    std::set<std::string> changed_;     ///< ids of runs that need a new snapshot
    std::map<std::string, Run> names_;  ///< by id: what identify() gave, nothing else filled in
    std::map<std::string, RunPointer> runs_;
    StudyPointer latest_;
};

}  // namespace headroom
