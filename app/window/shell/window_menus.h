#pragma once

#include <QKeySequence>
#include <QObject>
#include <functional>

#include "panels/base/theme.h"

class QAction;
class QMenu;

namespace headroom {

class JobPanel;
class MainWindow;
class Workspace;

/// Whether the command goes to a page or an activity, and says so: "go:NAME", "activity:NAME".
bool leads_to_page(const QAction& action);

/// The window's menus and keys. Every action has an object name, by which tests and --press find
/// it. UI thread only.
class WindowMenus : public QObject {
    Q_OBJECT
  public:
    explicit WindowMenus(MainWindow& window);

    /// Enables what can be done now.
    void update();
    /// What can be undone and redone alone.
    void update_undo();
    void set_theme(const Theme& theme);
    void ask_for_study();
    void ask_for_new_study();
    void show_gallery();
    void open_demo();

  private:
    QAction* add(QMenu* menu, const QString& name, const QString& text, const QKeySequence& keys,
                 std::function<void()> work);
    void note_closing();
    QAction* add_switch(QMenu* menu, const QString& name, const QString& text,
                        const QKeySequence& keys, std::function<void()> work);
    void make_study_menu();
    void make_export_actions(QMenu* study);
    void make_runs_menu();
    void make_go_menu();
    void go_to_tab(int by);
    void make_view_menu();
    void make_theme_menu(QMenu* view);
    void make_help_menu();
    void make_added_actions(QMenu* study);
    void fill_recent();
    void fill_added();
    void ask_for_added();
    void ask_for_checkpoint();
    void ask_for_log();
    void toggle_pause();
    void select_row(int number);
    void leave();

    MainWindow& window_;
    Workspace& workspace_;
    JobPanel* jobs_;
    bool menu_closes_ = false;  ///< it handles a click or a key, and hides for it
    QMenu* recent_ = nullptr;
    QMenu* added_ = nullptr;
};

}  // namespace headroom
