#include "panels/figure/figure_legend.h"

#include <algorithm>

#include <fmt/format.h>
#include <qcustomplot.h>

#include "panels/figure/legend_entry.h"
#include "panels/figure/legend_place.h"
#include "panels/figure/marker.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"
#include "panels/qt/elided_name.h"

namespace headroom {
namespace {

constexpr double kLegendPt = 8, kLegendRulePt = 0.7;
constexpr int kIconWidth = 36, kIconHeight = 10, kIconGap = 7, kColumnGap = 12, kRowGap = 1;

Qt::Alignment alignment_of(LegendPlace place) {
    switch (place) {
        case LegendPlace::kTopLeft:
            return Qt::AlignTop | Qt::AlignLeft;
        case LegendPlace::kBottomLeft:
            return Qt::AlignBottom | Qt::AlignLeft;
        case LegendPlace::kBottomRight:
            return Qt::AlignBottom | Qt::AlignRight;
        default:
            return Qt::AlignTop | Qt::AlignRight;
    }
}

/// A swatch of the bar's colour.
LineStyle bar_key() {
    LineStyle style;
    style.line = false;
    style.marker = Marker::kSquare;
    return style;
}

}  // namespace

FigureLegend::FigureLegend(QCustomPlot& plot) : plot_(plot) {
    plot.legend->setVisible(true);
}

void FigureLegend::clear() {
    plot_.legend->clearItems();
    drawn_.clear();
    if (QCPLayout* layout = plot_.legend->layout()) layout->take(plot_.legend);
}

void FigureLegend::fill(const Figure& figure, const FigureLook& look, QSize size) {
    look_ = look;
    size_ = size;
    const std::vector<Entry> entries = entries_of(figure);
    style();
    show(entries);
    plot_.legend->setVisible(!entries.empty() && figure.legend != LegendPlace::kNone);
    placed_ = choose_place(figure);
    if (placed_ == LegendPlace::kBelow) fit_below(entries);
}

/// Runs first, then the rules, then what the styles mean.
std::vector<FigureLegend::Entry> FigureLegend::entries_of(const Figure& figure) const {
    const Rgb muted = figure_theme(look_.dark).muted;
    std::vector<Entry> entries;
    for (const FigureSeries& series : figure.series)
        if (!series.legend.empty() && (series.visible || look_.hidden_in_legend))
            entries.push_back({series.id, series.legend, series.style,
                               line_color(series.style, look_.dark), series.visible});
    for (const FigureBar& bar : figure.bars)
        if (std::none_of(entries.begin(), entries.end(),
                         [&](const Entry& entry) { return entry.name == bar.name; }))
            entries.push_back({"", bar.name, bar_key(), bar_color(bar, look_.dark), true});
    LineStyle rule_style;
    rule_style.width_pt = kLegendRulePt;
    rule_style.dash = LineDash::kDot;  // as it is drawn; a solid grey line says "train"
    for (const FigureRule& rule : figure.rules)
        if (!rule.label.empty())
            entries.push_back({"", rule.label, rule_style,
                               rule.run ? line_color(*rule.run, look_.dark) : muted, true, true});
    for (const FigureKey& key : figure.keys)
        if (key.active || look_.hidden_in_legend)
            entries.push_back({key.id, key.name, key.style, muted, key.active, true});
    return entries;
}

void FigureLegend::style() {
    QCPLegend& legend = *plot_.legend;
    legend.setFont(figure_font(kLegendPt));
    legend.setBorderPen(Qt::NoPen);
    legend.setBrush(to_qcolor(with_alpha(figure_theme(look_.dark).ground, 0.85)));
    legend.setIconSize(kIconWidth, kIconHeight);
    legend.setIconTextPadding(kIconGap);
    legend.setMargins(QMargins(5, 3, 5, 3));
    legend.setRowSpacing(kRowGap);
    legend.setColumnSpacing(kColumnGap);
    legend.setWrap(0);
    legend.setFillOrder(QCPLayoutGrid::foRowsFirst);
}

void FigureLegend::show(const std::vector<Entry>& entries) {
    plot_.legend->clearItems();
    drawn_.clear();
    for (const Entry& entry : entries) add(entry);
}

void FigureLegend::add(const Entry& entry) {
    const FigureTheme& theme = figure_theme(look_.dark);
    LineStyle style = entry.style;
    style.faint = !entry.active;
    const Rgb colour = entry.active ? entry.colour : theme.muted;
    QCPGraph* sample = plot_.addGraph();  // without data: it only stands in the legend
    sample->setName(QString::fromStdString(entry.name));
    sample->setPen(style.line ? line_pen(style, colour) : QPen(Qt::NoPen));
    if (style.marker != Marker::kNone)
        sample->setScatterStyle(marker_style(style, colour, theme.ground));
    auto* item = new LegendEntry(plot_.legend, sample, look_.quick);
    plot_.legend->addItem(item);
    item->setFont(plot_.legend->font());
    item->setTextColor(to_qcolor(entry.active ? theme.ink : theme.muted));
    drawn_.push_back({item, entry.id});
}

LegendPlace FigureLegend::choose_place(const Figure& figure) const {
    if (figure.legend != LegendPlace::kBest) return figure.legend;
    constexpr double kLabels = 70;  // pixels that tick labels and axis labels take, about
    const QSize wanted = plot_.legend->minimumOuterSizeHint();
    return free_corner(figure, wanted.width() / std::max(50.0, size_.width() - kLabels),
                       wanted.height() / std::max(50.0, size_.height() - kLabels), placed_);
}

/// The first of the lines, a number in place of the others, and all that explains.
std::vector<FigureLegend::Entry> FigureLegend::first_of(std::vector<Entry> entries, size_t shown) {
    const auto lines_end = std::stable_partition(entries.begin(), entries.end(),
                                                 [](const Entry& each) { return !each.explains; });
    const auto lines = static_cast<size_t>(lines_end - entries.begin());
    const size_t explaining = entries.size() - lines;
    const size_t kept = std::min(lines, shown > explaining + 1 ? shown - explaining - 1 : 1);
    std::vector<Entry> first(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(kept));
    LineStyle blank;
    blank.line = false;
    if (kept < lines)
        first.push_back({"", fmt::format("and {} more", lines - kept), blank, Rgb{}, true});
    first.insert(first.end(), lines_end, entries.end());
    first.resize(std::min(first.size(), std::max<size_t>(shown, 1)));
    return first;
}

/// In as many columns as there is room for. Long names are cut, and the last of very many
/// lines become a number, before the legend takes the room of the curves.
void FigureLegend::fit_below(std::vector<Entry> entries) {
    QCPLegend& legend = *plot_.legend;
    if (entries.empty()) return;
    const QFontMetrics metrics(legend.font());
    const int beside_text = kIconWidth + kIconGap + kColumnGap;
    const int line = std::max(kIconHeight, metrics.height()) + kRowGap;
    const LegendGrid grid = legend_grid(static_cast<int>(entries.size()),
                                        legend.minimumOuterSizeHint().width() + kColumnGap, line,
                                        size_.width() - 20, size_.height());
    if (grid.shown < static_cast<int>(entries.size()))
        entries = first_of(std::move(entries), static_cast<size_t>(grid.shown));
    for (Entry& entry : entries)
        entry.name =
            elided_name(QString::fromStdString(entry.name), metrics, grid.entry_width - beside_text)
                .toStdString();
    legend.setWrap(grid.columns);
    show(entries);
    legend.setFillOrder(QCPLayoutGrid::foColumnsFirst);  // lays the entries out anew
}

void FigureLegend::place() {
    if (placed_ != LegendPlace::kBelow) {
        plot_.axisRect()->insetLayout()->addElement(plot_.legend, alignment_of(placed_));
        return;
    }
    QCPLayoutGrid& layout = *plot_.plotLayout();
    const int row = layout.rowCount();
    layout.addElement(row, 0, plot_.legend);
    layout.setRowStretchFactor(row, 0.001);
}

std::string FigureLegend::id_at(QPointF position) const {
    // The entries that were made, and not the cells of the grid: its last row may have empty ones.
    for (const DrawnEntry& entry : drawn_)
        if (plot_.legend->visible() && entry.item->outerRect().contains(position.toPoint()))
            return entry.id;
    return "";
}

}  // namespace headroom
