#include "panels/loss/loss_widget.h"

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "panels/figure/figure_chart.h"
#include "panels/figure/palette.h"
#include "panels/loss/loss_controls.h"
#include "panels/loss/loss_figure.h"
#include "panels/loss/range_fields.h"

namespace headroom {
namespace {

constexpr int kCloseLookMs = 80;
constexpr double kPlotsPerMove = 2;        // no closer look between two frames of one movement
constexpr double kLongestWaitMs = 10'000;  // for growing logs

double milliseconds(const QElapsedTimer& timer) {
    return static_cast<double>(timer.nsecsElapsed()) * 1e-6;
}

QString css(Rgb colour) {
    return QString("#%1%2%3")
        .arg(colour.r, 2, 16, QChar('0'))
        .arg(colour.g, 2, 16, QChar('0'))
        .arg(colour.b, 2, 16, QChar('0'));
}

QString cell(const std::string& text, const char* align = "right") {
    return QString("<td align='%1' style='padding-left:10px'>%2</td>")
        .arg(align, QString::fromStdString(text).toHtmlEscaped());
}

QString html_of(const LossTooltip& tooltip, const Theme& theme) {
    const auto any = [&](auto test) {
        return std::any_of(tooltip.rows.begin(), tooltip.rows.end(), test);
    };
    const bool raw = any([](const TooltipRow& row) { return row.raw != row.value; });
    const bool band = any([](const TooltipRow& row) { return !row.band.empty(); });
    QString html = "<table cellspacing='0'><tr style='color:" + css(theme.muted) + "'><td></td>" +
                   cell("run", "left") + cell(raw ? "smoothed" : "value");
    if (band) html += cell("band");
    if (raw) html += cell("value");
    html += cell("step") + cell("tokens") + cell("time") + "</tr>";
    for (const TooltipRow& row : tooltip.rows) {
        const QString dot = css(palette_color(row.color, row.shade, theme.dark));
        html +=
            "<tr><td style='color:" + dot + "'>●</td>" + cell(row.name, "left") + cell(row.value);
        if (band) html += cell(row.band);
        if (raw) html += cell(row.raw);
        html += cell(row.step) + cell(row.tokens) + cell(row.time) + "</tr>";
    }
    html += "</table>";
    if (!tooltip.more.empty())
        html += "<div style='color:" + css(theme.muted) + "'>" +
                QString::fromStdString(tooltip.more) + "</div>";
    return html;
}

/// Whether the axes mean something else, so that a zoom of before makes no sense.
bool changes_axes(const LossSettings& a, const LossSettings& b) {
    return a.metric != b.metric || a.x != b.x || a.log_x != b.log_x || a.log_y != b.log_y ||
           a.baseline != b.baseline || a.unit != b.unit;
}

bool same_identity(const std::vector<RunPointer>& a, const std::vector<RunPointer>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x->id == y->id && x->name == y->name && x->color == y->color &&
               x->series->scalars.size() == y->series->scalars.size();
    });
}

/// Whether nothing has happened but that logs have more rows.
bool has_only_grown(const std::vector<RunPointer>& before, const std::vector<RunPointer>& after) {
    return std::equal(before.begin(), before.end(), after.begin(), after.end(),
                      [](const auto& x, const auto& y) {
                          const RunSeries &a = *x->series, &b = *y->series;
                          return x->status.phase == y->status.phase && a.state == b.state &&
                                 a.train.step.empty() == b.train.step.empty() &&
                                 a.val.step.empty() == b.val.step.empty();
                      });
}

}  // namespace

/// The view, or an empty one that says why there is none: a log may be cut while it is read.
static LossView build_or_explain(const std::vector<RunPointer>& runs, const LossSettings& settings,
                                 const LossBuild& build) {
    try {
        return build_loss(runs, settings, build);
    } catch (const std::exception& error) {
        LossView view;
        view.figure.empty_text = error.what();
        return view;
    }
}

LossWidget::LossWidget(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      controls_(new LossControls(this)),
      chart_(new FigureChart(this)),
      tooltip_(new QLabel(chart_)),
      cursor_line_(new QWidget(chart_)),
      out_of_sight_(new QPushButton(chart_)),
      close_look_(new QTimer(this)),
      follow_(new QTimer(this)) {
    lay_out();
    make_tasks();
    connect_parts();
    set_theme(light_theme());
    rebuild();
}

void LossWidget::lay_out() {
    chart_->set_readout(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(controls_);
    layout->addWidget(chart_, 1);
    for (QWidget* overlay : {static_cast<QWidget*>(tooltip_), cursor_line_}) {
        overlay->setAttribute(Qt::WA_TransparentForMouseEvents);
        overlay->hide();
    }
    tooltip_->setTextFormat(Qt::RichText);
    tooltip_->setObjectName("lossTooltip");
    chart_->installEventFilter(this);
    out_of_sight_->setObjectName("outOfSight");
    out_of_sight_->setCursor(Qt::PointingHandCursor);
    out_of_sight_->hide();
    connect(out_of_sight_, &QPushButton::clicked, this, &LossWidget::fit);

    close_look_->setSingleShot(true);
    connect(close_look_, &QTimer::timeout, this, &LossWidget::rebuild);
    follow_->setSingleShot(true);
    connect(follow_, &QTimer::timeout, this, &LossWidget::rebuild);
}

void LossWidget::make_tasks() {
    builder_ = std::make_unique<LatestTask<Request, Result>>(
        [this, built = int64_t{-1}](const Request& request) mutable {
            LossBuild build{.cache = &cache_, .kept = &kept_};
            build.was_whole = built == request.settings_id;
            build.progress = [this, id = request.settings_id](LossView view) {
                deliver({std::move(view), id});
            };
            QElapsedTimer timer;
            timer.start();
            Result result{build_or_explain(request.runs, request.settings, build),
                          request.settings_id};
            result.made_ms = milliseconds(timer);
            built = request.settings_id;
            return result;
        },
        [this](Result result) { deliver(std::move(result)); });
    tips_ = std::make_unique<LatestTask<TipRequest, TipResult>>(
        [](const TipRequest& request) {
            try {
                return TipResult{loss_tooltip(*request.view, request.x, request.y, request.rows),
                                 request.position};
            } catch (const std::exception&) {  // a log that was cut since; the next view says so
                return TipResult{{}, request.position};
            }
        },
        [this](const TipResult& result) {
            QMetaObject::invokeMethod(
                this,
                [this, result] {
                    if (hovering_) show_tooltip(result.tooltip, result.position);
                },
                Qt::QueuedConnection);
        });
}

void LossWidget::connect_parts() {
    connect(controls_, &LossControls::changed, this, [this](LossSettings changed) {
        // The controls know nothing of the ranges and of hidden runs.
        changed.x_range = settings_.x_range;
        changed.y_range = settings_.y_range;
        changed.hidden = settings_.hidden;
        change_settings(std::move(changed));
    });
    connect(controls_, &LossControls::fit_asked, this, &LossWidget::fit);
    connect(chart_, &FigureChart::fit_asked, this, &LossWidget::fit);
    connect(chart_, &FigureChart::hovered, this, &LossWidget::ask_tooltip);
    connect(chart_, &FigureChart::hovered, this, [this](double x) { emit pointed_at(x); });
    connect(chart_, &FigureChart::left, this, [this] {
        hide_tooltip();
        emit pointed_at(std::nullopt);
    });
    connect(controls_->ranges(), &RangeFields::typed, this,
            [this](Range x, Range y) { look_at(x, y); });
    connect(chart_, &QCustomPlot::afterReplot, this, [this] {
        if (out_of_sight_->isVisible()) place_out_of_sight();
    });
    connect(chart_, &FigureChart::legend_clicked, this, &LossWidget::click_legend);
    connect(chart_, &FigureChart::zoomed_to, this, [this](Range x, Range y) {
        settings_.x_range = x;
        settings_.y_range = y;
        hide_tooltip();
        look_closely(x);
        show_ranges();
        show_out_of_sight();
        emit looked_at(x);
    });
}

LossWidget::~LossWidget() {
    builder_.reset();  // their threads end before what they deliver to
    tips_.reset();
}

void LossWidget::set_runs(std::vector<RunPointer> runs) {
    if (runs == runs_) return;
    const bool others = !same_identity(runs, runs_);
    const bool grown = has_only_grown(runs_, runs);
    runs_ = std::move(runs);
    if (others) controls_->set_runs(runs_);
    if (others || !grown)
        rebuild();
    else
        follow();
}

/// Draws what is there now, or later if the last plot took long and was drawn just now.
void LossWidget::follow() {
    if (follow_->isActive()) return;
    const double pace = std::min(cost_ms_ / kFollowingShare, kLongestWaitMs);
    const double wait = drawn_.isValid() ? pace - milliseconds(drawn_) : 0;
    if (wait > 0)
        follow_->start(static_cast<int>(std::ceil(wait)));
    else
        rebuild();
}

void LossWidget::set_settings(const LossSettings& settings) {
    settings_ = settings;
    ++settings_id_;
    controls_->set_settings(settings_);
    chart_->clear_history();
    rebuild();
}

void LossWidget::change_settings(LossSettings settings) {
    if (changes_axes(settings, settings_)) {
        settings.x_range.reset();
        settings.y_range.reset();
        chart_->clear_history();
    }
    if (settings.ignore_outliers != settings_.ignore_outliers) settings.y_range.reset();
    settings_ = std::move(settings);
    ++settings_id_;
    controls_->set_settings(settings_);
    rebuild();
    emit settings_changed();
}

void LossWidget::look_at(Range x, std::optional<Range> y) {
    const QCPRange same = chart_->yAxis->range();
    chart_->look_at(x, y.value_or(Range{same.lower, same.upper}));
}

void LossWidget::fit() {
    settings_.x_range.reset();
    settings_.y_range.reset();
    ++settings_id_;
    rebuild();
    emit fitted();
}

void LossWidget::undo_zoom() {
    chart_->undo_zoom();
}

void LossWidget::redo_zoom() {
    chart_->redo_zoom();
}

void LossWidget::rebuild() {
    close_look_->stop();
    follow_->stop();
    builder_->request({runs_, settings_, settings_id_});
}

/// On the builder's thread.
void LossWidget::deliver(Result result) {
    auto shared = std::make_shared<Result>(std::move(result));
    QMetaObject::invokeMethod(
        this, [this, shared] { show_result(std::move(*shared)); }, Qt::QueuedConnection);
}

/// Of long curves the points are read that are now worth seeing.
void LossWidget::look_closely(Range x) {
    const auto lacks_points = [&](const FigureSeries& series) {
        return series.data && !series.data->has_points(x);
    };
    const auto& drawn = view_->figure.series;
    if (std::any_of(drawn.begin(), drawn.end(), lacks_points))
        close_look_->start(
            std::max(kCloseLookMs, static_cast<int>(kPlotsPerMove * chart_->replotTime(true))));
}

void LossWidget::show_result(Result result) {
    if (result.settings_id != settings_id_) return;  // a newer one is under way
    QElapsedTimer timer;
    timer.start();
    // The person may have moved on in the meantime.
    result.view.figure.x.range = settings_.x_range.value_or(result.view.x_all);
    result.view.figure.y.range = settings_.y_range.value_or(result.view.y_all);
    view_ = std::make_shared<const LossView>(std::move(result.view));
    chart_->show_figure(view_->figure, theme_.dark);
    show_out_of_sight();
    cost_ms_ = result.made_ms + milliseconds(timer) + chart_->replotTime() + chart_->painting_ms();
    drawn_.start();
    show_ranges();
    emit view_shown();
}

Figure LossWidget::figure() const {
    Figure figure = chart_->figure();
    figure.title = settings_.title;
    figure.width_in = settings_.width_in;
    figure.height_in = settings_.height_in;
    return figure;
}

std::function<Figure()> LossWidget::whole_figure() const {
    LossSettings settings = settings_;
    const Figure shown = chart_->figure();
    settings.x_range = shown.x.range;
    settings.y_range = shown.y.range;
    return [runs = runs_, settings] {
        return build_loss(runs, settings, {.all_points = true}).figure;
    };
}

void LossWidget::set_theme(const Theme& theme) {
    theme_ = theme;
    const FigureTheme& ink = figure_theme(theme.dark);
    tooltip_->setStyleSheet(QString("QLabel { background: %1; color: %2; border: 1px solid %3; "
                                    "border-radius: 4px; padding: 4px 8px; }")
                                .arg(css(theme.raised), css(theme.text), css(theme.border)));
    cursor_line_->setStyleSheet("background: " + css(ink.muted));
    chart_->show_figure(view_->figure, theme_.dark);
}

void LossWidget::click_legend(const QString& id, Qt::MouseButton button,
                              Qt::KeyboardModifiers modifiers) {
    const std::string key = id.toStdString();
    LossSettings changed = settings_;
    if (key == kTrainKey || key == kValKey) {
        (key == kTrainKey ? changed.train : changed.val) = false;
        return change_settings(std::move(changed));
    }
    if (button != Qt::RightButton) return toggle_hidden(key, modifiers & Qt::ControlModifier);
    for (const RunPointer& run : runs_)
        if ((settings_.group_seeds ? run->group : run->id) == key) {
            changed.baseline = changed.baseline == run->id ? "" : run->id;
            return change_settings(std::move(changed));
        }
}

void LossWidget::toggle_hidden(const std::string& id, bool alone) {
    LossSettings changed = settings_;
    if (alone) {
        changed.hidden.clear();
        for (const LossCurve& curve : view_->curves)
            if (curve.id != id) changed.hidden.insert(curve.id);
        if (changed.hidden == settings_.hidden) changed.hidden.clear();
    } else if (changed.hidden.erase(id) == 0) {
        changed.hidden.insert(id);
    }
    change_settings(std::move(changed));
}

/// Of the tooltip, so that it is no higher than the plot.
size_t LossWidget::rows_with_room() const {
    constexpr int kMostRows = 12, kOtherLines = 3;  // the head, "and 3 more", padding
    const int lines = chart_->height() / tooltip_->fontMetrics().lineSpacing();
    return static_cast<size_t>(std::clamp(lines - kOtherLines, 1, kMostRows));
}

/// A plot that becomes lower would cut the tooltip off.
bool LossWidget::eventFilter(QObject* watched, QEvent* event) {
    if (watched == chart_ && event->type() == QEvent::Resize) hide_tooltip();
    return QWidget::eventFilter(watched, event);
}

/// What long curves say at a point stands in their logs.
void LossWidget::ask_tooltip(double x, double y, const QPoint& position) {
    hovering_ = true;
    const bool reads = std::any_of(view_->curves.begin(), view_->curves.end(),
                                   [](const LossCurve& curve) { return curve.reads_log(); });
    if (reads)
        tips_->request({view_, x, y, position, rows_with_room()});
    else
        show_tooltip(loss_tooltip(*view_, x, y, rows_with_room()), position);
}

void LossWidget::show_tooltip(const LossTooltip& tooltip, const QPoint& position) {
    if (tooltip.rows.empty()) return hide_tooltip();
    tooltip_->setText(html_of(tooltip, theme_));
    tooltip_->adjustSize();
    constexpr int kAway = 16;
    QPoint corner = position + QPoint(kAway, kAway);
    if (corner.x() + tooltip_->width() > chart_->width())
        corner.setX(position.x() - kAway - tooltip_->width());
    if (corner.y() + tooltip_->height() > chart_->height())
        corner.setY(position.y() - kAway - tooltip_->height());
    tooltip_->move(std::max(0, corner.x()), std::max(0, corner.y()));
    const QRect area = chart_->axisRect()->rect();
    cursor_line_->setGeometry(position.x(), area.top(), 1, area.height());
    cursor_line_->show();
    tooltip_->show();
    tooltip_->raise();
}

void LossWidget::show_cursor(std::optional<double> x) {
    const QRect area = chart_->axisRect()->rect();
    const double at = x ? chart_->xAxis->coordToPixel(*x) : -1;
    const bool inside = at >= area.left() && at <= area.right();
    if (inside) cursor_line_->setGeometry(qRound(at), area.top(), 1, area.height());
    cursor_line_->setVisible(inside);
}

void LossWidget::show_ranges() {
    const QCPRange x = chart_->xAxis->range(), y = chart_->yAxis->range();
    controls_->ranges()->show_ranges({x.lower, x.upper}, {y.lower, y.upper},
                                     settings_.x == LossX::kWall);
}

void LossWidget::show_out_of_sight() {
    QStringList names;
    for (const std::string& name : names_out_of_sight(*view_, settings_, chart_->figure()))
        names << QString::fromStdString(name);
    out_of_sight_->setVisible(!names.isEmpty());
    if (names.isEmpty()) return;
    out_of_sight_->setText(names.size() == 1
                               ? tr("%1 lies outside this view: show all").arg(names.front())
                               : tr("%1 runs lie outside this view: show all").arg(names.size()));
    out_of_sight_->setToolTip(names.join('\n'));
    place_out_of_sight();
}

/// At the upper edge of the axes, in their middle.
void LossWidget::place_out_of_sight() {
    out_of_sight_->adjustSize();
    const QRect area = chart_->axisRect()->rect();
    const int width = std::min(out_of_sight_->sizeHint().width(), area.width());
    out_of_sight_->setGeometry(area.center().x() - width / 2, area.top() + 6, width,
                               out_of_sight_->sizeHint().height());
}

void LossWidget::hide_tooltip() {
    hovering_ = false;
    tooltip_->hide();
    cursor_line_->hide();
}

}  // namespace headroom
