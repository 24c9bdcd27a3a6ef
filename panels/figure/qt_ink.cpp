#include "panels/figure/qt_ink.h"

#include <QStringList>

namespace headroom {
namespace {

constexpr double kFaintAlpha = 0.28;

/// Lengths of strokes and gaps in multiples of the pen's width.
QVector<qreal> dash_pattern(LineDash dash) {
    switch (dash) {
        case LineDash::kSolid:
            return {};
        case LineDash::kDash:
            return {5, 2.5};
        case LineDash::kDot:
            return {1.2, 2.2};
        case LineDash::kDashDot:
            return {6, 2.2, 1.2, 2.2};
        case LineDash::kLongDash:
            return {10, 3};
        case LineDash::kDashDotDot:
            return {7, 2, 1.2, 2, 1.2, 2};
    }
    return {};
}

}  // namespace

QFont figure_font(double points, bool bold) {
    QFont font;
    font.setFamilies({"Inter", "Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"});
    font.setPixelSize(qRound(pixels(points)));
    font.setBold(bold);
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

QPen line_pen(const LineStyle& style, Rgb colour) {
    if (style.faint) colour = with_alpha(colour, kFaintAlpha);
    QPen pen(to_qcolor(colour), pixels(style.width_pt));
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap);
    const QVector<qreal> pattern = dash_pattern(style.dash);
    if (!pattern.isEmpty() && !style.faint) pen.setDashPattern(pattern);
    return pen;
}

}  // namespace headroom
