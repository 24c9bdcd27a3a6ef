#include <QDockWidget>
#include <QStackedWidget>
#include <QStatusBar>

#include "app/window/main_window.h"
#include "app/window/probe_panels.h"
#include "app/window/shell/start_page.h"
#include "app/window/shell/worker_log_panel.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/compare/compare_panel.h"
#include "panels/details/details_panel.h"
#include "panels/memory/memory_panel.h"
#include "panels/probe/profile_panel.h"
#include "panels/probe/similarity_panel.h"
#include "panels/tryit/try_panel.h"
#include "panels/wiring/wiring_canvas.h"

namespace headroom {

namespace {

/// A dock's title bar of no height.
class NoTitle : public QWidget {
  public:
    QSize sizeHint() const override { return {0, 0}; }
    QSize minimumSizeHint() const override { return {0, 0}; }
};

}  // namespace

void MainWindow::make_docks() {
    add_dock(tr("Runs"), "runsDock", jobs_, Qt::BottomDockWidgetArea);
    add_dock(tr("Wiring"), "wiringDock", wiring_, Qt::RightDockWidgetArea);
    add_dock(tr("Architecture"), "architectureDock", architecture_, Qt::RightDockWidgetArea);
    add_dock(tr("Details"), "detailsDock", details_, Qt::RightDockWidgetArea);
    add_dock(tr("Compare"), "compareDock", compare_, Qt::RightDockWidgetArea);
    add_dock(tr("Memory"), "memoryDock", memory_, Qt::RightDockWidgetArea);
    add_dock(tr("Similarity"), "similarityDock", probes_->similarity(), Qt::RightDockWidgetArea);
    add_dock(tr("Profiles"), "profilesDock", probes_->profiles(), Qt::RightDockWidgetArea);
    add_dock(tr("Try it"), "tryitDock", tryit_, Qt::RightDockWidgetArea);
    add_dock(tr("Worker log"), "workerLogDock", worker_log_, Qt::RightDockWidgetArea);
    // Tabs and tool bars name the docks already; their room is better spent on what they show.
    for (QDockWidget* dock : docks_) dock->setTitleBarWidget(new NoTitle);
    arrange_docks();
    jobs_->set_empty_text(tr("No runs yet. Choose “New runs…” (Ctrl+N) to train some."));
}

QDockWidget* MainWindow::add_dock(const QString& title, const QString& name, QWidget* content,
                                  Qt::DockWidgetArea area) {
    auto* dock = new QDockWidget(title, this);
    dock->setObjectName(name);
    dock->setWidget(content);
    addDockWidget(area, dock);
    docks_.push_back(dock);
    return dock;
}

QDockWidget* MainWindow::dock(const QString& name) const {
    return findChild<QDockWidget*>(name);
}

void MainWindow::arrange_docks() {
    QDockWidget* runs = dock("runsDock");
    QDockWidget* wiring = dock("wiringDock");
    for (QDockWidget* dock : docks_) dock->setFloating(false);
    addDockWidget(Qt::BottomDockWidgetArea, runs);
    for (size_t i = 1; i < docks_.size(); ++i) {
        addDockWidget(Qt::RightDockWidgetArea, docks_[i]);
        if (i > 1) tabifyDockWidget(wiring, docks_[i]);
    }
    wiring->raise();
    setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    resizeDocks({wiring}, {std::max(width() * 2 / 5, 300)}, Qt::Horizontal);
    resizeDocks({runs}, {std::max(height() * 3 / 10, 180)}, Qt::Vertical);
}

void MainWindow::reset_layout() {
    settings_.forget_window();
    arrange_docks();
    for (QDockWidget* dock : docks_) dock->show();
    dock("wiringDock")->raise();
    statusBar()->showMessage(tr("The layout is as it was at first"), 3000);
}

/// Leaves the whole window to what is in the middle, and back as it was.
void MainWindow::show_docks(bool on) {
    if (!on) layout_ = saveState();
    if (on && restoreState(layout_)) return;
    for (QDockWidget* dock : docks_) dock->setVisible(on);
}

/// Docks are there while a study is open only; how they lie is kept meanwhile.
void MainWindow::show_workspace(bool on) {
    const bool was_on = pages_->currentIndex() == 1;
    if (was_on && !on) layout_ = saveState();
    pages_->setCurrentIndex(on ? 1 : 0);
    if (on && !was_on) {
        for (QDockWidget* dock : docks_) dock->show();
        if (!restoreState(layout_)) dock("wiringDock")->raise();
    }
    if (!on) {
        for (QDockWidget* dock : docks_) dock->hide();
        start_page_->set_recent(settings_.recent_studies());
    }
    update_actions();
}

}  // namespace headroom
