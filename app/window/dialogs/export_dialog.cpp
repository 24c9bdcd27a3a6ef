#include "app/window/dialogs/export_dialog.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/studio_store.h"
#include "core/study/figure_options.h"
#include "panels/figures/inches_box.h"
#include "panels/figures/page_preview.h"
#include "panels/figures/venues.h"

namespace headroom {
namespace {

constexpr double kPreviewDots = 192;

}  // namespace

ExportDialog::ExportDialog(FigurePage page, const QString& file, QWidget* parent)
    : QDialog(parent), page_(std::move(page)), made_(page_) {
    setObjectName("exportDialog");
    setWindowTitle(tr("Export"));
    make_fields(file);
    lay_out();
    recall();
    take_file();
    for (QDoubleSpinBox* box : {width_, height_, text_})
        connect(box, &QDoubleSpinBox::valueChanged, this, &ExportDialog::redraw);
    for (QComboBox* box : {legend_, resolution_})
        connect(box, &QComboBox::currentIndexChanged, this, &ExportDialog::redraw);
    connect(title_, &QLineEdit::textChanged, this, &ExportDialog::redraw);
    connect(venue_, &QComboBox::activated, this, [this] {
        if (venue_width(*venue_) >= 0) width_->setValue(venue_width(*venue_));
    });
    connect(format_, &QComboBox::activated, this, &ExportDialog::take_format);
    connect(file_, &QLineEdit::textChanged, this, &ExportDialog::take_file);
    redraw();
}

void ExportDialog::make_fields(const QString& file) {
    file_ = new QLineEdit(file);
    file_->setObjectName("exportFile");
    file_->setAccessibleName(tr("File"));
    title_ = new QLineEdit;
    title_->setObjectName("exportTitle");
    title_->setPlaceholderText(tr("as it is"));
    format_ = new QComboBox;
    format_->setObjectName("exportFormat");
    for (const char* ending : kFigureEndings) format_->addItem(QString(ending).toUpper());
    venue_ = new QComboBox;
    venue_->setObjectName("exportVenue");
    fill_venues(*venue_, tr("its own width"));
    width_ = new InchesBox(tr("Width"));
    width_->setObjectName("exportWidth");
    height_ = new InchesBox(tr("Height"));
    height_->setObjectName("exportHeight");
    text_ = new QDoubleSpinBox;
    text_->setObjectName("exportText");
    text_->setAccessibleName(tr("Text size"));
    text_->setRange(4, 24);
    text_->setDecimals(1);
    text_->setSingleStep(0.5);
    text_->setSuffix(tr(" pt"));
    text_->setKeyboardTracking(false);
    legend_ = new QComboBox;
    legend_->setObjectName("exportLegend");
    legend_->addItem(tr("as it is"));
    const std::pair<QString, LegendPlace> places[] = {
        {tr("where it hides least"), LegendPlace::kBest},
        {tr("below"), LegendPlace::kBelow},
        {tr("none"), LegendPlace::kNone}};
    for (const auto& [name, place] : places) legend_->addItem(name, static_cast<int>(place));
    resolution_ = new QComboBox;
    resolution_->setObjectName("exportResolution");
    for (const int dots : {192, 300, 600}) resolution_->addItem(tr("%1 dpi").arg(dots), dots);
    note_ = new QLabel;
    note_->setObjectName("exportNote");
    note_->setWordWrap(true);
    preview_ = new PagePreview;
    preview_->setMinimumSize(320, 260);
}

void ExportDialog::lay_out() {
    auto* size = new QHBoxLayout;
    size->addWidget(width_, 1);
    size->addWidget(new QLabel("×"));
    size->addWidget(height_, 1);
    auto* where = new QHBoxLayout;
    auto* other = new QPushButton(tr("Browse…"));
    other->setAutoDefault(false);
    where->addWidget(file_, 1);
    where->addWidget(other);
    connect(other, &QPushButton::clicked, this, &ExportDialog::browse);
    auto* form = new QFormLayout;
    form->addRow(tr("Format"), format_);
    form->addRow(tr("Fits"), venue_);
    form->addRow(tr("Size"), size);
    form->addRow(tr("Text"), text_);
    form->addRow(tr("Legend"), legend_);
    form->addRow(tr("Title"), title_);
    form->addRow(tr("Resolution"), resolution_);
    form->addRow(note_);
    auto* both = new QHBoxLayout;
    both->addWidget(preview_, 1);
    both->addLayout(form);
    auto* file = new QFormLayout;
    file->addRow(tr("File"), where);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    auto* save = buttons->addButton(tr("Export"), QDialogButtonBox::AcceptRole);
    save->setObjectName("exportSave");
    save->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &ExportDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &ExportDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addLayout(both, 1);
    column->addLayout(file);
    column->addWidget(buttons);
    resize(820, 480);
}

QString ExportDialog::file() const {
    const QString text = file_->text().trimmed();
    return text.isEmpty() || !ending().isEmpty() ? text : text + "." + kFigureEndings[0];
}

QString ExportDialog::ending() const {
    return QFileInfo(file_->text().trimmed()).suffix().toLower();
}

PageWishes ExportDialog::wishes() const {
    PageWishes wishes;
    wishes.shape.width_in = width_->value();
    wishes.shape.height_in = height_->value();
    wishes.shape.title = title_->text().trimmed().toStdString();
    if (page_.has_legend && legend_->currentIndex() > 0)
        wishes.shape.legend = static_cast<LegendPlace>(legend_->currentData().toInt());
    wishes.text_pt = text_->value();
    wishes.dots_per_inch = resolution_->currentData().toDouble();
    return wishes;
}

void ExportDialog::recall() {
    const StudioStore store;
    width_->setValue(store.value("export/width", 0).toDouble());
    text_->setValue(store.value("export/text", kPageTextPt).toDouble());
    const int legend = store.value("export/legend", 0).toInt();
    legend_->setCurrentIndex(legend >= 0 && legend < legend_->count() ? legend : 0);
    const int dots = resolution_->findData(store.value("export/dots", 300));
    resolution_->setCurrentIndex(dots >= 0 ? dots : 1);
}

void ExportDialog::keep() const {
    StudioStore store;
    store.setValue("export/width", width_->value());
    store.setValue("export/text", text_->value());
    store.setValue("export/legend", legend_->currentIndex());
    store.setValue("export/dots", resolution_->currentData());
}

void ExportDialog::take_format() {
    const QFileInfo now(file_->text().trimmed());
    const QString stem =
        now.suffix().isEmpty() ? now.filePath() : now.filePath().chopped(now.suffix().size() + 1);
    file_->setText(stem + "." + kFigureEndings[static_cast<size_t>(format_->currentIndex())]);
}

/// Data have no shape, and only a PNG has a resolution.
void ExportDialog::take_file() {
    if (const auto found = std::find(kFigureEndings.begin(), kFigureEndings.end(), ending());
        found != kFigureEndings.end())
        format_->setCurrentIndex(static_cast<int>(found - kFigureEndings.begin()));
    const bool picture = ending() != "csv";
    for (QWidget* each : std::initializer_list<QWidget*>{venue_, width_, height_})
        each->setEnabled(picture);
    for (QWidget* each : std::initializer_list<QWidget*>{text_, title_})
        each->setEnabled(picture && page_.shaped);
    legend_->setEnabled(picture && page_.has_legend);
    resolution_->setEnabled(ending() == "png");
}

void ExportDialog::browse() {
    const QString chosen = QFileDialog::getSaveFileName(
        this, tr("Export"), file(), tr("PDF (*.pdf);;SVG (*.svg);;PNG (*.png);;CSV (*.csv)"),
        nullptr, QFileDialog::DontConfirmOverwrite);
    if (!chosen.isEmpty()) file_->setText(chosen);
}

void ExportDialog::redraw() {
    show_venue(*venue_, width_->value());
    can_be_made_ = false;
    try {
        made_ = with_wishes(page_, wishes());
        preview_->set_page(made_.image(kPreviewDots / 96.0), kPreviewDots);
        note_->setText(
            tr("%1 × %2 in").arg(made_.width_in, 0, 'f', 2).arg(made_.height_in, 0, 'f', 2));
        can_be_made_ = true;
    } catch (const std::exception& error) {
        preview_->set_message(QString::fromUtf8(error.what()));
        note_->clear();
    }
}

void ExportDialog::accept() {
    if (file().isEmpty() || (!can_be_made_ && ending() != "csv")) return;
    const QFileInfo target(file());
    if (target.exists() &&
        QMessageBox::question(
            this, tr("Export"), tr("%1 is there already. Replace it?").arg(target.fileName()),
            QMessageBox::Yes | QMessageBox::No, QMessageBox::No) != QMessageBox::Yes)
        return;
    try {
        export_page(made_, file().toStdString());
    } catch (const std::exception& error) {  // for another try, with all that was chosen
        note_->setText(QString::fromUtf8(error.what()));
        file_->setFocus();
        return;
    }
    keep();
    QDialog::accept();
}

}  // namespace headroom
