#include "panels/figure/heatmap_page.h"

#include <QImage>
#include <QPainter>
#include <algorithm>
#include <cstddef>
#include <memory>

#include <fmt/format.h>
#include <qcustomplot.h>

#include "panels/figure/csv_text.h"
#include "panels/figure/heatmap_painter.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

std::string description(const HeatmapFigure& figure) {
    std::string text = "Drawn by headroom from probes of the runs";
    for (const FigureSource& source : figure.sources) text += " " + source.run;
    return text;
}

void paint(QPainter& painter, const HeatmapFigure& figure, QSizeF size, bool dark) {
    paint_heatmaps(painter, figure, lay_out_heatmaps(figure, size, dark), dark);
}

bool has_names(const HeatmapFigure& figure) {
    return std::any_of(figure.panels.begin(), figure.panels.end(), [](const HeatmapPanel& panel) {
        return !panel.row_axis.names.empty() || !panel.column_axis.names.empty();
    });
}

/// The two axes of a square map often have one label.
std::string column_header(const HeatmapAxis& rows, const HeatmapAxis& columns) {
    return columns.label == rows.label ? "other " + columns.label : columns.label;
}

}  // namespace

FigurePage heatmap_page(HeatmapFigure figure, bool dark) {
    if (figure.height_in == 0)
        figure.height_in =
            natural_heatmap_height(figure, figure.width_in * kPixelsPerInch) / kPixelsPerInch;
    FigurePage page;
    page.width_in = figure.width_in;
    page.height_in = figure.height_in;
    page.title = figure.title.empty() ? figure.value_label : figure.title;
    page.description = description(figure);
    for (const FigureSource& source : figure.sources)
        page.date = std::max(page.date, source.started);
    const QSizeF size(page.width_in * kPixelsPerInch, page.height_in * kPixelsPerInch);
    const auto shared = std::make_shared<const HeatmapFigure>(std::move(figure));
    page.paint = [shared, size, dark](QCPPainter& painter) { paint(painter, *shared, size, dark); };
    page.image = [shared, size, dark](double scale) {
        QImage image((size * scale).toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        painter.scale(scale, scale);
        paint(painter, *shared, size, dark);
        painter.end();
        return image;
    };
    page.csv = [shared] { return heatmap_csv(*shared); };
    page.shaped = [shared, dark](const PageShape& shape) {
        HeatmapFigure again = *shared;
        again.width_in = shape.width_in;
        again.height_in = shape.height_in;
        if (!shape.title.empty()) again.title = shape.title;
        return heatmap_page(std::move(again), dark);
    };
    return page;
}

std::string heatmap_csv(const HeatmapFigure& figure) {
    std::string out;
    append_csv_comment(out, "figure", figure.title);
    append_csv_comment(out, "value", figure.value_label);
    append_csv_comment(out, "note", figure.footnote);
    append_csv_sources(out, figure.sources);
    if (figure.panels.empty()) return out;
    const HeatmapAxis &rows = figure.panels[0].row_axis, &columns = figure.panels[0].column_axis;
    const bool names = has_names(figure);
    const std::string row = csv_quoted(rows.label);
    const std::string column = csv_quoted(column_header(rows, columns));
    out += fmt::format("map,{},{},{}{}\n", row, column,
                       names ? fmt::format("{},{},", csv_quoted(rows.label + " name"),
                                           csv_quoted(column_header(rows, columns) + " name"))
                             : "",
                       figure.value_column);
    for (const HeatmapPanel& panel : figure.panels)
        for (int64_t i = 0; i < panel.rows; ++i)
            for (int64_t j = 0; j < panel.columns; ++j) {
                if (panel.is_masked(i, j)) continue;
                out += fmt::format("{},{},{},", csv_quoted(panel.name), i, j);
                if (names)
                    out += csv_quoted(panel.row_axis.name_at(i)) + "," +
                           csv_quoted(panel.column_axis.name_at(j)) + ",";
                out += csv_number(panel.at(i, j)) + "\n";
            }
    return out;
}

}  // namespace headroom
