#include "panels/figure/figure_renderer.h"

#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <tuple>

#include <qcustomplot.h>

#include "panels/figure/clip.h"
#include "panels/figure/figure_ticker.h"
#include "panels/figure/line_layer.h"
#include "panels/figure/marked_points.h"
#include "panels/figure/marker.h"
#include "panels/figure/qt_ink.h"

namespace headroom {
namespace {

constexpr double kTextPt = 8.5, kTickPt = 8, kTitlePt = 9.5, kFootnotePt = 7;
constexpr int kOtherAxis = 70;  ///< pixels that tick labels and label of the y axis take, about
constexpr double kBandAlpha = 0.2, kSeeThrough = 0.6, kRulePt = 0.7, kUprightPt = 1;

QVector<QCPGraphData> graph_data(const std::vector<Point>& points) {
    QVector<QCPGraphData> data;
    data.reserve(static_cast<qsizetype>(points.size()));
    for (const Point& point : points) data.append({point.x, point.y});
    return data;
}

/// Breaks `text` into lines no wider than `width`, between its points ("a · b") or words.
QString wrapped(const QString& text, const QFont& font, int width) {
    const QFontMetricsF metrics(font);
    QString out, line;
    const QString joined = QString(text).replace(" · ", "\u00a0· ");  // no line begins with a dot
    for (const QString& word : joined.split(' ')) {
        const QString longer = line.isEmpty() ? word : line + ' ' + word;
        if (!line.isEmpty() && metrics.horizontalAdvance(longer) > width) {
            out += line + '\n';
            line = word;
        } else {
            line = longer;
        }
    }
    return out + line;
}

/// Breaks a name without spaces after hyphens and underscores where it is wider than `width`.
QString broken(const QString& name, const QFont& font, int width) {
    const QFontMetricsF metrics(font);
    QString out, line;
    for (const QString& part : name.split(QRegularExpression("(?<=[-_ ])"))) {
        if (!line.isEmpty() && metrics.horizontalAdvance(line + part) > width) {
            out += line + '\n';
            line.clear();
        }
        line += part;
    }
    return out + line;
}

/// A label too long for its axis puts the unit on a line of its own.
QString axis_label(QString text, const QFont& font, int room) {
    if (QFontMetricsF(font).horizontalAdvance(text) <= room) return text;
    const qsizetype unit = text.lastIndexOf(" (");
    if (unit < 0) return wrapped(text, font, room);
    return wrapped(text.left(unit), font, room) + '\n' + wrapped(text.mid(unit + 1), font, room);
}

void style_axis(QCPAxis& axis, const FigureAxis& described, const FigureTheme& theme) {
    const QColor ink = to_qcolor(theme.ink);
    const bool log = described.scale == AxisScale::kLog;
    axis.setNumberFormat("gb");
    axis.setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    axis.setRange(described.range.lower, described.range.upper);
    axis.setTicker(QSharedPointer<FigureTicker>::create(described.scale, described.format));
    axis.setLabelFont(figure_font(kTextPt));
    axis.setTickLabelFont(figure_font(kTickPt));
    axis.setLabelColor(ink);
    axis.setTickLabelColor(ink);
    const QPen pen(ink, pixels(0.6));
    axis.setBasePen(pen);
    axis.setTickPen(pen);
    axis.setSubTickPen(QPen(ink, pixels(0.4)));
    axis.setTickLength(0, 4);
    axis.setSubTickLength(0, 2);
    axis.setSubTicks(log);
    axis.setTickLabelPadding(3);
    axis.setLabelPadding(4);
    axis.grid()->setPen(QPen(to_qcolor(theme.grid), pixels(0.5)));
    axis.grid()->setVisible(true);
    axis.grid()->setSubGridVisible(false);
    axis.grid()->setZeroLinePen(axis.grid()->pen());
}

}  // namespace

FigureRenderer::FigureRenderer(QCustomPlot& plot) : plot_(plot), legend_(plot) {
    plot.setAutoAddPlottableToLegend(false);
    plot.setNoAntialiasingOnDrag(true);
    before_replot_ =
        QObject::connect(&plot, &QCustomPlot::beforeReplot, &plot, [this] { resample(); });
}

FigureRenderer::~FigureRenderer() {
    QObject::disconnect(before_replot_);
}

void FigureRenderer::show(const Figure& figure, const FigureLook& look, QSize size) {
    const auto axes = [](const Figure& of) {
        return std::tie(of.x.column, of.x.scale, of.y.column, of.y.scale);
    };
    if (layer_ && axes(figure) != axes(figure_)) layer_->rest();
    figure_ = figure;
    look_ = look;
    size_ = size;
    clear();
    plot_.setBackground(QBrush(to_qcolor(figure_theme(look.dark).ground)));
    style_axes();
    add_bands();
    add_series();
    add_bars();
    add_rules();
    lay_out();
    resample();
}

/// Leaves nothing but the empty axes, so that show() can lay everything out anew.
void FigureRenderer::clear() {
    legend_.clear();
    plot_.clearPlottables();
    plot_.clearItems();
    series_.clear();
    bands_.clear();
    bars_.clear();
    for (QCPTextElement* element : {title_.data(), footnote_.data()})
        if (element) plot_.plotLayout()->remove(element);
    plot_.plotLayout()->simplify();
}

void FigureRenderer::style_axes() {
    const FigureTheme& theme = figure_theme(look_.dark);
    style_axis(*plot_.xAxis, figure_.x, theme);
    style_axis(*plot_.yAxis, figure_.y, theme);
    for (QCPAxis* axis : {plot_.xAxis, plot_.yAxis}) {
        axis->setTicks(figure_.empty_text.empty());
        axis->setTickLabels(figure_.empty_text.empty());
    }
    if (!figure_.x.names.empty()) name_columns();
    const bool wide_labels = figure_.x.format == NumberFormat::kDateTime;
    plot_.xAxis->ticker()->setTickCount(std::max(2, size_.width() / (wide_labels ? 95 : 75)));
    // Half of a number has room at the end of an axis, else it is not drawn there.
    plot_.axisRect()->setMinimumMargins(QMargins(4, 8, 18, 4));
    plot_.plotLayout()->setRowSpacing(2);
}

/// Names under the columns, each broken where its column's width asks for it.
void FigureRenderer::name_columns() {
    const auto count = static_cast<int>(figure_.x.names.size());
    const int room = (size_.width() - kOtherAxis) / count - 4;
    const auto ticker = QSharedPointer<QCPAxisTickerText>::create();
    for (int i = 0; i < count; ++i)
        ticker->addTick(i + 1,
                        broken(QString::fromStdString(figure_.x.names[static_cast<size_t>(i)]),
                               plot_.xAxis->tickLabelFont(), room));
    plot_.xAxis->setTicker(ticker);
    plot_.xAxis->setNumberFormat("g");  // a name that ends in 1e-3 is no number to be set as 10⁻³
    plot_.xAxis->setTickLength(0, 0);
    plot_.xAxis->grid()->setVisible(false);
}

void FigureRenderer::add_bands() {
    for (size_t i = 0; i < figure_.bands.size(); ++i) {
        const FigureBand& band = figure_.bands[i];
        if (!band.visible || !band.lower || !band.upper) continue;
        const Rgb full = palette_color(band.color, look_.dark);
        if (band.lower->size() == 1) {  // no area, so a line
            DrawnBand upright{i, plot_.addGraph(), nullptr};
            upright.lower->setPen(QPen(to_qcolor(full), pixels(kUprightPt)));
            upright.lower->setAdaptiveSampling(false);
            bands_.push_back(upright);
            continue;
        }
        DrawnBand drawn{i, plot_.addGraph(), plot_.addGraph()};
        const Rgb colour = with_alpha(full, kBandAlpha);
        for (QCPGraph* graph : {drawn.lower, drawn.upper}) {
            graph->setPen(Qt::NoPen);
            graph->setAdaptiveSampling(false);
        }
        drawn.upper->setBrush(to_qcolor(colour));
        drawn.upper->setChannelFillGraph(drawn.lower);
        bands_.push_back(drawn);
    }
}

void FigureRenderer::add_series() {
    if (look_.quick && !layer_) layer_ = new LineLayer(plot_);
    if (layer_) layer_->setLayer("main");  // above the bands, below what follows
    for (size_t i = 0; i < figure_.series.size(); ++i) {
        const FigureSeries& series = figure_.series[i];
        if (!series.visible || !series.data) continue;
        const Rgb colour = line_color(series.style, look_.dark);
        DrawnSeries drawn{i, nullptr, nullptr};
        if (series.style.line) {
            drawn.line = plot_.addGraph();
            drawn.line->setAdaptiveSampling(false);
        }
        drawn.markers = plot_.addGraph();
        drawn.markers->setLineStyle(QCPGraph::lsNone);
        drawn.markers->setAdaptiveSampling(false);
        drawn.markers->setScatterStyle(
            marker_style(series.style, colour, figure_theme(look_.dark).ground));
        series_.push_back(drawn);
    }
    make_scene();
}

void FigureRenderer::make_scene() {
    std::vector<SceneLine> lines;
    for (const DrawnSeries& drawn : series_) {
        const FigureSeries& series = figure_.series[drawn.index];
        const LineStyle& style = series.style;
        const Rgb colour = line_color(style, look_.dark);
        const QPen pen = line_pen(style, colour);
        RasterPen raster{
            style.faint ? with_alpha(colour, pen.color().alphaF()) : colour, pen.widthF(), {}};
        for (const qreal part : pen.dashPattern()) raster.dash.push_back(part * pen.widthF());
        lines.push_back({drawn.line ? series.data : nullptr, std::move(raster)});
    }
    scene_ = std::make_shared<const std::vector<SceneLine>>(std::move(lines));
}

void FigureRenderer::add_bars() {
    const FigureTheme& theme = figure_theme(look_.dark);
    if (!figure_.bars.empty() && plot_.layer("bars") == nullptr)  // no column covers a line
        plot_.addLayer("bars", plot_.layer("main"), QCustomPlot::limBelow);
    for (size_t i = 0; i < figure_.bars.size(); ++i) {
        const FigureBar& bar = figure_.bars[i];
        DrawnBar drawn{i, new QCPItemRect(&plot_), nullptr};
        drawn.part->setLayer("bars");
        const Rgb full = bar_color(bar, look_.dark);
        drawn.part->setBrush(to_qcolor(bar.see_through ? with_alpha(full, kSeeThrough) : full));
        drawn.part->setPen(QPen(to_qcolor(theme.ground), pixels(0.5)));
        if (!bar.label.empty()) {
            drawn.label = new QCPItemText(&plot_);
            drawn.label->setText(QString::fromStdString(bar.label));
            drawn.label->setFont(figure_font(kTickPt));
            drawn.label->setColor(to_qcolor(theme.ink));
            drawn.label->setPositionAlignment(Qt::AlignHCenter | Qt::AlignBottom);
        }
        bars_.push_back(drawn);
    }
}

/// What of the bars is inside the axes, which SVG writers do not clip at.
void FigureRenderer::place_bars() {
    const Range x = figure_.x.range, y = figure_.y.range;
    for (const DrawnBar& drawn : bars_) {
        const FigureBar& bar = figure_.bars[drawn.index];
        const double left = std::max(x.lower, bar.left());
        const double right = std::min(x.upper, bar.right());
        const double lower = std::max(y.lower, bar.lower), upper = std::min(y.upper, bar.upper);
        drawn.part->setVisible(left < right && lower < upper);
        drawn.part->topLeft->setCoords(left, upper);
        drawn.part->bottomRight->setCoords(right, lower);
        if (drawn.label == nullptr) continue;
        drawn.label->setVisible(x.contains(bar.middle()) && y.contains(bar.upper));
        drawn.label->position->setCoords(bar.middle(), bar.upper);
    }
}

void FigureRenderer::add_rules() {
    const QColor muted = to_qcolor(figure_theme(look_.dark).muted);
    for (const FigureRule& rule : figure_.rules) {
        auto* line = new QCPItemStraightLine(&plot_);
        const QColor own = rule.run ? to_qcolor(line_color(*rule.run, look_.dark)) : muted;
        line->setPen(QPen(own, pixels(kRulePt), Qt::DotLine));
        line->setLayer("grid");
        line->point1->setCoords(rule.horizontal ? figure_.x.range.lower : rule.at,
                                rule.horizontal ? rule.at : figure_.y.range.lower);
        line->point2->setCoords(rule.horizontal ? figure_.x.range.upper : rule.at,
                                rule.horizontal ? rule.at : figure_.y.range.upper);
    }
    if (figure_.empty_text.empty()) return;
    auto* text = new QCPItemText(&plot_);
    text->setText(QString::fromStdString(figure_.empty_text));
    text->setFont(figure_font(kTitlePt));
    text->setColor(muted);
    text->position->setType(QCPItemPosition::ptAxisRectRatio);
    text->position->setCoords(0.5, 0.5);
}

QCPTextElement* FigureRenderer::make_text(const std::string& text, double points, bool bold) {
    const FigureTheme& theme = figure_theme(look_.dark);
    const QFont font = figure_font(points, bold);
    auto* element = new QCPTextElement(
        &plot_, wrapped(QString::fromStdString(text), font, size_.width() - 16), font);
    element->setTextColor(to_qcolor(bold ? theme.ink : theme.muted));
    element->setMargins(QMargins(4, 2, 4, 2));
    return element;
}

/// From top to bottom: title, axes, the legend if it has no room inside them, footnote.
void FigureRenderer::lay_out() {
    QCPLayoutGrid& layout = *plot_.plotLayout();
    legend_.fill(figure_, look_, size_);
    if (!figure_.title.empty()) {
        layout.insertRow(0);
        layout.addElement(0, 0, title_ = make_text(figure_.title, kTitlePt, true));
    }
    legend_.place();
    if (!figure_.footnote.empty()) {
        footnote_ = make_text(figure_.footnote, kFootnotePt, false);
        footnote_->setTextFlags(Qt::AlignLeft | Qt::AlignVCenter);
        layout.addElement(layout.rowCount(), 0, footnote_);
    }
    label_axes();
}

/// Labels that are too long for what the other parts leave of the figure are broken.
void FigureRenderer::label_axes() {
    constexpr int kAxis = 60;  // pixels that tick labels and label of the other axis take, about
    int height = size_.height() - kAxis;
    for (int row = 0; row < plot_.plotLayout()->rowCount(); ++row) {
        auto* element = plot_.plotLayout()->element(row, 0);
        if (element && element != plot_.axisRect())
            height -= element->minimumOuterSizeHint().height();
    }
    const auto label = [](QCPAxis& axis, const FigureAxis& described, int room) {
        axis.setLabel(axis_label(QString::fromStdString(described.label), axis.labelFont(), room));
    };
    label(*plot_.xAxis, figure_.x, size_.width() - kAxis);
    label(*plot_.yAxis, figure_.y, height);
    plot_.yAxis->ticker()->setTickCount(std::max(3, height / 45));
}

void FigureRenderer::resample() {
    const QCPRange x = plot_.xAxis->range(), y = plot_.yAxis->range();
    figure_.x.range = {x.lower, x.upper};
    figure_.y.range = {y.lower, y.upper};
    place_bars();
    const Frame frame = frame_of(figure_);
    const int columns = std::max(64, static_cast<int>(size_.width() * look_.columns_per_pixel));
    for (const DrawnBand& drawn : bands_) {
        const FigureBand& band = figure_.bands[drawn.index];
        const auto edge = [&](const Curve& curve) {
            const auto points = envelope(curve, frame.x, columns, frame.x_scale);
            return graph_data(aside(clamp_line(points, frame), band.aside));
        };
        auto lower = edge(*band.lower);
        const auto upper = edge(*band.upper);
        if (drawn.upper)
            drawn.upper->data()->set(upper, true);
        else
            lower += upper;
        drawn.lower->data()->set(lower, true);
    }
    for (const DrawnSeries& drawn : series_) {
        const FigureSeries& series = figure_.series[drawn.index];
        const auto points = marked_points(series, frame, size_.width());
        drawn.markers->data()->set(graph_data(aside(points, series.aside)), true);
    }
    if (layer_) return draw_quickly(frame, columns);
    for (const DrawnSeries& drawn : series_)
        if (drawn.line)
            set_line(drawn,
                     clip_line(envelope(*figure_.series[drawn.index].data, frame.x, columns,
                                        frame.x_scale),
                               frame),
                     false);
}

/// On the screen: few lines are stroked by Qt, many are painted by the layer. Once they are many,
/// the layer finds out when they have become few, since that takes as long as a frame.
void FigureRenderer::draw_quickly(const Frame& frame, int columns) {
    const LineScene scene{scene_, frame, columns, size_.width(), size_.height()};
    if (scene_->empty()) layer_->rest();
    const SampledLines sampled = layer_->stands_in() ? SampledLines{{}, true} : sample_lines(scene);
    for (size_t i = 0; i < series_.size(); ++i)
        if (series_[i].line && sampled.are_many)
            series_[i].line->data()->clear();
        else if (series_[i].line)
            set_line(series_[i], clip_line(sampled.lines[i].points, frame),
                     sampled.lines[i].is_zigzag(size_.width()));
    if (sampled.are_many) layer_->stand_in(scene);
}

void FigureRenderer::set_line(const DrawnSeries& drawn, const std::vector<Point>& points,
                              bool zigzag) {
    const FigureSeries& series = figure_.series[drawn.index];
    const LineStyle& style = series.style;
    const FigureTheme& theme = figure_theme(look_.dark);
    QPen pen =
        line_pen(style, line_color(style, look_.dark), look_.opaque ? &theme.ground : nullptr);
    if (zigzag) {
        pen.setWidthF(1);
        pen.setStyle(Qt::SolidLine);
    }
    drawn.line->setPen(pen);
    drawn.line->setAntialiased(!zigzag);
    drawn.line->data()->set(graph_data(aside(points, series.aside)), true);
}

/// The points so far to the right, but not out of the frame, which SVG writers do not clip at.
std::vector<Point> FigureRenderer::aside(std::vector<Point> points, double by_pt) const {
    if (by_pt == 0) return points;
    const FigureAxis& x = figure_.x;
    const double share = pixels(by_pt) / std::max(1, size_.width() - kOtherAxis);
    for (Point& point : points) {
        const double place = place_on(x.range, x.scale, point.x) + share;
        point.x = value_at(x.range, x.scale, std::clamp(place, 0.0, 1.0));
    }
    return points;
}

bool FigureRenderer::is_exact() const {
    return !layer_ || layer_->is_exact();
}

double FigureRenderer::painting_ms() const {
    return layer_ ? layer_->painting_ms() : 0;
}

Figure FigureRenderer::current() const {
    return figure_;
}

}  // namespace headroom
