#pragma once

#include <QString>
#include <cstdint>
#include <vector>

#include "panels/figure/heatmap.h"

namespace headroom {

/// Type sizes of heat map figures. All of this REQUIRES a QApplication.
inline constexpr double kHeatmapTickPt = 7, kHeatmapLabelPt = 8, kHeatmapTitlePt = 9.5;

double text_width(const QString& text, double points);
double line_height(double points, bool bold = false);
double wrapped_height(const QString& text, double points, double width);

/// What stands along an axis of a map: every `step`-th of `all`.
struct AxisLabels {
    std::vector<QString> all = {};
    int64_t step = 1;
    bool turned = false;  ///< those of columns read upwards

    double widest() const;
};

/// The labels that have room where a cell takes `cell` pixels. Names that are texts stand all, or
/// some with their numbers before them: "30 the".
AxisLabels axis_labels(const HeatmapAxis& axis, int64_t count, double cell, bool columns);

}  // namespace headroom
