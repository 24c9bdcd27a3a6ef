#include "panels/figure/figure_export.h"

#include <QImage>
#include <algorithm>
#include <memory>

#include <qcustomplot.h>

#include "panels/figure/figure_csv.h"
#include "panels/figure/figure_renderer.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

/// 384 columns to the inch, fewer where very many curves would make a file that no journal takes;
/// never fewer than 38, which is less than two of the pen's widths.
double columns_per_pixel(const Figure& figure) {
    constexpr double kMost = 4, kLeast = 0.4, kMostPoints = 200'000, kPointsPerColumn = 4;
    const auto lines =
        std::count_if(figure.series.begin(), figure.series.end(),
                      [](const FigureSeries& series) { return series.visible && series.data; });
    const double columns =
        kMostPoints / kPointsPerColumn / static_cast<double>(std::max<long>(1, lines));
    return std::clamp(columns / (figure.width_in * kPixelsPerInch), kLeast, kMost);
}

QSize drawing_size(const Figure& figure) {
    return {qRound(figure.width_in * kPixelsPerInch), qRound(figure.height_in * kPixelsPerInch)};
}

/// One line on where the numbers come from, for the file's own description.
std::string description(const Figure& figure) {
    std::string text = "Drawn by headroom from the runs";
    for (const FigureSource& source : figure.sources) text += " " + source.run;
    return text;
}

/// A plot that is never shown, holding the figure.
struct OffscreenPlot {
    QCustomPlot plot;
    FigureRenderer renderer{plot};

    OffscreenPlot(const Figure& figure, bool dark) {
        const QSize size = drawing_size(figure);
        plot.setViewport(QRect(QPoint(0, 0), size));
        FigureLook look;
        look.dark = dark;
        look.columns_per_pixel = columns_per_pixel(figure);
        look.opaque = true;
        renderer.show(figure, look, size);
    }
};

void paint_vectors(QCPPainter& painter, const Figure& figure, bool dark) {
    OffscreenPlot drawing(figure, dark);
    const QSize size = drawing_size(figure);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    drawing.plot.toPainter(&painter, size.width(), size.height());
}

bool has_legend(const Figure& figure) {
    const auto entry = [](const FigureSeries& series) { return !series.legend.empty(); };
    return !figure.bars.empty() || !figure.keys.empty() ||
           std::any_of(figure.series.begin(), figure.series.end(), entry);
}

/// The start of the newest run: the file's date.
std::string newest_start(const Figure& figure) {
    std::string newest;
    for (const FigureSource& source : figure.sources) newest = std::max(newest, source.started);
    return newest;
}

}  // namespace

FigurePage make_page(Figure figure, bool dark) {
    FigurePage page;
    page.width_in = figure.width_in;
    page.height_in = figure.height_in;
    page.title = figure.title.empty() ? figure.y.label : figure.title;
    page.description = description(figure);
    page.date = newest_start(figure);
    const auto shared = std::make_shared<const Figure>(std::move(figure));
    page.paint = [shared, dark](QCPPainter& painter) { paint_vectors(painter, *shared, dark); };
    page.image = [shared, dark](double scale) {
        OffscreenPlot drawing(*shared, dark);
        const QSize size = drawing_size(*shared);
        return drawing.plot.toPixmap(size.width(), size.height(), scale).toImage();
    };
    page.csv = [shared] { return figure_csv(*shared); };
    page.has_legend = has_legend(*shared);
    page.shaped = [shared, dark](const PageShape& shape) {
        Figure again = *shared;
        again.width_in = shape.width_in;
        again.height_in = shape.height_in > 0
                              ? shape.height_in
                              : shape.width_in * shared->height_in / shared->width_in;
        if (!shape.title.empty()) again.title = shape.title;
        if (shape.legend) again.legend = *shape.legend;
        return make_page(std::move(again), dark);
    };
    return page;
}

std::string render_figure(const Figure& figure, FigureFormat format, bool dark) {
    return render_page(make_page(figure, dark), format);
}

}  // namespace headroom
