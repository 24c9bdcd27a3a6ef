#include "panels/memory/memory_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "panels/figure/figure_chart.h"
#include "panels/figure/figure_export.h"
#include "panels/qt/count_table.h"
#include "panels/qt/flow_layout.h"

namespace headroom {

MemoryPanel::MemoryPanel(QWidget* parent)
    : QWidget(parent),
      plot_(new QComboBox),
      dtype_(new QComboBox),
      batch_(new QSpinBox),
      context_(new QSpinBox),
      export_(new QToolButton),
      chart_(new FigureChart),
      table_(new QTreeWidget) {
    plot_->setObjectName("memoryPlot");
    plot_->addItem(tr("Breakdown"), static_cast<int>(MemoryPlot::kBreakdown));
    plot_->addItem(tr("Cache by length"), static_cast<int>(MemoryPlot::kCache));
    plot_->addItem(tr("Cache by size"), static_cast<int>(MemoryPlot::kBytesPerToken));
    plot_->setToolTip(
        tr("Weights, cache and activations of inference; the cache against the "
           "sequence length; the cache per token against parameters"));
    dtype_->setObjectName("memoryPrecision");
    for (const DType dtype : {DType::kF32, DType::kBF16, DType::kF64})
        dtype_->addItem(QString::fromUtf8(name_of(dtype)), static_cast<int>(dtype));
    dtype_->setToolTip(tr("Precision of inference"));
    batch_->setObjectName("memoryBatch");
    batch_->setRange(1, 4096);
    batch_->setPrefix(tr("batch "));
    context_->setObjectName("memoryContext");
    context_->setRange(0, 1 << 20);
    context_->setSingleStep(256);
    context_->setGroupSeparatorShown(true);
    context_->setSuffix(tr(" tokens"));
    context_->setSpecialValueText(tr("block_size tokens"));
    export_->setText(tr("Export…"));
    export_->setObjectName("exportMemory");
    export_->setToolTip(tr("Write the plot to PDF, SVG, PNG or CSV"));
    table_->setObjectName("memoryLedger");
    dress_count_table(*table_);

    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{plot_, dtype_, batch_, context_, export_})
        flow->addWidget(widget);
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->addWidget(chart_);
    splitter->addWidget(table_);
    splitter->setSizes({1200, 1000});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip);
    column->addWidget(splitter, 1);
    for (QComboBox* box : {plot_, dtype_})
        connect(box, &QComboBox::currentIndexChanged, this, &MemoryPanel::update_all);
    for (QSpinBox* box : {batch_, context_})
        connect(box, &QSpinBox::valueChanged, this, &MemoryPanel::update_all);
    connect(chart_, &FigureChart::fit_asked, this, &MemoryPanel::draw);
    connect(export_, &QToolButton::clicked, this, &MemoryPanel::export_asked);
    update_all();
}

void MemoryPanel::set_runs(const std::vector<MemoryRun>& runs) {
    if (runs == runs_) return;  // a poll without news
    runs_ = runs;
    update_all();
}

void MemoryPanel::set_theme(const Theme& theme) {
    dark_ = theme.dark;
    draw();
}

MemoryFigureSettings MemoryPanel::settings() const {
    MemoryFigureSettings settings;
    settings.plot = static_cast<MemoryPlot>(plot_->currentData().toInt());
    settings.dtype = static_cast<DType>(dtype_->currentData().toInt());
    settings.batch_size = batch_->value();
    settings.context = context_->value();
    settings.log_axes = settings.plot == MemoryPlot::kBytesPerToken;
    return settings;
}

Figure MemoryPanel::figure() const {
    std::vector<MemoryModel> models;
    for (const MemoryRun& run : runs_) models.push_back({run.name, run.job->model});
    Figure figure = build_memory(models, settings()).figure;
    if (runs_.empty()) figure.empty_text = tr("No run yet").toStdString();
    return figure;
}

FigurePage MemoryPanel::page() const {
    return make_page(figure(), false);
}

void MemoryPanel::update_all() {
    export_->setEnabled(!runs_.empty());
    draw();
    fill_table();
}

void MemoryPanel::draw() {
    chart_->clear_history();
    chart_->show_figure(figure(), dark_);
}

void MemoryPanel::fill_table() {
    const MemoryTable table = build_memory_table(runs_, settings());
    table_->clear();
    QStringList names{""};
    for (const std::string& name : table.names) names.append(QString::fromStdString(name));
    table_->setColumnCount(static_cast<int>(names.size()));
    table_->setHeaderLabels(names);
    for (int i = 1; i < names.size(); ++i)
        table_->headerItem()->setTextAlignment(i, Qt::AlignRight | Qt::AlignVCenter);
    for (const MemoryTable::Section& section : table.sections) {
        auto* head = new QTreeWidgetItem(table_, {QString::fromStdString(section.title)});
        QFont bold = table_->font();
        bold.setWeight(QFont::DemiBold);
        head->setFont(0, bold);
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
}

}  // namespace headroom
