#include "panels/figure/qt_ink.h"

#include <QStringList>
#include <cmath>

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

/// A faint colour on a ground.
Rgb mixed(Rgb colour, Rgb ground) {
    const auto mix = [](uint8_t a, uint8_t b) {
        return static_cast<uint8_t>(std::lround(kFaintAlpha * a + (1 - kFaintAlpha) * b));
    };
    return {mix(colour.r, ground.r), mix(colour.g, ground.g), mix(colour.b, ground.b), 255};
}

}  // namespace

QFont figure_font(double points, bool bold) {
    QFont font;
    font.setFamilies({"Inter", "Liberation Sans", "Arial", "Helvetica", "DejaVu Sans"});
    font.setPixelSize(qRound(pixels(points)));
    font.setBold(bold);
    font.setHintingPreference(QFont::PreferNoHinting);
    // Shaping puts other glyphs for signs that stand beside digits, and a PDF does not say which
    // signs they are: "(%)", "= 0" and "−10" were copied out of it as "%", "0" and "10".
    font.setStyleStrategy(QFont::PreferNoShaping);
    return font;
}

QPen line_pen(const LineStyle& style, Rgb colour, const Rgb* ground) {
    if (style.faint && ground)
        colour = mixed(colour, *ground);
    else if (style.faint)
        colour = with_alpha(colour, kFaintAlpha);
    QPen pen(to_qcolor(colour), pixels(style.width_pt));
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap);
    const QVector<qreal> pattern = dash_pattern(style.dash);
    if (!pattern.isEmpty() && !style.faint) pen.setDashPattern(pattern);
    return pen;
}

}  // namespace headroom
