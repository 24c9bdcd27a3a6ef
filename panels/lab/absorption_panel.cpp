#include "panels/lab/absorption_panel.h"

#include <QComboBox>
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

#include "panels/base/numbering.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/qt/flow_layout.h"

namespace headroom {
namespace {

constexpr int kAloneColumn = 2, kWhyColumn = 5;

QString number_text(double value) {
    return std::isnan(value) ? QString() : QString::fromStdString(fmt::format("{:.4g}", value));
}

}  // namespace

AbsorptionPanel::AbsorptionPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      name_(new QLabel),
      status_(new QLabel),
      open_(new QToolButton),
      over_training_(new QToolButton),
      apply_(new QToolButton),
      make_(new QToolButton),
      export_(new QToolButton),
      shown_(new QComboBox),
      decide_(new QPushButton),
      progress_(new QProgressBar),
      table_(new QTableWidget),
      chart_(new FigureChart) {
    status_->setWordWrap(true);
    status_->setProperty("role", "muted");
    status_->setContentsMargins(8, 2, 8, 4);
    table_->setObjectName("absorptionAnswers");
    table_->setAccessibleName(tr("Answers by layer"));
    table_->setTabKeyNavigation(false);
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
    column->addWidget(make_theorem());
    column->addWidget(status_);
    column->addWidget(split, 1);
    connect(open_, &QToolButton::clicked, this, &AbsorptionPanel::open_asked);
    connect(over_training_, &QToolButton::clicked, this, &AbsorptionPanel::history_asked);
    connect(apply_, &QToolButton::clicked, this, &AbsorptionPanel::apply_asked);
    connect(make_, &QToolButton::clicked, this, &AbsorptionPanel::make_asked);
    connect(export_, &QToolButton::clicked, this, &AbsorptionPanel::export_asked);
    connect(shown_, &QComboBox::currentIndexChanged, this, &AbsorptionPanel::draw);
    connect(table_, &QTableWidget::itemSelectionChanged, this, &AbsorptionPanel::enable);
    connect(decide_, &QPushButton::clicked, this,
            [this] { busy_ ? emit stop_asked() : emit decide_asked(); });
    set_busy({});
    fill();
}

QWidget* AbsorptionPanel::make_theorem() {
    auto* theorem = new QLabel(tr(
        "Mijoski & Karbevski 2026, Theorems 8 and 10: an MLP with ReLU, GELU or SiLU and no norm "
        "in front of it can do without its skip exactly if a set of its neurons' rank-one "
        "matrices adds up to minus the skip: coefficients of 1 in the set and of 0 outside. "
        "Propositions 5 and 6: with ReLU² or a gate it never can."));
    theorem->setWordWrap(true);
    theorem->setProperty("role", "muted");
    theorem->setContentsMargins(8, 0, 8, 4);
    return theorem;
}

QWidget* AbsorptionPanel::make_strip() {
    open_->setText(tr("Open…"));
    open_->setToolTip(tr("Ask about a checkpoint file, of this program or of others"));
    decide_->setObjectName("decideAbsorption");
    decide_->setToolTip(tr("Read the weights and decide layer by layer"));
    over_training_->setText(tr("Over training"));
    over_training_->setToolTip(tr("How far every layer was from it at each checkpoint of the run"));
    apply_->setText(tr("Apply…"));
    apply_->setToolTip(
        tr("Write the checkpoint without the skips that the MLPs take in: of the "
           "selected layer, or of all that can"));
    make_->setText(tr("Make…"));
    make_->setToolTip(
        tr("Write the nearest checkpoint whose MLP could take in its skip: the "
           "selected layer's, or all"));
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the chart to PDF, SVG, PNG or CSV"));
    shown_->addItems({tr("Coefficients"), tr("Left of the skip, over training"),
                      tr("From 0 or 1, over training")});
    shown_->setObjectName("absorptionChart");
    shown_->setAccessibleName(tr("Chart"));
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(80);
    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget : std::initializer_list<QWidget*>{
             name_, open_, decide_, over_training_, apply_, make_, progress_, shown_, export_})
        flow->addWidget(widget);
    return strip;
}

void AbsorptionPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    draw();
}

void AbsorptionPanel::set_name(const std::string& name, bool has_history) {
    has_history_ = has_history;
    enable();
    if (checkpoint_ == name && !name.empty()) return;
    checkpoint_ = name;
    answers_.clear();
    history_ = {};
    shown_->setCurrentIndex(0);
    name_->setText(QString::fromStdString(name));
    show_problem(name.empty() ? tr("Select a run that has a checkpoint, or open a file.")
                              : QString());
    fill();
}

void AbsorptionPanel::set_busy(const QString& words) {
    busy_ = !words.isEmpty();
    progress_->setVisible(busy_);
    decide_->setText(busy_ ? tr("Stop") : tr("Decide"));
    enable();
    show_problem(words);
}

std::optional<int> AbsorptionPanel::chosen_layer() const {
    const QModelIndexList rows = table_->selectionModel()->selectedRows();
    if (rows.size() != 1 || rows[0].row() >= static_cast<int>(answers_.size())) return std::nullopt;
    return answers_[static_cast<size_t>(rows[0].row())].layer;
}

/// What can be written follows from the answers: a skip goes where the decision is yes, weights
/// that make it yes exist unless it is impossible.
void AbsorptionPanel::enable() {
    const auto layer = chosen_layer();
    int yes = 0, possible = 0, asked = 0;
    for (const AbsorptionAnswer& answer : answers_) {
        if (answer.layer < 0 || (layer && answer.layer != *layer)) continue;
        ++asked;
        yes += answer.decision == "yes" ? 1 : 0;
        possible += answer.decision == "impossible" ? 0 : 1;
    }
    decide_->setEnabled(busy_ || !checkpoint_.empty());
    open_->setEnabled(!busy_);
    over_training_->setEnabled(!busy_ && has_history_);
    apply_->setEnabled(!busy_ && yes > 0);
    make_->setEnabled(!busy_ && asked > 0 && possible == asked);
}

void AbsorptionPanel::show_problem(const QString& problem) {
    status_->setText(problem);
    status_->setVisible(!problem.isEmpty());
}

void AbsorptionPanel::take_answers(std::string_view json) {
    answers_ = read_absorption(json);
    shown_->setCurrentIndex(0);
    show_problem({});
    fill();
}

void AbsorptionPanel::take_history(std::string_view json) {
    history_ = read_absorption_history(json);
    if (shown_->currentIndex() == 0) shown_->setCurrentIndex(1);
    show_problem({});
    draw();
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
        const QStringList cells{
            answer.layer < 0 ? QString() : QString::number(shown_number(answer.layer)),
            QString::fromStdString(answer.decision),
            QString::fromStdString(answer.mlp_alone),
            number_text(answer.relative_residual),
            number_text(answer.distance),
            QString::fromStdString(answer.reason + " (" + answer.theorem + ")")};
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
    enable();
    draw();
}

Figure AbsorptionPanel::figure() const {
    if (shown_->currentIndex() <= 0) return build_absorption_figure(answers_);
    return build_history_figure(history_, shown_->currentIndex() == 1
                                              ? AbsorptionMeasure::kResidual
                                              : AbsorptionMeasure::kDistance);
}

void AbsorptionPanel::draw() {
    export_->setEnabled(has_picture());
    chart_->clear_history();
    chart_->show_figure(figure(), theme_.dark);
    emit picture_changed();
}

bool AbsorptionPanel::has_picture() const {
    return shown_->currentIndex() <= 0 ? !answers_.empty() : !history_.layers.empty();
}

FigurePage AbsorptionPanel::page() const {
    FigurePage page = make_page(figure(), theme_.dark);
    page.description = "Drawn by headroom from answers of absorb about " + checkpoint_;
    return page;
}

}  // namespace headroom
