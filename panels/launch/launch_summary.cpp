#include "panels/launch/launch_summary.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <set>

#include "core/config/architectures.h"
#include "panels/base/number_format.h"
#include "panels/qt/column_room.h"
#include "panels/qt/labelled.h"

namespace headroom {

namespace {

enum { kVariantColumn, kParametersColumn, kMemoryColumn, kCacheColumn, kTokensColumn };

/// What the list of architectures calls a variant.
std::string title_of(const std::string& arch) {
    const ArchitecturePreset* preset = find_architecture(arch);
    return preset == nullptr ? arch : preset->title;
}

/// The variant, and below it what of the form's lists tells these runs from its others.
std::string title_of(const CountedRuns& row) {
    std::string title = title_of(row.first->variant);
    for (const std::string& value : row.listed) title += "\n" + value;
    return title;
}

QString count_or_dash(int64_t value) {
    return value > 0 ? QString::fromStdString(format_integer(value)) : QString("–");
}

/// A list of lines; links are followed by mouse and keyboard.
QLabel* make_list(const char* name, const char* role) {
    auto* label = new QLabel;
    label->setObjectName(name);
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setTextFormat(Qt::RichText);
    label->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    label->hide();
    return label;
}

QString escaped(const std::string& text) {
    return breakable(QString::fromStdString(text)).toHtmlEscaped();
}

std::string in_pieces(const std::string& text) {
    return breakable(QString::fromStdString(text)).toStdString();
}

QString link_to(const std::string& path) {
    return QString::fromStdString(path).toHtmlEscaped();
}

QString tooltip_of(const CountedRuns& row) {
    const LaunchRun& run = *row.first;
    QString text = QString::fromStdString(title_of(row));
    if (run.params_non_embedding > 0)
        text += LaunchSummary::tr("\n%1 non-embedding parameters")
                    .arg(count_or_dash(run.params_non_embedding));
    if (run.params_active != run.params_total)
        text += LaunchSummary::tr("\n%1 parameters that one token uses")
                    .arg(count_or_dash(run.params_active));
    if (run.memory) text += "\n" + QString::fromStdString(describe_memory(*run.memory));
    text += LaunchSummary::tr("\n%1 of KV cache per token in bfloat16, %2 tokens of training")
                .arg(QString::fromStdString(format_bytes(run.kv_bytes_per_token)),
                     QString::fromStdString(format_count(run.tokens)));
    return text;
}

QString memory_or_dots(const LaunchRun& run) {
    return run.memory ? QString::fromStdString(format_bytes(run.memory->total())) : QString("…");
}

}  // namespace

LaunchSummary::LaunchSummary(QWidget* parent)
    : QWidget(parent),
      table_(new QTableWidget),
      cost_(new QLabel),
      data_(new QLabel),
      show_commands_(new QToolButton),
      commands_(new QPlainTextEdit),
      copy_(new QPushButton(tr("Copy"))),
      picture_(new QPushButton(tr("Picture…"))),
      changes_(make_list("changes", "muted")),
      problems_(make_list("problems", "error")),
      warning_(new QLabel),
      reset_(new QPushButton(tr("Reset"))),
      cancel_(new QPushButton(tr("Cancel"))),
      launch_(new QPushButton) {
    style_table();
    dress();
    lay_out();
    connect(copy_, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(commands_->toPlainText()); });
    const auto show_commands = [this](bool on) {
        show_commands_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
        commands_->setVisible(on);
        copy_->setVisible(on);
    };
    connect(show_commands_, &QToolButton::toggled, this, show_commands);
    show_commands(false);
    connect(launch_, &QPushButton::clicked, this, &LaunchSummary::launch_asked);
    connect(picture_, &QPushButton::clicked, this, &LaunchSummary::picture_asked);
    connect(reset_, &QPushButton::clicked, this, &LaunchSummary::reset_asked);
    connect(cancel_, &QPushButton::clicked, this, &LaunchSummary::cancel_asked);
    connect(changes_, &QLabel::linkActivated, this,
            [this](const QString& path) { emit undo_asked(path.toStdString()); });
    connect(problems_, &QLabel::linkActivated, this,
            [this](const QString& path) { emit problem_asked(path.toStdString()); });
}

void LaunchSummary::style_table() {
    table_->setObjectName("launchTable");
    table_->setColumnCount(5);
    table_->setHorizontalHeaderLabels(
        {tr("Variant"), tr("Parameters"), tr("Memory"), tr("KV/token"), tr("Tokens")});
    table_->horizontalHeaderItem(0)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (int column = 1; column < table_->columnCount(); ++column)
        table_->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    table_->verticalHeader()->hide();
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionMode(QAbstractItemView::NoSelection);
    table_->setFocusPolicy(Qt::NoFocus);
    table_->setShowGrid(false);
    // Numbers are never cut; a long name gives way, each line by itself and but for its end.
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
    table_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->setFrameShape(QFrame::NoFrame);
    table_->viewport()->installEventFilter(this);
}

void LaunchSummary::dress() {
    cost_->setObjectName("launchCost");
    cost_->setWordWrap(true);
    cost_->setToolTip(tr(
        "Time: training FLOPs at the rate of this study's runs, one after the other, without "
        "evaluations and probes. Disk: kept checkpoints and logs; what probes write comes on top"));
    data_->setProperty("role", "muted");
    data_->setWordWrap(true);
    show_commands_->setObjectName("showCommands");
    show_commands_->setText(tr("Commands"));
    show_commands_->setToolTip(
        tr("What will be executed for each run; queueing them writes the job.json that it reads"));
    show_commands_->setCheckable(true);
    show_commands_->setAutoRaise(true);
    show_commands_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    commands_->setReadOnly(true);
    commands_->setTabChangesFocus(true);
    commands_->setAccessibleName(tr("Commands"));
    commands_->setObjectName("commands");
    commands_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    commands_->setLineWrapMode(QPlainTextEdit::WidgetWidth);
    warning_->setProperty("role", "error");
    warning_->setWordWrap(true);
    launch_->setObjectName("launch");
    launch_->setToolTip(tr("Ctrl+Enter"));
    reset_->setObjectName("reset");
    reset_->setToolTip(tr("Back to the study's own settings"));
    cancel_->setObjectName("cancel");
    // Enter ends the typing of a value; it starts nothing.
    for (QPushButton* button : {launch_, copy_, picture_, reset_, cancel_})
        button->setAutoDefault(false);
    picture_->setObjectName("picture");
    picture_->setToolTip(tr("Draw the architectures that will be trained"));
}

void LaunchSummary::lay_out() {
    auto* run_head = new QHBoxLayout;
    run_head->addWidget(make_heading(tr("What will run")));
    run_head->addStretch(1);
    run_head->addWidget(picture_);
    auto* command_head = new QHBoxLayout;
    command_head->addWidget(show_commands_);
    command_head->addStretch(1);
    command_head->addWidget(copy_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 14, 10, 14);
    column->setSpacing(8);
    column->addLayout(run_head);
    column->addWidget(table_);
    column->addWidget(cost_);
    column->addWidget(data_);
    column->addWidget(changes_);
    column->addLayout(command_head);
    column->addWidget(commands_, 1);
    column->addStretch(0);
    column->addWidget(problems_);
    column->addWidget(warning_);
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(reset_);
    buttons->addWidget(cancel_);
    buttons->addWidget(launch_, 1);
    column->addLayout(buttons);
}

void LaunchSummary::fill_table(const LaunchView& view) {
    const std::vector<CountedRuns> rows = counted_runs(view.runs);
    table_->setRowCount(static_cast<int>(rows.size()));
    for (size_t i = 0; i < rows.size(); ++i) {
        const LaunchRun& run = *rows[i].first;
        const QString texts[] = {QString::fromStdString(title_of(rows[i])),
                                 count_or_dash(run.params_total), memory_or_dots(run),
                                 QString::fromStdString(format_bytes(run.kv_bytes_per_token)),
                                 QString::fromStdString(format_count(run.tokens))};
        const QString unknown = tr("A value is refused: what such a run would be is not known");
        for (int column = 0; column < table_->columnCount(); ++column) {
            const bool holds = view.counts_hold || column == kVariantColumn;
            auto* item = new QTableWidgetItem(holds ? texts[column] : QStringLiteral("–"));
            if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            item->setToolTip(view.counts_hold ? tooltip_of(rows[i]) : unknown);
            table_->setItem(static_cast<int>(i), column, item);
        }
    }
    show_whole_columns();
    // As tall as its rows, up to a limit.
    constexpr int kMostRows = 7;
    const int row = table_->verticalHeader()->defaultSectionSize();
    int height = 0;
    for (int i = 0; i < table_->rowCount(); ++i) {
        const int lines = static_cast<int>(rows[static_cast<size_t>(i)].listed.size());
        table_->setRowHeight(i, row + lines * table_->fontMetrics().height());
        height += table_->rowHeight(i);
    }
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() +
                           std::clamp(height, row, kMostRows * row) + 4);
}

/// The tips of the rows have what a narrow window leaves no room for.
void LaunchSummary::show_whole_columns() {
    constexpr int kDispensable[] = {kTokensColumn, kCacheColumn, kMemoryColumn};
    constexpr int kLeastName = 110;
    constexpr int kPadding = 16;
    std::vector<int> widths;
    for (int column = 0; column < table_->columnCount(); ++column) {
        widths.push_back(table_->horizontalHeader()->sectionSizeHint(column));
        for (int row = 0; row < table_->rowCount() && column != kVariantColumn; ++row)
            if (const QTableWidgetItem* item = table_->item(row, column))
                widths.back() =
                    std::max(widths.back(),
                             table_->fontMetrics().horizontalAdvance(item->text()) + kPadding);
    }
    widths[kVariantColumn] = std::max(widths[kVariantColumn], kLeastName);
    const std::set<int> unseen =
        columns_without_room(widths, kDispensable, table_->viewport()->width());
    for (int column = 0; column < table_->columnCount(); ++column)
        table_->setColumnHidden(column, unseen.contains(column));
}

bool LaunchSummary::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize) show_whole_columns();
    return QWidget::eventFilter(watched, event);
}

void LaunchSummary::show_notes(const LaunchView& view) {
    QStringList changes, problems;
    for (const LaunchChange& change : view.changes)
        changes
            << QString("<a href=\"%1\">×</a> %2").arg(link_to(change.path), escaped(change.text));
    for (const LaunchProblem& problem : view.problems)
        problems << (problem.path.empty() ? escaped(problem.text)
                                          : QString("<a href=\"%1\">%2</a>")
                                                .arg(link_to(problem.path), escaped(problem.text)));
    changes_->setText(changes.join("<br>"));
    changes_->setVisible(!changes.isEmpty());
    problems_->setText(problems.join("<br>"));
    problems_->setVisible(!problems.isEmpty());
    show_text(warning_, in_pieces(view.warning));
}

void LaunchSummary::set_view(const LaunchView& view) {
    fill_table(view);
    show_text(cost_, view.cost);
    show_text(data_, in_pieces(view.data_note));
    QString commands;
    for (const LaunchRun& run : view.runs) commands += QString::fromStdString(run.command) + "\n";
    commands_->setPlainText(commands.trimmed());
    show_notes(view);
    launch_->setText(QString::fromStdString(view.button));
    launch_->setEnabled(view.can_launch);
}

}  // namespace headroom
