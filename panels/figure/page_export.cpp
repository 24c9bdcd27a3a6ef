#include "panels/figure/page_export.h"

#include <QBuffer>
#include <QFontInfo>
#include <QImage>
#include <QPageSize>
#include <QPdfWriter>
#include <QRect>
#include <QSvgGenerator>
#include <algorithm>
#include <cctype>

#include <qcustomplot.h>

#include "core/base/build_info.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

QSize drawing_size(const FigurePage& page) {
    return {qRound(page.width_in * kPixelsPerInch), qRound(page.height_in * kPixelsPerInch)};
}

/// What it was drawn from and by which version.
std::string description(const FigurePage& page) {
    return page.description + (page.description.empty() ? "" : "; ") + program_version();
}

/// Digits of the page's date, "20250131120000", or of a fixed day.
QByteArray date_digits(const FigurePage& page) {
    QByteArray digits;
    for (const char c : page.date.substr(0, 19))
        if (std::isdigit(static_cast<unsigned char>(c))) digits += c;
    return digits.size() == 14 ? digits : QByteArray("20000101000000");
}

/// Sets every date that Qt wrote to the page's own; the length stays, so offsets stay true.
void fix_dates(QByteArray& pdf, const FigurePage& page) {
    const QByteArray key = "/CreationDate (D:";
    for (qsizetype at = pdf.indexOf(key); at >= 0; at = pdf.indexOf(key, at + 1)) {
        const qsizetype end = pdf.indexOf(')', at);
        const qsizetype start = at + key.size();
        if (end < start + 14) continue;
        pdf.replace(start, 14, date_digits(page));
        const qsizetype room = end - start - 14;
        const QByteArray zone = room == 1 ? QByteArray("Z") : QByteArray("+00'00'").left(room);
        pdf.replace(start + 14, zone.size(), zone);
    }
}

void paint_on(QPaintDevice& device, const FigurePage& page) {
    QCPPainter painter;
    painter.begin(&device);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    page.paint(painter);
    painter.end();
}

QByteArray to_pdf(const FigurePage& page) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(static_cast<int>(kPixelsPerInch));
    const QSizeF points(page.width_in * 72, page.height_in * 72);
    writer.setPageSize(QPageSize(points, QPageSize::Point, "figure", QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF(0, 0, 0, 0));
    writer.setTitle(QString::fromStdString(page.title));
    writer.setCreator(QString::fromStdString(description(page)));
    paint_on(writer, page);
    QByteArray pdf = buffer.data();
    fix_dates(pdf, page);
    return pdf;
}

/// XML knows no control characters, not even escaped, and no bytes that are not UTF-8.
QByteArray without_controls(const QByteArray& svg) {
    QString text = QString::fromUtf8(svg);
    const auto forbidden = [](QChar c) {
        return (c < QChar(0x20) && c != '\n' && c != '\t' && c != '\r') || c >= QChar(0xFFFE);
    };
    for (QChar& c : text)
        if (forbidden(c)) c = QChar::ReplacementCharacter;
    return text.toUtf8();
}

QByteArray to_svg(const FigurePage& page) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(kPixelsPerInch));
    generator.setSize(drawing_size(page));
    generator.setViewBox(QRect(QPoint(0, 0), drawing_size(page)));
    // The generator writes both as they are.
    generator.setTitle(QString::fromStdString(page.title).toHtmlEscaped());
    generator.setDescription(QString::fromStdString(description(page)).toHtmlEscaped());
    paint_on(generator, page);
    // Text stays text: where the type face is missing, one of like width takes its place.
    const QString family = QFontInfo(figure_font(8)).family();
    QByteArray svg = buffer.data();
    svg.replace(QString("font-family=\"%1\"").arg(family).toUtf8(),
                QString("font-family=\"%1, Helvetica, Arial, sans-serif\"").arg(family).toUtf8());
    return without_controls(svg);
}

QByteArray to_png(const FigurePage& page) {
    QImage image = page.image(page.dots_per_inch / kPixelsPerInch);
    const int dots_per_meter = qRound(page.dots_per_inch / 0.0254);
    image.setDotsPerMeterX(dots_per_meter);
    image.setDotsPerMeterY(dots_per_meter);
    image.setText("Description", QString::fromStdString(page.description));
    image.setText("Software", QString::fromStdString(program_version()));
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    image.save(&buffer, "PNG");
    return buffer.data();
}

}  // namespace

/// The whole picture, text and lines included, `scale` times as large.
static FigurePage scaled(FigurePage page, double scale) {
    if (scale == 1) return page;
    page.width_in *= scale;
    page.height_in *= scale;
    page.paint = [scale, paint = page.paint](QCPPainter& painter) {
        painter.save();
        painter.scale(scale, scale);
        paint(painter);
        painter.restore();
    };
    const QSizeF size(page.width_in * kPixelsPerInch, page.height_in * kPixelsPerInch);
    page.image = [scale, size, image = page.image](double dots) {
        // Pages have whole pixels before they are enlarged.
        const QImage made = image(dots * scale);
        const QSize wanted = (size * dots).toSize();
        if (made.width() < wanted.width() || made.height() < wanted.height())
            return made.scaled(wanted, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
        return made.copy(QRect(QPoint(0, 0), wanted));
    };
    return page;
}

FigurePage with_wishes(const FigurePage& page, const PageWishes& wishes) {
    const double width = wishes.shape.width_in > 0 ? wishes.shape.width_in : page.width_in;
    FigurePage made;
    if (page.shaped) {
        const double scale = wishes.text_pt / kPageTextPt;
        PageShape shape = wishes.shape;
        shape.width_in = width / scale;
        shape.height_in /= scale;
        made = scaled(page.shaped(shape), scale);
    } else {
        double scale = width / page.width_in;
        if (wishes.shape.height_in > 0)
            scale = std::min(scale, wishes.shape.height_in / page.height_in);
        made = scaled(page, scale);
    }
    made.csv = page.csv;
    made.dots_per_inch = wishes.dots_per_inch;
    return made;
}

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

std::string render_page(const FigurePage& page, FigureFormat format) {
    switch (format) {
        case FigureFormat::kPdf:
            return to_pdf(page).toStdString();
        case FigureFormat::kSvg:
            return to_svg(page).toStdString();
        case FigureFormat::kPng:
            return to_png(page).toStdString();
        case FigureFormat::kCsv:
            return page.csv();
    }
    CHECK(false, "unknown figure format");
}

void export_page(const FigurePage& page, const std::filesystem::path& path) {
    write_file_atomically(path, render_page(page, figure_format(path)));
}

}  // namespace headroom
