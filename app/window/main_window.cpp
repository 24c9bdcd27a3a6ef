#include "app/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/dialogs/launch_dialog.h"
#include "app/window/probe_panels.h"
#include "app/window/services/inspector_presenter.h"
#include "app/window/services/job_queue.h"
#include "app/window/services/measure_runner.h"
#include "app/window/services/try_runner.h"
#include "app/window/shell/input_keys.h"
#include "app/window/shell/start_page.h"
#include "app/window/shell/worker_log_panel.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/compare/compare_panel.h"
#include "panels/details/details_panel.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/inspector/inspector_settings_store.h"
#include "panels/loss/loss_settings_store.h"
#include "panels/loss/loss_widget.h"
#include "panels/memory/memory_panel.h"
#include "panels/qt/qt_theme.h"
#include "panels/study/study_folder.h"
#include "panels/tryit/try_panel.h"
#include "panels/tryit/try_settings_store.h"
#include "panels/wiring/wiring_canvas.h"

namespace headroom {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      watcher_(new StudyWatcher(this)),
      pages_(new QStackedWidget),
      centre_(new QTabWidget),
      start_page_(new StartPage),
      error_line_(new QLabel),
      summary_(new QLabel),
      loss_(new LossWidget),
      jobs_(new JobPanel),
      wiring_(new WiringCanvas),
      architecture_(new ArchitecturePanel),
      compare_(new ComparePanel),
      memory_(new MemoryPanel),
      probes_(new ProbePanels(headroom_program(), this)),
      measure_runner_(new MeasureRunner(memory_, headroom_program(), this)),
      tryit_(new TryPanel),
      try_runner_(new TryRunner(tryit_, headroom_program(), this)),
      details_(new DetailsPanel),
      inspector_(new InspectorPanel),
      worker_log_(new WorkerLogPanel) {
    setWindowTitle(tr("Headroom Studio"));
    setWindowIcon(QIcon(":/headroom/icons/headroom.svg"));
    setAcceptDrops(true);
    qApp->installEventFilter(new InputKeys(this));
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);

    error_line_->setObjectName("errorLine");
    error_line_->setWordWrap(true);
    error_line_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    error_line_->hide();
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(error_line_);
    column->addWidget(pages_, 1);
    setCentralWidget(centre);
    statusBar()->addPermanentWidget(summary_);
    pages_->addWidget(start_page_);
    pages_->addWidget(centre_);

    launch_ = new LaunchDialog(this);
    make_inspector();
    make_docks();
    make_menus();
    jobs_->add_leading_actions({action("newRuns"), action("startQueue")});
    connect(watcher_, &StudyWatcher::study_changed, this, &MainWindow::take_study);
    connect(loss_, &LossWidget::settings_changed, this,
            [this] { write_loss_settings(settings_.store(), loss_->settings()); });
    connect(watcher_, &StudyWatcher::failed, this, &MainWindow::show_error);
    connect(jobs_, &JobPanel::command_asked, this, &MainWindow::do_command);
    connect(jobs_, &JobPanel::selection_changed, this, &MainWindow::show_selected_run);
    connect(launch_, &LaunchDialog::launch_asked, this, &MainWindow::launch);
    connect(start_page_, &StartPage::open_asked, this, &MainWindow::ask_for_study);
    connect(start_page_, &StartPage::new_asked, this, &MainWindow::ask_for_new_study);
    connect(start_page_, &StartPage::demo_asked, this, &MainWindow::open_demo);
    connect(start_page_, &StartPage::recent_asked, this, &MainWindow::open_study);
    make_model_panels();
    make_probe_panels();
    restore_settings();
}

MainWindow::~MainWindow() = default;

void MainWindow::show_error(const QString& message) {
    error_line_->setText(message);
    error_line_->setVisible(!message.isEmpty());
}

void MainWindow::open_study(const QString& folder) {
    const std::filesystem::path asked = QDir(folder).absolutePath().toStdString();
    const std::filesystem::path around = find_enclosing_study(asked);
    const std::filesystem::path study = around.empty() ? asked : around;
    const std::string problem = study_problem(study);
    show_error(QString::fromStdString(problem));
    if (!problem.empty()) return;
    close_study();
    first_look_ = true;
    const QString place = QString::fromStdString(study.string());
    settings_.add_recent_study(place);
    settings_.set_session(place);
    fill_recent_menu();
    setWindowTitle(
        tr("%1 — Headroom Studio").arg(QString::fromStdString(study.filename().string())));
    setWindowFilePath(place);
    watcher_->open(study);
}

void MainWindow::close_study() {
    watcher_->close();
    loss_->set_runs({});
    shown_run_.clear();
    shown_job_.reset();
    jobs_->set_table({});
    summary_->clear();
    wiring_->set_view(std::make_shared<WiringView>());
    architecture_->set_view({});
    compare_->set_view({});
    measure_runner_->stop();
    memory_->set_runs({});
    try_runner_->abandon();
    tryit_->clear();
    presenter_->set_runs({});
    compared_.clear();
    details_->set_details({});
    worker_log_->follow({});
    launch_->close();
    setWindowFilePath({});
    setWindowTitle(tr("Headroom Studio"));
    show_workspace(false);
}

void MainWindow::take_study(const StudyPointer& study) {
    if (first_look_) {
        first_look_ = false;
        show_workspace(true);
        jobs_->view()->setFocus();
        statusBar()->showMessage(tr("%n run(s) in %1", "", static_cast<int>(study->runs.size()))
                                     .arg(QString::fromStdString(study->folder.string())),
                                 5000);
    }
    if (!study->problem.empty()) show_error(QString::fromStdString(study->problem));
    loss_->set_runs(study->runs);
    show_table();
    if (jobs_->selected().empty() && !study->runs.empty()) jobs_->select(study->runs.front()->id);
    launch_->set_study(study);
    fill_baselines();
    show_tryit();
    show_selected_run();
    update_actions();
}

void MainWindow::show_table() {
    const StudyPointer& study = watcher_->study();
    const std::string now = QDateTime::currentDateTime().toString(Qt::ISODate).toStdString();
    jobs_->set_table(build_job_table(study->runs, {now, study->scheduler_alive}));
    summary_->setText(QString::fromStdString(jobs_->table().summary));
}

void MainWindow::select_run(const std::string& id) {
    jobs_->select(id);
}

void MainWindow::show_selected_run() {
    const auto ids = jobs_->selected();
    const StudyPointer& study = watcher_->study();
    const RunPointer run = study && !ids.empty() ? study->find(ids.front()) : nullptr;
    if (!run) return update_actions();
    details_->set_details(build_run_details(*run));
    worker_log_->follow(run->folder / "worker.log");
    const bool same_picture = shown_run_ == run->id && shown_job_ == run->job;
    if (!same_picture) {
        shown_run_ = run->id;
        shown_job_ = run->job;
        auto view = std::make_shared<WiringView>();
        if (run->job) *view = build_wiring_view(run->job->model, DType::kBF16, run->id);
        wiring_->set_view(std::move(view));
        show_model(run);
        dock("wiringDock")
            ->setWindowTitle(run->job ? tr("Wiring of %1").arg(QString::fromStdString(run->name))
                                      : tr("Wiring"));
    }
    show_comparison();
    show_memory();
    show_probes();
    show_tryit();
    show_inspected();
    update_actions();
}

void MainWindow::set_theme(ThemeChoice choice) {
    settings_.set_theme(choice);
    wear_theme(choice);
}

void MainWindow::wear_theme(ThemeChoice choice) {
    const Theme& theme = resolve_theme(choice);
    theme_ = &theme;
    apply_theme_to_application(theme);
    for (CheckpointDialog* dialog : findChildren<CheckpointDialog*>()) dialog->set_theme(theme);
    loss_->set_theme(theme);
    wiring_->set_theme(theme);
    architecture_->set_theme(theme);
    compare_->set_theme(theme);
    memory_->set_theme(theme);
    probes_->set_theme(theme);
    tryit_->set_theme(theme);
    inspector_->set_theme(theme);
    jobs_->refresh_icons();
    action("newRuns")->setIcon(themed_icon("launch", theme));
    action("startQueue")->setIcon(themed_icon("resume", theme));
    action("openStudy")->setIcon(themed_icon("open", theme));
}

void MainWindow::restore_settings() {
    wear_theme(settings_.theme());
    loss_->set_settings(read_loss_settings(settings_.store()));
    tryit_->set_settings(read_try_settings(settings_.store()));
    inspector_->set_settings(read_inspector_settings(settings_.store()));
    resize(1280, 800);
    arrange_docks();
    restoreGeometry(settings_.geometry());
    layout_ = settings_.layout();
    show_workspace(false);
    fill_recent_menu();
}

void MainWindow::restore_session() {
    const QString folder = settings_.session();
    if (!folder.isEmpty() && study_problem(folder.toStdString()).empty()) open_study(folder);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const bool open = pages_->currentIndex() == 1;
    settings_.set_window(saveGeometry(),
                         open && !action("hideDocks")->isChecked() ? saveState() : layout_);
    write_loss_settings(settings_.store(), loss_->settings());
    write_try_settings(settings_.store(), tryit_->settings());
    write_inspector_settings(settings_.store(), inspector_->settings());
    event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty() || !urls.front().isLocalFile()) return;
    event->acceptProposedAction();
    open_path(urls.front().toLocalFile());
}

void MainWindow::changeEvent(QEvent* event) {
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::WindowStateChange) update_actions();
}

}  // namespace headroom
