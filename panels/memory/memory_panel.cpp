#include "panels/memory/memory_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/memory/treemap_canvas.h"
#include "panels/memory/treemap_painter.h"
#include "panels/memory/what_if_settings.h"
#include "panels/qt/count_table.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"
#include "panels/qt/style_property.h"

namespace headroom {
namespace {

/// By the room that they take.
constexpr DType kPrecisions[] = {DType::kBF16, DType::kF32, DType::kF64};

QSlider* slider(const char* name, int last, const QString& tip) {
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setObjectName(name);
    slider->setRange(0, last);
    slider->setPageStep(4);  // a doubling
    slider->setFixedWidth(84);
    slider->setToolTip(tip);
    slider->setAccessibleName(tip);
    return slider;
}

bool same_question(const MemoryRequest& a, const MemoryRequest& b) {
    return a.use == b.use && a.precision == b.precision && a.batch_size == b.batch_size &&
           a.context == b.context;
}

}  // namespace

MemoryPanel::MemoryPanel(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      use_(new QComboBox),
      plot_(new QComboBox),
      dtype_(new QComboBox),
      dtype_slider_(slider("memoryPrecisionSlider", 2, tr("precision"))),
      batch_(new QSpinBox),
      batch_slider_(slider("memoryBatchSlider", kBatchScale.last(), tr("batch_size"))),
      context_(new QSpinBox),
      context_slider_(slider("memoryContextSlider", kContextScale.last(), tr("seq_len"))),
      measure_(new QPushButton),
      export_(new QToolButton),
      controls_(new QWidget),
      pictures_(new QStackedWidget),
      chart_(new FigureChart),
      treemap_(new TreemapCanvas),
      readout_(new QLabel),
      status_(new QLabel),
      table_(new QTreeWidget) {
    settings_[0].dtype = settings_[1].dtype = DType::kF32;
    settings_[0].plot = settings_[1].plot = MemoryPlot::kBreakdown;
    settings_[0].batch_size = 1;
    settings_[1].use = MemoryUse::kTraining;
    make_choices();
    make_sizes();
    table_->setObjectName("memoryLedger");
    table_->setAccessibleName(tr("Memory by what takes it"));
    style_count_table(*table_);
    for (QLabel* label : {readout_, status_}) {
        label->setWordWrap(true);
        label->setProperty("role", "muted");
        label->setContentsMargins(8, 1, 8, 3);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    }
    readout_->setObjectName("memoryReadout");
    status_->setObjectName("memoryStatus");
    status_->hide();
    pictures_->addWidget(chart_);
    auto* map = new QWidget;
    auto* map_column = new QVBoxLayout(map);
    map_column->setContentsMargins(0, 0, 0, 0);
    map_column->setSpacing(0);
    map_column->addWidget(treemap_, 1);
    map_column->addWidget(readout_);
    pictures_->addWidget(map);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(pictures_);
    splitter->addWidget(table_);
    splitter->setSizes({1200, 1000});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    make_strip();
    column->addWidget(controls_);
    column->addWidget(status_);
    column->addWidget(splitter, 1);
    connect_controls();
    set_measuring({});
    show_controls();
    update_all();
}

void MemoryPanel::make_choices() {
    use_->setObjectName("memoryUse");
    use_->addItem(tr("Inference"), static_cast<int>(MemoryUse::kInference));
    use_->addItem(tr("Training"), static_cast<int>(MemoryUse::kTraining));
    use_->setToolTip(tr("What the plot accounts for, and what the settings beside change"));
    plot_->setObjectName("memoryPlot");
    plot_->addItem(tr("Breakdown"), static_cast<int>(MemoryPlot::kBreakdown));
    plot_->addItem(tr("Treemap"), static_cast<int>(MemoryPlot::kTreemap));
    plot_->addItem(tr("Cache by seq_len"), static_cast<int>(MemoryPlot::kCache));
    plot_->addItem(tr("Cache by parameters"), static_cast<int>(MemoryPlot::kBytesPerToken));
    plot_->setToolTip(
        tr("The ledger in columns or as a map by layer; the cache against seq_len; "
           "the cache per token against parameters"));
    dtype_->setObjectName("memoryPrecision");
    for (const DType dtype : kPrecisions)
        dtype_->addItem(QString::fromUtf8(name_of(dtype)), static_cast<int>(dtype));
    dtype_->setToolTip(tr("Precision of what is computed and kept"));
}

void MemoryPanel::make_sizes() {
    batch_->setObjectName("memoryBatch");
    batch_->setRange(0, kMostMemoryBatch);
    context_->setObjectName("memoryContext");
    context_->setRange(0, kMostMemoryContext);
    context_->setSingleStep(256);
    context_->setGroupSeparatorShown(true);
    context_->setSuffix(tr(" tokens"));
    measure_->setObjectName("measureMemory");
    export_->setText(tr("Export…"));
    export_->setObjectName("exportMemory");
    export_->setToolTip(tr("Write the plot to PDF, SVG, PNG or CSV"));
    readout_->setText(tr("Point at a part, or use the arrows, to see what it is."));
}

void MemoryPanel::make_strip() {
    auto* flow = new FlowLayout(controls_, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    const auto with_slider = [this](const QString& name, QWidget* field, QSlider* slider) {
        QWidget* group = with_label(name, field, controls_);
        group->layout()->addWidget(slider);
        return group;
    };
    for (QWidget* widget : std::initializer_list<QWidget*>{
             with_label(tr("Memory of"), use_, controls_), with_label(tr("as"), plot_, controls_),
             with_slider(tr("precision"), dtype_, dtype_slider_),
             with_slider(tr("batch_size"), batch_, batch_slider_),
             with_slider(tr("seq_len"), context_, context_slider_), measure_, export_})
        flow->addWidget(widget);
}

void MemoryPanel::connect_controls() {
    connect(use_, &QComboBox::currentIndexChanged, this, &MemoryPanel::take_use);
    connect(dtype_, &QComboBox::activated, this, [this] { chosen_precision_ = true; });
    for (QComboBox* box : {plot_, dtype_})
        connect(box, &QComboBox::currentIndexChanged, this, &MemoryPanel::take_controls);
    for (QSpinBox* box : {batch_, context_})
        connect(box, &QSpinBox::valueChanged, this, &MemoryPanel::take_controls);
    connect(dtype_slider_, &QSlider::valueChanged, dtype_, &QComboBox::setCurrentIndex);
    connect(batch_slider_, &QSlider::valueChanged, this, [this](int position) {
        batch_->setValue(static_cast<int>(kBatchScale.value(position)));
    });
    connect(context_slider_, &QSlider::valueChanged, this, [this](int position) {
        context_->setValue(static_cast<int>(kContextScale.value(position)));
    });
    connect(chart_, &FigureChart::fit_asked, this, &MemoryPanel::update_all);
    connect(treemap_, &TreemapCanvas::pointed, this, [this](const QString& text) {
        readout_->setText(
            text.isEmpty() ? tr("Point at a part, or use the arrows, to see what it is.") : text);
    });
    connect(export_, &QToolButton::clicked, this, &MemoryPanel::export_asked);
    connect(measure_, &QPushButton::clicked, this, [this] {
        if (measure_->property("busy").toBool())
            emit stop_asked();
        else
            emit measure_asked();
    });
}

void MemoryPanel::set_runs(const std::vector<MemoryRun>& runs) {
    if (runs == runs_) return;  // a poll without news
    runs_ = runs;
    if (!chosen_precision_ && !runs.empty()) settings_[1].dtype = runs.front().job->precision;
    std::erase_if(measurements_, [&](const Measurement& each) {
        return std::none_of(runs.begin(), runs.end(),
                            [&](const MemoryRun& run) { return *run.job == *each.question.job; });
    });
    show_controls();
    update_all();
}

void MemoryPanel::relabel() {
    update_all();
}

void MemoryPanel::set_theme(const Theme& theme) {
    theme_ = theme;
    treemap_->set_theme(theme);
    update_all();
}

MemoryFigureSettings MemoryPanel::settings() const {
    return settings_[static_cast<size_t>(use_->currentIndex())];
}

void MemoryPanel::take_use() {
    const MemoryPlot plot = settings_[use_->currentIndex() == 0 ? 1 : 0].plot;
    MemoryFigureSettings& now = settings_[static_cast<size_t>(use_->currentIndex())];
    const bool ledger = plot == MemoryPlot::kBreakdown || plot == MemoryPlot::kTreemap;
    now.plot = ledger || now.use == MemoryUse::kInference ? plot : MemoryPlot::kBreakdown;
    show_controls();
    update_all();
}

void MemoryPanel::take_controls() {
    if (showing_) return;
    MemoryFigureSettings& now = settings_[static_cast<size_t>(use_->currentIndex())];
    now.plot = static_cast<MemoryPlot>(plot_->currentData().toInt());
    now.dtype = static_cast<DType>(dtype_->currentData().toInt());
    now.batch_size = batch_->value();
    now.context = context_->value();
    now.log_axes = now.plot == MemoryPlot::kBytesPerToken;
    show_controls();
    update_all();
}

void MemoryPanel::show_controls() {
    showing_ = true;
    const MemoryFigureSettings now = settings();
    const bool training = now.use == MemoryUse::kTraining;
    const bool ledger = now.plot == MemoryPlot::kBreakdown || now.plot == MemoryPlot::kTreemap;
    // The cache plots are of inference alone.
    use_->setEnabled(ledger);
    plot_->setCurrentIndex(plot_->findData(static_cast<int>(now.plot)));
    dtype_->setCurrentIndex(dtype_->findData(static_cast<int>(now.dtype)));
    batch_->setMinimum(training ? 0 : 1);
    batch_->setSpecialValueText(training ? tr("each job's") : QString());
    context_->setSpecialValueText(training ? tr("each job's") : tr("greatest"));
    batch_->setValue(static_cast<int>(now.batch_size));
    context_->setValue(static_cast<int>(now.context));
    const QSignalBlocker blocks[] = {QSignalBlocker(dtype_slider_), QSignalBlocker(batch_slider_),
                                     QSignalBlocker(context_slider_)};
    dtype_slider_->setValue(dtype_->currentIndex());
    // Where the slider stands at the value already, it stays: it may be between two others.
    if (kBatchScale.value(batch_slider_->value()) != now.batch_size)
        batch_slider_->setValue(kBatchScale.position(now.batch_size));
    if (kContextScale.value(context_slider_->value()) != now.context)
        context_slider_->setValue(kContextScale.position(now.context));
    showing_ = false;
}

std::vector<MemoryModel> MemoryPanel::models(const MemoryFigureSettings& settings) const {
    std::vector<MemoryModel> models;
    std::vector<std::string> unused;
    for (const MemoryRun& run : runs_) {
        MemoryModel model{run.name, run.job->model, run.job};
        model.color = run.color;
        const MemoryRequest request = memory_question(model, settings, unused);
        for (const Measurement& each : measurements_)
            if (*each.question.job == *run.job && same_question(each.question.request, request))
                model.measured = each.measured;
        models.push_back(std::move(model));
    }
    return models;
}

Figure MemoryPanel::figure() const {
    Figure figure = build_memory(models(settings()), settings()).figure;
    if (runs_.empty()) figure.empty_text = tr("No run yet").toStdString();
    return figure;
}

FigurePage MemoryPanel::page() const {
    if (settings().plot != MemoryPlot::kTreemap) return make_page(figure(), false);
    return treemap_page(build_treemap(models(settings()), settings()), {});
}

std::vector<MeasureQuestion> MemoryPanel::questions() const {
    std::vector<MeasureQuestion> questions;
    std::vector<std::string> unused;
    for (const MemoryModel& model : models(settings()))
        questions.push_back({model.name, model.job, memory_question(model, settings(), unused)});
    return questions;
}

void MemoryPanel::set_measuring(const QString& progress) {
    const bool busy = !progress.isEmpty();
    measure_->setProperty("busy", busy);
    measure_->setText(busy ? tr("Stop") : tr("Measure"));
    measure_->setToolTip(busy ? tr("End the worker; what was measured stays")
                              : tr("Let a worker allocate each of these, run one pass and count "
                                   "what is really held"));
    measure_->setEnabled(busy || counted_);
    if (busy || status_->property("role") != "error") say(progress, false);
}

void MemoryPanel::take_measurement(const MeasureQuestion& question,
                                   const MeasuredMemory& measured) {
    std::erase_if(measurements_, [&](const Measurement& each) {
        return *each.question.job == *question.job &&
               same_question(each.question.request, question.request);
    });
    measurements_.push_back({question, std::make_shared<const MeasuredMemory>(measured)});
    update_all();
}

void MemoryPanel::show_problem(const QString& problem) {
    say(problem, true);
}

void MemoryPanel::say(const QString& text, bool problem) {
    set_style_property(*status_, "role", problem ? "error" : "muted");
    status_->setText(text);
    status_->setVisible(!text.isEmpty());
}

void MemoryPanel::update_all() {
    counted_ = !runs_.empty();
    try {
        draw();
        fill_table();
    } catch (const UserError& error) {  // more than can be counted
        counted_ = false;
        Figure figure;
        figure.empty_text = error.what();
        pictures_->setCurrentIndex(0);
        chart_->clear_history();
        chart_->show_figure(figure, theme_.dark);
        table_->clear();
    }
    export_->setEnabled(counted_);
    if (!measure_->property("busy").toBool()) measure_->setEnabled(counted_);
}

void MemoryPanel::draw() {
    const MemoryFigureSettings now = settings();
    const bool map = now.plot == MemoryPlot::kTreemap;
    pictures_->setCurrentIndex(map ? 1 : 0);
    if (map) {
        TreemapView view = build_treemap(models(now), now);
        if (runs_.empty()) view.empty_text = tr("No run yet").toStdString();
        treemap_->show_view(std::move(view));
        return;
    }
    chart_->clear_history();
    chart_->show_figure(figure(), theme_.dark);
}

void MemoryPanel::fill_table() {
    const MemoryTable table = build_memory_table(
        {{models(settings_[0]), settings_[0]}, {models(settings_[1]), settings_[1]}});
    table_->clear();
    QStringList names{""};
    for (const std::string& name : table.columns) names.append(QString::fromStdString(name));
    table_->setColumnCount(static_cast<int>(names.size()));
    table_->setHeaderLabels(names);
    for (int i = 1; i < names.size(); ++i)
        table_->headerItem()->setTextAlignment(i, Qt::AlignRight | Qt::AlignVCenter);
    for (const MemoryTable::Section& section : table.sections) {
        auto* head = new QTreeWidgetItem(table_, {QString::fromStdString(section.title)});
        QFont bold = table_->font();
        bold.setWeight(QFont::DemiBold);
        head->setFont(0, bold);
        head->setToolTip(0, head->text(0));
        head->setFirstColumnSpanned(true);
        for (const MemoryTable::Row& row : section.rows) {
            QStringList cells{QString::fromStdString(row.name)};
            for (const std::string& cell : row.cells) cells.append(QString::fromStdString(cell));
            auto* item = new QTreeWidgetItem(head, cells);
            for (int i = 1; i < names.size(); ++i)
                item->setTextAlignment(i, Qt::AlignRight | Qt::AlignVCenter);
        }
        head->setExpanded(true);
    }
    make_room_for_headings();
}

/// A heading has the room of all columns; the first one is as wide as that takes.
void MemoryPanel::make_room_for_headings() {
    const QAbstractItemView& cells = *table_;
    QHeaderView& header = *table_->header();
    constexpr int kPadding = 12;
    int widest = 0, others = 0;
    for (int i = 0; i < table_->topLevelItemCount(); ++i) {
        const QTreeWidgetItem& heading = *table_->topLevelItem(i);
        widest = std::max(
            widest, QFontMetrics(heading.font(0)).horizontalAdvance(heading.text(0)) + kPadding);
    }
    for (int i = 1; i < header.count(); ++i)
        others += std::max(cells.sizeHintForColumn(i), header.sectionSizeHint(i));
    header.setSectionResizeMode(0, QHeaderView::Interactive);
    header.resizeSection(0, std::max(cells.sizeHintForColumn(0), widest - others));
}

}  // namespace headroom
