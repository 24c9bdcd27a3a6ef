#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "app/window/services/stream_worker.h"
#include "panels/probe/probed_runs.h"

namespace headroom {

/// `headroom probe KIND RUN_DIR` for one run after the other, each a process of its own, which ends
/// with this object. UI thread only.
class ProbeQueue : public QObject {
    Q_OBJECT
  public:
    ProbeQueue(std::filesystem::path program, QObject* parent);

    /// Adds these runs; those that wait already are left out.
    void add(const std::string& kind, const std::vector<ProbeableRun>& runs);
    bool busy() const { return worker_.is_busy(); }
    /// The first that waits or is at work for the run in this folder, "" if none, and how far the
    /// one at work is.
    std::string kind_for(const std::string& folder) const;
    double share() const { return share_; }
    /// Ends what is at work for the run in this folder, and forgets what waits.
    void stop(const std::string& folder);
    /// Runs that wait or are at work, and what the last one complained of, "" if nothing.
    int waiting() const { return static_cast<int>(waiting_.size()); }
    const std::string& problem() const { return problem_; }

  signals:
    /// waiting(), share() or problem() changed.
    void moved();
    /// A probe ended: there may be a new file.
    void probed();

  private:
    struct Task {
        std::string kind, folder;

        bool operator==(const Task&) const = default;
    };

    void start_next();
    void finish(const WorkerEnd& end);

    std::deque<Task> waiting_;  ///< the first is being worked on
    StreamWorker worker_;
    double share_ = 0;
    std::string problem_;
};

}  // namespace headroom
