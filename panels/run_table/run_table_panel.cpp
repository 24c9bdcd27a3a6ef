#include "panels/run_table/run_table_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "panels/qt/copy_table_button.h"
#include "panels/qt/count_table.h"
#include "panels/qt/labelled.h"
#include "panels/run_list/run_edits.h"
#include "panels/run_list/run_list_icons.h"
#include "panels/run_table/column_chooser.h"
#include "panels/study/run_table_export.h"

namespace headroom {
namespace {

QString shown_name(const std::string& column) {
    const size_t dot = column.rfind('.');
    return QString::fromStdString(dot == std::string::npos ? column : column.substr(dot + 1));
}

}  // namespace

RunTablePanel::RunTablePanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      options_(new QWidget(this)),
      filter_(new QLineEdit),
      group_by_(new QComboBox),
      only_differing_(new QCheckBox(tr("Only what differs"))),
      columns_(new QToolButton),
      copy_(new CopyTableButton),
      count_(new QLabel),
      problem_(new QLabel),
      view_(new QTreeWidget),
      edits_(new RunEdits(this)) {
    lay_out();
    connect_parts();
    task_ = std::make_unique<LatestTask<Request, Result>>(
        [facts = RunFacts()](const Request& request) mutable { return build(facts, request); },
        [this](Result result) {
            auto shared = std::make_shared<Result>(std::move(result));
            QMetaObject::invokeMethod(
                this, [this, shared] { show_result(std::move(*shared)); }, Qt::QueuedConnection);
        });
    fill_groupings({});
}

RunTablePanel::~RunTablePanel() {
    task_.reset();  // its thread ends before what it delivers to
}

void RunTablePanel::lay_out() {
    filter_->setObjectName("tableFilter");
    filter_->setClearButtonEnabled(true);
    filter_->setPlaceholderText(tr("Filter: arch:skipv1 lr>1e-3 state:finished /regex/ -word"));
    filter_->setAccessibleName(tr("Filter of the table"));
    group_by_->setObjectName("tableGroups");
    columns_->setObjectName("tableColumns");
    columns_->setText(tr("Columns…"));
    columns_->setToolTip(tr("Choose any key of the jobs, count or series of the logs"));
    copy_->setObjectName("tableCopy");
    problem_->setProperty("role", "error");
    problem_->setWordWrap(true);
    problem_->hide();
    count_->setProperty("role", "muted");
    view_->setObjectName("runTable");
    view_->setAccessibleName(tr("Runs and their values"));
    style_count_table(*view_);
    view_->setIndentation(0);
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setContextMenuPolicy(Qt::CustomContextMenu);
    view_->header()->setSectionsClickable(true);

    auto* choices = new QVBoxLayout(options_);
    choices->setContentsMargins(8, 8, 8, 8);
    choices->addWidget(with_label(tr("Groups"), group_by_, options_));
    choices->addWidget(only_differing_);
    choices->addWidget(columns_);
    choices->addWidget(copy_);
    choices->addStretch(1);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 4);
    column->addWidget(filter_);
    column->addWidget(problem_);
    column->addWidget(view_, 1);
    column->addWidget(count_);
}

void RunTablePanel::connect_parts() {
    connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
        RunTableSettings changed = settings_;
        changed.filter = text.toStdString();
        change(changed);
    });
    connect(group_by_, &QComboBox::activated, this, [this] {
        RunTableSettings changed = settings_;
        changed.group_by = group_by_->currentData().toString().toStdString();
        change(changed);
    });
    connect(only_differing_, &QCheckBox::toggled, this, [this](bool on) {
        RunTableSettings changed = settings_;
        changed.only_differing = on;
        change(changed);
    });
    connect(columns_, &QToolButton::clicked, this, &RunTablePanel::choose_columns);
    copy_->set_source([this] { return run_table_csv(table_); },
                      [this] { return printed_table(table_); });
    connect(view_->header(), &QHeaderView::sectionClicked, this, &RunTablePanel::sort_by);
    connect(view_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        edits_->show_menu(selected_ids(), view_->viewport()->mapToGlobal(at));
    });
    view_->installEventFilter(this);
    connect(edits_, &RunEdits::hidden_asked, this, &RunTablePanel::hidden_asked);
    connect(edits_, &RunEdits::reference_asked, this, &RunTablePanel::reference_asked);
    connect(edits_, &RunEdits::removal_asked, this, &RunTablePanel::removal_asked);
    connect(edits_, &RunEdits::label_asked, this, &RunTablePanel::label_asked);
    connect(view_, &QTreeWidget::itemSelectionChanged, this, [this] {
        if (filling_) return;
        selected_ = selected_ids();
        if (!selected_.empty()) emit selection_asked(selected_);
    });
}

void RunTablePanel::set_study(const StudyLook& look) {
    edits_->set_study(look);
    if (look.hidden != hidden_) {
        hidden_ = look.hidden;
        dress_rows();
    }
    if (look.runs() != runs_) {
        runs_ = look.runs();
        request();
    }
    set_selected(look.selected);
}

/// What can be asked of runs in their list can be asked of them here, with the same keys.
bool RunTablePanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_ && event->type() == QEvent::KeyPress) {
        const QTreeWidgetItem* item = view_->currentItem();
        const QPoint below = item ? view_->visualItemRect(item).bottomLeft() : QPoint();
        if (edits_->press_key(*static_cast<QKeyEvent*>(event), selected_ids(),
                              view_->viewport()->mapToGlobal(below)))
            return true;
    }
    return QWidget::eventFilter(watched, event);
}

void RunTablePanel::set_settings(const RunTableSettings& settings) {
    settings_ = settings;
    const QSignalBlocker quiet_filter(filter_), quiet_box(only_differing_);
    filter_->setText(QString::fromStdString(settings_.filter));
    only_differing_->setChecked(settings_.only_differing);
    request();
}

void RunTablePanel::change(const RunTableSettings& settings) {
    settings_ = settings;
    request();
    emit settings_changed();
}

void RunTablePanel::request() {
    task_->request({runs_, settings_});
}

/// On the task's thread, which alone has `facts`.
RunTablePanel::Result RunTablePanel::build(RunFacts& facts, const Request& request) {
    Result result;
    if (request.runs.empty()) return result;  // its columns would be unknown
    try {
        facts.set_runs(request.runs);
        result.all_columns = facts.columns();
        result.group_columns = facts.differing_keys(request.runs);
        std::vector<std::string> problems;
        const RunTableSettings settings = understood(facts, request.settings, problems);
        result.table = build_run_table(facts, settings);
        result.problem = fmt::format("{}", fmt::join(problems, "; "));
    } catch (const std::exception& error) {
        result.problem = error.what();
    }
    return result;
}

void RunTablePanel::show_result(Result result) {
    problem_->setVisible(!result.problem.empty());
    problem_->setText(QString::fromStdString(result.problem));
    all_columns_ = std::move(result.all_columns);
    fill_groupings(result.group_columns);
    table_ = std::move(result.table);
    fill_rows();
    emit shown();
}

void RunTablePanel::fill_groupings(const std::vector<std::string>& columns) {
    const QSignalBlocker quiet(group_by_);
    group_by_->clear();
    group_by_->addItem(tr("A row for each run"), QString());
    group_by_->addItem(tr("Variants, seeds together"), QString("group"));
    for (const std::string& column : columns)
        group_by_->addItem(tr("By %1").arg(QString::fromStdString(column)),
                           QString::fromStdString(column));
    const QString wanted = QString::fromStdString(settings_.group_by);
    if (group_by_->findData(wanted) < 0) group_by_->addItem(tr("By %1").arg(wanted), wanted);
    group_by_->setCurrentIndex(group_by_->findData(wanted));
}

/// As they come, but how many runs a row stands for is beside its name, where nothing hides it.
void RunTablePanel::order_columns(bool grouped) {
    QHeaderView& header = *view_->header();
    for (int c = 0; c < header.count(); ++c) header.moveSection(header.visualIndex(c), c);
    if (grouped) header.moveSection(header.count() - 1, 1);
}

void RunTablePanel::fill_rows() {
    filling_ = true;
    view_->clear();
    const bool grouped = table_.grouped;
    QStringList heads;
    for (const std::string& column : table_.columns) heads << shown_name(column);
    if (grouped) heads << "n";
    view_->setHeaderLabels(heads);
    view_->setColumnCount(static_cast<int>(heads.size()));
    if (std::exchange(heads_, heads) != heads) order_columns(grouped);
    for (size_t c = 0; c < table_.columns.size(); ++c)
        view_->headerItem()->setToolTip(static_cast<int>(c),
                                        QString::fromStdString(table_.columns[c]));
    const auto sorted = std::find(table_.columns.begin(), table_.columns.end(), settings_.sort_by);
    view_->header()->setSortIndicatorShown(sorted != table_.columns.end());
    if (sorted != table_.columns.end())
        view_->header()->setSortIndicator(
            static_cast<int>(sorted - table_.columns.begin()),
            settings_.descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    for (const RunTableRow& row : table_.rows) {
        auto* item = new QTreeWidgetItem(view_);
        for (size_t c = 0; c < row.cells.size(); ++c) {
            const auto at = static_cast<int>(c);
            item->setText(at, QString::fromStdString(row.cells[c].text));
            if (row.cells[c].number) item->setTextAlignment(at, Qt::AlignRight | Qt::AlignVCenter);
        }
        if (grouped) item->setText(static_cast<int>(row.cells.size()), QString::number(row.n));
        item->setToolTip(0, QString::fromStdString(fmt::format("{}", fmt::join(row.ids, "\n"))));
    }
    const size_t count = runs_.size() - table_.filtered;
    const QString runs =
        count == 1 ? tr("1 run") : tr("%1 runs").arg(static_cast<qulonglong>(count));
    count_->setText(table_.filtered == 0 ? runs
                                         : tr("%1, %2 hidden by the filter")
                                               .arg(runs)
                                               .arg(static_cast<qulonglong>(table_.filtered)));
    filling_ = false;
    dress_rows();
    set_selected(selected_);
}

/// Colours; hollow where no run of the row is shown.
void RunTablePanel::dress_rows() {
    for (int i = 0; i < view_->topLevelItemCount(); ++i) {
        const RunTableRow& row = table_.rows[static_cast<size_t>(i)];
        const bool shown = std::any_of(row.ids.begin(), row.ids.end(),
                                       [this](const auto& id) { return !hidden_.contains(id); });
        view_->topLevelItem(i)->setIcon(
            0, run_dot(row.color, row.shade, shown, theme_, devicePixelRatioF()));
    }
}

void RunTablePanel::set_selected(const std::vector<std::string>& ids) {
    selected_ = ids;
    filling_ = true;
    for (int i = 0; i < view_->topLevelItemCount(); ++i) {
        const RunTableRow& row = table_.rows[static_cast<size_t>(i)];
        const bool all = std::all_of(row.ids.begin(), row.ids.end(), [&](const std::string& id) {
            return std::find(ids.begin(), ids.end(), id) != ids.end();
        });
        view_->topLevelItem(i)->setSelected(all);
    }
    filling_ = false;
}

std::vector<std::string> RunTablePanel::selected_ids() const {
    std::vector<std::string> ids;
    for (int i = 0; i < view_->topLevelItemCount(); ++i) {
        if (!view_->topLevelItem(i)->isSelected()) continue;
        const RunTableRow& row = table_.rows[static_cast<size_t>(i)];
        ids.insert(ids.end(), row.ids.begin(), row.ids.end());
    }
    return ids;
}

/// Up, down, and back to the study's order.
void RunTablePanel::sort_by(int section) {
    if (section >= static_cast<int>(table_.columns.size())) return;
    const std::string& column = table_.columns[static_cast<size_t>(section)];
    RunTableSettings changed = settings_;
    const bool again = settings_.sort_by == column;
    changed.sort_by = again && settings_.descending ? "" : column;
    changed.descending = again && !settings_.descending;
    change(changed);
}

void RunTablePanel::choose_columns() {
    const std::vector<std::string>& now =
        settings_.columns.empty() ? table_.columns : settings_.columns;
    const auto chosen = ask_columns(this, all_columns_, now);
    if (!chosen) return;
    RunTableSettings changed = settings_;
    changed.columns = *chosen;
    change(changed);
}

void RunTablePanel::set_theme(const Theme& theme) {
    theme_ = theme;
    edits_->set_theme(theme);
    dress_rows();
}

}  // namespace headroom
