#include "panels/figure/legend_entry.h"

namespace headroom {

QSize LegendEntry::minimumOuterSizeHint() const {
    if (!size_) size_ = QCPPlottableLegendItem::minimumOuterSizeHint();
    return *size_;
}

void LegendEntry::draw(QCPPainter* painter) {
    if (!on_screen_) return QCPPlottableLegendItem::draw(painter);
    constexpr int kOverhang = 2;  // of letters and markers
    const QRect area = mRect.adjusted(-kOverhang, -kOverhang, kOverhang, kOverhang);
    const double ratio = mParentPlot->bufferDevicePixelRatio();
    if (picture_.size() != area.size() * ratio) {
        picture_ = QPixmap(area.size() * ratio);
        picture_.setDevicePixelRatio(ratio);
        picture_.fill(Qt::transparent);
        QCPPainter inside(&picture_);
        inside.setAntialiasing(painter->antialiasing());
        inside.translate(-area.topLeft());
        QCPPlottableLegendItem::draw(&inside);
    }
    painter->drawPixmap(area.topLeft(), picture_);
}

}  // namespace headroom
