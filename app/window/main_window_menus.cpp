#include <QActionGroup>
#include <QDir>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>

#include "app/window/main_window.h"
#include "app/window/services/inspector_presenter.h"
#include "app/window/shell/start_page.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/compare/compare_panel.h"
#include "panels/loss/loss_widget.h"
#include "panels/memory/memory_panel.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

QAction* MainWindow::add_action(QMenu* menu, const QString& name, const QString& text,
                                const QKeySequence& keys, std::function<void()> work) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [work = std::move(work)] { work(); });
    menu->addAction(action);
    addAction(action);
    return action;
}

QAction* MainWindow::action(const QString& name) const {
    return name.isEmpty() ? nullptr : findChild<QAction*>(name);
}

void MainWindow::make_menus() {
    make_study_menu();
    make_runs_menu();
    make_view_menu();
    make_help_menu();
}

void MainWindow::make_study_menu() {
    QMenu* study = menuBar()->addMenu(tr("&Study"));
    add_action(study, "openStudy", tr("&Open…"), QKeySequence::Open, [this] { ask_for_study(); });
    add_action(study, "newStudy", tr("&New study…"), QKeySequence("Ctrl+Shift+N"),
               [this] { ask_for_new_study(); });
    add_action(study, "openCheckpoint", tr("Open chec&kpoint…"), QKeySequence("Ctrl+Shift+O"),
               [this] { ask_for_checkpoint(); });
    recent_menu_ = study->addMenu(tr("Open &recent"));
    add_action(study, "openDemo", tr("Open the &demo study"), {}, [this] { open_demo(); });
    study->addSeparator();
    add_action(study, "export", tr("&Export figure…"), QKeySequence("Ctrl+Shift+E"),
               [this] { ask_for_export("pdf"); });
    QMenu* formats = study->addMenu(tr("Export figure &as"));
    for (const char* ending : {"pdf", "svg", "png", "csv"})
        add_action(formats, QString("export:") + ending, QString(ending).toUpper() + "…", {},
                   [this, ending] { ask_for_export(ending); });
    add_action(study, "exportArchitecturePicture", tr("Export the &architecture…"), {},
               [this] { export_architecture(); });
    add_action(study, "exportComparisonPicture", tr("Export the co&mparison…"), {},
               [this] { export_comparison(); });
    study->addSeparator();
    add_action(study, "closeStudy", tr("&Close"), QKeySequence("Ctrl+W"), [this] {
        close_study();
        settings_.set_session({});
    });
    add_action(study, "quit", tr("&Quit"), QKeySequence::Quit, [this] { close(); });
}

void MainWindow::make_runs_menu() {
    QMenu* runs = menuBar()->addMenu(tr("&Runs"));
    add_action(runs, "newRuns", tr("&New runs…"), QKeySequence("Ctrl+N"),
               [this] { show_launch_dialog(); });
    add_action(runs, "startQueue", tr("Start &queue"), QKeySequence("Ctrl+R"),
               [this] { start_queue(); });
    add_action(runs, "generate", tr("&Generate text or stop"), QKeySequence("Ctrl+Return"),
               [this] { generate(); });
    add_action(runs, "measureMemory", tr("&Measure memory or stop"), {}, [this] {
        dock("memoryDock")->show();
        dock("memoryDock")->raise();
        memory_->measure_button()->click();
    });
    runs->addSeparator();
    add_action(runs, "togglePause", tr("&Pause or resume"), QKeySequence(Qt::Key_Space),
               [this] { toggle_pause(); });
    for (const JobCommand command : {JobCommand::kStop, JobCommand::kRequeue, JobCommand::kRemove,
                                     JobCommand::kShowLog, JobCommand::kOpenFolder})
        runs->addAction(jobs_->action(command));

    for (int n = 1; n <= 9; ++n)
        connect(new QShortcut(QKeySequence(Qt::Key_0 + n), this), &QShortcut::activated, this,
                [this, n] {
                    const auto& rows = jobs_->table().rows;
                    if (n <= std::ssize(rows)) jobs_->select(rows[static_cast<size_t>(n - 1)].id);
                });
}

void MainWindow::make_view_menu() {
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (QDockWidget* dock : docks_)
        add_action(view, "show:" + dock->objectName(), dock->windowTitle(), {}, [dock] {
            dock->show();
            dock->raise();
        });
    view->addSeparator();
    add_action(view, "showLosses", tr("&Losses"), QKeySequence("Ctrl+1"),
               [this] { show_centre(loss_); });
    add_action(view, "showInspector", tr("&Inspector"), QKeySequence("Ctrl+2"),
               [this] { show_centre(inspector_); });
    QAction* docks = add_action(view, "hideDocks", tr("&Hide the docks"), QKeySequence("Ctrl+D"),
                                [this] { show_docks(!action("hideDocks")->isChecked()); });
    docks->setCheckable(true);
    add_action(view, "probeAttention", tr("&Probe the attention of what is shown"), {},
               [this] { presenter_->probe_missing(); });
    add_action(view, "wiringByOwner", tr("Colour the &wiring by source or cache owner"),
               QKeySequence("Ctrl+B"), [this] { toggle_wiring_colors(); });
    view->addSeparator();
    make_theme_menu(view);
    add_action(view, "undoZoom", tr("&Undo zoom"), QKeySequence::Undo,
               [this] { loss_->undo_zoom(); });
    add_action(view, "redoZoom", tr("&Redo zoom"), QKeySequence("Ctrl+Shift+Z"),
               [this] { loss_->redo_zoom(); });
    add_action(view, "fit", tr("F&it the losses"), QKeySequence("Ctrl+0"),
               [this] { loss_->fit(); });
    QAction* full = add_action(view, "fullScreen", tr("&Full screen"), QKeySequence(Qt::Key_F11),
                               [this] { setWindowState(windowState() ^ Qt::WindowFullScreen); });
    full->setCheckable(true);
    add_action(view, "resetLayout", tr("&Reset layout"), {}, [this] { reset_layout(); });
}

void MainWindow::make_theme_menu(QMenu* view) {
    QMenu* themes = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(this);
    const struct {
        const char* name;
        QString text;
        ThemeChoice choice;
    } choices[] = {{"themeSystem", tr("Follow the &desktop"), ThemeChoice::kSystem},
                   {"themeLight", tr("&Light"), ThemeChoice::kLight},
                   {"themeDark", tr("&Dark"), ThemeChoice::kDark}};
    for (const auto& choice : choices) {
        QAction* action = add_action(themes, choice.name, choice.text, {},
                                     [this, theme = choice.choice] { set_theme(theme); });
        action->setCheckable(true);
        action->setChecked(settings_.theme() == choice.choice);
        group->addAction(action);
    }
}

void MainWindow::make_help_menu() {
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    add_action(help, "palette", tr("&Find a command…"), QKeySequence("Ctrl+K"),
               [this] { show_palette(); });
    add_action(help, "keys", tr("&Keys"), QKeySequence("?"), [this] { show_keys(); });
    add_action(help, "about", tr("&About Headroom"), {}, [this] { show_about(); });
    add_action(help, "escape", tr("Leave"), QKeySequence(Qt::Key_Escape), [this] {
        if (isFullScreen())
            setWindowState(windowState() & ~Qt::WindowFullScreen);
        else
            show_error({});
    })->setVisible(false);
}

void MainWindow::fill_recent_menu() {
    recent_menu_->clear();
    for (const QString& folder : settings_.recent_studies())
        recent_menu_->addAction(QDir::toNativeSeparators(folder), this,
                                [this, folder] { open_study(folder); });
    recent_menu_->setEnabled(!recent_menu_->isEmpty());
    if (recent_menu_->isEmpty()) return;
    recent_menu_->addSeparator();
    recent_menu_->addAction(tr("Forget these"), this, [this] {
        settings_.clear_recent_studies();
        fill_recent_menu();
        start_page_->set_recent({});
    });
}

void MainWindow::update_actions() {
    const bool open = pages_->currentIndex() == 1;
    for (const char* name :
         {"closeStudy", "newRuns", "generate", "measureMemory", "undoZoom", "redoZoom", "fit",
          "resetLayout", "export", "export:pdf", "export:svg", "export:png", "export:csv"})
        action(name)->setEnabled(open);
    action("exportArchitecturePicture")->setEnabled(!architecture_->view().empty());
    action("exportComparisonPicture")->setEnabled(!compare_->view().empty());
    action("startQueue")->setEnabled(open && jobs_->table().can_start);
    action("togglePause")
        ->setEnabled(open && (jobs_->action(JobCommand::kPause)->isEnabled() ||
                              jobs_->action(JobCommand::kResume)->isEnabled()));
    action("fullScreen")->setChecked(isFullScreen());
}

}  // namespace headroom
