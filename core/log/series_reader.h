#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>

#include "core/log/run_series.h"

namespace headroom {

/// The end of a log, for lists of many runs.
struct RunTail {
    RunState state = RunState::kStarting;
    double heartbeat = 0;  ///< Unix time
    /// Last logged step; 0 = none. Of a finished run also an evaluation's: imported ones may have
    /// nothing else.
    int64_t step = 0;
    double loss = 0;      ///< of the last training row; NaN if none
    double val_loss = 0;  ///< last evaluation; NaN if none
    /// The same; NaN of models that tell no classes.
    double val_accuracy = std::numeric_limits<double>::quiet_NaN();
    double seconds = 0;            ///< of that row
    double tokens_per_second = 0;  ///< over the last rows; 0 if unknown
    double seconds_per_step = 0;   ///< over the last rows; 0 if unknown
    RunLogAttributes attributes;
};

/// Of a series in memory.
RunTail tail_of(const RunSeries& series);

/// Follows the series of one run, in whatever they are kept. One thread at a time. What cannot be
/// read is a UserError that names it.
class SeriesReader {
  public:
    virtual ~SeriesReader() = default;

    /// Brings `series` up to date: appends the rows that it lacks and sets state and heartbeat.
    /// Pass the same object each time, or an empty one to get everything. When what is read was
    /// replaced, the series is cleared first and gets a new generation. Returns whether anything
    /// changed. After an error `series` holds what could be read, and the next poll tries again.
    virtual bool poll(RunSeries& series) = 0;

    /// Reads only the last rows.
    virtual RunTail tail() = 0;
};

/// Where the rows of a long log are kept once a reader has found them.
enum class RowsIn {
    kMemory,
    kLog  ///< all but the last are read from the log whenever they are looked at (SharedColumn)
};

/// A reader of a run's log.h5, the one kind that there is so far (run_log_reader.h).
std::unique_ptr<SeriesReader> open_series(const std::filesystem::path& run_log,
                                          RowsIn rows = RowsIn::kMemory);

}  // namespace headroom
