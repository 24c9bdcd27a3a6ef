#include "app/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDragEnterEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/study/study_argument.h"
#include "app/window/dialogs/checkpoint_dialog.h"
#include "app/window/dialogs/help_dialog.h"
#include "app/window/services/demo_study.h"
#include "app/window/services/figure_commands.h"
#include "app/window/services/job_queue.h"
#include "app/window/services/picture_commands.h"
#include "app/window/services/probe_queue.h"
#include "app/window/services/run_commands.h"
#include "app/window/services/saved_views.h"
#include "app/window/services/study_notices.h"
#include "app/window/services/view_history.h"
#include "app/window/shell/input_keys.h"
#include "app/window/shell/job_strip.h"
#include "app/window/shell/settings_page.h"
#include "app/window/shell/start_page.h"
#include "app/window/shell/tour.h"
#include "app/window/shell/window_menus.h"
#include "app/window/shell/workspace.h"
#include "core/study/study_folder.h"
#include "core/weights/interop/tensor_set.h"
#include "panels/base/numbering.h"
#include "panels/qt/panel.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent),
      session_(new StudySession(this)),
      commands_(new RunCommands(*session_, this)),
      pictures_(new PictureCommands(*session_, this)),
      figures_(new FigureCommands(*session_, this)),
      probes_(new ProbeQueue(headroom_program(), this)),
      pages_(new QStackedWidget),
      start_page_(new StartPage),
      settings_page_(new SettingsPage(*this)),
      error_row_(new QWidget),
      error_line_(new QLabel),
      workspace_(new Workspace({headroom_program(), probes_, commands_, figures_}, *session_)),
      tour_(new Tour(*workspace_)),
      views_(new ViewHistory(*session_, this)),
      saved_views_(new SavedViews(*session_, *workspace_, *views_, this)),
      news_(new StudyNotices(*session_, *commands_, {*this, *workspace_, *notices(), settings_})) {
    setWindowTitle(tr("Headroom Studio"));
    setWindowIcon(QIcon(":/headroom/icons/headroom.svg"));
    setAcceptDrops(true);
    setMinimumSize(640, 420);
    qApp->installEventFilter(new InputKeys(this));
    lay_out();
    menus_ = new WindowMenus(*this);
    connect_parts();
    connect_history();
    restore_settings();
}

void MainWindow::lay_out() {
    error_line_->setObjectName("errorLine");
    error_line_->setWordWrap(true);
    error_line_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QToolButton;
    close->setText("×");
    close->setObjectName("closeError");
    close->setToolTip(tr("Close"));
    close->setAccessibleName(tr("Close what is said of an error"));
    connect(close, &QToolButton::clicked, this, [this] { show_error({}); });
    error_row_->setObjectName("panelSurface");
    error_row_->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(error_row_);
    row->setContentsMargins(0, 0, 4, 0);
    row->setSpacing(0);
    row->addWidget(error_line_, 1);
    row->addWidget(close);
    error_row_->hide();
    auto* centre = new QWidget;
    auto* column = new QVBoxLayout(centre);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(error_row_);
    column->addWidget(pages_, 1);
    setCentralWidget(centre);
    pages_->addWidget(start_page_);
    pages_->addWidget(workspace_);
    pages_->addWidget(settings_page_);
}

NoticeBar* MainWindow::notices() const {
    return workspace_->strip()->notices();
}

void MainWindow::connect_parts() {
    connect(session_, &StudySession::opened, this, &MainWindow::show_opened);
    connect(settings_page_, &SettingsPage::left, this, &MainWindow::leave_settings);
    connect(session_, &StudySession::failed, this, &MainWindow::show_error);
    // Whatever failed since in a study that could not be read says no more than that.
    connect(session_, &StudySession::mended, this, [this] { show_error({}); });
    connect(session_, &StudySession::changed, this, [this] { menus_->update(); });
    connect(news_, &StudyNotices::said, workspace_->strip(), &JobStrip::say);
    // Not at once: the page that asks is in the middle of something.
    connect(commands_, &RunCommands::study_asked, this, &MainWindow::open_study,
            Qt::QueuedConnection);
    connect(commands_, &RunCommands::said, workspace_->strip(), &JobStrip::say);
    connect(start_page_, &StartPage::open_asked, menus_, &WindowMenus::ask_for_study);
    connect(start_page_, &StartPage::new_asked, menus_, &WindowMenus::ask_for_new_study);
    connect(start_page_, &StartPage::gallery_asked, menus_, &WindowMenus::show_gallery);
    connect(start_page_, &StartPage::demo_asked, menus_, &WindowMenus::open_demo);
    connect(start_page_, &StartPage::recent_asked, this, &MainWindow::open_study);
    connect(workspace_, &Workspace::page_changed, menus_, &WindowMenus::update);
    connect(workspace_, &Workspace::copy_asked, pictures_, &PictureCommands::copy);
    connect(workspace_, &Workspace::export_asked, pictures_,
            [this](const Panel* page) { pictures_->save(page, "pdf"); });
    connect(pictures_, &PictureCommands::said, workspace_->strip(), &JobStrip::say);
    connect(pictures_, &PictureCommands::failed, this, &MainWindow::show_error);
    connect(figures_, &FigureCommands::said, workspace_->strip(), &JobStrip::say);
    connect(workspace_, &Workspace::figure_asked, figures_, &FigureCommands::add_page);
    connect(workspace_, &Workspace::help_asked, this,
            [this](Panel* page) { show_help(workspace_->pages(), page->name(), this); });
}

void MainWindow::connect_history() {
    UndoHistory& history = session_->history();
    connect(&history, &UndoHistory::changed, menus_, &WindowMenus::update_undo);
    connect(&history, &UndoHistory::done, workspace_->strip(), &JobStrip::say);
    connect(saved_views_, &SavedViews::said, workspace_->strip(), &JobStrip::say);
    connect(views_, &ViewHistory::page_asked, this, [this](Panel* panel) {
        if (!panel->isVisible()) workspace_->go_to(panel);
    });
}

bool MainWindow::has_study() const {
    return pages_->currentWidget() == workspace_;
}

void MainWindow::show_settings() {
    tour_->end();
    pages_->setCurrentWidget(settings_page_);
    settings_page_->focus_first();
    menus_->update();
}

void MainWindow::leave_settings() {
    if (shows_settings()) show_opened();
}

bool MainWindow::shows_settings() const {
    return pages_->currentWidget() == settings_page_;
}

void MainWindow::start_tour() {
    leave_settings();
    if (!has_study()) return;
    settings_.set_tour_seen();
    tour_->start();
}

QAction* MainWindow::action(const QString& name) const {
    return name.isEmpty() ? nullptr : findChild<QAction*>(name);
}

void MainWindow::show_error(const QString& message) {
    error_line_->setText(message);
    error_row_->setVisible(!message.isEmpty());
}

void MainWindow::add_study(const QString& folder) {
    show_error({});
    session_->add_study(study_around(folder.toStdString()));
}

void MainWindow::open_study(const QString& folder) {
    const std::filesystem::path study = study_around(folder.toStdString());
    const std::string problem = study_problem(study);
    show_error(QString::fromStdString(problem));
    if (!problem.empty()) return;
    close_study();
    const QString place = QString::fromStdString(study.string());
    settings_.add_recent_study(place);
    settings_.set_session(place);
    setWindowTitle(
        tr("%1 — Headroom Studio").arg(QString::fromStdString(study.filename().string())));
    setWindowFilePath(place);
    session_->open(study);
}

void MainWindow::close_study() {
    session_->close();
    setWindowFilePath({});
    setWindowTitle(tr("Headroom Studio"));
}

/// The workspace once the study has been read, the start page without one.
void MainWindow::show_opened() {
    const bool open = session_->look().is_open();
    pages_->setCurrentIndex(open ? 1 : 0);
    if (open) workspace_->active()->focus_target()->setFocus();
    if (!open) start_page_->set_recent(settings_.recent_studies());
    if (!open) tour_->end();
    menus_->update();
    const bool offers = open && offers_tour_ && !settings_.tour_seen();
    if (offers && is_demo_study(*session_->look().study)) start_tour();
}

CheckpointDialog* MainWindow::open_checkpoint(const QString& path) {
    auto* dialog = new CheckpointDialog(QDir(path).absolutePath(), *theme_, this);
    dialog->show();
    return dialog;
}

void MainWindow::open_path(const QString& path) {
    if (names_checkpoint(path.toStdString()))
        open_checkpoint(path);
    else
        open_study(QString::fromStdString(without_study_file(path.toStdString()).string()));
}

void MainWindow::set_theme(ThemeChoice choice) {
    settings_.set_theme(choice);
    apply_theme(choice);
}

void MainWindow::apply_theme(ThemeChoice choice) {
    theme_ = &resolve_theme(choice);
    apply_theme_to_application(*theme_);
    for (CheckpointDialog* dialog : findChildren<CheckpointDialog*>()) dialog->set_theme(*theme_);
    workspace_->set_theme(*theme_);
    menus_->set_theme(*theme_);
}

void MainWindow::set_text_size(int percent) {
    settings_.set_text_percent(percent);
    set_text_percent(percent);
    apply_theme(settings_.theme());
}

void MainWindow::set_run_slots(int count) {
    settings_.set_run_slots(count);
    commands_->set_slots(count);
}

void MainWindow::set_first_number(int number) {
    settings_.set_first_number(number);
    set_numbering_base(number);
    for (Panel* panel : workspace_->made_pages()) {
        panel->relabel();
        if (panel->isVisible()) panel->set_study(session_->look());
    }
}

bool MainWindow::legend() const {
    return view_of(*workspace_->find("losses")).value("loss/legend").toBool();
}

void MainWindow::set_legend(bool on) {
    for (const auto& [name, group] : {std::pair{"losses", "loss"}, {"series", "series"}}) {
        Panel* page = workspace_->find(name);
        QVariantMap view = view_of(*page);
        view[QString(group) + "/legend"] = on;
        put_view(*page, view, *session_);
        page->save(settings_.store());
    }
    views_->forget();
}

/// Gives a new page its settings, keeps them, and notes what is changed in it.
void MainWindow::take_in(Panel* page) {
    page->restore(settings_.store());
    connect(page, &Panel::settings_changed, this, [=, this] { page->save(settings_.store()); });
    views_->follow(page);
}

void MainWindow::restore_settings() {
    set_numbering_base(settings_.first_number());
    commands_->set_slots(settings_.run_slots());
    set_text_percent(settings_.text_percent());
    apply_theme(settings_.theme());
    for (Panel* panel : workspace_->made_pages()) take_in(panel);
    connect(workspace_, &Workspace::made, this, &MainWindow::take_in);
    resize(1280, 800);
    restoreGeometry(settings_.geometry());
    keep_on_screen();
    workspace_->restore(settings_.store());
    show_opened();
}

/// What was kept may be of a larger screen.
void MainWindow::keep_on_screen() {
    if (isMaximized() || isFullScreen()) return;
    // Beside the frame that the window manager puts around it.
    constexpr QSize kFrame(16, 48);
    const QScreen* kept = QGuiApplication::screenAt(geometry().center());
    const QRect room = (kept ? kept : screen())->availableGeometry();
    resize(size().boundedTo(room.size() - kFrame));
    const QPoint last = room.bottomRight() - QPoint(width(), height());
    const QPoint inside(std::max(room.left(), std::min(x(), last.x())),
                        std::max(room.top(), std::min(y(), last.y())));
    if (inside != pos()) move(inside);  // else the window manager chooses
}

void MainWindow::restore_session() {
    const QString folder = settings_.session();
    if (!folder.isEmpty() && study_problem(folder.toStdString()).empty()) open_study(folder);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    settings_.set_geometry(saveGeometry());
    for (const Panel* panel : workspace_->made_pages()) panel->save(settings_.store());
    workspace_->save(settings_.store());
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
    if (event->type() == QEvent::WindowStateChange && menus_) menus_->update();
}

}  // namespace headroom
