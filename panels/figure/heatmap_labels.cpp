#include "panels/figure/heatmap_labels.h"

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

std::vector<QString> numbers(int64_t count) {
    std::vector<QString> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(QString::number(i));
    return all;
}

/// The least of 1, 2, 5, 10, 20, … that puts labels `room` pixels apart.
int64_t label_step(double cell, double room) {
    for (int64_t decade = 1;; decade *= 10)
        for (const int64_t step : {decade, 2 * decade, 5 * decade})
            if (static_cast<double>(step) * cell >= room || step > 100000) return step;
}

}  // namespace

double text_width(const QString& text, double points) {
    return QFontMetricsF(figure_font(points)).horizontalAdvance(text);
}

double line_height(double points, bool bold) {
    return std::ceil(QFontMetricsF(figure_font(points, bold)).height());
}

double wrapped_height(const QString& text, double points, double width) {
    const QRectF room(0, 0, width, 1e6);
    return QFontMetricsF(figure_font(points))
        .boundingRect(room, Qt::AlignLeft | Qt::TextWordWrap, text)
        .height();
}

double AxisLabels::widest() const {
    double width = 0;
    for (size_t i = 0; i < all.size(); i += static_cast<size_t>(step))
        width = std::max(width, text_width(all[i], kHeatmapTickPt));
    return width;
}

AxisLabels axis_labels(const HeatmapAxis& axis, int64_t count, double cell, bool columns) {
    CHECK(axis.names.empty() || std::cmp_equal(axis.names.size(), count), "a name for each place");
    AxisLabels labels{numbers(count)};
    if (!axis.names.empty()) {
        labels.all.clear();
        for (const std::string& name : axis.names)
            labels.all.push_back(QString::fromStdString(name));
    }
    const double height = line_height(kHeatmapTickPt);
    labels.turned = columns && (axis.texts || axis.turned);
    const auto room = [&] { return columns && !labels.turned ? labels.widest() + 5 : height - 1; };
    labels.step = label_step(cell, room());
    if (labels.step == 1 || !axis.texts) return labels;
    // A text out of its row says where it stands, too.
    for (size_t i = 0; i < labels.all.size(); ++i)
        labels.all[i] = QString("%1 %2").arg(i).arg(labels.all[i]);
    labels.step = label_step(cell, room());
    return labels;
}

}  // namespace headroom
