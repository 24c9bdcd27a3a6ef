#include "panels/figures/page_preview.h"

#include <QLabel>
#include <QWheelEvent>
#include <algorithm>

namespace headroom {
namespace {

constexpr int kMargin = 24;
constexpr double kLeastZoom = 0.25, kMostZoom = 4;

}  // namespace

PagePreview::PagePreview() : label_(new QLabel) {
    setObjectName("pagePreview");
    setAlignment(Qt::AlignCenter);
    setWidget(label_);
    setAccessibleName(tr("Page of the figure"));
    label_->setAlignment(Qt::AlignCenter);
    label_->setWordWrap(true);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
}

void PagePreview::set_page(const QImage& page, double dots_per_inch) {
    page_ = page;
    dots_per_inch_ = dots_per_inch;
    show_page();
}

void PagePreview::set_message(const QString& text) {
    page_ = {};
    label_->setPixmap({});
    label_->setText(text);
    label_->resize(std::max(200, viewport()->width() - 2 * kMargin), 120);
}

void PagePreview::set_zoom(double zoom) {
    zoom = zoom <= 0 ? 0 : std::clamp(zoom, kLeastZoom, kMostZoom);
    if (zoom == zoom_) return;
    zoom_ = zoom;
    show_page();
    emit zoom_changed(zoom_);
}

QSize PagePreview::page_size() const {
    return page_.isNull() ? QSize() : label_->size();
}

QString PagePreview::message() const {
    return page_.isNull() ? label_->text() : QString();
}

void PagePreview::show_page() {
    if (page_.isNull()) return;
    const QSizeF inches = QSizeF(page_.size()) / dots_per_inch_;
    QSizeF size = inches * logicalDpiX() * (zoom_ > 0 ? zoom_ : 1);
    if (zoom_ <= 0) size.scale(viewport()->size() - QSize(kMargin, kMargin), Qt::KeepAspectRatio);
    const double ratio = devicePixelRatioF();
    QImage scaled =
        page_.scaled((size * ratio).toSize(), Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    scaled.setDevicePixelRatio(ratio);
    label_->setPixmap(QPixmap::fromImage(scaled));
    label_->resize(size.toSize());
}

void PagePreview::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    if (page_.isNull())
        set_message(label_->text());
    else if (zoom_ <= 0)
        show_page();
}

void PagePreview::wheelEvent(QWheelEvent* event) {
    if (!(event->modifiers() & Qt::ControlModifier)) return QScrollArea::wheelEvent(event);
    const double now = zoom_ > 0 ? zoom_ : 1;
    set_zoom(now * (event->angleDelta().y() > 0 ? 1.25 : 0.8));
    event->accept();
}

}  // namespace headroom
