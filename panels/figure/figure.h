#pragma once

#include <optional>
#include <string>
#include <vector>

#include "panels/figure/curve.h"

namespace headroom {

/// How the numbers along an axis read.
enum class NumberFormat {
    kPlain,     ///< 2.5
    kWhole,     ///< 0, 1, 2: nothing lies between, such as layers
    kCount,     ///< 500, 5k, 2M
    kSigned,    ///< +0.1, 0, −0.1
    kDuration,  ///< seconds as 90 s, 5 min, 2 h
    kDateTime,  ///< Unix time as 14:05 or 3 Mar, local time
};

struct FigureAxis {
    std::string label;
    std::string column;  ///< name of its column in the CSV: "step", "loss"
    AxisScale scale = AxisScale::kLinear;
    NumberFormat format = NumberFormat::kPlain;
    Range range;
    std::vector<std::string> names{};  ///< in place of numbers: what stands at 1, 2, 3, …
};

enum class LineDash { kSolid, kDash, kDot, kDashDot, kLongDash, kDashDotDot };

enum class Marker { kNone, kCircle, kSquare, kTriangle, kDiamond, kTriangleDown, kCross, kPlus };

struct LineStyle {
    int color = 0;  ///< index into the palette; see palette.h
    int shade = 0;  ///< of that colour, from 0
    LineDash dash = LineDash::kSolid;
    Marker marker = Marker::kNone;
    double width_pt = 1.4;
    bool faint = false;    ///< the raw values behind a smoothed line
    bool line = true;      ///< false: markers only
    bool hollow = false;   ///< markers without a filling: not of these runs
    bool is_part = false;  ///< of no run, such as a layer's: `color` is one of part_color()
};

/// A line, markers, or both.
struct FigureSeries {
    std::string id;    ///< what it belongs to; the same for all parts of one run
    std::string name;  ///< in the CSV
    std::string role;  ///< in the CSV: "value", "smoothed", "raw", "mean", "resumed"
    CurveData data;
    LineStyle style;
    std::string legend;   ///< its entry in the legend; "" = none
    bool visible = true;  ///< hidden by the person: a greyed legend entry on the screen only
    double aside = 0;  ///< points of print that it is drawn to the right of its x (marks_aside.h)
    bool has_values = true;  ///< else y is only where its marks stand, and the CSV leaves it empty
    std::vector<int> counts = {};  ///< runs behind each value, where points differ in them
};

/// A filled stretch between two lines, such as mean ± spread. The two share their x.
struct FigureBand {
    std::string id;
    std::string name;
    CurveData lower;
    CurveData upper;
    int color = 0;
    bool visible = true;
    double aside = 0;  ///< as of a series
};

/// A filled part of a column at `x`. Parts of one name share a colour and a legend entry.
struct FigureBar {
    std::string name;
    double x = 1;
    double half_width = 0.35;
    double lower = 0, upper = 0;
    int color = 0;
    std::string label;         ///< above it; may be empty
    std::string role = "bar";  ///< in the CSV: "bar", "measured"
    bool is_part = false;      ///< of a model or its memory: `color` is one of part_color()
    bool see_through = false;  ///< others may stand behind it
    double offset = 0;         ///< its middle, from x: columns of one x stand side by side

    double left() const { return x + offset - half_width; }
    double middle() const { return x + offset; }
    double right() const { return x + offset + half_width; }
};

/// A straight line across the whole figure.
struct FigureRule {
    bool horizontal = true;
    double at = 0;
    std::string label;               ///< in the legend; may be empty
    std::optional<LineStyle> run{};  ///< whose number it is: drawn in its colour
};

/// A legend entry that explains a style rather than a series: "train", "val".
struct FigureKey {
    std::string id;  ///< what clicking on it means to the panel
    std::string name;
    LineStyle style;     ///< drawn without a colour
    bool active = true;  ///< false: greyed, on the screen only
};

enum class LegendPlace { kBest, kTopRight, kTopLeft, kBottomLeft, kBottomRight, kBelow, kNone };

/// One job whose numbers stand in the figure.
struct FigureSource {
    std::string run;  ///< name of the run folder
    std::string folder;
    std::string job;      ///< the resolved job as JSON, "" if the log has none
    std::string program;  ///< what wrote the log
    std::string started;  ///< ISO 8601
    std::string state;    ///< "finished", "running", …

    bool operator==(const FigureSource&) const = default;
};

/// A figure as plain data: one renderer draws it on the screen and into PDF, SVG and PNG, and one
/// writer puts it into CSV, so that what the window shows and what the paper gets cannot differ.
struct Figure {
    std::string title;
    double width_in = 5.5;
    double height_in = 3.4;
    FigureAxis x, y;
    std::vector<FigureBand> bands;  ///< behind the series
    std::vector<FigureSeries> series;
    std::vector<FigureBar> bars;
    std::vector<FigureRule> rules;
    std::vector<FigureKey> keys;  ///< after the series in the legend
    LegendPlace legend = LegendPlace::kBest;
    std::string footnote;    ///< small print below the x axis: smoothing, hidden points, seeds
    std::string empty_text;  ///< what to say in place of curves where there is nothing to draw
    std::vector<FigureSource> sources;

    bool is_empty() const;
};

/// Conference column widths in inches.
inline constexpr double kSingleColumnIn = 3.25;
inline constexpr double kTextWidthIn = 5.5;
inline constexpr double kDoubleColumnIn = 6.75;

}  // namespace headroom
