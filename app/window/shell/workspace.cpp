#include "app/window/shell/workspace.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QOpenGLWidget>
#include <QResizeEvent>
#include <QSettings>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/services/run_commands.h"
#include "app/window/services/study_session.h"
#include "app/window/shell/activity_bar.h"
#include "app/window/shell/job_strip.h"
#include "app/window/shell/options_pane.h"
#include "app/window/shell/page_area.h"
#include "app/window/shell/worker_log_panel.h"
#include "core/study/run_folder.h"
#include "panels/jobs/job_panel.h"
#include "panels/qt/panel.h"
#include "panels/run_list/run_list.h"

namespace headroom {
namespace {

/// Narrower windows fold the list of runs, or do without options unless asked.
constexpr int kFoldRunsBelow = 1000, kFoldOptionsBelow = 1100;
constexpr int kOptionsWidth = 250;

/// Of the list of runs, until somebody drags its edge: names are longer where there is room.
int list_width(int window_width) {
    constexpr int kLeast = 200, kMost = 320, kShare = 6;
    return std::clamp(window_width / kShare, kLeast, kMost);
}

}  // namespace

Workspace::Workspace(const StudioServices& services, StudySession& session)
    : services_(services),
      session_(session),
      bar_(new ActivityBar),
      run_list_(new RunList),
      main_(new PageArea(PageArea::Chooser::kTabs)),
      beside_(new PageArea(PageArea::Chooser::kList)),
      used_(main_),
      options_(new OptionsPane),
      columns_(new QSplitter),
      rows_(new QSplitter(Qt::Vertical)),
      strip_(new JobStrip) {
    // The first OpenGL widget of a window that is shown already would make Qt build that anew: it
    // flashes and forgets where the keys go. So there is one from the start, for pages to come.
    (new QOpenGLWidget(this))->hide();
    list_pages();
    make_drawer();
    lay_out();
    connect_area(main_);
    connect_area(beside_);
    connect(beside_, &PageArea::close_asked, this, [this] { set_split(false); });
    connect(bar_, &ActivityBar::chosen, this, &Workspace::go_to_activity);
    connect(options_, &OptionsPane::close_asked, this, [this] { open_options(false); });
    connect(strip_, &JobStrip::open_asked, this, [this] { open_drawer(!drawer_open()); });
    connect(strip_, &JobStrip::start_asked, services_.commands, &RunCommands::start_queue);
    connect(run_list_, &RunList::selection_asked, &session_, &StudySession::select);
    connect(run_list_, &RunList::hidden_asked, &session_, &StudySession::hide);
    connect(run_list_, &RunList::reference_asked, &session_, &StudySession::set_reference);
    connect(run_list_, &RunList::label_asked, services.commands, &RunCommands::label);
    connect(run_list_, &RunList::removal_asked, services.commands,
            [commands = services.commands](const auto& ids) {
                commands->run(JobCommand::kRemove, ids);
            });
    connect(services_.commands, &RunCommands::new_runs_asked, this,
            [this] { go_to(find("newRuns")); });
    connect(&session_, &StudySession::changed, this, &Workspace::update_panels);
    connect(&session_, &StudySession::opened, this, [this] {
        // A page that nobody sees gets an open study when it is first looked at.
        if (!session_.look().is_open())
            for (Panel* panel : made_pages()) panel->set_study(session_.look());
        update_panels();
    });
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget* before, QWidget* now) {
        keep_focus_on_page(before, now);
        PageArea* used = now && beside_->isAncestorOf(now) ? beside_
                         : now && main_->isAncestorOf(now) ? main_
                                                           : used_;
        if (used == used_) return;
        used_ = used;
        show_options();
        emit page_changed();
    });
    go_to(find(pages_.front()->name));
}

Workspace::~Workspace() = default;

/// What had the keys has gone from its page or takes them no more, such as a button that was
/// pressed: Qt gives them to whatever comes next, where Space or Return would do something else.
void Workspace::keep_focus_on_page(const QWidget* before, const QWidget* now) {
    if (!before || !now || before == now) return;
    for (Panel* page : {main_page(), page_beside()}) {
        // Not of a page that the settings cover, nor of one that had the keys itself.
        if (!page || !page->isVisible() || page == before || !page->isAncestorOf(before)) continue;
        const bool stays = before->isVisibleTo(page) && before->isEnabledTo(page);
        if (!stays && now != page->focus_target()) page->focus_target()->setFocus();
    }
}

void Workspace::list_pages() {
    for (const Activity& activity : activities()) {
        const size_t index = last_of_activity_.size();
        bar_->add(tr(activity.title), activity.icon,
                  QKeySequence(static_cast<int>(Qt::ALT) | (Qt::Key_1 + static_cast<int>(index))));
        for (const Page& page : activity.pages) {
            places_.push_back({&page, index, page.info.opens_options});
            pages_.push_back(&page.info);
        }
        last_of_activity_.push_back(activity.pages.front().info.name);
    }
}

void Workspace::make(Place& place) {
    Panel* panel = place.panel = place.page->make(place.page->info, services_);
    main_->adopt(panel);
    if (theme_) panel->set_theme(*theme_);
    connect(panel, &Panel::picture_changed, this, [this] {
        main_->update_buttons();
        beside_->update_buttons();
        emit page_changed();
    });
    connect(panel, &Panel::export_asked, this, [=, this] { emit export_asked(panel); });
    connect(panel, &Panel::page_asked, this, [this](const QString& name) { go_to(find(name)); });
    connect(panel, &Panel::reference_asked, &session_, &StudySession::set_reference);
    connect(panel, &Panel::hidden_asked, &session_, &StudySession::hide);
    connect(panel, &Panel::selection_asked, &session_, &StudySession::select);
    emit made(panel);
}

/// The queue and the focused run's log.
void Workspace::make_drawer() {
    queue_ = new JobPanel;
    queue_->setAccessibleName(tr("Queue and log"));
    queue_->setObjectName("drawerQueue");
    log_ = new WorkerLogPanel;
    connect(queue_, &JobPanel::command_asked, services_.commands, &RunCommands::run);
    auto* both = new QSplitter;
    both->addWidget(queue_);
    both->addWidget(log_);
    both->setSizes({1000, 700});
    drawer_ = both;
    drawer_->hide();
    connect(services_.commands, &RunCommands::log_asked, this, [this] { open_drawer(true); });
}

void Workspace::lay_out() {
    for (QWidget* widget : std::initializer_list<QWidget*>{run_list_, main_, beside_, options_})
        columns_->addWidget(widget);
    for (int i = 0; i < 4; ++i) {
        columns_->setCollapsible(i, false);
        columns_->setStretchFactor(i, i == 1 || i == 2 ? 1 : 0);
    }
    columns_->setHandleWidth(5);
    columns_->setSizes({list_width(0), 1000, 1000, kOptionsWidth});
    beside_->hide();
    rows_->addWidget(columns_);
    rows_->addWidget(drawer_);
    rows_->setStretchFactor(0, 1);
    rows_->setCollapsible(0, false);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(bar_);
    row->addWidget(rows_, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row, 1);
    column->addWidget(strip_);
}

void Workspace::connect_area(PageArea* area) {
    connect(area, &PageArea::chosen, this,
            [=, this](const QString& name) { show_in(area, find(name)); });
    connect(area, &PageArea::help_asked, this, [=, this] { emit help_asked(area->page()); });
    connect(area, &PageArea::figure_asked, this, [=, this] { emit figure_asked(area->page()); });
    connect(area, &PageArea::copy_asked, this, [=, this] { emit copy_asked(area->page()); });
    connect(area, &PageArea::export_asked, this, [=, this] { emit export_asked(area->page()); });
}

std::vector<Panel*> Workspace::made_pages() const {
    std::vector<Panel*> made;
    for (const Place& place : places_)
        if (place.panel) made.push_back(place.panel);
    return made;
}

Panel* Workspace::find(const QString& name) {
    for (Place& place : places_) {
        if (place.page->info.name != name) continue;
        if (!place.panel) make(place);
        return place.panel;
    }
    return nullptr;
}

Panel* Workspace::active() const {
    return is_split() && used_ == beside_ ? beside_->page() : main_->page();
}

Panel* Workspace::main_page() const {
    return main_->page();
}

Panel* Workspace::page_beside() const {
    return is_split() ? beside_->page() : nullptr;
}

void Workspace::show_pages(Panel* page, Panel* beside) {
    if (!beside || beside == page) {
        set_split(false);
        return go_to(page);
    }
    set_split(true);
    go_to(page);
    show_in(beside_, beside);
    used_ = main_;
    show_options();
}

/// REQUIRES: a page of ours.
Workspace::Place& Workspace::place_of(const Panel* page) {
    return *std::find_if(places_.begin(), places_.end(),
                         [&](const Place& place) { return place.panel == page; });
}

/// The pages of its activity.
std::vector<const PageInfo*> Workspace::neighbours_of(const Panel* page) {
    std::vector<const PageInfo*> neighbours;
    for (const Place& place : places_)
        if (place.activity == place_of(page).activity) neighbours.push_back(&place.page->info);
    return neighbours;
}

/// A page is in one place only: where the other half has it, the two change places.
void Workspace::show_in(PageArea* area, Panel* page) {
    PageArea* other = area == main_ ? beside_ : main_;
    Panel* left = area->page();
    if (is_split() && other->page() == page && left) {
        other->release();
        area->release();
        other->show_page(other == main_ ? neighbours_of(left) : pages_, left);
    }
    area->show_page(area == main_ ? neighbours_of(page) : pages_, page);
    const size_t activity = place_of(main_->page()).activity;
    if (area == main_) last_of_activity_[activity] = page->name();
    bar_->set_current(static_cast<int>(activity));
    used_ = area;
    show_options();
    update_panels();
    emit page_changed();
}

void Workspace::go_to(Panel* page) {
    show_in(main_, page);
    if (isVisible()) page->focus_target()->setFocus();
}

void Workspace::go_to_activity(int index) {
    if (index < static_cast<int>(last_of_activity_.size()))
        go_to(find(last_of_activity_[static_cast<size_t>(index)]));
}

void Workspace::go_to_tab(int by) {
    const std::vector<const PageInfo*> tabs = neighbours_of(main_->page());
    const auto here = std::find_if(tabs.begin(), tabs.end(), [this](const PageInfo* info) {
        return info->name == main_->page()->name();
    });
    const auto count = std::ssize(tabs);
    const auto place = ((here - tabs.begin()) + by + count) % count;
    go_to(find(tabs[static_cast<size_t>(place)]->name));
}

bool Workspace::is_split() const {
    return !beside_->isHidden();
}

void Workspace::set_split(bool on) {
    if (on == is_split()) return;
    if (!on) {
        used_ = main_;
        beside_->release();
        beside_->hide();
    } else {
        beside_->show();
        // What was beside it last, or the first page that is not there already.
        Panel* page = find("losses");
        show_in(beside_, page != main_->page() ? page : find("inspector"));
    }
    show_options();
    emit page_changed();
}

void Workspace::fold_runs(bool folded) {
    fold_wish_ = folded;
    set_list_folded(folded);
    emit page_changed();
}

/// The splitter keeps a column's width when its greatest width shrinks: it is told the new one.
void Workspace::set_list_folded(bool folded) {
    run_list_->set_folded(folded);
    QList<int> sizes = columns_->sizes();
    sizes[0] = folded ? run_list_->minimumWidth() : list_width(width());
    columns_->setSizes(sizes);
}

bool Workspace::runs_folded() const {
    return run_list_->is_folded();
}

void Workspace::open_options(bool open) {
    (is_narrow() ? narrow_options_ : place_of(active()).options_open) = open;
    show_options();
    emit page_changed();
}

bool Workspace::options_open() const {
    return !options_->isHidden();
}

void Workspace::show_options() {
    Panel* page = active();
    if (!page) return;
    const bool has = options_->show_options_of(page);
    options_->setVisible(has && (is_narrow() ? narrow_options_ : place_of(page).options_open));
}

bool Workspace::is_narrow() const {
    return last_width_ > 0 && last_width_ < kFoldOptionsBelow;
}

void Workspace::open_drawer(bool open) {
    drawer_->setVisible(open);
    strip_->set_open(open);
    if (open && rows_->sizes().value(1) < 60) rows_->setSizes({1000, 320});
    update_panels();
    emit page_changed();
}

bool Workspace::drawer_open() const {
    return !drawer_->isHidden();
}

void Workspace::focus_next_pane() {
    std::vector<std::pair<QWidget*, QWidget*>> panes{{run_list_, run_list_->tree()},
                                                     {main_, main_->page()->focus_target()}};
    if (is_split()) panes.emplace_back(beside_, beside_->page()->focus_target());
    if (options_open()) panes.emplace_back(options_, options_->nextInFocusChain());
    const QWidget* now = QApplication::focusWidget();
    size_t next = 0;
    for (size_t i = 0; i < panes.size(); ++i)
        if (now && (panes[i].first == now || panes[i].first->isAncestorOf(now)))
            next = (i + 1) % panes.size();
    panes[next].second->setFocus(Qt::TabFocusReason);
}

void Workspace::update_panels() {
    const StudyLook& look = session_.look();
    run_list_->set_study(look);
    strip_->set_table(session_.table());
    for (Panel* panel : made_pages())
        if (panel->follows_unseen() || panel == main_->page() ||
            (is_split() && panel == beside_->page()))
            panel->set_study(look);
    if (!drawer_open()) return;
    queue_->set_table(session_.table());
    queue_->select_all(look.selected);
    const RunPointer run = look.focused();
    log_->follow(run ? RunFolder{run->folder}.worker_log() : std::filesystem::path());
}

void Workspace::set_theme(const Theme& theme) {
    theme_ = &theme;
    bar_->set_theme(theme);
    run_list_->set_theme(theme);
    strip_->set_theme(theme);
    queue_->refresh_icons();
    for (Panel* panel : made_pages()) panel->set_theme(theme);
}

void Workspace::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const auto crossed = [this](int limit) {
        return (last_width_ < limit) != (width() < limit) || last_width_ == 0;
    };
    if (crossed(kFoldRunsBelow)) set_list_folded(fold_wish_ || width() < kFoldRunsBelow);
    const bool is_as_made = columns_->sizes().front() == list_width(last_width_);
    if (!runs_folded() && is_as_made) set_list_folded(false);
    const bool other = crossed(kFoldOptionsBelow);
    last_width_ = width();
    if (!other) return;
    narrow_options_ = false;
    show_options();
    emit page_changed();
}

void Workspace::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    update_panels();
}

void Workspace::save(QSettings& store) const {
    store.setValue("workspace/columns", columns_->saveState());
    store.setValue("workspace/rows", rows_->saveState());
    store.setValue("workspace/foldRuns", fold_wish_);
    store.setValue("workspace/page", main_->page()->name());
    store.setValue("workspace/beside", is_split() ? beside_->page()->name() : QString());
    QStringList closed;
    for (const Place& place : places_)
        if (place.options_open != place.page->info.opens_options) closed << place.page->info.name;
    store.setValue("workspace/optionsChanged", closed);
}

void Workspace::restore(QSettings& store) {
    const QStringList changed = store.value("workspace/optionsChanged").toStringList();
    for (Place& place : places_)
        if (changed.contains(place.page->info.name))
            place.options_open = !place.page->info.opens_options;
    fold_runs(store.value("workspace/foldRuns", false).toBool());
    if (Panel* page = find(store.value("workspace/page").toString())) go_to(page);
    if (Panel* page = find(store.value("workspace/beside").toString());
        page && page != main_->page()) {
        set_split(true);
        show_in(beside_, page);
    }
    columns_->restoreState(store.value("workspace/columns").toByteArray());
    rows_->restoreState(store.value("workspace/rows").toByteArray());
    if (runs_folded()) set_list_folded(true);
    show_options();
}

void Workspace::reset() {
    set_split(false);
    open_drawer(false);
    fold_runs(false);
    for (Place& place : places_) place.options_open = place.page->info.opens_options;
    columns_->setSizes({list_width(width()), 1000, 1000, kOptionsWidth});
    last_width_ = 0;
    QResizeEvent event(size(), size());
    resizeEvent(&event);
    show_options();
}

}  // namespace headroom
