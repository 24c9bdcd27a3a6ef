#include "panels/architecture/architecture_page.h"

#include <QImage>
#include <QPainter>
#include <algorithm>

#include <fmt/format.h>
#include <qcustomplot.h>

#include "core/base/error.h"
#include "panels/architecture/architecture_csv.h"
#include "panels/architecture/architecture_painter.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

constexpr double kPointsPerInch = 72;
constexpr double kDefaultWidthIn = 5.5;
constexpr double kBetweenPictures = 14, kPageBorder = 3, kTitleHeight = 14;
constexpr double kLargestScale = 1.4,
                 kSmallestScale = 0.4;  ///< scale: 6.6 pt type becomes 9.2 and 2.6

std::vector<DrawingLayout> lay_out_all(const std::vector<ArchitectureView>& views,
                                       const ArchitecturePageOptions& options) {
    const double width = options.width_in.value_or(kDefaultWidthIn) * kPointsPerInch;
    std::vector<DrawingLayout> pictures;
    for (const ArchitectureView& view : views) {
        ArchitectureOptions one;
        one.most_rows = options.most_rows;
        one.title = views.size() > 1;
        one.note = options.notes;
        if (!options.details.empty())
            one.details = options.details;
        else if (options.layer && *options.layer < std::ssize(view.layers))
            one.details = {view.layers[static_cast<size_t>(*options.layer)].kind};
        else
            one.details = details_for_width(view, width / static_cast<double>(views.size()));
        if (options.mark_differences && views.size() == 2) {
            one.details.clear();
            ComparedLayouts both = lay_out_compared(views[0], views[1], one);
            return {std::move(both.model), std::move(both.baseline)};
        }
        pictures.push_back(lay_out_architecture(view, one));
    }
    return pictures;
}

/// All pictures and the title as one drawing.
DrawingLayout arrange(std::vector<DrawingLayout> pictures, const std::string& title) {
    DrawingLayout page;
    const double top = title.empty() ? 0 : kTitleHeight;
    double x = kPageBorder;
    for (DrawingLayout& picture : pictures) {
        const double width = picture.width;
        page.height = std::max(page.height, picture.height + top);
        append(page, std::move(picture), x, kPageBorder + top);
        x += width + kBetweenPictures;
    }
    page.width = x - kBetweenPictures + kPageBorder;
    page.height += 2 * kPageBorder;
    if (!title.empty())
        page.labels.push_back(
            {title, {page.width / 2, kPageBorder + 6}, 8.5, TextAlign::kCentre, Ink::kPlain, true});
    return page;
}

void paint_page(QPainter& painter, const DrawingLayout& drawing, QSizeF size, double scale,
                bool dark) {
    painter.fillRect(QRectF(QPointF(0, 0), size), to_qcolor(figure_theme(dark).ground));
    const double unit = pixels(scale);
    painter.translate((size.width() - drawing.width * unit) / 2,
                      (size.height() - drawing.height * unit) / 2);
    paint_drawing(painter, drawing, dark, unit);
}

}  // namespace

FigurePage architecture_page(const std::vector<ArchitectureView>& views,
                             const ArchitecturePageOptions& options,
                             const std::string& description) {
    const auto drawing =
        std::make_shared<const DrawingLayout>(arrange(lay_out_all(views, options), options.title));
    const double natural_width = drawing->width / kPointsPerInch,
                 natural_height = drawing->height / kPointsPerInch;
    double scale =
        std::min(options.width_in.value_or(natural_width) / natural_width, kLargestScale);
    if (options.height_in) scale = std::min(scale, *options.height_in / natural_height);
    if (scale < kSmallestScale)
        throw UserError(fmt::format("the picture needs {:.1f} x {:.1f} inches to be read",
                                    natural_width, natural_height),
                        "give a larger --width or --height, or fewer models");
    FigurePage page;
    page.width_in = options.width_in.value_or(natural_width * scale);
    page.height_in = options.height_in.value_or(natural_height * scale);
    page.title = options.title.empty() ? views.front().title : options.title;
    page.description = description;
    const QSizeF size(page.width_in * kPixelsPerInch, page.height_in * kPixelsPerInch);
    const bool dark = options.dark;
    page.paint = [drawing, size, scale, dark](QCPPainter& painter) {
        paint_page(painter, *drawing, size, scale, dark);
    };
    page.image = [drawing, size, scale, dark](double dots) {
        QImage image((size * dots).toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        painter.scale(dots, dots);
        paint_page(painter, *drawing, size, scale, dark);
        painter.end();
        return image;
    };
    page.csv = [views] { return architecture_csv(views); };
    return page;
}

}  // namespace headroom
