#include "panels/surgery/surgery_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_numbers.h"
#include "panels/base/numbering.h"
#include "panels/figure/palette.h"

namespace headroom {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostLayers = 10000, kMostMatrices = 100000;
/// Where an axis of logarithms ends where there is nothing but 0: below what a double rounds.
constexpr double kLeast = 1e-16;
constexpr char kZeroNote[] = "hollow marks: exactly 0, which this axis does not reach";
constexpr const char* kPrecisions[] = {"float64", "float32", "bfloat16"};

[[noreturn]] void refuse(const std::string& source, const std::string& what) {
    throw UserError(source + ": " + what,
                    "give what `headroom surgery apply --report FILE.json` wrote");
}

/// A difference; null, which stands for what is not finite, is NaN.
double difference_at(const Json& row, const std::string& where) {
    if (!row.is_object() || !row.contains("relative")) refuse(where, "it has no difference");
    const Json& value = row["relative"];
    if (value.is_null()) return std::nan("");
    if (!value.is_number() || !(value.get<double>() >= 0))
        refuse(where, "its difference is no number from zero up");
    return value.get<double>();
}

SurgeryReport::Precision read_precision(const std::string& name, const Json& found,
                                        const std::string& source) {
    const std::string where = fmt::format("{}: precisions.{}", source, name);
    if (!found.contains("logits")) refuse(where, "it has no logits");
    SurgeryReport::Precision precision{name, difference_at(found["logits"], where), {}, {}};
    const auto rows = found.find("streams");
    if (rows == found.end() || !rows->is_array() || rows->empty() || rows->size() > kMostLayers)
        refuse(where, "it has no list of streams");
    for (const Json& row : *rows) {
        precision.streams.push_back(difference_at(row, where));
        precision.layers.push_back(static_cast<int>(precision.layers.size()) - 1);
    }
    return precision;
}

double largest_condition(const Json& document, const std::string& source) {
    double largest = 0;
    const auto rows = document.find("inverted");
    if (rows == document.end()) return largest;
    if (!rows->is_array() || rows->size() > kMostMatrices)
        refuse(source, "its inverted matrices are no list");
    for (const Json& row : *rows)
        if (row.is_object() && row.contains("condition") && row["condition"].is_number())
            largest = std::max(largest, row["condition"].get<double>());
    return largest;
}

std::string surgery_of(const Json& document, const std::string& source) {
    const auto name = document.find("transform");
    if (name == document.end() || !name->is_string() ||
        name->get_ref<const std::string&>().size() > 100)
        refuse(source, "it names no transform");
    std::string title = name->get<std::string>();
    const auto matrix = document.find("matrix");
    if (matrix != document.end() && matrix->is_string() &&
        matrix->get_ref<const std::string&>().size() < 10)
        title += fmt::format(" {}", matrix->get<std::string>());
    return title;
}

/// Reports of older programs have no word for rounding apart, or none for "exact" at all.
void read_rounding(const Json& document, SurgeryReport& report) {
    for (const char* key : {"transform_exact", "exact"})
        if (const auto found = document.find(key); found != document.end() && found->is_boolean()) {
            report.transform_exact = found->get<bool>();
            break;
        }
    const auto type = document.find("rounded_to");
    if (type != document.end() && type->is_string()) report.rounded_to = type->get<std::string>();
}

std::optional<int> layer_of(const Json& document, const std::string& source) {
    const auto layer = document.find("layer");
    if (layer == document.end() || !layer->is_number_integer()) return std::nullopt;
    const auto index = layer->get<int64_t>();
    if (index < 0 || index >= int64_t{kMostLayers}) refuse(source, "its layer is none");
    return static_cast<int>(index);
}

LineStyle style_of(size_t precision, size_t report) {
    constexpr LineDash kDashes[] = {LineDash::kSolid, LineDash::kDash, LineDash::kDot,
                                    LineDash::kDashDot};
    LineStyle style;
    style.color = static_cast<int>(precision);
    style.dash = kDashes[report % std::size(kDashes)];
    style.marker = Marker::kCircle;
    return style;
}

void add_report(Figure& figure, const SurgeryReport& report, size_t index, bool several) {
    for (const SurgeryReport::Precision& precision : report.precisions) {
        const auto* at = std::find(std::begin(kPrecisions), std::end(kPrecisions), precision.name);
        std::vector<double> x(precision.layers.begin(), precision.layers.end());
        std::vector<double> y = precision.streams;
        const std::string name =
            several ? fmt::format("{}, {}", report.title(), precision.name) : precision.name;
        figure.series.push_back({fmt::format("{}/{}", index, precision.name), name, "value",
                                 make_curve(std::move(x), std::move(y)),
                                 style_of(static_cast<size_t>(at - std::begin(kPrecisions)), index),
                                 name});
    }
}

/// Marks what is exactly 0 at the foot of the figure, where no value stands. True if anything is.
bool mark_zeros(Figure& figure, double foot) {
    bool any = false;
    const size_t lines = figure.series.size();
    for (size_t i = 0; i < lines; ++i) {
        const FigureSeries line = figure.series[i];
        std::vector<double> x;
        for (size_t p = 0; p < line.data->size(); ++p)
            if (line.data->y()[p] == 0) x.push_back(line.data->x()[p]);
        if (x.empty()) continue;
        any = true;
        LineStyle style = line.style;
        style.line = false;
        style.hollow = true;
        const std::vector<double> y(x.size(), foot);
        FigureSeries zeros{line.id, line.name, "exactly 0", make_curve(std::move(x), y), style, ""};
        zeros.has_values = false;
        figure.series.push_back(std::move(zeros));
    }
    return any;
}

void set_range(Figure& figure) {
    double least = HUGE_VAL, most = 0, last = 0;
    for (const FigureSeries& series : figure.series) {
        last = std::max(last, series.data->x().back());
        for (const double value : series.data->y())
            if (std::isfinite(value) && value > 0) {
                least = std::min(least, value);
                most = std::max(most, value);
            }
    }
    if (most == 0) least = most = kLeast;
    constexpr double kSideRoom = 0.2, kRoom = 3, kFoot = 10;
    figure.x.range = {-1 - kSideRoom, last + kSideRoom};
    figure.y.range = {least / kRoom, most * kRoom};
    if (!mark_zeros(figure, least / kFoot)) return;
    figure.y.range.lower = least / kFoot / kRoom;
    figure.footnote += fmt::format(" · {}", kZeroNote);
}

}  // namespace

std::string SurgeryReport::title() const {
    return layer ? fmt::format("{}, layer {}", surgery, shown_number(*layer)) : surgery;
}

std::string SurgeryReport::key() const {
    return layer ? fmt::format("{} {}", surgery, *layer) : surgery;
}

std::string SurgeryReport::measured_text() const {
    std::vector<std::string> parts;
    if (std::isfinite(predicted_speedup))
        parts.push_back(
            fmt::format("{:.4f} times as fast at batch 1, where reading the weights takes the time",
                        predicted_speedup));
    for (const Precision& each : precisions)
        parts.push_back(std::isfinite(each.logits)
                            ? fmt::format("{}: logits differ by at most {:.2g} of their spread",
                                          each.name, each.logits)
                            : each.name + ": the logits are not finite, or all alike");
    const auto shown = [](double loss) {
        return std::isfinite(loss) ? fmt::format("{:.6f}", loss) : "?";
    };
    if (has_loss)
        parts.push_back(
            fmt::format("loss {} before, {} after", shown(loss_before), shown(loss_after)));
    if (!rounded_to.empty())
        parts.push_back(fmt::format("rounded to {}{}", rounded_to,
                                    transform_exact ? ", so no longer exact" : ""));
    if (!transform_exact) parts.push_back("Recover… makes a study that trains it on");
    return fmt::format("{}", fmt::join(parts, "; "));
}

SurgeryReport read_surgery_report(const Json& document, const std::string& source) {
    if (!document.is_object()) refuse(source, "it is no report");
    SurgeryReport report{.surgery = surgery_of(document, source),
                         .layer = layer_of(document, source),
                         .largest_condition = largest_condition(document, source)};
    const auto precisions = document.find("precisions");
    if (precisions == document.end() || !precisions->is_object())
        refuse(source, "nothing was measured");
    for (const char* name : kPrecisions) {
        const auto found = precisions->find(name);
        if (found == precisions->end()) continue;
        if (!found->is_object()) refuse(source, fmt::format("precisions.{} is no object", name));
        if (found->contains("missing")) continue;
        report.precisions.push_back(read_precision(name, *found, source));
    }
    if (report.precisions.empty()) refuse(source, "nothing was measured");
    report.predicted_speedup = number_or_nan(document, "predicted_speedup");
    const auto loss = document.find("loss");
    if (loss != document.end() && loss->is_object()) {
        report.has_loss = true;
        report.loss_before = number_or_nan(*loss, "before");
        report.loss_after = number_or_nan(*loss, "after");
    }
    read_rounding(document, report);
    return report;
}

Figure build_surgery_figure(const std::vector<SurgeryReport>& reports) {
    Figure figure;
    // Numbers of an axis count from 0, as in CSV: layer_axis_label().
    figure.x = {numbering_base() == 0 ? "after block (−1: embedding)"
                                      : "after block, counted from 0 (−1: embedding)",
                "layer",
                AxisScale::kLinear,
                NumberFormat::kWhole,
                {}};
    figure.y = {"difference of residual streams / spread",
                "relative_difference",
                AxisScale::kLog,
                NumberFormat::kPlain,
                {}};
    for (size_t i = 0; i < reports.size(); ++i) {
        add_report(figure, reports[i], i, reports.size() > 1);
        figure.footnote +=
            fmt::format("{}{}", figure.footnote.empty() ? "" : " · ", reports[i].title());
        if (reports[i].largest_condition > 0)
            figure.footnote +=
                fmt::format(": largest condition number {:.3g}", reports[i].largest_condition);
    }
    set_range(figure);
    figure.legend = LegendPlace::kBelow;
    return figure;
}

}  // namespace headroom
