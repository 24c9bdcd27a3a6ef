#include <QTabWidget>

#include "app/window/main_window.h"
#include "app/window/services/inspector_presenter.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/loss/loss_widget.h"

namespace headroom {

void MainWindow::make_inspector() {
    centre_->setDocumentMode(true);
    centre_->setObjectName("centre");
    centre_->addTab(loss_, tr("Losses"));
    centre_->addTab(inspector_, tr("Inspector"));
    presenter_ = new InspectorPresenter(inspector_, this);
    connect(inspector_, &InspectorPanel::export_asked, this, [this] { export_attention("pdf"); });
}

void MainWindow::export_attention(const QString& ending) {
    const HeadId head = inspector_->place().head;
    ask_for_page(QString("attention-layer-%1-head-%2").arg(head.layer).arg(head.head), ending,
                 [this] { return inspector_->page(); });
}

void MainWindow::show_centre(QWidget* page) {
    centre_->setCurrentWidget(page);
    if (page == inspector_) inspector_->canvas()->setFocus();
}

/// The selected runs; with one selected, that one alone.
void MainWindow::show_inspected() {
    const StudyPointer& study = watcher_->study();
    if (!study) return;
    std::vector<RunPointer> runs;
    for (const std::string& id : jobs_->selected())
        if (RunPointer run = study->find(id)) runs.push_back(std::move(run));
    presenter_->set_runs(runs);
}

}  // namespace headroom
