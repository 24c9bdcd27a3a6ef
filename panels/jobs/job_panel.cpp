#include "panels/jobs/job_panel.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "panels/jobs/job_delegate.h"
#include "panels/qt/column_room.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

namespace {

struct CommandText {
    JobCommand command;
    const char* icon;
    const char* text;
    const char* tip;
    bool has_button;
};

constexpr CommandText kCommands[] = {
    {JobCommand::kPause, "pause", "Pause",
     "Pause the selected runs after their present step (Space)", true},
    {JobCommand::kResume, "resume", "Resume",
     "Go on with paused runs; stopped, failed and lost ones go back into the queue and continue "
     "from their last checkpoint (Space)",
     true},
    {JobCommand::kStop, "stop", "Stop", "End the selected runs; their checkpoints stay", true},
    {JobCommand::kRemove, "remove", "Remove",
     "Move the selected runs to the study's trash (Delete); Ctrl+Z brings them back", true},
    {JobCommand::kShowLog, "log", "Worker log", "Show what the run's worker has printed", true},
    {JobCommand::kOpenFolder, "folder", "Open folder", "Open the run's folder in the file manager",
     false},
    {JobCommand::kNewLike, "launch", "New runs like this…",
     "Open the form with this run's job and another seed, to change it and train it again", false},
};

void style_table(QTableView& view) {
    view.setSelectionBehavior(QAbstractItemView::SelectRows);
    view.setSelectionMode(QAbstractItemView::ExtendedSelection);
    view.setShowGrid(false);
    view.setWordWrap(false);
    view.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view.verticalHeader()->hide();
    view.verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view.horizontalHeader()->setHighlightSections(false);
    view.horizontalHeader()->setMinimumSectionSize(48);
    view.setContextMenuPolicy(Qt::CustomContextMenu);
    view.setObjectName("jobTable");
    view.setAccessibleName(JobPanel::tr("Queue of runs"));
    view.setTabKeyNavigation(false);  // Tab leads out of it; the arrows go about in it
}

/// Columns that go where there is no room for all, the first of these first: each row's tip has
/// what they say.
constexpr int kDispensable[] = {JobTableModel::kVariant, JobTableModel::kStarted,
                                JobTableModel::kRemaining, JobTableModel::kTokensPerSecond,
                                JobTableModel::kValLoss};

/// A width that fits the heading and the widest usual text, so that columns stand still while
/// numbers change.
int usual_width(const QTableView& view, int column) {
    const char* const samples[JobTableModel::kColumns] = {"variant · lr 1e-3, seed 10",
                                                          "skipv1_yoco",
                                                          "resuming…",
                                                          "100,000 / 100,000",
                                                          "10.0000",
                                                          "10.0000",
                                                          "1,000 M",
                                                          "100 min 00 s",
                                                          "31 Dec 23:59"};
    constexpr int kCellPadding = 20, kDotWidth = 36;
    const int text = view.fontMetrics().horizontalAdvance(samples[column]) + kCellPadding +
                     (column == JobTableModel::kName ? kDotWidth : 0);
    return std::max(text, view.horizontalHeader()->sectionSizeHint(column));
}

/// Shows as many columns as fit whole; what they leave goes to names and progress. Names stay long
/// enough to tell the runs of a sweep apart.
void share_room(QTableView& view, JobTableModel& model) {
    const int room = view.viewport()->width();
    int widths[JobTableModel::kColumns];
    for (int column = 0; column < JobTableModel::kColumns; ++column)
        view.setColumnHidden(column, false);  // the heading of a hidden one asks for no room
    for (int column = 0; column < JobTableModel::kColumns; ++column)
        widths[column] = usual_width(view, column);
    std::set<int> unseen = columns_without_room(widths, kDispensable, room);
    int more = room;
    for (int column = 0; column < JobTableModel::kColumns; ++column)
        if (!unseen.contains(column)) more -= widths[column];
    more = std::max(0, more);
    widths[JobTableModel::kName] += more / 2;
    widths[JobTableModel::kProgress] += more - more / 2;
    for (int column = 0; column < JobTableModel::kColumns; ++column) {
        view.setColumnHidden(column, unseen.contains(column));
        view.setColumnWidth(column, widths[column]);
    }
    model.set_unseen(std::move(unseen));
}

}  // namespace

JobPanel::JobPanel(QWidget* parent)
    : QWidget(parent),
      model_(new JobTableModel(this)),
      view_(new QTableView),
      empty_(new QLabel),
      stack_(new QStackedWidget) {
    view_->setModel(model_);
    view_->setItemDelegate(new JobDelegate(view_));
    style_table(*view_);
    view_->viewport()->installEventFilter(this);
    view_->horizontalHeader()->installEventFilter(this);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    empty_->setProperty("role", "muted");
    empty_->setMargin(24);
    stack_->addWidget(empty_);
    stack_->addWidget(view_);
    stack_->setObjectName("panelSurface");

    // Not a QToolBar: what does not fit into its line is gone without a trace.
    auto* strip = new QWidget;
    buttons_ = new FlowLayout(strip, 3);
    buttons_->setContentsMargins(6, 3, 6, 3);
    make_actions();
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(strip);
    layout->addWidget(stack_, 1);

    connect(view_, &QAbstractItemView::activated, this, &JobPanel::opened);
    connect(view_, &QWidget::customContextMenuRequested, this, &JobPanel::show_menu);
    connect(view_->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
        update_actions();
        if (auto ids = selected(); ids != last_selected_) {
            last_selected_ = ids;
            emit selection_changed(ids);
        }
    });
    update_actions();
}

bool JobPanel::eventFilter(QObject* watched, QEvent* event) {
    const bool other_text =
        watched == view_->horizontalHeader() &&
        (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange);
    const bool other_room = watched == view_->viewport() && event->type() == QEvent::Resize;
    if (other_text || other_room) share_room(*view_, *model_);
    return QWidget::eventFilter(watched, event);
}

void JobPanel::make_actions() {
    actions_.resize(std::size(kCommands));
    for (const CommandText& entry : kCommands) {
        auto* action = new QAction(tr(entry.text), this);
        action->setToolTip(tr(entry.tip));
        action->setData(QString(entry.icon));
        actions_[static_cast<size_t>(entry.command)] = action;
        if (entry.command == JobCommand::kRemove) {
            action->setShortcut(QKeySequence::Delete);
            action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
            view_->addAction(action);
        }
        connect(action, &QAction::triggered, this,
                [this, command = entry.command] { emit command_asked(command, selected()); });
        if (entry.has_button) add_button(action);
    }
    refresh_icons();
}

void JobPanel::refresh_icons() {
    for (QAction* action : actions_)
        action->setIcon(themed_icon(action->data().toString(), current_theme()));
}

void JobPanel::set_table(JobTable table) {
    stack_->setCurrentWidget(table.rows.empty() ? static_cast<QWidget*>(empty_) : view_);
    model_->set_table(std::move(table));
    update_actions();
}

void JobPanel::add_button(QAction* action) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setIconSize({16, 16});
    button->setAutoRaise(true);
    buttons_->addWidget(button);
}

void JobPanel::add_leading_actions(const QList<QAction*>& actions) {
    std::vector<QLayoutItem*> others;
    while (QLayoutItem* item = buttons_->takeAt(0)) others.push_back(item);
    for (QAction* action : actions) add_button(action);
    auto* line = new QFrame;
    line->setFrameShape(QFrame::VLine);
    buttons_->addWidget(line);
    for (QLayoutItem* item : others) buttons_->addItem(item);
}

void JobPanel::set_empty_text(const QString& text) {
    empty_->setText(text);
}

std::vector<std::string> JobPanel::selected() const {
    QModelIndexList rows = view_->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    std::vector<std::string> ids;
    for (const QModelIndex& index : rows)
        ids.push_back(model_->table().rows[static_cast<size_t>(index.row())].id);
    return ids;
}

void JobPanel::select(const std::string& id) {
    if (const int row = model_->row_of(id); row >= 0) view_->selectRow(row);
}

void JobPanel::select_all(const std::vector<std::string>& ids) {
    if (selected() == ids) return;
    QItemSelection rows;
    for (const std::string& id : ids)
        if (const int row = model_->row_of(id); row >= 0)
            rows.select(model_->index(row, 0), model_->index(row, 0));
    view_->selectionModel()->select(
        rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    // The last one first: then as many of them as there is room for are in sight.
    for (const bool last : {true, false})
        if (!rows.isEmpty()) view_->scrollTo(last ? rows.last().topLeft() : rows.first().topLeft());
}

QWidget* JobPanel::focus_target() const {
    return view_;
}

void JobPanel::update_actions() {
    std::vector<const JobRow*> rows;
    for (const std::string& id : selected())
        rows.push_back(&model_->table().rows[static_cast<size_t>(model_->row_of(id))]);
    const JobActions allowed = actions_of(rows);
    action(JobCommand::kPause)->setEnabled(allowed.pause);
    action(JobCommand::kResume)->setEnabled(allowed.resume);
    action(JobCommand::kStop)->setEnabled(allowed.stop);
    action(JobCommand::kRemove)->setEnabled(allowed.remove);
    action(JobCommand::kShowLog)->setEnabled(rows.size() == 1 && allowed.show_log);
    action(JobCommand::kOpenFolder)->setEnabled(rows.size() == 1);
    action(JobCommand::kNewLike)->setEnabled(rows.size() == 1);
}

void JobPanel::show_menu(const QPoint& at) {
    QMenu menu(this);
    for (QAction* action : actions_) menu.addAction(action);
    menu.exec(view_->viewport()->mapToGlobal(at));
}

}  // namespace headroom
