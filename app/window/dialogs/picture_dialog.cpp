#include "app/window/dialogs/picture_dialog.h"

#include <QComboBox>
#include <QDir>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/dialogs/page_dialog.h"
#include "core/config/architectures.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/qt/qt_theme.h"

namespace headroom {

PictureDialog::PictureDialog(QWidget* parent)
    : QDialog(parent), variant_(new QComboBox), panel_(new ArchitecturePanel) {
    setWindowTitle(tr("Architecture of the new runs"));
    setObjectName("pictureDialog");
    resize(620, 700);
    variant_->setObjectName("pictureVariant");
    panel_->canvas()->set_empty_text(tr("Nothing to draw yet: the form has a mistake."));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(variant_);
    layout->addWidget(panel_, 1);
    connect(variant_, &QComboBox::currentIndexChanged, this, &PictureDialog::show_variant);
    connect(panel_, &ArchitecturePanel::export_asked, this, &PictureDialog::export_picture);
}

void PictureDialog::set_runs(const std::vector<LaunchRun>& runs) {
    if (runs.empty()) return;
    const std::string chosen = variant_->currentIndex() < 0
                                   ? ""
                                   : shown_[static_cast<size_t>(variant_->currentIndex())].variant;
    shown_.clear();
    for (const LaunchRun& run : runs)
        if (shown_.empty() || shown_.back().variant != run.variant) shown_.push_back(run);
    const QSignalBlocker blocker(variant_);
    variant_->clear();
    int at = 0;
    for (const LaunchRun& run : shown_) {
        if (run.variant == chosen) at = variant_->count();
        const ArchitecturePreset* preset = find_architecture(run.variant);
        variant_->addItem(QString::fromStdString(preset ? preset->title : run.variant));
    }
    variant_->setCurrentIndex(at);
    show_variant();
}

void PictureDialog::show_variant() {
    const int at = variant_->currentIndex();
    if (at < 0) return;
    const LaunchRun& run = shown_[static_cast<size_t>(at)];
    panel_->set_theme(current_theme());
    const ArchitectureView& shown = panel_->view();
    ModelConfig model = run.job.model;
    if (model.vocab_size == 0) model.vocab_size = run.vocab_size;
    if (shown.title == run.variant && shown.model == model) return;  // keeps the zoom
    panel_->set_view(build_architecture(model, run.variant));
}

void PictureDialog::export_picture() {
    export_from_dialog(this, QDir::homePath(),
                       QString::fromStdString("architecture-" + panel_->view().title),
                       [this] { return panel_->page(); });
}

}  // namespace headroom
