#include "panels/figure/marker.h"

#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

struct MarkerShape {
    QCPScatterStyle::ScatterShape shape;
    double size;  ///< in pixels; chosen so that all weigh about the same
};

MarkerShape shape_of(Marker marker) {
    switch (marker) {
        case Marker::kNone:
            return {QCPScatterStyle::ssCircle, 5};
        case Marker::kCircle:
            return {QCPScatterStyle::ssCircle, 6.5};
        case Marker::kSquare:
            return {QCPScatterStyle::ssSquare, 6};
        case Marker::kTriangle:
            return {QCPScatterStyle::ssTriangle, 7.5};
        case Marker::kDiamond:
            return {QCPScatterStyle::ssDiamond, 7.5};
        case Marker::kTriangleDown:
            return {QCPScatterStyle::ssTriangleInverted, 7.5};
        case Marker::kCross:
            return {QCPScatterStyle::ssCross, 6.5};
        case Marker::kPlus:
            return {QCPScatterStyle::ssPlus, 8};
    }
    return {QCPScatterStyle::ssCircle, 6};
}

}  // namespace

QCPScatterStyle marker_style(const LineStyle& style, Rgb colour, Rgb ground) {
    const MarkerShape shape = shape_of(style.marker);
    const bool strokes =
        style.hollow || style.marker == Marker::kCross || style.marker == Marker::kPlus;
    const QPen pen =
        strokes ? QPen(to_qcolor(colour), pixels(1.3)) : QPen(to_qcolor(ground), pixels(0.6));
    return {shape.shape, pen, QBrush(to_qcolor(style.hollow ? ground : colour)), shape.size};
}

}  // namespace headroom
