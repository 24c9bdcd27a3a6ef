#include "panels/experts/experts_panel.h"

#include <QComboBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "panels/figure/heatmap_page.h"
#include "panels/probe/heatmap_widget.h"
#include "panels/qt/flow_layout.h"
#include "panels/qt/labelled.h"

namespace headroom {

ExpertsPanel::ExpertsPanel(QWidget* parent)
    : QWidget(parent),
      map_(new QComboBox),
      export_(new QToolButton),
      controls_(make_controls()),
      maps_(new HeatmapWidget) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(controls_);
    column->addWidget(maps_, 1);
    connect(map_, &QComboBox::currentIndexChanged, this, [this] {
        redraw();
        emit settings_changed();
    });
    connect(export_, &QToolButton::clicked, this, &ExpertsPanel::export_asked);
    redraw();
}

QWidget* ExpertsPanel::make_controls() {
    map_->setObjectName("expertsMap");
    map_->addItem(tr("steps, by layer"), static_cast<int>(ExpertMap::kSteps));
    map_->addItem(tr("layers, at the last evaluation"), static_cast<int>(ExpertMap::kLayers));
    map_->setToolTip(
        tr("Over steps: a map for each layer of the focused run. By layers: a map for each of the "
           "reference and the selected runs"));
    export_->setObjectName("exportExperts");
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the maps to PDF, SVG, PNG or CSV"));
    auto* controls = new QWidget;
    auto* flow = new FlowLayout(controls, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{with_label(tr("Shares over"), map_, controls), export_})
        flow->addWidget(widget);
    return controls;
}

void ExpertsPanel::set_runs(RunPointer focused, std::vector<RunPointer> compared) {
    std::vector<RunPointer> one;
    if (focused != nullptr) one.push_back(std::move(focused));
    if (one == focused_ && compared == compared_) return;
    focused_ = std::move(one);
    compared_ = std::move(compared);
    redraw();
}

void ExpertsPanel::set_map(ExpertMap map) {
    map_->setCurrentIndex(map_->findData(static_cast<int>(map)));
}

ExpertMap ExpertsPanel::map() const {
    return static_cast<ExpertMap>(map_->currentData().toInt());
}

void ExpertsPanel::set_theme(const Theme& theme) {
    dark_ = theme.dark;
    maps_->show_figure(maps_->figure(), dark_);
}

const std::vector<RunPointer>& ExpertsPanel::runs() const {
    return map() == ExpertMap::kSteps ? focused_ : compared_;
}

bool ExpertsPanel::has_picture() const {
    return !maps_->figure().panels.empty();
}

FigurePage ExpertsPanel::page() const {
    return heatmap_page(maps_->figure(), false);
}

void ExpertsPanel::redraw() {
    maps_->show_figure(build_experts(runs(), map()), dark_);
    export_->setEnabled(has_picture());
    emit shown();
}

}  // namespace headroom
