#include <QDockWidget>
#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/services/try_runner.h"
#include "panels/tryit/try_panel.h"

namespace headroom {
namespace {

/// Those of each run together, the newest first.
std::vector<TryCheckpoint> checkpoints_of(const StudySnapshot& study,
                                          const std::map<std::string, int>& colors) {
    std::vector<TryCheckpoint> all;
    for (const RunEntryPointer& run : study.runs) {
        const auto color = colors.find(run->id);
        for (auto each = run->checkpoints.rbegin(); each != run->checkpoints.rend(); ++each)
            all.push_back({run->id, run->status.name, each->step, each->weights.string(),
                           color == colors.end() ? -1 : color->second});
    }
    return all;
}

}  // namespace

void MainWindow::show_tryit() {
    const StudyPointer& study = watcher_->study();
    if (!study) return;
    tryit_->set_checkpoints(checkpoints_of(*study, colors_));
    tryit_->select_runs(jobs_->selected());
}

void MainWindow::generate() {
    dock("tryitDock")->show();
    dock("tryitDock")->raise();
    tryit_->generate_or_stop();
}

}  // namespace headroom
