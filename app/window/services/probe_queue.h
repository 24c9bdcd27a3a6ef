#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "panels/probe/probed_runs.h"

namespace headroom {

class WorkerProcess;

/// `headroom probe KIND RUN_DIR` for one run after the other, each a process of its own, which ends
/// with this object. UI thread only.
class ProbeQueue : public QObject {
    Q_OBJECT
  public:
    ProbeQueue(std::filesystem::path program, QObject* parent);
    ~ProbeQueue() override;

    /// Adds these runs; those that wait already are left out.
    void add(const std::string& kind, const std::vector<ProbeableRun>& runs);
    bool busy() const { return worker_ != nullptr; }
    /// Runs that wait or are at work, and what the last one complained of, "" if nothing.
    int waiting() const { return static_cast<int>(waiting_.size()); }
    const std::string& problem() const { return problem_; }

  signals:
    /// waiting() or problem() changed.
    void moved();
    /// A probe ended: there may be a new file.
    void probed();

  private:
    struct Task {
        std::string kind, folder;

        bool operator==(const Task&) const = default;
    };

    void start_next();

    std::filesystem::path program_;
    std::deque<Task> waiting_;  ///< the first is being worked on
    WorkerProcess* worker_ = nullptr;
    std::string problem_;
};

}  // namespace headroom
