#include "panels/architecture/drawing_inks.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "panels/architecture/label_text.h"
#include "panels/base/theme.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

/// Type is set this much larger and scaled down: Qt knows whole pixels only.
constexpr double kTypeScale = 16;
constexpr double kTextDrop = 0.355;  ///< of the type size: from the middle of letters to their foot

QFont font_of(const LabelRun& run, const LabelStyle& style) {
    QFont font = figure_font(10, style.bold);
    const double share = run.place == LabelRun::kBase ? 1 : kSubscript;
    font.setPixelSize(static_cast<int>(std::lround(style.points * share * kTypeScale)));
    return font;
}

/// How far below the line a run stands, in type sizes.
double shift_of(const LabelRun& run) {
    if (run.place == LabelRun::kBelow) return 0.2;
    return run.place == LabelRun::kAbove ? -0.36 : 0;
}

}  // namespace

Rgb DrawingInks::colour(Ink ink) const {
    switch (ink) {
        case Ink::kQuery:
            return part_color(kQueryPart, dark_);
        case Ink::kKeys:
            return part_color(kKeyPart, dark_);
        case Ink::kValues:
            return part_color(kValuePart, dark_);
        case Ink::kLatent:
            return part_color(3, dark_);
        case Ink::kDense:
            return part_color(5, dark_);
        case Ink::kPlain:
            break;
    }
    return theme_.ink;
}

Rgb DrawingInks::tint(Rgb colour, double share) const {
    const auto mix = [&](uint8_t a, uint8_t b) {
        return static_cast<uint8_t>(std::lround(share * a + (1 - share) * b));
    };
    const Rgb& ground = theme_.ground;
    return {mix(colour.r, ground.r), mix(colour.g, ground.g), mix(colour.b, ground.b), 255};
}

Rgb DrawingInks::halo() const {
    return dark_ ? rgb(0x6b5a00) : rgb(0xffe680);
}

Rgb DrawingInks::held() const {
    return (dark_ ? dark_theme() : light_theme()).warning;
}

QPen DrawingInks::pen(Rgb colour, double width, bool dashed) {
    QPen pen(to_qcolor(colour), width);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setCapStyle(Qt::FlatCap);
    if (dashed) pen.setDashPattern({2.2, 1.8});
    return pen;
}

void paint_text(QPainter& painter, const std::string& label, DrawPoint at,
                const LabelStyle& style) {
    const std::vector<LabelRun> runs = split_label(label);
    const auto width_of = [&](const LabelRun& run) {
        return QFontMetricsF(font_of(run, style))
            .horizontalAdvance(QString::fromStdString(run.text));
    };
    double width = 0;
    for (const LabelRun& run : runs) width += width_of(run) / kTypeScale;
    const double squeeze = style.room > 0 && width > style.room ? style.room / width : 1;
    const double shown = width * squeeze;
    const double left = style.align == TextAlign::kLeft     ? at.x
                        : style.align == TextAlign::kCentre ? at.x - shown / 2
                                                            : at.x - shown;
    painter.save();
    painter.translate(left, at.y + style.points * kTextDrop * squeeze);
    painter.scale(squeeze / kTypeScale, squeeze / kTypeScale);
    painter.setPen(to_qcolor(style.colour));
    double x = 0;
    for (const LabelRun& run : runs) {
        painter.setFont(font_of(run, style));
        painter.drawText(QPointF(x, shift_of(run) * style.points * kTypeScale),
                         QString::fromStdString(run.text));
        x += width_of(run);
    }
    painter.restore();
}

}  // namespace headroom
