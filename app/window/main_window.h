#pragma once

#include <QMainWindow>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "app/window/settings.h"
#include "app/window/study_watcher.h"
#include "panels/jobs/job_panel.h"

class QLabel;
class QMenu;
class QStackedWidget;
class QTabWidget;

namespace headroom {

class ArchitecturePanel;
class CheckpointDialog;
class ComparePanel;
class DetailsPanel;
class InspectorPanel;
class InspectorPresenter;
class LaunchDialog;
class LossWidget;
class MeasureRunner;
class MemoryPanel;
class ProbePanels;
class StartPage;
class TryPanel;
class TryRunner;
class WiringCanvas;
class WorkerLogPanel;
struct FigurePage;
struct LaunchRun;

/// The studio's window: menus, docks and what connects them. It watches one study at a time; runs
/// are worked on by processes of their own and go on when it closes.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows the study in `folder`, or one clear line about why that is none.
    void open_study(const QString& folder);
    void close_study();
    /// Shows what a checkpoint holds, ours or another tool's, in a window of its own.
    CheckpointDialog* open_checkpoint(const QString& path);
    /// Opens a study's folder or a checkpoint, whichever the path names.
    void open_path(const QString& path);
    /// Opens the study that was open when the last window closed, if it is still there.
    void restore_session();
    /// Dresses the window; set_theme remembers the choice, too.
    void wear_theme(ThemeChoice choice);
    void set_theme(ThemeChoice choice);
    /// Selects a run in the queue and with it the wiring and the details.
    void select_run(const std::string& id);

    Settings& settings() { return settings_; }
    StudyWatcher& watcher() { return *watcher_; }
    JobPanel* jobs() const { return jobs_; }
    LossWidget* loss() const { return loss_; }
    WiringCanvas* wiring() const { return wiring_; }
    ArchitecturePanel* architecture() const { return architecture_; }
    ComparePanel* compare() const { return compare_; }
    MemoryPanel* memory() const { return memory_; }
    ProbePanels* probes() const { return probes_; }
    MeasureRunner* measure_runner() const { return measure_runner_; }
    TryPanel* tryit() const { return tryit_; }
    TryRunner* try_runner() const { return try_runner_; }
    DetailsPanel* details() const { return details_; }
    InspectorPanel* inspector() const { return inspector_; }
    InspectorPresenter* inspector_presenter() const { return presenter_; }
    /// The tabs in the middle: losses and inspector.
    QTabWidget* centre() const { return centre_; }
    StartPage* start_page() const { return start_page_; }
    LaunchDialog* launch_dialog() const { return launch_; }
    QLabel* error_line() const { return error_line_; }
    /// An action of the menus by its object name, such as "openStudy"; nullptr if there is none.
    QAction* action(const QString& name) const;

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    // main_window_docks.cpp
    void make_docks();
    QDockWidget* add_dock(const QString& title, const QString& name, QWidget* content,
                          Qt::DockWidgetArea area);
    QDockWidget* dock(const QString& name) const;
    void arrange_docks();
    void reset_layout();
    void show_workspace(bool on);
    void show_docks(bool on);
    // main_window.cpp
    void show_error(const QString& message);
    void take_study(const StudyPointer& study);
    void show_table();
    void show_selected_run();
    void restore_settings();
    // main_window_models.cpp
    void make_model_panels();
    void show_model(const RunPointer& run);
    void fill_baselines();
    void show_comparison();
    void show_memory();
    void toggle_wiring_colors();
    void export_architecture();
    void export_comparison();
    // main_window_probes.cpp
    void make_probe_panels();
    void show_probes();
    // main_window_tryit.cpp
    void show_tryit();
    void generate();
    // main_window_inspector.cpp
    void make_inspector();
    void show_inspected();
    void show_centre(QWidget* page);
    void export_attention(const QString& ending);
    // main_window_menus.cpp
    void make_menus();
    void make_study_menu();
    void make_runs_menu();
    void make_view_menu();
    void make_theme_menu(QMenu* view);
    void make_help_menu();
    QAction* add_action(QMenu* menu, const QString& name, const QString& text,
                        const QKeySequence& keys, std::function<void()> work);
    void fill_recent_menu();
    void update_actions();
    // main_window_actions.cpp
    void ask_for_study();
    void ask_for_checkpoint();  // main_window_checkpoints.cpp
    void ask_for_new_study();
    void open_demo();
    void show_launch_dialog();
    void launch(const std::vector<LaunchRun>& runs);
    void do_command(JobCommand command, const std::vector<std::string>& ids);
    void remove_runs(const std::vector<std::string>& ids);
    void toggle_pause();
    void start_queue();
    void ask_for_export(const QString& ending);
    /// Asks for a file in the study's figures and writes the page that `make_page` gives.
    void ask_for_page(const QString& name, const QString& ending,
                      const std::function<FigurePage()>& make_page);
    void show_keys();
    void show_palette();
    void show_about();

    Settings settings_;
    StudyWatcher* watcher_;
    QStackedWidget* pages_;
    QTabWidget* centre_;
    StartPage* start_page_;
    QLabel* error_line_;
    QLabel* summary_;  ///< of the queue, in the status bar
    LossWidget* loss_;
    JobPanel* jobs_;
    WiringCanvas* wiring_;
    ArchitecturePanel* architecture_;
    ComparePanel* compare_;
    MemoryPanel* memory_;
    ProbePanels* probes_;
    MeasureRunner* measure_runner_;
    TryPanel* tryit_;
    TryRunner* try_runner_;
    DetailsPanel* details_;
    InspectorPanel* inspector_;
    InspectorPresenter* presenter_ = nullptr;
    WorkerLogPanel* worker_log_;
    LaunchDialog* launch_ = nullptr;
    QMenu* recent_menu_ = nullptr;
    const Theme* theme_ = nullptr;  ///< that the window wears
    std::vector<QDockWidget*> docks_;
    QByteArray layout_;  ///< of the docks while no study is open
    std::string shown_run_;
    std::shared_ptr<const Job> shown_job_;
    std::vector<std::pair<std::string, std::shared_ptr<const Job>>> compared_;  ///< as shown
    bool first_look_ = false;
};

}  // namespace headroom
