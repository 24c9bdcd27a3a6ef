#pragma once

#include <QObject>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "panels/base/theme.h"
#include "panels/probe/probed_runs.h"

namespace headroom {

class ProfilePanel;
class SimilarityPanel;
class WorkerProcess;
struct WorkerEnd;

/// The panels that show what `headroom probe` measured, and the workers that measure it: one after
/// the other, processes of their own, which end with this object. UI thread only.
class ProbePanels : public QObject {
    Q_OBJECT
  public:
    ProbePanels(std::filesystem::path program, QObject* parent);
    ~ProbePanels() override;

    SimilarityPanel* similarity() const { return similarity_; }
    ProfilePanel* profiles() const { return profiles_; }

    void set_runs(const std::vector<ProbeableRun>& runs);
    void set_theme(const Theme& theme);
    /// Queues `headroom probe KIND` of these runs, by id; those that wait already are left out.
    void probe(const std::string& kind, const std::vector<std::string>& ids);
    bool busy() const { return worker_ != nullptr; }

  signals:
    /// All that was asked for is done, or failed.
    void done();

  private:
    struct Task {
        std::string kind, folder;

        bool operator==(const Task&) const = default;
    };

    void start_next();
    void take_end(const WorkerEnd& end);
    void show_work();

    std::filesystem::path program_;
    SimilarityPanel* similarity_;
    ProfilePanel* profiles_;
    std::vector<ProbeableRun> runs_;
    std::deque<Task> waiting_;  ///< the first is being worked on
    WorkerProcess* worker_ = nullptr;
    std::string problem_;
};

}  // namespace headroom
