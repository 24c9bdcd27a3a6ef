#include "panels/probe/similarity_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "core/base/error.h"
#include "core/probe/probe_file.h"
#include "panels/base/numbering.h"
#include "panels/figure/heatmap_page.h"
#include "panels/probe/heatmap_widget.h"
#include "panels/probe/probe_status_bar.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"

namespace headroom {

SimilarityPanel::SimilarityPanel(QWidget* parent)
    : QWidget(parent),
      what_(new QComboBox),
      tensor_(new QComboBox),
      layer_(new QSpinBox),
      diagonal_(new QCheckBox(tr("Diagonal"))),
      export_(new QToolButton),
      strip_(new ProbeStatusBar),
      maps_(new HeatmapWidget) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    controls_ = make_controls();
    column->addWidget(controls_);
    column->addWidget(strip_);
    column->addWidget(maps_, 1);
    fill_tensors();
    connect(what_, &QComboBox::currentIndexChanged, this, [this] {
        fill_tensors();
        ask();
    });
    connect(tensor_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::ask);
    connect(layer_, &QSpinBox::valueChanged, this, &SimilarityPanel::ask);
    connect(diagonal_, &QCheckBox::toggled, this, &SimilarityPanel::ask);
    connect(export_, &QToolButton::clicked, this, &SimilarityPanel::export_asked);
    connect(strip_, &ProbeStatusBar::probe_asked, this,
            [this] { emit probe_asked(ids_to_probe(found_)); });
    task_ = std::make_unique<LatestTask<Request, Answer>>(read, [this](Answer answer) {
        QMetaObject::invokeMethod(
            this, [this, answer = std::move(answer)] { take(answer); }, Qt::QueuedConnection);
    });
    ask();
}

SimilarityPanel::~SimilarityPanel() {
    task_.reset();  // before what it delivers to
}

QWidget* SimilarityPanel::make_controls() {
    what_->setObjectName("similarityWhat");
    what_->addItem(tr("heads"), static_cast<int>(SimilarityMap::kHeads));
    what_->addItem(tr("tokens"), static_cast<int>(SimilarityMap::kTokens));
    what_->addItem(tr("layers (CKA)"), static_cast<int>(SimilarityMap::kCka));
    what_->setToolTip(tr("Cosines between heads or between tokens; CKA between layers"));
    tensor_->setObjectName("similarityTensor");
    tensor_->setToolTip(tr("Which activations are compared"));
    layer_->setObjectName("similarityLayer");
    layer_->setAccessibleName(tr("Layer"));
    layer_->setRange(numbering_base() - 1, numbering_base());
    layer_->setSpecialValueText(tr("last layer"));
    layer_->setPrefix(tr("layer "));
    layer_->setValue(layer_->minimum());
    diagonal_->setObjectName("similarityDiagonal");
    diagonal_->setChecked(true);
    diagonal_->setToolTip(tr("Off: what is 1 by definition is left out of maps and colours"));
    export_->setObjectName("exportSimilarity");
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the maps to PDF, SVG, PNG or CSV"));
    auto* controls = new QWidget;
    auto* flow = new FlowLayout(controls, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget : std::initializer_list<QWidget*>{with_label(tr("Of"), what_, controls),
                                                           with_label(tr("by"), tensor_, controls),
                                                           layer_, diagonal_, export_})
        flow->addWidget(widget);
    return controls;
}

void SimilarityPanel::set_runs(const std::vector<ProbeableRun>& runs) {
    if (runs == runs_) return;
    runs_ = runs;
    ask();
}

void SimilarityPanel::set_work(int busy, const std::string& problem) {
    busy_ = busy;
    problem_ = problem;
    show_state();
}

void SimilarityPanel::refresh() {
    ask();
}

/// The same layer under its other number.
void SimilarityPanel::relabel() {
    const QSignalBlocker quiet(layer_);
    const int least = numbering_base() - 1, shift = least - layer_->minimum();
    const int most = layer_->maximum() + shift, value = layer_->value() + shift;
    layer_->setRange(least, most);
    layer_->setValue(value);
    ask();
}

void SimilarityPanel::set_theme(const Theme& theme) {
    dark_ = theme.dark;
    maps_->show_figure(maps_->figure(), dark_);
}

SimilaritySettings SimilarityPanel::settings() const {
    SimilaritySettings settings;
    settings.map = static_cast<SimilarityMap>(what_->currentData().toInt());
    settings.tensor = tensor_->currentText().toStdString();
    if (layer_->value() >= numbering_base()) settings.layer = layer_->value() - numbering_base();
    settings.diagonal = diagonal_->isChecked();
    return settings;
}

bool SimilarityPanel::has_picture() const {
    return export_->isEnabled();
}

FigurePage SimilarityPanel::page() const {
    return heatmap_page(maps_->figure(), false);
}

void SimilarityPanel::fill_tensors() {
    const QSignalBlocker quiet(tensor_);
    const auto map = static_cast<SimilarityMap>(what_->currentData().toInt());
    tensor_->clear();
    for (const std::string& tensor : similarity_tensors(map))
        tensor_->addItem(QString::fromStdString(tensor));
    tensor_->parentWidget()->setVisible(tensor_->count() > 0);  // with its label
    layer_->setVisible(tensor_->count() > 0);
}

void SimilarityPanel::ask() {
    if (task_) task_->request({runs_, settings()});
}

SimilarityPanel::Answer SimilarityPanel::read(const Request& request) {
    Answer answer;
    FoundProbes found = find_newest_probes(request.runs, "similarity");
    answer.found = found;
    try {
        for (const ProbeSource& source : found.sources)
            answer.layers =
                std::max(answer.layers, read_probe_header(ArrayFile(source.file)).model.n_layer);
        answer.figure = build_similarity(found.sources, request.settings);
    } catch (const std::exception& error) {
        answer.figure = {};
        answer.figure.empty_text = error.what();
    }
    return answer;
}

void SimilarityPanel::take(const Answer& answer) {
    found_ = answer.found;
    {
        const QSignalBlocker quiet(layer_);
        const int least = numbering_base() - 1;
        layer_->setRange(least, least + std::max(1, static_cast<int>(answer.layers)));
    }
    export_->setEnabled(!answer.figure.panels.empty());
    maps_->show_figure(answer.figure, dark_);
    show_state();
    emit shown();
}

void SimilarityPanel::show_state() {
    strip_->show_state("similarity", found_, busy_, problem_);
}

}  // namespace headroom
