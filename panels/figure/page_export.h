#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "panels/figure/figure.h"

class QImage;
class QCPPainter;

namespace headroom {

/// Size of the text along the axes of every page as it is made.
inline constexpr double kPageTextPt = 8;

enum class FigureFormat { kPdf, kSvg, kPng, kCsv };

/// By the ending of the file name. UserError naming the endings that there are.
FigureFormat figure_format(const std::filesystem::path& path);

/// Another shape for a page.
struct PageShape {
    double width_in = 5.5;
    double height_in = 0;               ///< 0: as high as it is at this width
    std::string title;                  ///< "": as it is
    std::optional<LegendPlace> legend;  ///< none: as it is
};

/// One page to be written: its size, what draws it, and its data. Whatever has a picture makes one.
struct FigurePage {
    double width_in = 5.5;
    double height_in = 3.4;
    std::string title;
    std::string description;  ///< one line on where it is from
    std::string date;         ///< ISO 8601; of the PDF, "" for a fixed day
    /// Draws vectors, in pixels of 1/96 inch.
    std::function<void(QCPPainter&)> paint;
    /// The page as an image, `scale` dots to such a pixel.
    std::function<QImage(double scale)> image;
    std::function<std::string()> csv;
    double dots_per_inch = 192;  ///< of a PNG
    bool has_legend = false;     ///< that a shape may put elsewhere
    /// The same laid out anew for another shape; null where a picture only becomes larger or
    /// smaller.
    std::function<FigurePage(const PageShape&)> shaped;
};

/// What a person wishes of a page.
struct PageWishes {
    PageShape shape{0, 0, {}, {}};  ///< a width of 0: its own
    double text_pt = kPageTextPt;   ///< of what stands along the axes; lines follow it
    double dots_per_inch = 300;
};

/// The page as it is wished. Where it cannot be laid out anew, it becomes larger or smaller as a
/// whole, so that it fits the width and the height. The data stay as they are. Throws what laying
/// out throws.
FigurePage with_wishes(const FigurePage& page, const PageWishes& wishes);

/// The bytes of the page in a format. PDF: vectors and embedded fonts, sizes in points, nothing
/// lossy; SVG: text as text, nothing sticks out of the page; PNG: dots_per_inch. The same page
/// gives the same bytes. All but CSV REQUIRE a QApplication (the offscreen platform will do) and
/// the UI thread.
std::string render_page(const FigurePage& page, FigureFormat format);

/// Renders and writes the file, whole or not at all. UserError for an ending without a format,
/// EnvironmentError where the file cannot be written.
void export_page(const FigurePage& page, const std::filesystem::path& path);

}  // namespace headroom
