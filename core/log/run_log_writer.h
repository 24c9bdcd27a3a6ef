#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/log/run_series.h"

namespace headroom {

/// Writes one run's log.h5 (core/log/README.md) so that any number of readers can follow it and
/// that SIGKILL at any moment leaves a file that opens. Rows are buffered; flush() at every step
/// boundary brings them to the file at most about twenty times a second.
///
/// A disk that refuses to take the log is an EnvironmentError naming the file; from then on the
/// writer is broken, every further flush throws the same error, and what had been written before
/// stays readable. One thread at a time. REQUIRES: nobody else writes this log (RunLock).
class RunLogWriter {
  public:
    /// A new log at `path`. UserError if there is one already, and for more scalars or a longer job
    /// than a reader would take.
    /// `scalars`: what append_scalar() will be called with, for nothing is added later.
    /// REQUIRES: is_scalar_name() of each, no unit or help above kMostScalarText.
    static RunLogWriter create(const std::filesystem::path& path,
                               const RunLogAttributes& attributes,
                               std::span<const ScalarInfo> scalars = {});

    /// Continues the log at `path` after step `last_step` (0 = from the beginning): later rows of
    /// /train and /val are dropped, and rows of /system later than that step's seconds, so that the
    /// log becomes the one of an uninterrupted run. The kept rows move to a new file that takes the
    /// old one's place, so a kill meanwhile and readers of the old file see an intact log.
    /// `attributes` replace the old ones if given, except `started`; `scalars` come beside those
    /// that the log has.
    /// UserError if the log is missing, damaged or ends before `last_step`, and as of create().
    static RunLogWriter resume(const std::filesystem::path& path, int64_t last_step,
                               const std::optional<RunLogAttributes>& attributes = {},
                               std::span<const ScalarInfo> scalars = {});

    RunLogWriter(RunLogWriter&&) noexcept;
    RunLogWriter& operator=(RunLogWriter&&) noexcept;
    /// Writes what is pending and closes; never throws. Use close() to hear about errors.
    ~RunLogWriter();

    /// Seconds and tokens already spent when the log was opened: those of the last kept row, 0 for
    /// a new log. Add the seconds to the clock of a resumed run.
    double seconds_at_start() const;
    int64_t tokens_at_start() const;

    void append_train(const TrainRow& row);
    void append_val(const ValRow& row);
    void append_system(const SystemRow& row);
    /// REQUIRES: `name` was declared.
    void append_scalar(const std::string& name, int64_t step, float value);
    /// Written at once, with everything that is pending.
    void set_state(RunState state);
    /// A sign of life, for long stretches without rows (a pause, an evaluation). Rate-limited.
    void heartbeat();
    /// Brings pending rows to the file if the last time was long enough ago (about 50 ms).
    void flush();
    /// Brings pending rows to the file now and to the disk. Call it before saving a checkpoint: a
    /// checkpoint that is ahead of its log cannot be resumed without a gap.
    void sync();
    /// sync(), then marks the file as properly closed. REQUIRES: nothing is called afterwards.
    void close();

  private:
    struct Impl;
    explicit RunLogWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace headroom
