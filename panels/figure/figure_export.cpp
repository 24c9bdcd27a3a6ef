#include "panels/figure/figure_export.h"

#include <QBuffer>
#include <QFontInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <algorithm>
#include <cctype>

#include <qcustomplot.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "panels/figure/figure_csv.h"
#include "panels/figure/figure_renderer.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

constexpr double kPngScale = 2.0;
constexpr double kPrintColumnsPerPixel = 4.0;  // 384 columns to the inch

QSize drawing_size(const Figure& figure) {
    return {qRound(figure.width_in * kPixelsPerInch), qRound(figure.height_in * kPixelsPerInch)};
}

/// One line on where the numbers come from, for the file's own description.
QString description(const Figure& figure) {
    std::string text = "Drawn by headroom from the runs";
    for (const FigureSource& source : figure.sources) text += " " + source.run;
    return QString::fromStdString(text);
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
        look.columns_per_pixel = kPrintColumnsPerPixel;
        renderer.show(figure, look, size);
    }
};

void paint_vectors(QPaintDevice& device, const Figure& figure, bool dark) {
    OffscreenPlot drawing(figure, dark);
    const QSize size = drawing_size(figure);
    QCPPainter painter;
    painter.begin(&device);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    drawing.plot.toPainter(&painter, size.width(), size.height());
    painter.end();
}

/// Digits of the newest run's start, "20250131120000", or of a fixed day: the file's date.
QByteArray date_digits(const Figure& figure) {
    std::string newest;
    for (const FigureSource& source : figure.sources) newest = std::max(newest, source.started);
    QByteArray digits;
    for (const char c : newest.substr(0, 19))
        if (std::isdigit(static_cast<unsigned char>(c))) digits += c;
    return digits.size() == 14 ? digits : QByteArray("20000101000000");
}

/// Sets every date that Qt wrote to the figure's own; the length stays, so offsets stay true.
void fix_dates(QByteArray& pdf, const Figure& figure) {
    const QByteArray key = "/CreationDate (D:";
    for (qsizetype at = pdf.indexOf(key); at >= 0; at = pdf.indexOf(key, at + 1)) {
        const qsizetype end = pdf.indexOf(')', at);
        const qsizetype start = at + key.size();
        if (end < start + 14) continue;
        pdf.replace(start, 14, date_digits(figure));
        const qsizetype room = end - start - 14;
        const QByteArray zone = room == 1 ? QByteArray("Z") : QByteArray("+00'00'").left(room);
        pdf.replace(start + 14, zone.size(), zone);
    }
}

QByteArray to_pdf(const Figure& figure, bool dark) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(static_cast<int>(kPixelsPerInch));
    const QSizeF points(figure.width_in * 72, figure.height_in * 72);
    writer.setPageSize(QPageSize(points, QPageSize::Point, "figure", QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(QString::fromStdString(figure.title.empty() ? figure.y.label : figure.title));
    writer.setCreator(description(figure));
    paint_vectors(writer, figure, dark);
    QByteArray pdf = buffer.data();
    fix_dates(pdf, figure);
    return pdf;
}

QByteArray to_svg(const Figure& figure, bool dark) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(kPixelsPerInch));
    generator.setSize(drawing_size(figure));
    generator.setViewBox(QRect(QPoint(0, 0), drawing_size(figure)));
    generator.setTitle(QString::fromStdString(figure.title));
    generator.setDescription(description(figure));
    paint_vectors(generator, figure, dark);
    // Text stays text: where the type face is missing, one of like width takes its place.
    const QString family = QFontInfo(figure_font(8)).family();
    QByteArray svg = buffer.data();
    svg.replace(QString("font-family=\"%1\"").arg(family).toUtf8(),
                QString("font-family=\"%1, Helvetica, Arial, sans-serif\"").arg(family).toUtf8());
    return svg;
}

QByteArray to_png(const Figure& figure, bool dark) {
    OffscreenPlot drawing(figure, dark);
    const QSize size = drawing_size(figure);
    QImage image = drawing.plot.toPixmap(size.width(), size.height(), kPngScale).toImage();
    const int dots_per_meter = qRound(kPngScale * kPixelsPerInch / 0.0254);
    image.setDotsPerMeterX(dots_per_meter);
    image.setDotsPerMeterY(dots_per_meter);
    image.setText("Description", description(figure));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

FigureFormat figure_format(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (ending == ".pdf") return FigureFormat::kPdf;
    if (ending == ".svg") return FigureFormat::kSvg;
    if (ending == ".png") return FigureFormat::kPng;
    if (ending == ".csv") return FigureFormat::kCsv;
    throw UserError(path.string() + " does not end in a format of figures",
                    "let its name end in .pdf, .svg, .png or .csv");
}

std::string render_figure(const Figure& figure, FigureFormat format, bool dark) {
    switch (format) {
        case FigureFormat::kPdf:
            return to_pdf(figure, dark).toStdString();
        case FigureFormat::kSvg:
            return to_svg(figure, dark).toStdString();
        case FigureFormat::kPng:
            return to_png(figure, dark).toStdString();
        case FigureFormat::kCsv:
            return figure_csv(figure);
    }
    CHECK(false, "unknown figure format");
}

void export_figure(const Figure& figure, const std::filesystem::path& path, bool dark) {
    const FigureFormat format = figure_format(path);
    write_file_atomically(path, render_figure(figure, format, dark));
}

}  // namespace headroom
