#include "panels/lab/lab_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
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
#include "panels/lab/lab_inputs.h"
#include "panels/qt/elided_combo_box.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/style_property.h"
#include "panels/qt/wheel_guard.h"

namespace headroom {
namespace {

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
        rows.push_back({std::string(name_of(check.verdict())), check.claim_text(),
                        check.expected_text(), check.measured_text(), check.tolerance_text()});
    return rows;
}

}  // namespace

LabPanel::LabPanel(QWidget* parent)
    : QWidget(parent),
      experiments_(experiments()),
      found_(experiments_.size()),
      theme_(light_theme()),
      choice_(new ElidedComboBox),
      theorem_(new QLabel),
      status_(new QLabel),
      age_(new QLabel),
      run_(new QPushButton),
      progress_(new QProgressBar),
      charts_(new QComboBox),
      export_(new QToolButton),
      chart_(new FigureChart),
      tables_(new QTabWidget) {
    for (QLabel* label : {theorem_, status_, age_}) label->setWordWrap(true);
    theorem_->setProperty("role", "muted");
    theorem_->setContentsMargins(8, 0, 8, 4);
    controls_ = make_controls();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(make_strip());
    column->addWidget(theorem_);
    column->addWidget(make_results(), 1);
    connect(choice_, &QComboBox::currentIndexChanged, this, &LabPanel::show_experiment);
    connect(charts_, &QComboBox::currentIndexChanged, this, &LabPanel::choose_chart);
    connect(export_, &QToolButton::clicked, this, &LabPanel::export_asked);
    connect(run_, &QPushButton::clicked, this,
            [this] { running_ ? emit stop_asked() : emit run_asked(); });
    show_experiment();
}

LabPanel::~LabPanel() = default;

QWidget* LabPanel::make_strip() {
    choice_->setObjectName("labExperiment");
    WheelGuard::protect(choice_);
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
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    for (const auto& experiment : experiments_) {
        inputs_.push_back(new LabInputs(*experiment));
        column->addWidget(inputs_.back());
        connect(inputs_.back(), &LabInputs::changed, this, &LabPanel::show_age);
        connect(inputs_.back(), &LabInputs::entered, this, [this] {
            if (!running_) emit run_asked();
        });
    }
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
    status_->setObjectName("labStatus");
    age_->setObjectName("labAge");
    for (QLabel* label : {status_, age_}) label->setContentsMargins(8, 2, 8, 2);
    auto* top = new QWidget;
    auto* column = new QVBoxLayout(top);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(status_);
    column->addWidget(age_);
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

size_t LabPanel::looked_at() const {
    return static_cast<size_t>(choice_->currentIndex());
}

size_t LabPanel::spoken_of() const {
    return running_.value_or(looked_at());
}

void LabPanel::show_experiment() {
    Experiment& experiment = *experiments_[looked_at()];
    theorem_->setText(QString::fromStdString(experiment.theorem() + ". " + experiment.shows()));
    for (size_t i = 0; i < inputs_.size(); ++i) inputs_[i]->setVisible(i == looked_at());
    show_run_state();
    show_words();
    show_result();
    emit chosen_changed();
}

/// There is one worker: it can be stopped where it is at work, and elsewhere waited for.
void LabPanel::show_run_state() {
    const bool here = running_ == looked_at(), elsewhere = running_ && !here;
    run_->setText(here ? tr("Stop") : tr("Run"));
    run_->setEnabled(!elsewhere);
    run_->setToolTip(elsewhere ? tr("“%1” is still running: wait for it, or choose it to stop it")
                                     .arg(choice_->itemText(static_cast<int>(*running_)))
                               : QString());
    progress_->setVisible(here);
}

void LabPanel::say(const QString& words, bool wrong) {
    found_[spoken_of()].words = words;
    found_[spoken_of()].wrong = wrong;
    show_words();
}

void LabPanel::show_words() {
    const Found& found = found_[looked_at()];
    status_->setText(found.words);
    set_style_property(*status_, "role", found.wrong ? "error" : "muted");
    status_->setVisible(!found.words.isEmpty());
}

std::vector<std::string> LabPanel::arguments() const {
    return lab_arguments(*experiments_[looked_at()], inputs_[looked_at()]->fields());
}

void LabPanel::set_running(bool running) {
    running_ = running ? std::optional(looked_at()) : std::nullopt;
    if (running) {
        progress_->setValue(0);
        asked_ = inputs_[looked_at()]->fields();
        inputs_[looked_at()]->mark({}, {});
        say({}, false);
    }
    show_run_state();
}

void LabPanel::show_progress(double share, const std::string& doing) {
    progress_->setValue(static_cast<int>(share * 1000));
    say(QString::fromStdString(doing), false);
}

void LabPanel::take_result(LabResult result) {
    const bool stopped = result.stopped;
    found_[spoken_of()] = {.result = std::move(result), .fields = asked_};
    say(stopped ? tr("Stopped before its end: this is what it had by then.") : QString(), false);
    if (spoken_of() == looked_at()) show_result();
}

void LabPanel::show_problem(const std::string& problem) {
    const LabRefusal refusal = lab_refusal(problem);
    const QString words = QString::fromStdString(refusal.words);
    inputs_[spoken_of()]->mark(refusal.names, words);
    say(words, true);
}

void LabPanel::show_note(const QString& words) {
    say(words, false);
}

void LabPanel::show_result() {
    const Found& found = found_[looked_at()];
    {
        const QSignalBlocker quiet(charts_);
        charts_->clear();
        for (const LabChart& chart : found.result.charts)
            charts_->addItem(QString::fromStdString(chart.name));
        if (charts_->count() > 0) charts_->setCurrentIndex(found.chart);
    }
    charts_->setVisible(charts_->count() > 1);
    fill_tables();
    show_chart();
    show_age();
}

void LabPanel::show_age() {
    const Found& found = found_[looked_at()];
    const QString others =
        QString::fromStdString(other_options(found.fields, inputs_[looked_at()]->fields()));
    age_->setText(
        tr("This result is of other options: %1. Run it anew for those beside it.").arg(others));
    age_->setVisible(!others.isEmpty());
}

bool LabPanel::has_picture() const {
    return charts_->currentIndex() >= 0;
}

void LabPanel::choose_chart() {
    found_[looked_at()].chart = charts_->currentIndex();
    show_chart();
}

const LabChart& LabPanel::shown_chart() const {
    return found_[looked_at()].result.charts[static_cast<size_t>(charts_->currentIndex())];
}

void LabPanel::show_chart() {
    Figure figure;
    if (has_picture())
        figure = build_lab_figure(shown_chart());
    else
        figure.empty_text = tr("Run the experiment to see what it finds").toStdString();
    export_->setEnabled(has_picture());
    chart_->clear_history();
    chart_->show_figure(figure, theme_.dark);
    emit picture_changed();
}

void LabPanel::fill_tables() {
    const LabResult& result = found_[looked_at()].result;
    while (tables_->count() > 0) delete tables_->widget(0);
    if (!result.checks.empty())
        tables_->addTab(
            table_of({"", "claim", "expected", "measured", "tolerance"}, claim_rows(result)),
            tr("Claims"));
    for (const LabTable& table : result.tables) {
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
    FigurePage page = make_page(build_lab_figure(shown_chart()), theme_.dark);
    page.description = "Drawn by headroom's laboratory: " + chosen();
    return page;
}

}  // namespace headroom
