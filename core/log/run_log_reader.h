#pragma once

#include <filesystem>
#include <memory>

#include "core/log/run_series.h"

namespace headroom {

/// The end of a log, for lists of many runs.
struct RunTail {
    RunState state = RunState::kStarting;
    double heartbeat = 0;          ///< Unix time
    int64_t step = 0;              ///< last logged step; 0 = none
    double loss = 0;               ///< of that step; NaN if none
    double val_loss = 0;           ///< last evaluation; NaN if none
    double seconds = 0;            ///< of that step
    double tokens_per_second = 0;  ///< over the last rows; 0 if unknown
    double seconds_per_step = 0;   ///< over the last rows; 0 if unknown
    RunLogAttributes attributes;
};

/// Of a series in memory.
RunTail tail_of(const RunSeries& series);

/// Follows one run's log.h5, also while it is being written, after its writer was killed, and when
/// a resumed run replaces the file. A file that is not a log, is cut short or damaged is a
/// UserError that names the file and what is wrong with it; reading never hangs. One thread at a
/// time per reader; readers in several threads are safe but wait for each other, for the HDF5
/// library works on one call at a time: keep them off the thread that draws.
class RunLogReader {
  public:
    static RunLogReader open(const std::filesystem::path& path);

    RunLogReader(RunLogReader&&) noexcept;
    RunLogReader& operator=(RunLogReader&&) noexcept;
    ~RunLogReader();

    /// Brings `series` up to date: appends the rows that it lacks and sets state and heartbeat.
    /// Pass the same object each time, or an empty one to get everything. When the log was
    /// replaced, the series is cleared first and gets a new generation. Returns whether anything
    /// changed. After an error `series` holds what could be read, and the next poll tries again.
    bool poll(RunSeries& series);

    /// Reads only the last rows.
    RunTail tail();

  private:
    struct Impl;
    explicit RunLogReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// The whole log at once.
RunSeries read_run_log(const std::filesystem::path& path);

}  // namespace headroom
