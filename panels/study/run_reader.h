#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/base/file_watch.h"
#include "core/log/series_reader.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "panels/study/run.h"
#include "panels/study/run_groups.h"

namespace headroom {

/// Follows one run's folder: its job, worker, checkpoints, requests and log, each read only when it
/// changed. Not for the UI thread. One thread.
class RunReader {
  public:
    enum class Rows {
        kAll,  ///< all of the log, kept and extended
        kEnd,  ///< only what a status needs
        kNone  ///< the log stays closed; Run::status says nothing of it
    };

    explicit RunReader(std::filesystem::path folder, Rows rows = Rows::kAll);
    ~RunReader();

    /// Reads what is new; never throws for what it finds. Returns whether anything changed. Leaves
    /// id, name, group, color, shade and label of run() alone. A long log that was never read is
    /// left for poll_rows(): until then run() has its status, but no rows.
    bool poll();
    /// Whether poll() left a log to be read.
    bool has_unread_rows() const { return unread_; }
    /// Reads it. Takes about 20 ms for a million rows.
    void poll_rows();

    const Run& run() const { return run_; }
    /// From job.json, or where there is none from the log.
    const JobIdentity& identity() const { return identity_; }
    /// How often identity() changed, or how far the run is (progress_of).
    int identity_changes() const { return identity_changes_; }

  private:
    bool read_job();
    bool read_log(bool all_rows);
    void take_tail(RunTail tail);
    void take_job_where_none_is(const RunTail& tail);
    void take_job_of_log(const std::string& job_json);
    bool read_worker();
    bool read_checkpoints();
    bool read_request();
    bool judge();

    RunFolder folder_;
    Rows rows_;
    Run run_;
    JobIdentity identity_;
    int identity_changes_ = 0;
    std::string job_problem_;
    std::unique_ptr<SeriesReader> log_;
    std::optional<RunTail> tail_;
    RunSeries series_;
    ControlReader control_;
    FileWatch job_, worker_, checkpoints_;
    bool job_is_of_log_ = false;
    bool unread_ = false;
};

}  // namespace headroom
