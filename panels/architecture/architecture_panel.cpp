#include "panels/architecture/architecture_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <limits>

#include "panels/architecture/architecture_layout.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/qt/flow_layout.h"

namespace headroom {
namespace {

constexpr int kAsFits = -1;

}  // namespace

ArchitecturePanel::ArchitecturePanel(QWidget* parent)
    : QWidget(parent),
      detail_(new QComboBox),
      all_layers_(new QCheckBox(tr("All layers"))),
      export_(new QToolButton),
      canvas_(new DrawingCanvas) {
    detail_->setObjectName("detail");
    detail_->setToolTip(
        tr("The layers whose block is shown in detail; a click on a layer in the "
           "picture chooses it"));
    detail_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    all_layers_->setObjectName("allLayers");
    all_layers_->setToolTip(tr("Draw layers that repeat their neighbours one by one"));
    export_->setObjectName("exportArchitecture");
    export_->setText(tr("Export…"));
    export_->setToolTip(tr("Write the picture to PDF, SVG, PNG or CSV"));
    auto* fit = new QToolButton;
    fit->setText(tr("Fit"));
    fit->setObjectName("fitArchitecture");
    fit->setToolTip(tr("Show the whole picture (double click in it)"));
    canvas_->setObjectName("architectureCanvas");
    canvas_->setAccessibleName(tr("Picture of the model"));

    auto* strip = new QWidget;
    auto* flow = new FlowLayout(strip, 6);
    flow->setContentsMargins(8, 4, 8, 4);
    auto* label = new QLabel(tr("In detail"));
    label->setBuddy(detail_);
    for (QWidget* widget :
         std::initializer_list<QWidget*>{label, detail_, all_layers_, fit, export_})
        flow->addWidget(widget);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(strip);
    column->addWidget(canvas_, 1);

    connect(detail_, &QComboBox::currentIndexChanged, this, &ArchitecturePanel::rebuild);
    connect(all_layers_, &QCheckBox::toggled, this, &ArchitecturePanel::rebuild);
    connect(fit, &QToolButton::clicked, canvas_, &DrawingCanvas::fit);
    connect(export_, &QToolButton::clicked, this, &ArchitecturePanel::export_asked);
    connect(canvas_, &DrawingCanvas::resized, this, &ArchitecturePanel::rebuild);
    connect(canvas_, &DrawingCanvas::stepped, this, [this](int by) {
        const int at = detail_->currentIndex() + by;
        if (at >= 0 && at < detail_->count()) detail_->setCurrentIndex(at);
    });
    connect(canvas_, &DrawingCanvas::layer_clicked, this, [this](int layer) {
        detail_->setCurrentIndex(detail_->findData(view_.layers[static_cast<size_t>(layer)].kind));
    });
    set_view({});
}

void ArchitecturePanel::set_view(ArchitectureView view) {
    view_ = std::move(view);
    fill_details();
    canvas_->fit();
    rebuild();
}

void ArchitecturePanel::set_empty_text(const QString& text) {
    canvas_->set_empty_text(text);
}

void ArchitecturePanel::set_theme(const Theme& theme) {
    canvas_->set_theme(theme);
}

void ArchitecturePanel::fill_details() {
    filling_ = true;
    detail_->clear();
    if (view_.kinds.size() > 1) detail_->addItem(tr("what fits"), kAsFits);
    for (int i = 0; i < std::ssize(view_.kinds); ++i)
        detail_->addItem(
            QString::fromStdString(name_layers(view_.kinds[static_cast<size_t>(i)].layers)), i);
    detail_->setEnabled(view_.kinds.size() > 1);
    all_layers_->setEnabled(!view_.empty());
    export_->setEnabled(!view_.empty());
    filling_ = false;
}

int ArchitecturePanel::most_rows() const {
    return all_layers_->isChecked() ? std::numeric_limits<int>::max()
                                    : rows_for_height(canvas_->height());
}

std::vector<int> ArchitecturePanel::shown_kinds() const {
    const int chosen = detail_->currentData().toInt();
    if (view_.kinds.size() < 2 || chosen != kAsFits) return {chosen};
    ArchitectureOptions options;
    options.most_rows = most_rows();
    return details_for_space(view_, options, canvas_->width(), canvas_->height());
}

void ArchitecturePanel::rebuild() {
    if (filling_) return;
    ArchitectureOptions options;
    options.title = true;
    options.most_rows = most_rows();
    if (!view_.empty()) options.details = shown_kinds();
    canvas_->show_drawing(lay_out_architecture(view_, options));
}

FigurePage ArchitecturePanel::page() const {
    ArchitecturePageOptions options;
    options.title = view_.title;
    options.most_rows = most_rows();
    options.details = shown_kinds();
    return architecture_page({view_}, options,
                             "Drawn by headroom from the configuration of " + view_.title);
}

}  // namespace headroom
