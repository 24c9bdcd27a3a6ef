#pragma once

#include <filesystem>
#include <functional>
#include <string>

class QImage;
class QCPPainter;

namespace headroom {

enum class FigureFormat { kPdf, kSvg, kPng, kCsv };

/// By the ending of the file name. UserError naming the endings that there are.
FigureFormat figure_format(const std::filesystem::path& path);

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
};

/// The bytes of the page in a format. PDF: vectors and embedded fonts, sizes in points, nothing
/// lossy; SVG: text as text, nothing sticks out of the page; PNG: 192 dots per inch. The same page
/// gives the same bytes. All but CSV REQUIRE a QApplication (the offscreen platform will do) and
/// the UI thread.
std::string render_page(const FigurePage& page, FigureFormat format);

/// Renders and writes the file, whole or not at all. UserError for an ending without a format,
/// EnvironmentError where the file cannot be written.
void export_page(const FigurePage& page, const std::filesystem::path& path);

}  // namespace headroom
