#pragma once

#include <QMainWindow>

#include "app/window/services/study_session.h"
#include "app/window/settings.h"
#include "panels/base/theme.h"

class QLabel;
class QStackedWidget;

namespace headroom {

class CheckpointDialog;
class FigureCommands;
class NoticeBar;
class Panel;
class PictureCommands;
class ProbeQueue;
class RunCommands;
class SavedViews;
class SettingsPage;
class StartPage;
class StudyNotices;
class Tour;
class ViewHistory;
class WindowMenus;
class Workspace;

/// The studio's window: the start page or the workspace of one study, and menus. Runs are
/// worked on by processes of their own and go on when it closes.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(QWidget* parent = nullptr);

    /// Shows the study in `folder`, or one clear line about why that is none.
    void open_study(const QString& folder);
    void close_study();
    /// Shows the runs of the study in or around `folder` beside those of the open one.
    void add_study(const QString& folder);
    /// Shows what a checkpoint holds, ours or another tool's, in a window of its own.
    CheckpointDialog* open_checkpoint(const QString& path);
    /// Opens a study's folder or a checkpoint, whichever the path names.
    void open_path(const QString& path);
    /// Opens the study that was open when the last window closed, if it is still there.
    void restore_session();
    /// Dresses the window; set_theme remembers the choice, too.
    void apply_theme(ThemeChoice choice);
    void set_theme(ThemeChoice choice);
    /// These too are kept: the size of text in per cent, what the first layer is called, and
    /// whether the charts of curves have a legend of their own.
    void set_text_size(int percent);
    void set_first_number(int number);
    void set_run_slots(int count);
    void set_legend(bool on);
    bool legend() const;
    /// The settings in place of what is looked at; then back to that.
    void show_settings();
    void leave_settings();
    bool shows_settings() const;
    /// The hints for a newcomer, which begin by themselves with the demo study, once.
    void start_tour();
    void offer_tour(bool on) { offers_tour_ = on; }
    Tour& tour() { return *tour_; }
    /// One line above everything; "" takes it away.
    void show_error(const QString& message);

    Settings& settings() { return settings_; }
    StudySession& session() { return *session_; }
    RunCommands& commands() { return *commands_; }
    PictureCommands& pictures() { return *pictures_; }
    Workspace& workspace() { return *workspace_; }
    SavedViews& saved_views() { return *saved_views_; }
    StartPage* start_page() const { return start_page_; }
    QLabel* error_line() const { return error_line_; }
    NoticeBar* notices() const;
    StudyNotices& news() { return *news_; }
    bool has_study() const;
    /// An action of the menus by its object name, such as "openStudy"; nullptr if there is none.
    QAction* action(const QString& name) const;

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void lay_out();
    void connect_parts();
    void connect_history();

    void show_opened();
    void take_in(Panel* page);
    void restore_settings();
    void keep_on_screen();

    Settings settings_;
    StudySession* session_;
    RunCommands* commands_;
    PictureCommands* pictures_;
    FigureCommands* figures_;
    ProbeQueue* probes_;
    QStackedWidget* pages_;
    StartPage* start_page_;
    SettingsPage* settings_page_;
    QWidget* error_row_;  ///< the line and what closes it
    QLabel* error_line_;
    Workspace* workspace_;
    Tour* tour_;
    ViewHistory* views_;
    SavedViews* saved_views_;
    StudyNotices* news_;
    bool offers_tour_ = true;
    WindowMenus* menus_ = nullptr;
    const Theme* theme_ = nullptr;  ///< that the window wears
};

}  // namespace headroom
