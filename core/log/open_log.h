#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/log/column_reader.h"
#include "core/log/file_stamp.h"
#include "core/log/h5.h"
#include "core/log/run_series.h"

namespace headroom {

/// A log that HDF5 holds open for reading, also when another file has taken its name. Private to
/// core/log/. All readers of a file in this process share one: the library refreshes a data set
/// wrongly that is open twice (1.10.8). Lock `mutex` around every call.
class OpenLog {
  public:
    /// REQUIRES: h5::prepare(), and that require_survivable() has let the file pass
    /// (untrusted_file.h). Throws h5::Error or UserError.
    explicit OpenLog(const std::filesystem::path& path);
    OpenLog(const OpenLog&) = delete;
    OpenLog& operator=(const OpenLog&) = delete;

    std::mutex mutex;
    const RunLogAttributes& attributes() const { return attributes_; }
    /// Different for every log that this process opens.
    int64_t generation() const { return generation_; }
    FileStamp stamp() const { return stamp_of(status()); }

    RunState read_state() const;
    double read_heartbeat() const;
    GroupReader& train() { return train_; }
    GroupReader& val() { return val_; }
    GroupReader& system() { return system_; }
    /// What the log declares, without rows, and how to read it; in the same order.
    const std::map<std::string, ScalarSeries>& scalars() const { return scalars_; }
    GroupReader& scalar(const std::string& name) { return scalar_columns_.at(name); }
    /// Rows that every column of the group has; asks the other columns only if the index has more
    /// than `known`.
    uint64_t common_rows(GroupReader& group, uint64_t known) const;

  private:
    void open_columns();
    GroupReader& columns_of(const std::string& group);
    struct stat status() const;
    template <class T>
    T read_cell(const h5::Id& cell) const;

    h5::Id file_;
    RunLogAttributes attributes_;
    int64_t generation_;
    GroupReader train_, val_, system_;
    std::map<std::string, ScalarSeries> scalars_;
    std::map<std::string, GroupReader> scalar_columns_;
    h5::Id state_cell_, heartbeat_cell_;
};

/// A reader's share of an open log; the last one closes it.
class SharedLog {
  public:
    SharedLog() = default;
    /// The log that `path` names now, looked at first (untrusted_file.h). Throws as OpenLog does.
    static SharedLog open(const std::filesystem::path& path);
    /// Another share of the same log, also when another file has taken its name.
    SharedLog share() const;

    ~SharedLog() { reset(); }
    SharedLog(SharedLog&& other) noexcept = default;
    SharedLog& operator=(SharedLog&& other) noexcept;

    void reset() noexcept;
    OpenLog* operator->() const { return log_.get(); }
    explicit operator bool() const { return log_ != nullptr; }

  private:
    std::shared_ptr<OpenLog> log_;
};

}  // namespace headroom
