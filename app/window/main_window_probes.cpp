#include <algorithm>

#include "app/window/main_window.h"
#include "app/window/probe_panels.h"
#include "panels/loss/loss_widget.h"
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
    const std::vector<std::string> ids = jobs_->selected();
    std::vector<ProbeableRun> shown;
    for (const RunPointer& run : loss_->runs()) {
        const bool wanted =
            ids.size() < 2 || std::find(ids.begin(), ids.end(), run->id) != ids.end();
        if (!wanted) continue;
        const RunEntryPointer entry = study->find(run->id);
        const bool has_checkpoint = entry && !entry->checkpoints.empty();
        shown.push_back(
            {run->id, run->name, run->variant, run->folder, run->color, has_checkpoint});
    }
    probes_->set_runs(shown);
}

}  // namespace headroom
