#include "panels/lab/absorption_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/qt/flow_layout.h"

namespace headroom {
namespace {

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

constexpr int kAloneColumn = 2, kWhyColumn = 5;

QString number_text(double value) {
    return std::isnan(value) ? QString() : text(fmt::format("{:.4g}", value));
}

}  // namespace

AbsorptionPanel::AbsorptionPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      name_(new QLabel),
      status_(new QLabel),
      open_(new QToolButton),
      export_(new QToolButton),
      decide_(new QPushButton),
      progress_(new QProgressBar),
      table_(new QTableWidget),
      chart_(new FigureChart) {
    status_->setWordWrap(true);
    status_->setProperty("role", "muted");
    status_->setContentsMargins(8, 2, 8, 4);
    table_->setObjectName("absorptionAnswers");
    table_->verticalHeader()->hide();
    table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setWordWrap(false);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(chart_);
    split->addWidget(table_);
    split->setSizes({1200, 1000});
    split->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(status_);
    column->addWidget(split, 1);
    connect(open_, &QToolButton::clicked, this, &AbsorptionPanel::open_asked);
    connect(export_, &QToolButton::clicked, this, &AbsorptionPanel::export_asked);
    connect(decide_, &QPushButton::clicked, this,
            [this] { busy_ ? emit stop_asked() : emit decide_asked(); });
    set_busy(false);
    fill();
}

QWidget* AbsorptionPanel::make_strip() {
    open_->setText(tr("Open…"));
    open_->setToolTip(tr("Ask about a checkpoint file, of this program or of others"));
    decide_->setObjectName("decideAbsorption");
    decide_->setToolTip(tr("Read the weights and decide layer by layer"));
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the coefficients to PDF, SVG, PNG or CSV"));
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(80);
    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{name_, open_, decide_, progress_, export_})
        flow->addWidget(widget);
    return strip;
}

void AbsorptionPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    fill();
}

void AbsorptionPanel::set_name(const std::string& name) {
    if (checkpoint_ == name && !name.empty()) return;
    checkpoint_ = name;
    answers_.clear();
    name_->setText(text(name));
    decide_->setEnabled(busy_ || !name.empty());
    show_problem(name.empty() ? tr("Select a run that has a checkpoint, or open a file.")
                              : QString());
    fill();
}

void AbsorptionPanel::set_busy(bool busy) {
    busy_ = busy;
    progress_->setVisible(busy);
    decide_->setText(busy ? tr("Stop") : tr("Decide"));
    decide_->setEnabled(busy || !checkpoint_.empty());
    open_->setEnabled(!busy);
    if (busy) show_problem(tr("Reading the weights …"));
}

void AbsorptionPanel::show_problem(const QString& problem) {
    status_->setText(problem);
    status_->setVisible(!problem.isEmpty());
}

void AbsorptionPanel::take_answers(std::string_view json) {
    answers_ = read_absorption(json);
    show_problem({});
    fill();
}

void AbsorptionPanel::fill() {
    const QStringList titles{
        tr("Layer"),       tr("Decision"), tr("Without the norm"), tr("Left of the skip"),
        tr("From 0 or 1"), tr("Why")};
    table_->setColumnCount(static_cast<int>(titles.size()));
    table_->setHorizontalHeaderLabels(titles);
    table_->setRowCount(static_cast<int>(answers_.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const AbsorptionAnswer& answer = answers_[static_cast<size_t>(row)];
        const QStringList cells{answer.layer < 0 ? QString() : QString::number(answer.layer),
                                text(answer.decision),
                                text(answer.mlp_alone),
                                number_text(answer.relative_residual),
                                number_text(answer.distance),
                                text(answer.reason + " (" + answer.theorem + ")")};
        for (int column = 0; column < cells.size(); ++column) {
            auto* item = new QTableWidgetItem(cells[column]);
            item->setToolTip(cells[column]);
            table_->setItem(row, column, item);
        }
    }
    table_->resizeColumnsToContents();
    table_->setColumnWidth(kWhyColumn, 100);  // what is left: the whole text is in its tip
    table_->horizontalHeader()->setStretchLastSection(true);
    const bool normed = std::any_of(answers_.begin(), answers_.end(),
                                    [](const auto& answer) { return !answer.mlp_alone.empty(); });
    table_->setColumnHidden(kAloneColumn, !normed);
    table_->setVisible(!answers_.empty());
    export_->setEnabled(!answers_.empty());
    chart_->clear_history();
    chart_->show_figure(build_absorption_figure(answers_), theme_.dark);
    emit picture_changed();
}

FigurePage AbsorptionPanel::page() const {
    FigurePage page = make_page(build_absorption_figure(answers_), theme_.dark);
    page.description = "Drawn by headroom from answers of absorb decide about " + checkpoint_;
    return page;
}

}  // namespace headroom
