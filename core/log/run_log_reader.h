#pragma once

#include <filesystem>
#include <memory>

#include "core/log/run_series.h"
#include "core/log/series_reader.h"

namespace headroom {

/// Follows one run's log.h5, also while it is being written, after its writer was killed, and when
/// a resumed run replaces the file. A file that is not a log, is cut short or damaged is a
/// UserError that names the file and what is wrong with it; reading never hangs. One thread at a
/// time per reader; readers in several threads are safe but wait for each other, for the HDF5
/// library works on one call at a time: keep them off the thread that draws.
class RunLogReader : public SeriesReader {
  public:
    static RunLogReader open(const std::filesystem::path& path, RowsIn rows = RowsIn::kMemory);

    RunLogReader(RunLogReader&&) noexcept;
    RunLogReader& operator=(RunLogReader&&) noexcept;
    ~RunLogReader() override;

    bool poll(RunSeries& series) override;
    RunTail tail() override;

  private:
    struct Impl;
    explicit RunLogReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// The whole log at once.
RunSeries read_run_log(const std::filesystem::path& path);

}  // namespace headroom
