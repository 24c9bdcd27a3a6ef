#include "panels/lab/lab_panel.h"

#include <QComboBox>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include <fmt/format.h>

#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/lab/lab_figure.h"
#include "panels/lab/lab_form.h"
#include "panels/qt/flow_layout.h"

namespace headroom {
namespace {

QWidget* input_of(const LabField& field) {
    if (field.choices.empty()) {
        auto* edit = new QLineEdit(QString::fromStdString(field.value));
        edit->setToolTip(QString::fromStdString(field.help));
        return edit;
    }
    auto* combo = new QComboBox;
    for (const std::string& choice : field.choices) combo->addItem(QString::fromStdString(choice));
    combo->setCurrentText(QString::fromStdString(field.value));
    combo->setToolTip(QString::fromStdString(field.help));
    return combo;
}

std::string value_of(const QWidget* input) {
    if (const auto* edit = qobject_cast<const QLineEdit*>(input))
        return edit->text().trimmed().toStdString();
    return qobject_cast<const QComboBox*>(input)->currentText().toStdString();
}

using Rows = std::vector<std::vector<std::string>>;

QTableWidget* table_of(const std::vector<std::string>& columns, const Rows& rows) {
    auto* table = new QTableWidget(static_cast<int>(rows.size()), static_cast<int>(columns.size()));
    for (size_t c = 0; c < columns.size(); ++c)
        table->setHorizontalHeaderItem(static_cast<int>(c),
                                       new QTableWidgetItem(QString::fromStdString(columns[c])));
    for (size_t r = 0; r < rows.size(); ++r)
        for (size_t c = 0; c < rows[r].size(); ++c)
            table->setItem(static_cast<int>(r), static_cast<int>(c),
                           new QTableWidgetItem(QString::fromStdString(rows[r][c])));
    table->verticalHeader()->hide();
    table->setAccessibleName(LabPanel::tr("What was measured"));
    table->setTabKeyNavigation(false);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->resizeColumnsToContents();
    table->horizontalHeader()->setStretchLastSection(true);
    return table;
}

Rows claim_rows(const LabResult& result) {
    Rows rows;
    for (const LabCheck& check : result.checks)
        rows.push_back({check.holds() ? "holds" : "does not hold", check.claim,
                        fmt::format("{:.6g}", check.expected),
                        fmt::format("{:.6g}", check.measured), check.tolerance_text()});
    return rows;
}

}  // namespace

LabPanel::LabPanel(QWidget* parent)
    : QWidget(parent),
      experiments_(experiments()),
      theme_(light_theme()),
      choice_(new QComboBox),
      theorem_(new QLabel),
      status_(new QLabel),
      run_(new QPushButton),
      progress_(new QProgressBar),
      charts_(new QComboBox),
      export_(new QToolButton),
      chart_(new FigureChart),
      tables_(new QTabWidget) {
    for (QLabel* label : {theorem_, status_}) {
        label->setWordWrap(true);
        label->setProperty("role", "muted");
    }
    theorem_->setContentsMargins(8, 0, 8, 4);
    controls_ = make_controls();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(theorem_);
    column->addWidget(make_results(), 1);
    connect(choice_, &QComboBox::currentIndexChanged, this, &LabPanel::show_experiment);
    connect(charts_, &QComboBox::currentIndexChanged, this, &LabPanel::show_chart);
    connect(export_, &QToolButton::clicked, this, &LabPanel::export_asked);
    connect(run_, &QPushButton::clicked, this,
            [this] { running_ ? emit stop_asked() : emit run_asked(); });
    show_experiment();
    set_running(false);
}

LabPanel::~LabPanel() = default;

QWidget* LabPanel::make_strip() {
    choice_->setObjectName("labExperiment");
    for (const auto& experiment : experiments_)
        choice_->addItem(QString::fromStdString(experiment->title()),
                         QString::fromStdString(experiment->name()));
    choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    choice_->setMinimumContentsLength(26);
    charts_->setObjectName("labChart");
    charts_->setToolTip(tr("Which chart of the result"));
    export_->setText(tr("Export…"));
    export_->setObjectName("exportLab");
    export_->setToolTip(tr("Write the chart to PDF, SVG, PNG or CSV"));
    run_->setObjectName("labRun");
    progress_->setRange(0, 1000);
    progress_->setTextVisible(false);
    progress_->setFixedWidth(120);
    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{choice_, run_, progress_, charts_, export_})
        flow->addWidget(widget);
    return strip;
}

QWidget* LabPanel::make_controls() {
    form_ = new QWidget;
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->addWidget(form_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setObjectName("labControls");
    scroll->setFocusPolicy(Qt::NoFocus);  // its fields scroll it
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    return scroll;
}

QWidget* LabPanel::make_results() {
    tables_->setObjectName("labTables");
    status_->setContentsMargins(8, 2, 8, 2);
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(status_);
    column->addWidget(chart_, 1);
    auto* split = new QSplitter(Qt::Vertical);
    split->addWidget(top);
    split->addWidget(tables_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setChildrenCollapsible(false);
    return split;
}

std::string LabPanel::chosen() const {
    return choice_->currentData().toString().toStdString();
}

void LabPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    show_chart();
}

void LabPanel::choose(const std::string& experiment) {
    const int at = choice_->findData(QString::fromStdString(experiment));
    if (at >= 0) choice_->setCurrentIndex(at);
}

/// The theorem and the form of the experiment that is chosen; what another found goes.
void LabPanel::show_experiment() {
    Experiment& experiment = *experiments_[static_cast<size_t>(choice_->currentIndex())];
    theorem_->setText(QString::fromStdString(experiment.theorem() + ". " + experiment.shows()));
    delete form_->layout();
    for (QWidget* child : form_->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) delete child;
    auto* layout = new QFormLayout(form_);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setRowWrapPolicy(QFormLayout::WrapLongRows);
    layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    inputs_.clear();
    for (const LabField& field : lab_fields(experiment)) {
        inputs_.push_back(input_of(field));
        layout->addRow(QString::fromStdString(field.name), inputs_.back());
    }
    if (running_) emit stop_asked();
    take_result({});
    show_status({});
    emit chosen_changed();
}

void LabPanel::show_status(const QString& words) {
    status_->setText(words);
    status_->setVisible(!words.isEmpty());
}

std::vector<std::string> LabPanel::arguments() const {
    Experiment& experiment = *experiments_[static_cast<size_t>(choice_->currentIndex())];
    std::vector<LabField> fields = lab_fields(experiment);
    for (size_t i = 0; i < fields.size(); ++i) fields[i].value = value_of(inputs_[i]);
    return lab_arguments(experiment, fields);
}

void LabPanel::set_running(bool running) {
    running_ = running;
    run_->setText(running ? tr("Stop") : tr("Run"));
    progress_->setVisible(running);
    if (running) {
        progress_->setValue(0);
        take_result({});  // what stood here belongs to other options
    }
}

void LabPanel::show_progress(double share, const std::string& doing) {
    progress_->setValue(static_cast<int>(share * 1000));
    show_status(QString::fromStdString(doing));
}

void LabPanel::take_result(LabResult result) {
    result_ = std::move(result);
    charts_->clear();
    for (const LabChart& chart : result_.charts)
        charts_->addItem(QString::fromStdString(chart.name));
    charts_->setVisible(charts_->count() > 1);
    show_status(result_.stopped ? tr("Stopped before its end: this is what it had by then.")
                                : QString());
    fill_tables();
    show_chart();
}

void LabPanel::show_problem(const QString& problem) {
    show_status(problem);
}

bool LabPanel::has_picture() const {
    return charts_->currentIndex() >= 0;
}

void LabPanel::show_chart() {
    Figure figure;
    if (has_picture())
        figure = build_lab_figure(result_.charts[static_cast<size_t>(charts_->currentIndex())]);
    else
        figure.empty_text = tr("Run the experiment to see what it finds").toStdString();
    export_->setEnabled(has_picture());
    chart_->clear_history();
    chart_->show_figure(figure, theme_.dark);
    emit picture_changed();
}

void LabPanel::fill_tables() {
    while (tables_->count() > 0) delete tables_->widget(0);
    if (!result_.checks.empty())
        tables_->addTab(
            table_of({"", "claim", "expected", "measured", "tolerance"}, claim_rows(result_)),
            tr("Claims"));
    for (const LabTable& table : result_.tables) {
        Rows rows;
        for (const auto& row : table.rows) {
            rows.emplace_back();
            for (const LabTable::Cell& cell : row) rows.back().push_back(cell_text(cell));
        }
        tables_->addTab(table_of(table.columns, rows), QString::fromStdString(table.name));
    }
    tables_->setVisible(tables_->count() > 0);
}

FigurePage LabPanel::page() const {
    Figure figure = build_lab_figure(result_.charts[static_cast<size_t>(charts_->currentIndex())]);
    FigurePage page = make_page(std::move(figure), theme_.dark);
    page.description = "Drawn by headroom's laboratory: " + chosen();
    return page;
}

}  // namespace headroom
