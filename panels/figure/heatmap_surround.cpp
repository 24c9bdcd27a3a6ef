#include "panels/figure/heatmap_surround.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "panels/figure/heatmap_labels.h"
#include "panels/figure/ticks.h"

namespace headroom {
namespace {

constexpr double kNotePt = 7;
constexpr double kBarWidth = 11, kBarGap = 12, kSwatch = 9;

Ticks bar_ticks(const ColorScale& scale, double height) {
    const int target = std::max(4, static_cast<int>(height / 34));
    const Range range{scale.lower, scale.upper};
    if (scale.scale != ValueScale::kSymLog)
        return make_ticks(range,
                          scale.scale == ValueScale::kLog ? AxisScale::kLog : AxisScale::kLinear,
                          NumberFormat::kPlain, target);
    Ticks ticks;
    for (const double place : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        double value = scale.value_at(place);
        if (std::abs(value) < 1e-12 * (scale.upper - scale.lower)) value = 0;
        ticks.major.push_back(value);
        ticks.labels.push_back(QString::number(value, 'g', 2).toStdString());
    }
    return ticks;
}

bool has_legend(const HeatmapOddities& found) {
    return found.masked || found.nan || found.infinity;
}

}  // namespace

double room_above(const HeatmapFigure& figure) {
    return kMapBorder + (figure.title.empty() ? 0 : line_height(kHeatmapTitlePt, true) + 4);
}

double room_below(const HeatmapFigure& figure, double width) {
    double room = kMapBorder;
    if (has_legend(find_oddities(figure))) room += line_height(kNotePt) + 3;
    if (!figure.footnote.empty())
        room += wrapped_height(QString::fromStdString(figure.footnote), kNotePt,
                               width - 2 * kMapBorder) +
                3;
    return room;
}

double bar_room(const HeatmapFigure& figure) {
    constexpr double kUsualHeight = 150;
    double widest = 0;
    for (const std::string& label : bar_ticks(figure.scale, kUsualHeight).labels)
        widest = std::max(widest, text_width(QString::fromStdString(label), kHeatmapTickPt));
    const double label = figure.value_label.empty() ? 0 : line_height(kHeatmapLabelPt) + 2;
    return kBarGap + kBarWidth + kTickLength + kTickPad + widest + label;
}

void add_title(HeatmapLayout& layout, const HeatmapFigure& figure) {
    if (figure.title.empty()) return;
    layout.texts.push_back(
        {QString::fromStdString(figure.title),
         QRectF(0, kMapBorder, layout.size.width(), line_height(kHeatmapTitlePt, true)),
         Qt::AlignCenter, kHeatmapTitlePt, true});
}

void add_bar(HeatmapLayout& layout, const HeatmapFigure& figure, double left, double top,
             double height) {
    layout.bar = QRectF(left + kBarGap, top, kBarWidth, height);
    const Ticks ticks = bar_ticks(figure.scale, height);
    const double text = line_height(kHeatmapTickPt);
    double widest = 0;
    for (size_t i = 0; i < ticks.major.size(); ++i) {
        const double place = figure.scale.place(ticks.major[i]);
        if (place < -1e-9 || place > 1 + 1e-9) continue;
        const double y = layout.bar.bottom() - place * height;
        const double end = layout.bar.right() + kTickLength;
        const QString label = QString::fromStdString(ticks.labels[i]);
        widest = std::max(widest, text_width(label, kHeatmapTickPt));
        layout.ticks.push_back({{layout.bar.right(), y}, {end, y}});
        layout.texts.push_back({label, QRectF(end + kTickPad, y - text / 2, 200, text),
                                Qt::AlignLeft | Qt::AlignVCenter, kHeatmapTickPt});
    }
    if (figure.value_label.empty()) return;
    const double label = line_height(kHeatmapLabelPt);
    const QPointF centre(layout.bar.right() + kTickLength + kTickPad + widest + 2 + label / 2,
                         layout.bar.center().y());
    layout.texts.push_back({QString::fromStdString(figure.value_label),
                            QRectF(centre.x() - 150, centre.y() - label / 2, 300, label),
                            Qt::AlignCenter, kHeatmapLabelPt, false, false, true});
}

void add_below(HeatmapLayout& layout, const HeatmapFigure& figure, double top, bool dark) {
    const MapInks& inks = map_inks(dark);
    const double line = line_height(kNotePt);
    double x = kMapBorder;
    const auto add = [&](bool there, Rgb colour, const char* name) {
        if (!there) return;
        layout.swatches.push_back(
            {QRectF(x, top + (line - kSwatch) / 2, kSwatch, kSwatch), colour});
        x += kSwatch + 4;
        const double width = text_width(name, kNotePt) + 2;
        layout.texts.push_back(
            {name, QRectF(x, top, width, line), Qt::AlignLeft | Qt::AlignVCenter, kNotePt});
        x += width + 12;
    };
    const bool attention = std::any_of(
        figure.panels.begin(), figure.panels.end(),
        [](const HeatmapPanel& panel) { return panel.mask == HeatmapMask::kAboveDiagonal; });
    add(layout.oddities.masked, inks.mask, attention ? "masked" : "left out");
    add(layout.oddities.nan, inks.nan, "NaN");
    add(layout.oddities.infinity, inks.infinity, "infinite");
    if (has_legend(layout.oddities)) top += line + 3;
    if (figure.footnote.empty()) return;
    layout.texts.push_back(
        {QString::fromStdString(figure.footnote),
         QRectF(kMapBorder, top, layout.size.width() - 2 * kMapBorder, layout.size.height() - top),
         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, kNotePt, false, true});
}

}  // namespace headroom
