#include "panels/figure/panel_page.h"

#include <QImage>
#include <QPointF>
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <qcustomplot.h>

#include "core/base/error.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

constexpr double kLetterPt = 9.5, kTitleIn = 0.25;

struct PlacedPanel {
    FigurePage page;
    std::string letter;  ///< "(a)"
    QPointF corner;      ///< of its picture, pixels of 1/96 inch
};

struct PanelSheet {
    std::vector<PlacedPanel> panels;
    PanelGrid grid;
    QSizeF size;  ///< pixels
};

double title_height(const PanelGrid& grid) {
    return grid.title.empty() ? 0 : kTitleIn;
}

PanelSheet placed(std::vector<FigurePage> pages, const PanelGrid& grid) {
    CHECK(!pages.empty() && pages.size() <= 26, "a page has a panel for each of its letters");
    const auto columns = static_cast<size_t>(grid.columns);
    PanelSheet sheet{{}, grid, {}};
    double top = title_height(grid);
    for (size_t first = 0; first < pages.size(); first += columns) {
        double highest = 0;
        for (size_t i = first; i < std::min(first + columns, pages.size()); ++i) {
            const double left =
                static_cast<double>(i - first) * (panel_width_in(grid) + kPanelGapIn);
            highest = std::max(highest, pages[i].height_in);
            sheet.panels.push_back({std::move(pages[i]),
                                    fmt::format("({})", static_cast<char>('a' + i)),
                                    QPointF(left, top + kPanelLetterIn) * kPixelsPerInch});
        }
        top += kPanelLetterIn + highest;
    }
    sheet.size = QSizeF(grid.width_in, top) * kPixelsPerInch;
    return sheet;
}

/// Everything but the panels themselves.
void paint_frame(QPainter& painter, const PanelSheet& sheet) {
    const FigureTheme& theme = figure_theme(sheet.grid.dark);
    painter.fillRect(QRectF(QPointF(0, 0), sheet.size), to_qcolor(theme.ground));
    painter.setPen(to_qcolor(theme.ink));
    painter.setFont(figure_font(kLetterPt, true));
    painter.drawText(QRectF(0, 4, sheet.size.width(), kTitleIn * kPixelsPerInch),
                     Qt::AlignHCenter | Qt::AlignTop, QString::fromStdString(sheet.grid.title));
    for (const PlacedPanel& panel : sheet.panels)
        painter.drawText(panel.corner - QPointF(-2, 3), QString::fromStdString(panel.letter));
}

void paint_sheet(QCPPainter& painter, const PanelSheet& sheet) {
    paint_frame(painter, sheet);
    for (const PlacedPanel& panel : sheet.panels) {
        painter.save();
        painter.translate(panel.corner);
        panel.page.paint(painter);
        painter.restore();
    }
}

QImage image_of(const PanelSheet& sheet, double scale) {
    QImage image((sheet.size * scale).toSize(), QImage::Format_RGB32);
    QPainter painter(&image);
    painter.save();
    painter.scale(scale, scale);
    paint_frame(painter, sheet);
    painter.restore();
    for (const PlacedPanel& panel : sheet.panels) {
        QImage picture = panel.page.image(scale);
        picture.setDevicePixelRatio(1);
        painter.drawImage((panel.corner * scale).toPoint(), picture);
    }
    painter.end();
    return image;
}

std::string csv_of(const PanelSheet& sheet) {
    std::string csv;
    for (const PlacedPanel& panel : sheet.panels)
        csv += fmt::format("{}# panel {}\n{}", csv.empty() ? "" : "\n", panel.letter,
                           panel.page.csv());
    return csv;
}

}  // namespace

double panel_width_in(const PanelGrid& grid) {
    CHECK(grid.columns > 0, "panels stand in columns");
    return (grid.width_in - kPanelGapIn * (grid.columns - 1)) / grid.columns;
}

double panel_height_in(const PanelGrid& grid, int rows, double height_in) {
    return (height_in - title_height(grid)) / rows - kPanelLetterIn;
}

FigurePage panel_page(std::vector<FigurePage> panels, const PanelGrid& grid) {
    const auto sheet = std::make_shared<const PanelSheet>(placed(std::move(panels), grid));
    FigurePage page;
    page.width_in = sheet->size.width() / kPixelsPerInch;
    page.height_in = sheet->size.height() / kPixelsPerInch;
    page.title = grid.title;
    for (const PlacedPanel& panel : sheet->panels) {
        page.date = std::max(page.date, panel.page.date);
        if (grid.title.empty())
            page.title += fmt::format("{}{} {}", page.title.empty() ? "" : "; ", panel.letter,
                                      panel.page.title);
        page.description += fmt::format("{}{} {}", page.description.empty() ? "" : "; ",
                                        panel.letter, panel.page.description);
    }
    page.paint = [sheet](QCPPainter& painter) { paint_sheet(painter, *sheet); };
    page.image = [sheet](double scale) { return image_of(*sheet, scale); };
    page.csv = [sheet] { return csv_of(*sheet); };
    return page;
}

}  // namespace headroom
