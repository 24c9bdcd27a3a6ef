#include "panels/figure/line_layer.h"

#include "panels/figure/clip.h"

namespace headroom {

LineLayer::LineLayer(QCustomPlot& plot) : QCPLayerable(&plot, "main") {}

void LineLayer::draw(QCPPainter* painter) {
    const QRect area = mParentPlot->axisRect()->rect();
    const double ratio = mParentPlot->bufferDevicePixelRatio();
    const int width = qRound(area.width() * ratio), height = qRound(area.height() * ratio);
    if (lines_.empty() || width < 1 || height < 1) return;
    const QCPAxis &x = *mParentPlot->xAxis, &y = *mParentPlot->yAxis;
    const auto scale = [](const QCPAxis& axis) {
        return axis.scaleType() == QCPAxis::stLogarithmic ? AxisScale::kLog : AxisScale::kLinear;
    };
    const Frame frame{
        {x.range().lower, x.range().upper}, {y.range().lower, y.range().upper}, scale(x), scale(y)};
    LineRaster raster(width, height);
    std::vector<Point> placed;
    for (const LayerLine& line : lines_) {
        placed.clear();
        for (const Point& point : line.points)
            placed.push_back({width * place_on(frame.x, frame.x_scale, point.x),
                              height * (1 - place_on(frame.y, frame.y_scale, point.y))});
        RasterPen pen = line.pen;
        pen.width *= ratio;
        for (double& part : pen.dash) part *= ratio;
        raster.add(placed, pen);
    }
    const std::vector<uint32_t> rows = raster.rows();
    QImage picture(reinterpret_cast<const uchar*>(rows.data()), width, height, width * 4,
                   QImage::Format_ARGB32_Premultiplied);
    picture.setDevicePixelRatio(ratio);
    painter->drawImage(QPointF(area.topLeft()), picture);
}

}  // namespace headroom
