#include "app/window/shell/window_menus.h"

#include <QAction>
#include <QActionGroup>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QMenuBar>
#include <QShortcut>
#include <QToolButton>
#include <tuple>

#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/dialogs/command_palette.h"
#include "app/window/dialogs/gallery_dialog.h"
#include "app/window/dialogs/help_dialog.h"
#include "app/window/dialogs/import_log_dialog.h"
#include "app/window/dialogs/keys_dialog.h"
#include "app/window/dialogs/trash_dialog.h"
#include "app/window/main_window.h"
#include "app/window/panels.h"
#include "app/window/services/demo_study.h"
#include "app/window/services/job_queue.h"
#include "app/window/services/picture_commands.h"
#include "app/window/services/run_commands.h"
#include "app/window/shell/activity_bar.h"
#include "app/window/shell/start_page.h"
#include "app/window/shell/tour.h"
#include "app/window/shell/view_menu.h"
#include "app/window/shell/workspace.h"
#include "core/study/figure_options.h"
#include "panels/jobs/job_panel.h"
#include "panels/qt/panel.h"
#include "panels/qt/qt_theme.h"
#include "panels/run_list/run_list.h"

namespace headroom {

bool leads_to_page(const QAction& action) {
    return action.objectName().startsWith("go:") || action.objectName().startsWith("activity:");
}

WindowMenus::WindowMenus(MainWindow& window)
    : QObject(&window),
      window_(window),
      workspace_(window.workspace()),
      jobs_(workspace_.find("runs")->findChild<JobPanel*>()) {
    make_study_menu();
    make_runs_menu();
    make_go_menu();
    make_view_menu();
    make_help_menu();
    jobs_->add_leading_actions({window_.action("newRuns"), window_.action("startQueue")});
}

QAction* WindowMenus::add(QMenu* menu, const QString& name, const QString& text,
                          const QKeySequence& keys, std::function<void()> work) {
    auto* action = new QAction(text, &window_);
    action->setObjectName(name);
    action->setShortcut(keys);
    connect(action, &QAction::triggered, this, [this, work = std::move(work)] {
        if (!menu_closes_) return work();
        QMetaObject::invokeMethod(this, work, Qt::QueuedConnection);
    });
    connect(menu, &QMenu::aboutToHide, this, &WindowMenus::note_closing, Qt::UniqueConnection);
    menu->addAction(action);
    window_.addAction(action);
    return action;
}

/// A dialog that opened within the menu's own handling of the mouse would leave Qt with the menu as
/// what the pointer was over last: whatever lies below the entry stayed lit. So what an entry does
/// waits until the menu is done; shortcuts do it at once.
void WindowMenus::note_closing() {
    menu_closes_ = true;
    QMetaObject::invokeMethod(
        this, [this] { menu_closes_ = false; }, Qt::QueuedConnection);
}

QAction* WindowMenus::add_switch(QMenu* menu, const QString& name, const QString& text,
                                 const QKeySequence& keys, std::function<void()> work) {
    QAction* action = add(menu, name, text, keys, std::move(work));
    action->setCheckable(true);
    return action;
}

void WindowMenus::make_study_menu() {
    QMenu* study = window_.menuBar()->addMenu(tr("&Study"));
    add(study, "newStudy", tr("&New study…"), QKeySequence("Ctrl+Shift+N"),
        [this] { ask_for_new_study(); });
    add(study, "gallery", tr("St&udies of the papers…"), {}, [this] { show_gallery(); });
    add(study, "openStudy", tr("&Open study…"), QKeySequence::Open, [this] { ask_for_study(); });
    add(study, "openCheckpoint", tr("Open &checkpoint…"), QKeySequence("Ctrl+Shift+O"),
        [this] { ask_for_checkpoint(); });
    recent_ = study->addMenu(tr("Open &recent"));
    connect(recent_, &QMenu::aboutToShow, this, &WindowMenus::fill_recent);
    make_added_actions(study);
    add(study, "importLog", tr("&Import a log of another tool…"), {}, [this] { ask_for_log(); });
    add(study, "openDemo", tr("Open the &demo study"), {}, [this] { open_demo(); });
    study->addSeparator();
    make_export_actions(study);
    study->addSeparator();
    add(study, "settings", tr("Se&ttings…"), QKeySequence("Ctrl+,"),
        [this] { window_.shows_settings() ? window_.leave_settings() : window_.show_settings(); });
    add(study, "closeStudy", tr("&Close"), QKeySequence("Ctrl+W"), [this] {
        window_.close_study();
        window_.settings().set_session({});
    });
    add(study, "quit", tr("&Quit"), QKeySequence::Quit, [this] { window_.close(); });
}

void WindowMenus::make_added_actions(QMenu* study) {
    study->addSeparator();
    add(study, "addStudy", tr("&Add the runs of another study…"), QKeySequence("Ctrl+Shift+A"),
        [this] { ask_for_added(); });
    added_ = study->addMenu(tr("&Take added runs away"));
    connect(added_, &QMenu::aboutToShow, this, &WindowMenus::fill_added);
}

void WindowMenus::ask_for_added() {
    const StudyPointer& study = window_.session().look().study;
    const QString start = QString::fromStdString(study->folder.parent_path().string());
    const QString folder = QFileDialog::getExistingDirectory(
        &window_, tr("Study whose runs are shown beside those of the open one"), start);
    if (!folder.isEmpty()) window_.add_study(folder);
}

void WindowMenus::fill_added() {
    added_->clear();
    for (const std::filesystem::path& folder : window_.session().added_studies())
        added_->addAction(QDir::toNativeSeparators(QString::fromStdString(folder.string())), this,
                          [this, folder] { window_.session().remove_added(folder); });
    if (added_->isEmpty()) added_->addAction(tr("none was added"))->setEnabled(false);
}

void WindowMenus::ask_for_log() {
    if (!window_.session().look().is_open())
        return window_.commands().say(tr("Open a study first"));
    ImportLogDialog dialog(&window_);
    if (dialog.exec() == QDialog::Accepted)
        window_.commands().import_log(dialog.source(), dialog.source_run(), dialog.choice());
}

/// Always of the page that is looked at.
void WindowMenus::make_export_actions(QMenu* study) {
    add(study, "export", tr("&Export this view…"), QKeySequence("Ctrl+Shift+E"),
        [this] { window_.pictures().save(workspace_.active(), "pdf"); });
    QMenu* formats = study->addMenu(tr("Export this view &as"));
    for (const char* ending : kFigureEndings)
        add(formats, QString("export:") + ending, QString(ending).toUpper() + "…", {},
            [this, ending] { window_.pictures().save(workspace_.active(), ending); });
    add(study, "copyPicture", tr("Co&py this view's picture"), QKeySequence("Ctrl+Shift+C"),
        [this] { window_.pictures().copy(workspace_.active()); });
}

void WindowMenus::make_runs_menu() {
    QMenu* runs = window_.menuBar()->addMenu(tr("&Runs"));
    add(runs, "newRuns", tr("&New runs…"), QKeySequence("Ctrl+N"),
        [this] { workspace_.go_to(workspace_.find("newRuns")); });
    add(runs, "startQueue", tr("Start &queue"), QKeySequence("Ctrl+R"),
        [this] { window_.commands().start_queue(); });
    add(runs, "act", tr("&Probe, measure or generate in this view"), QKeySequence("Ctrl+Return"),
        [this] { workspace_.active()->act(); });
    for (const auto& [name, text, page] :
         {std::tuple{"generate", tr("Generate text or stop"), "playground"},
          {"measureMemory", tr("Measure memory or stop"), "memory"},
          {"probeAttention", tr("Probe the attention of what is shown"), "inspector"}})
        add(runs, name, text, {}, [this, page = page] {
            workspace_.go_to(workspace_.find(page));
            workspace_.active()->act();
        });
    runs->addSeparator();
    add(runs, "togglePause", tr("&Pause or resume"), QKeySequence(Qt::Key_Space),
        [this] { toggle_pause(); });
    for (const JobCommand command : {JobCommand::kNewLike, JobCommand::kStop, JobCommand::kRemove,
                                     JobCommand::kShowLog, JobCommand::kOpenFolder})
        runs->addAction(jobs_->action(command));
    add(runs, "trash", tr("Remo&ved runs…"), {}, [this] {
        TrashDialog dialog(window_.session(), window_.commands(), &window_);
        dialog.exec();
    });
    for (int n = 1; n <= 9; ++n)
        connect(new QShortcut(QKeySequence(Qt::Key_0 + n), &window_), &QShortcut::activated, this,
                [this, n] { select_row(n); });
}

void WindowMenus::make_go_menu() {
    QMenu* go = window_.menuBar()->addMenu(tr("&Go"));
    for (size_t i = 0; i < activities().size(); ++i)
        add(go, QString("activity:%1").arg(activities()[i].name),
            tr("Go to %1").arg(tr(activities()[i].title)),
            QKeySequence(QString("Alt+%1").arg(i + 1)), [this, i] {
                window_.leave_settings();
                workspace_.go_to_activity(static_cast<int>(i));
            });
    go->addSeparator();
    add(go, "nextTab", tr("&Next tab"), QKeySequence("Ctrl+PgDown"), [this] { go_to_tab(1); });
    add(go, "previousTab", tr("&Previous tab"), QKeySequence("Ctrl+PgUp"),
        [this] { go_to_tab(-1); });
    go->addSeparator();
    for (const PageInfo* page : workspace_.pages())
        add(go, "go:" + page->name, tr("Go to %1").arg(page->title), {}, [this, page] {
            window_.leave_settings();
            workspace_.go_to(workspace_.find(page->name));
        });
}

void WindowMenus::go_to_tab(int by) {
    window_.leave_settings();
    workspace_.go_to_tab(by);
}

void WindowMenus::make_view_menu() {
    QMenu* view = window_.menuBar()->addMenu(tr("&View"));
    add_switch(view, "foldRuns", tr("Fold the &run list"), QKeySequence(Qt::Key_F8),
               [this] { workspace_.fold_runs(!workspace_.runs_folded()); });
    add_switch(view, "options", tr("&Options of the view"), QKeySequence(Qt::Key_F9),
               [this] { workspace_.open_options(!workspace_.options_open()); });
    add_switch(view, "split", tr("&Split: two views side by side"), QKeySequence("Ctrl+\\"),
               [this] { workspace_.set_split(!workspace_.is_split()); });
    add_switch(view, "drawer", tr("&Queue and log"), QKeySequence("Ctrl+J"),
               [this] { workspace_.open_drawer(!workspace_.drawer_open()); });
    add(view, "nextPane", tr("Keys to the next pa&ne"), QKeySequence(Qt::Key_F6),
        [this] { workspace_.focus_next_pane(); });
    view->addSeparator();
    add(view, "undo", tr("&Undo"), QKeySequence::Undo,
        [this] { window_.session().history().undo(); });
    add(view, "redo", tr("R&edo"), QKeySequence("Ctrl+Shift+Z"),
        [this] { window_.session().history().redo(); });
    add(view, "fit", tr("F&it"), QKeySequence("Ctrl+0"), [this] { workspace_.active()->fit(); });
    QMenu* views = (new ViewMenu(window_, window_.saved_views()))->menu();
    view->addMenu(views);
    QToolButton* button = workspace_.bar()->add_small(tr("Saved views"), "views");
    button->setMenu(views);
    button->setPopupMode(QToolButton::InstantPopup);
    connect(workspace_.bar()->add_small(tr("Settings (Ctrl+,)"), "settings"), &QToolButton::clicked,
            window_.action("settings"), &QAction::trigger);
    view->addSeparator();
    make_theme_menu(view);
    add_switch(view, "fullScreen", tr("&Full screen"), QKeySequence(Qt::Key_F11),
               [this] { window_.setWindowState(window_.windowState() ^ Qt::WindowFullScreen); });
    add(view, "resetLayout", tr("Reset &layout"), {}, [this] { workspace_.reset(); });
}

void WindowMenus::make_theme_menu(QMenu* view) {
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
        QAction* action = add_switch(themes, choice.name, choice.text, {},
                                     [this, theme = choice.choice] { window_.set_theme(theme); });
        action->setChecked(window_.settings().theme() == choice.choice);
        group->addAction(action);
    }
}

void WindowMenus::make_help_menu() {
    QMenu* help = window_.menuBar()->addMenu(tr("&Help"));
    add(help, "palette", tr("&Find a command…"), QKeySequence("Ctrl+K"), [this] {
        CommandPalette palette(window_.findChildren<QAction*>(), &window_);
        palette.exec();
    });
    add(help, "viewHelp", tr("&What this view shows"), QKeySequence(Qt::Key_F1),
        [this] { show_help(workspace_.pages(), workspace_.active()->name(), &window_); });
    add(help, "keys", tr("&Keys"), QKeySequence("?"), [this] {
        KeysDialog dialog(window_.actions(), &window_);
        dialog.exec();
    });
    add(help, "tour", tr("&Tour of the studio"), {}, [this] { window_.start_tour(); });
    add(help, "about", tr("&About Headroom"), {}, [this] { show_about(&window_); });
    // An action that no menu shows would be disabled, and its key dead.
    connect(new QShortcut(QKeySequence(Qt::Key_Escape), &window_), &QShortcut::activated, this,
            &WindowMenus::leave);
}

void WindowMenus::leave() {
    if (window_.tour().is_running())
        window_.tour().end();
    else if (window_.shows_settings())
        window_.leave_settings();
    else if (window_.isFullScreen())
        window_.setWindowState(window_.windowState() & ~Qt::WindowFullScreen);
    else if (!window_.has_study() || !workspace_.active()->leave())
        window_.show_error({});
}

void WindowMenus::fill_recent() {
    recent_->clear();
    for (const QString& folder : window_.settings().recent_studies())
        recent_->addAction(QDir::toNativeSeparators(folder), this,
                           [this, folder] { window_.open_study(folder); });
    if (recent_->isEmpty()) {
        recent_->addAction(tr("none yet"))->setEnabled(false);
        return;
    }
    recent_->addSeparator();
    recent_->addAction(tr("Forget these"), this, [this] {
        window_.settings().clear_recent_studies();
        window_.start_page()->set_recent({});
    });
}

void WindowMenus::ask_for_study() {
    const QStringList recent = window_.settings().recent_studies();
    const QString start = recent.isEmpty() ? QDir::homePath() : QFileInfo(recent.front()).path();
    const QString folder = QFileDialog::getExistingDirectory(&window_, tr("Open a study"), start);
    if (!folder.isEmpty()) window_.open_study(folder);
}

void WindowMenus::ask_for_new_study() {
    const QString folder = QFileDialog::getSaveFileName(
        &window_, tr("Folder of the new study"), QDir::homePath() + "/study", {}, nullptr,
        QFileDialog::ShowDirsOnly | QFileDialog::DontConfirmOverwrite);
    if (folder.isEmpty()) return;
    if (!QDir().mkpath(folder))
        return window_.show_error(
            tr("%1 cannot be made; choose a folder that you may write to").arg(folder));
    window_.open_study(folder);
    workspace_.go_to(workspace_.find("newRuns"));
}

void WindowMenus::show_gallery() {
    const QStringList recent = window_.settings().recent_studies();
    const QString start =
        recent.isEmpty() ? QDir::homePath() + "/studies" : QFileInfo(recent.front()).path();
    try {
        GalleryDialog gallery(templates_folder(), headroom_program(), start, &window_);
        if (gallery.exec() == QDialog::Accepted) window_.open_study(gallery.made());
    } catch (const std::exception& error) {
        window_.show_error(QString::fromUtf8(error.what()));
    }
}

void WindowMenus::open_demo() {
    try {
        window_.open_study(QString::fromStdString(prepare_demo_study().string()));
    } catch (const std::exception& error) {
        window_.show_error(QString::fromUtf8(error.what()));
    }
}

void WindowMenus::ask_for_checkpoint() {
    const StudyPointer& study = window_.session().look().study;
    const QString start = study ? QString::fromStdString(study->folder.string()) : QDir::homePath();
    const QString file = ask_for_checkpoint_file(&window_, start);
    if (!file.isEmpty()) window_.open_checkpoint(file);
}

void WindowMenus::toggle_pause() {
    const bool pause = jobs_->action(JobCommand::kPause)->isEnabled();
    window_.commands().run(pause ? JobCommand::kPause : JobCommand::kResume,
                           window_.session().look().selected);
}

void WindowMenus::select_row(int number) {
    const std::vector<RunPointer>& runs = window_.session().look().runs();
    if (number <= std::ssize(runs))
        window_.session().select({runs[static_cast<size_t>(number - 1)]->id});
}

void WindowMenus::update() {
    const bool open = window_.has_study();
    for (QAction* action : window_.actions())
        if (leads_to_page(*action)) action->setEnabled(window_.session().look().is_open());
    added_->setEnabled(open);
    for (const char* name :
         {"closeStudy", "addStudy", "trash", "newRuns", "act", "generate", "measureMemory",
          "probeAttention", "fit", "resetLayout", "foldRuns", "options", "split", "drawer",
          "nextPane", "nextTab", "previousTab", "viewHelp", "tour"})
        window_.action(name)->setEnabled(open);
    update_undo();
    const bool picture = open && workspace_.active()->has_picture();
    for (const char* name :
         {"export", "export:pdf", "export:svg", "export:png", "export:csv", "copyPicture"})
        window_.action(name)->setEnabled(picture);
    window_.action("startQueue")->setEnabled(open && window_.session().table().can_start);
    window_.action("togglePause")
        ->setEnabled(open && (jobs_->action(JobCommand::kPause)->isEnabled() ||
                              jobs_->action(JobCommand::kResume)->isEnabled()));
    window_.action("foldRuns")->setChecked(workspace_.runs_folded());
    window_.action("options")->setChecked(workspace_.options_open());
    window_.action("split")->setChecked(workspace_.is_split());
    window_.action("drawer")->setChecked(workspace_.drawer_open());
    window_.action("fullScreen")->setChecked(window_.isFullScreen());
}

void WindowMenus::update_undo() {
    const UndoHistory& history = window_.session().history();
    const auto dress = [this](const char* name, const QString& text, const QString& what,
                              bool possible) {
        window_.action(name)->setText(what.isEmpty() ? text : text + ": " + what);
        window_.action(name)->setEnabled(possible);
    };
    dress("undo", tr("&Undo"), history.undo_text(), history.can_undo());
    dress("redo", tr("R&edo"), history.redo_text(), history.can_redo());
}

void WindowMenus::set_theme(const Theme& theme) {
    window_.action("newRuns")->setIcon(themed_icon("launch", theme));
    window_.action("startQueue")->setIcon(themed_icon("resume", theme));
    window_.action("openStudy")->setIcon(themed_icon("open", theme));
}

}  // namespace headroom
