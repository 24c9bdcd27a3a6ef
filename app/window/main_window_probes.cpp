#include "app/window/main_window.h"
#include "app/window/probe_panels.h"
#include "panels/probe/profile_panel.h"
#include "panels/probe/similarity_panel.h"

namespace headroom {

void MainWindow::make_probe_panels() {
    connect(probes_->similarity(), &SimilarityPanel::export_asked, this, [this] {
        ask_for_page("similarity", "pdf", [this] { return probes_->similarity()->page(); });
    });
    connect(probes_->profiles(), &ProfilePanel::export_asked, this, [this] {
        ask_for_page("profile", "pdf", [this] { return probes_->profiles()->page(); });
    });
}

/// The selected runs, or all of the study where fewer than two are selected.
void MainWindow::show_probes() {
    const StudyPointer& study = watcher_->study();
    if (!study) return;
    std::vector<ProbeableRun> shown;
    for (const RunPointer& run : selected_or_all(study->runs, jobs_->selected()))
        shown.push_back({run->id, run->name, run->group, run->folder.string(), run->color,
                         run->shade, !run->checkpoints.empty()});
    probes_->set_runs(shown);
}

}  // namespace headroom
