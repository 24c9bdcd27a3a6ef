#pragma once

#include <filesystem>
#include <string>

#include "panels/figure/figure.h"

namespace headroom {

enum class FigureFormat { kPdf, kSvg, kPng, kCsv };

/// By the ending of the file name. UserError naming the endings that there are.
FigureFormat figure_format(const std::filesystem::path& path);

/// The bytes of the figure in a format. PDF: vectors and embedded fonts, sizes in points, nothing
/// lossy; SVG: text as text, nothing sticks out of the axes; PNG: 192 dots per inch; CSV: see
/// figure_csv.h. The same figure gives the same bytes: the PDF's date is that of the newest run in
/// it. All but CSV REQUIRE a QApplication (the offscreen platform will do) and the UI thread.
std::string render_figure(const Figure& figure, FigureFormat format, bool dark);

/// Renders and writes the file, whole or not at all. UserError for an ending without a format,
/// EnvironmentError where the file cannot be written.
void export_figure(const Figure& figure, const std::filesystem::path& path, bool dark);

}  // namespace headroom
