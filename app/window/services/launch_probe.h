#pragma once

#include <QObject>
#include <QTimer>
#include <map>
#include <optional>
#include <string>

#include "core/config/job.h"
#include "panels/launch/launch_form.h"
#include "panels/launch/launch_match.h"

namespace headroom {

/// What must be looked up or computed for the launch form, in threads of the pool: what the data
/// are, and what runs will allocate. One question at a time; while one is under way only the
/// newest is kept. Methods and signals: UI thread.
class LaunchProbe : public QObject {
    Q_OBJECT
  public:
    explicit LaunchProbe(QObject* parent = nullptr);

    /// The answer if it is known; otherwise asks, and changed() follows.
    std::optional<DataFacts> data(const DataConfig& data);
    /// Everything known about memory.
    const std::map<std::string, MemoryFacts>& memory() const { return memory_; }
    /// Asks about the memory of jobs, by their keys; changed() follows.
    void want_memory(std::map<std::string, Job> jobs);
    /// Looks for sizes; matched() follows.
    void want_match(const LaunchInput& input, const LaunchPlace& place,
                    const MatchQuestion& question);

  signals:
    void changed();
    void matched(const headroom::LaunchMatch& match);

  private:
    void ask_data();
    void take_data(const DataConfig& data, const DataFacts& facts);
    void ask_memory();
    void take_memory(const std::string& key, const MemoryFacts& facts);

    QTimer delay_;  ///< lets a person finish typing
    DataConfig wanted_data_;
    DataConfig known_data_;
    std::optional<DataFacts> known_;
    bool data_busy_ = false;
    std::map<std::string, Job> wanted_memory_;
    std::map<std::string, MemoryFacts> memory_;
    bool memory_busy_ = false;
};

}  // namespace headroom
