#include <QDockWidget>
#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/services/try_runner.h"
#include "panels/tryit/try_panel.h"

namespace headroom {
namespace {

/// Those of each run together, the newest first.
std::vector<TryCheckpoint> checkpoints_of(const StudySnapshot& study) {
    std::vector<TryCheckpoint> all;
    for (const RunPointer& run : study.runs) {
        for (auto each = run->checkpoints.rbegin(); each != run->checkpoints.rend(); ++each)
            all.push_back({run->id, run->name, each->step, each->weights.string(), run->color});
    }
    return all;
}

}  // namespace

void MainWindow::show_tryit() {
    const StudyPointer& study = watcher_->study();
    if (!study) return;
    tryit_->set_checkpoints(checkpoints_of(*study));
    tryit_->select_runs(jobs_->selected());
}

void MainWindow::generate() {
    dock("tryitDock")->show();
    dock("tryitDock")->raise();
    tryit_->generate_or_stop();
}

}  // namespace headroom
