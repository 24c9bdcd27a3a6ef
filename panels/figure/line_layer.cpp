#include "panels/figure/line_layer.h"

#include <QElapsedTimer>
#include <cmath>
#include <utility>

namespace headroom {
namespace {

QImage image_of(const LinePicture& picture) {
    return {reinterpret_cast<const uchar*>(picture.pixels.data()), picture.full_width(),
            picture.full_height(), picture.full_width() * 4, QImage::Format_ARGB32_Premultiplied};
}

/// Without the margins.
QImage frame_of(const LinePicture& picture) {
    const int first = picture.above * picture.full_width() + picture.beside;
    return {reinterpret_cast<const uchar*>(picture.pixels.data() + first), picture.width,
            picture.height, picture.full_width() * 4, QImage::Format_ARGB32_Premultiplied};
}

/// Where `range` lies along an axis that shows `shown`, from 0 to 1.
Range place_of(Range range, Range shown, AxisScale scale) {
    return {place_on(shown, scale, range.lower), place_on(shown, scale, range.upper)};
}

/// One axis of a picture that is drawn elsewhere: from these pixels of it to those of the screen.
struct Moved {
    double from = 0, from_size = 0, to = 0, to_size = 0;
};

/// Of a picture whose frame, `pixels` long between margins, has come to lie from `first` to `last`;
/// the part that is inside [0, size]. A mere shift is one by whole pixels, which keeps it sharp.
std::optional<Moved> moved(double first, double last, int pixels, int margin, int size) {
    const double scale = (last - first) / pixels;
    if (!std::isfinite(scale) || !(scale > 0)) return std::nullopt;
    const bool shift = std::fabs(scale - 1) * pixels < 0.25;
    if (shift) {
        const double at = std::round(first) - margin;
        const double from = std::max(0.0, -at);
        const double length = std::min<double>(pixels + 2.0 * margin, size - at) - from;
        if (!(length > 0)) return std::nullopt;
        return Moved{from, length, at + from, length};
    }
    const double at = first - scale * margin;
    const double from = std::max(0.0, -at / scale);
    const double length = std::min<double>(pixels + 2.0 * margin, (size - at) / scale) - from;
    if (!(length > 0)) return std::nullopt;
    return Moved{from, length, at + scale * from, scale * length};
}

}  // namespace

LineLayer::LineLayer(QCustomPlot& plot)
    : QCPLayerable(&plot, "main"),
      before_(connect(&plot, &QCustomPlot::beforeReplot, this, [this] { replotting_ = true; })),
      after_(connect(&plot, &QCustomPlot::afterReplot, this, [this] { replotting_ = false; })) {}

LineLayer::~LineLayer() {
    painter_.reset();  // its thread ends before what it delivers to
}

void LineLayer::stand_in(LineScene scene) {
    scene_ = std::move(scene);
}

void LineLayer::rest() {
    scene_.reset();
    wished_.reset();
    painted_.reset();
    exact_ = true;
}

QRect LineLayer::clipRect() const {
    return mParentPlot->axisRect()->rect();
}

LineLayer::PaintedPointer LineLayer::paint(const Wish& wish) {
    QElapsedTimer timer;
    timer.start();
    LinePicture picture = paint_lines(wish.scene, wish.width, wish.height, wish.ratio);
    const double took_ms = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
    return std::make_shared<const Painted>(Painted{wish, std::move(picture), took_ms});
}

void LineLayer::draw(QCPPainter* painter) {
    if (!scene_) return;
    const QRect area = mParentPlot->axisRect()->rect();
    const double ratio = mParentPlot->bufferDevicePixelRatio();
    const Wish wish{*scene_, qRound(area.width() * ratio), qRound(area.height() * ratio), ratio};
    if (wish.width < 1 || wish.height < 1) return;
    wished_ = wish;
    exact_ = painted_ && painted_->wish == wish;
    if (!exact_ && (!replotting_ || !painted_ || !draw_moved(*painter, wish))) {
        take(paint(wish));
        exact_ = true;
    }
    if (!painted_) return;
    if (exact_)
        draw_exactly(*painter, *painted_);
    else
        ask(wish);
}

void LineLayer::ask(const Wish& wish) {
    if (asked_ == wish) return;
    asked_ = wish;
    if (!painter_)
        painter_ = std::make_unique<LatestTask<Wish, PaintedPointer>>(
            &LineLayer::paint, [this](const PaintedPointer& painted) {
                QMetaObject::invokeMethod(
                    this, [this, painted] { take(painted); }, Qt::QueuedConnection);
            });
    painter_->request(wish);
}

/// A picture of what was seen a moment ago is there for the next frame of the movement.
void LineLayer::take(PaintedPointer painted) {
    if (asked_ == painted->wish) asked_.reset();
    if (!wished_) return;
    const bool exact = *wished_ == painted->wish;
    if (painted->picture.many)
        painted_ = std::move(painted);
    else if (exact)
        rest();
    if (exact) mParentPlot->replot(QCustomPlot::rpQueuedReplot);
}

void LineLayer::draw_exactly(QCPPainter& painter, const Painted& painted) const {
    const LinePicture& picture = painted.picture;
    if (!picture.many) return;
    QImage image = frame_of(picture);
    image.setDevicePixelRatio(painted.wish.ratio);
    painter.drawImage(QPointF(mParentPlot->axisRect()->rect().topLeft()), image);
}

/// False where the picture is of other axes.
bool LineLayer::draw_moved(QCPPainter& painter, const Wish& wish) const {
    const LinePicture& picture = painted_->picture;
    const Frame &was = picture.frame, &now = wish.scene.frame;
    if (was.x_scale != now.x_scale || was.y_scale != now.y_scale) return false;
    if (painted_->wish.ratio != wish.ratio) return false;
    const Range x = place_of(was.x, now.x, now.x_scale), y = place_of(was.y, now.y, now.y_scale);
    const auto across = moved(wish.width * x.lower, wish.width * x.upper, picture.width,
                              picture.beside, wish.width);
    const auto down = moved(wish.height * (1 - y.upper), wish.height * (1 - y.lower),
                            picture.height, picture.above, wish.height);
    if (!across || !down) return true;  // all of it is out of sight
    const QPointF corner = mParentPlot->axisRect()->rect().topLeft();
    const double ratio = wish.ratio;
    const QRectF to(corner.x() + across->to / ratio, corner.y() + down->to / ratio,
                    across->to_size / ratio, down->to_size / ratio);
    painter.drawImage(to, image_of(picture),
                      QRectF(across->from, down->from, across->from_size, down->from_size));
    return true;
}

}  // namespace headroom
