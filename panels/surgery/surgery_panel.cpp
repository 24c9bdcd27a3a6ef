#include "panels/surgery/surgery_panel.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSplitter>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/digits.h"
#include "core/base/json_text.h"
#include "core/surgery/norm_surgery.h"
#include "panels/architecture/architecture_layout.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/base/numbering.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/qt/count_table.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/qt_theme.h"
#include "panels/surgery/surgery_marks.h"

namespace headroom {
namespace {

enum { kWhat, kFewer, kCondition, kWhy, kColumns };

/// A head of its own that an untied model gets may weigh more than what goes.
std::string cell_of_fewer(int64_t weights_removed) {
    return weights_removed < 0 ? grouped_digits(-weights_removed) + " more"
                               : grouped_digits(weights_removed);
}

QString text(const std::string& words) {
    return QString::fromStdString(words);
}

/// Tells lines of a plan apart whatever layers are called.
std::string key_of(const PlanLine& line) {
    std::string key = line.plan.name;
    for (const AttentionMatrix matrix : line.plan.request.matrices) key += " " + letter_of(matrix);
    if (line.plan.request.layer) key += fmt::format(" {}", *line.plan.request.layer);
    return key;
}

QString condition_text(const PlanLine& line) {
    return line.condition > 0 ? text(fmt::format("{:.4g}", line.condition)) : QString();
}

}  // namespace

SurgeryPanel::SurgeryPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      name_(new QLabel),
      status_(new QLabel),
      reason_(new QLabel),
      facts_(new QLabel),
      open_(new QToolButton),
      numbers_(new QToolButton),
      browse_(new QToolButton),
      recover_(new QToolButton),
      export_(new QToolButton),
      data_(new QLineEdit),
      untie_(new QCheckBox(tr("Untie the head"))),
      apply_(new QPushButton(tr("Apply…"))),
      progress_(new QProgressBar),
      table_(new QTreeWidget),
      tabs_(new QTabWidget),
      before_(new DrawingCanvas),
      after_(new DrawingCanvas),
      chart_(new FigureChart) {
    for (QLabel* label : {status_, reason_, facts_}) {
        label->setWordWrap(true);
        label->setProperty("role", "muted");
        label->setContentsMargins(8, 2, 8, 2);
    }
    facts_->setObjectName("surgeryFacts");
    table_->setObjectName("surgeryPlan");
    table_->setAccessibleName(tr("What the surgery changes"));
    table_->setColumnCount(kColumns);
    style_count_table(*table_);
    table_->setRootIsDecorated(true);
    table_->setIndentation(16);
    table_->setHeaderLabels(
        {tr("Surgery"), tr("Weights fewer"), tr("Condition"), tr("Why not, or what stays")});
    table_->headerItem()->setToolTip(
        kFewer, tr("How many fewer weights the model has after it; of a surgery with several "
                   "choices, how many of them can be made"));
    table_->header()->setStretchLastSection(true);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(table_);
    split->addWidget(make_below());
    split->setSizes({1000, 1500});
    split->setChildrenCollapsible(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(status_);
    column->addWidget(split, 1);
    connect(table_, &QTreeWidget::currentItemChanged, this, &SurgeryPanel::show_choice);
    connect(open_, &QToolButton::clicked, this, &SurgeryPanel::open_asked);
    connect(untie_, &QCheckBox::toggled, this, &SurgeryPanel::plan_anew);
    connect(numbers_, &QToolButton::clicked, this, &SurgeryPanel::numbers_asked);
    connect(export_, &QToolButton::clicked, this, &SurgeryPanel::export_asked);
    connect(recover_, &QToolButton::clicked, this, &SurgeryPanel::recover_asked);
    connect(browse_, &QToolButton::clicked, this, &SurgeryPanel::data_asked);
    connect(data_, &QLineEdit::textChanged, this, &SurgeryPanel::show_choice);
    connect(apply_, &QPushButton::clicked, this,
            [this] { busy_ ? emit stop_asked() : emit apply_asked(); });
    before_->setAccessibleName(tr("Picture of the model before"));
    after_->setAccessibleName(tr("Picture of the model after"));
    DrawingCanvas::join(*before_, *after_);
    connect(before_, &DrawingCanvas::resized, this, &SurgeryPanel::draw_models);
    before_->set_empty_text(
        tr("Select a run that has a checkpoint, or open a file, to see which of its weights it "
           "does not need"));
    set_model({});
    set_busy({});
}

QWidget* SurgeryPanel::make_strip() {
    open_->setText(tr("Open…"));
    open_->setToolTip(tr("Plan for a checkpoint file, of this program or of others"));
    numbers_->setText(tr("Condition numbers"));
    numbers_->setToolTip(
        tr("Read the weights: how well conditioned each inverted matrix is, and "
           "which ones are singular"));
    untie_->setToolTip(
        tr("The head is the embedding's transpose: give it a matrix of its own first, so that both "
           "ends of the residual stream can have different bases"));
    apply_->setObjectName("applySurgery");
    apply_->setToolTip(
        tr("Write the checkpoint without these weights, and measure how far it is "
           "from the original in three precisions"));
    data_->setObjectName("surgeryData");
    data_->setAccessibleName(tr("Data to measure losses on"));
    data_->setPlaceholderText(tr("no data: text:book.txt"));
    data_->setToolTip(
        tr("On what losses before and after are measured: text:FILE_OR_FOLDER, tokens:FILE or "
           "task:NAME. Empty: both models are compared on random tokens"));
    data_->setFixedWidth(fontMetrics().averageCharWidth() * 26);
    browse_->setText("…");
    browse_->setToolTip(tr("Choose a text file"));
    recover_->setText(tr("Recover…"));
    recover_->setToolTip(
        tr("Make a study that takes the norms out and trains on: as it is, at once, and one layer "
           "after the other. Exact surgeries apply to what comes out. It needs data"));
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the differences to PDF, SVG, PNG or CSV"));
    progress_->setRange(0, 0);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(80);
    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    auto* data = new QWidget;
    auto* pair = new QHBoxLayout(data);
    pair->setContentsMargins(0, 0, 0, 0);
    pair->setSpacing(2);
    pair->addWidget(new QLabel(tr("Data")));
    pair->addWidget(data_);
    pair->addWidget(browse_);
    for (QWidget* widget : std::initializer_list<QWidget*>{name_, open_, untie_, numbers_, data,
                                                           apply_, recover_, progress_, export_})
        flow->addWidget(widget);
    return strip;
}

QWidget* SurgeryPanel::make_below() {
    auto* pictures = new QSplitter(Qt::Horizontal);
    pictures->addWidget(before_);
    pictures->addWidget(after_);
    pictures->setSizes({1000, 1000});
    auto* models = new QWidget;
    auto* column = new QVBoxLayout(models);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(reason_);
    column->addWidget(pictures, 1);
    auto* report = new QWidget;
    auto* lines = new QVBoxLayout(report);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setSpacing(0);
    lines->addWidget(facts_);
    lines->addWidget(chart_, 1);
    tabs_->setObjectName("surgeryTabs");
    tabs_->setDocumentMode(true);
    tabs_->addTab(models, tr("Models"));
    tabs_->addTab(report, tr("Report"));
    return tabs_;
}

void SurgeryPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    before_->set_theme(theme);
    after_->set_theme(theme);
    fill_table(chosen_key());
    draw_report();
}

void SurgeryPanel::set_model(std::optional<SurgeryModel> model) {
    if (model && model_ == model) return;
    report_.reset();
    table_->clear();  // its items point into the plan
    const bool typed = !data().empty() && !(model_ && data() == model_->data);
    model_ = std::move(model);
    if (model_ && (!typed || !model_->data.empty())) data_->setText(text(model_->data));
    untie_->setVisible(model_ && model_->model.tie);
    recovers_ = model_ && plan_freeze_norms(model_->model, {.untie = model_->model.tie}).applies();
    recover_->setVisible(recovers_);
    plan_ = model_ ? build_surgery_plan(model_->model, unties()) : std::vector<PlanGroup>{};
    name_->setText(model_ ? text(model_->name) : QString());
    if (model_) name_->setToolTip(text(model_->checkpoint.string()));
    numbers_->setEnabled(model_.has_value());
    tabs_->setCurrentIndex(0);
    fill_table("");
    draw_report();
}

std::string SurgeryPanel::data() const {
    return data_->text().trimmed().toStdString();
}

bool SurgeryPanel::unties() const {
    return model_ && model_->model.tie && untie_->isChecked();
}

void SurgeryPanel::plan_anew() {
    if (!model_) return;
    const std::string kept = chosen_key();
    table_->clear();  // its items point into the plan
    plan_ = build_surgery_plan(model_->model, unties());
    fill_table(kept);
}

/// Surgeries that do something first opened; of the others the first reason stands beside the name.
void SurgeryPanel::fill_table(const std::string& kept) {
    table_->clear();
    const QColor good = to_qcolor(theme_.good), muted = to_qcolor(theme_.muted);
    QTreeWidgetItem* first = nullptr;
    for (const PlanGroup& group : plan_) {
        auto* head = new QTreeWidgetItem(table_, {text(group.surgery->name)});
        head->setToolTip(
            kWhat, text(fmt::format("{}: {}", group.surgery->theorem, group.surgery->summary)));
        const bool single = group.lines.size() == 1 && group.lines.front().what().empty();
        for (const PlanLine& line : group.lines) {
            auto* item = single ? head : new QTreeWidgetItem(head, {text(line.what())});
            item->setData(kWhat, Qt::UserRole,
                          QVariant::fromValue(static_cast<const void*>(&line)));
            if (line.applies()) item->setText(kFewer, text(cell_of_fewer(line.weights_removed)));
            item->setText(kCondition, condition_text(line));
            item->setText(kWhy, text(in_shown_numbers(line.applies() ? line.notes : line.why)));
            item->setToolTip(kWhy, item->text(kWhy));
            for (const int column : {kFewer, kCondition})
                item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
            const bool grows = line.weights_removed < 0;  // such as by a head of its own
            item->setForeground(single ? kFewer : kWhat, line.applies() && !grows ? good : muted);
            const bool wanted =
                kept.empty() ? line.applies() && line.weights_removed > 0 : key_of(line) == kept;
            if (first == nullptr && wanted) first = item;
        }
        if (single) continue;
        head->setText(kFewer, tr("%1 of %2 apply").arg(group.applicable()).arg(group.lines.size()));
        head->setTextAlignment(kFewer, Qt::AlignRight | Qt::AlignVCenter);
        if (group.applicable() == 0)
            head->setText(kWhy, text(in_shown_numbers(group.lines.front().why)));
        head->setToolTip(kWhy, head->text(kWhy));
        head->setExpanded(group.applicable() > 0);
    }
    for (const int column : {kWhat, kFewer, kCondition}) table_->resizeColumnToContents(column);
    if (first == nullptr) first = table_->topLevelItem(0);
    if (first != nullptr) table_->setCurrentItem(first);
    show_choice();
}

const PlanLine* SurgeryPanel::chosen() const {
    const QTreeWidgetItem* item = table_->currentItem();
    if (item == nullptr) return nullptr;
    return static_cast<const PlanLine*>(item->data(kWhat, Qt::UserRole).value<const void*>());
}

const PlanGroup* SurgeryPanel::chosen_group() const {
    QTreeWidgetItem* item = table_->currentItem();
    if (item == nullptr) return nullptr;
    if (item->parent() != nullptr) item = item->parent();
    return &plan_.at(static_cast<size_t>(table_->indexOfTopLevelItem(item)));
}

std::string SurgeryPanel::chosen_key() const {
    const PlanLine* line = chosen();
    return line != nullptr ? key_of(*line) : "";
}

void SurgeryPanel::relabel() {
    fill_table(chosen_key());
}

void SurgeryPanel::show_choice() {
    const PlanLine* line = chosen();
    QString words;
    const PlanGroup* group = chosen_group();
    if (line == nullptr && group != nullptr)
        words = text(fmt::format(
            "{}: {}.{}", group->surgery->theorem, group->surgery->summary,
            group->applicable() == 0 ? " Nothing can go; see under the matrices why." : ""));
    else if (line != nullptr && !line->applies())
        words = tr("Stays: %1").arg(text(in_shown_numbers(line->why)));
    else if (line != nullptr && !group->surgery->exact && data().empty())
        words = tr("An approximation that is measured on data: name some above.");
    else if (line != nullptr)
        words = text(fmt::format("{}: {}.{}", group->surgery->theorem, group->surgery->summary,
                                 line->weights_removed > 0 ? " What goes is marked." : ""));
    reason_->setText(words);
    reason_->setVisible(!words.isEmpty());
    const bool can =
        line != nullptr && line->applies() && (group->surgery->exact || !data().empty());
    apply_->setEnabled(busy_ || can);
    recover_->setEnabled(!busy_ && recovers_ && !data().empty());
    draw_models();
    show_facts();
}

void SurgeryPanel::draw_models() {
    const PlanLine* line = chosen();
    if (!model_) {
        before_->show_drawing({});
        after_->hide();
        return;
    }
    ArchitectureOptions options;
    options.title = true;
    options.note = false;
    options.most_rows = rows_for_height(before_->height());
    ArchitectureView before = build_architecture(model_->model, model_->name);
    const bool both = line != nullptr && line->applies();
    after_->setVisible(both);
    DrawingLayout drawing;
    if (both) {
        ComparedLayouts layouts = lay_out_compared(
            build_architecture(line->plan.config, line->plan.name), std::move(before), options);
        drawing = std::move(layouts.baseline);
        after_->show_drawing(std::move(layouts.model));
    } else {
        if (line != nullptr && line->plan.request.layer)
            options.details = {before.layers[static_cast<size_t>(*line->plan.request.layer)].kind};
        drawing = lay_out_architecture(before, options);
    }
    if (const PlanGroup* group = chosen_group()) mark_plan(drawing, *group, line);
    before_->show_drawing(std::move(drawing));
}

void SurgeryPanel::set_busy(const QString& words) {
    busy_ = !words.isEmpty();
    progress_->setVisible(busy_);
    apply_->setText(busy_ ? tr("Stop") : tr("Apply…"));
    open_->setEnabled(!busy_);
    untie_->setEnabled(!busy_);
    data_->setEnabled(!busy_);
    browse_->setEnabled(!busy_);
    numbers_->setEnabled(!busy_ && model_);
    table_->setEnabled(!busy_);
    show_problem(words);
    show_choice();
}

void SurgeryPanel::show_problem(const QString& problem) {
    status_->setText(problem);
    status_->setVisible(!problem.isEmpty());
}

void SurgeryPanel::take_plan(std::string_view json) {
    std::vector<PlanGroup> told = plan_;
    take_conditions(told, json);
    const std::string kept = chosen_key();
    table_->clear();  // its items point into the plan
    plan_ = std::move(told);
    fill_table(kept);
}

void SurgeryPanel::take_report(std::string_view json) {
    const nlohmann::json document = parse_json(json, "the report");
    report_ = read_surgery_report(document, "the report");
    reported_ = report_key();
    measured_ = text(report_->measured_text());
    draw_report();
    tabs_->setCurrentIndex(1);
}

void SurgeryPanel::draw_report() {
    Figure figure;
    if (report_)
        figure = build_surgery_figure({*report_});
    else
        figure.empty_text = tr("Apply a surgery to see how far its model is from the original, "
                               "layer by layer")
                                .toStdString();
    show_facts();
    export_->setEnabled(report_.has_value());
    chart_->clear_history();
    chart_->show_figure(figure, theme_.dark);
    emit picture_changed();
}

std::string SurgeryPanel::report_key() const {
    return chosen_key() + (unties() ? " untied" : "");
}

/// Whose report it is; it stays while other rows are looked at.
void SurgeryPanel::show_facts() {
    facts_->setVisible(report_.has_value());
    if (!report_) return facts_->clear();
    const QString whose = text(fmt::format("{} of {}", report_->title(), model_->name));
    facts_->setText(
        (reported_ == report_key() ? tr("%1: %2") : tr("Not of the selected row, but %1: %2"))
            .arg(whose, measured_));
}

FigurePage SurgeryPanel::page() const {
    FigurePage page = make_page(build_surgery_figure({*report_}), theme_.dark);
    page.description = "Drawn by headroom from a report of surgery apply";
    return page;
}

}  // namespace headroom
