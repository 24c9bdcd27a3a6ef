#include "panels/loss/series_grid.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QResizeEvent>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/log/named_series.h"
#include "panels/figure/figure_chart.h"
#include "panels/loss/loss_controls.h"
#include "panels/loss/loss_widget.h"

namespace headroom {
namespace {

constexpr int kLeastChartWidth = 330, kHeight = 230;

/// What there is to draw, the losses first.
std::vector<std::string> series_of(const std::vector<RunPointer>& runs) {
    std::set<std::string> names;
    for (const RunPointer& run : runs)
        for (const SeriesName& each : list_series(*run->series)) {
            const std::optional<NamedSeries> series = find_series(*run->series, each.name);
            if (series && series->size > 0) names.insert(each.name);
        }
    const bool losses = names.erase("train/loss") + names.erase("val/loss") > 0;
    std::vector<std::string> ordered(names.begin(), names.end());
    if (losses) ordered.insert(ordered.begin(), "");
    return ordered;
}

QString title_of_series(const std::string& series) {
    return series.empty() ? SeriesGrid::tr("loss") : QString::fromStdString(series);
}

}  // namespace

SeriesGrid::SeriesGrid(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      options_(new QWidget(this)),
      controls_(new LossControls(options_)),
      filter_(new QLineEdit(options_)),
      scroll_(new QScrollArea(this)),
      grid_(new QGridLayout),
      nothing_(new QLabel(tr("No run has logged anything yet"), this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(nothing_, 0, Qt::AlignCenter);
    layout->addWidget(scroll_, 1);
    auto* inside = new QWidget;
    inside->setLayout(grid_);
    grid_->setContentsMargins(8, 4, 8, 8);
    grid_->setSpacing(8);
    scroll_->setWidget(inside);
    scroll_->setWidgetResizable(true);
    scroll_->setFocusPolicy(Qt::NoFocus);  // the names of its charts scroll it
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    settings_.legend = false;
    build_options();
    arrange();
}

void SeriesGrid::build_options() {
    auto* layout = new QVBoxLayout(options_);
    layout->setContentsMargins(0, 4, 0, 0);
    filter_->setObjectName("seriesFilter");
    filter_->setPlaceholderText(tr("Filter by name, such as grad"));
    filter_->setClearButtonEnabled(true);
    filter_->setAccessibleName(tr("Filter of the series"));
    layout->addWidget(filter_);
    layout->addWidget(controls_);
    controls_->leave_out_series();
    controls_->set_settings(settings_);
    connect(filter_, &QLineEdit::textChanged, this, &SeriesGrid::arrange);
    connect(controls_, &LossControls::changed, this, [this](LossSettings changed) {
        changed.x_range = changed.x == settings_.x ? settings_.x_range : std::nullopt;
        apply(changed);
        emit settings_changed();
    });
    connect(controls_, &LossControls::fit_asked, this, &SeriesGrid::fit);
}

void SeriesGrid::set_runs(const std::vector<RunPointer>& runs) {
    if (runs == runs_) return;
    runs_ = runs;
    controls_->set_runs(runs_);
    const std::vector<std::string> wanted = series_of(runs_);
    std::erase_if(cells_, [&](const Cell& cell) {
        const bool gone = std::find(wanted.begin(), wanted.end(), cell.series) == wanted.end();
        if (gone) cell.frame->deleteLater();
        if (gone) cell.frame->hide();
        return gone;
    });
    for (const std::string& series : wanted)
        if (chart_of(series) == nullptr) add_cell(series);
    std::sort(cells_.begin(), cells_.end(),
              [](const Cell& a, const Cell& b) { return a.series < b.series; });
    for (const Cell& cell : cells_) cell.chart->set_runs(runs_);
    mark_current();
    arrange();
}

void SeriesGrid::add_cell(const std::string& series) {
    Cell cell{series, new QFrame, new QToolButton, new LossWidget};
    cell.frame->setObjectName("seriesCell");
    auto* layout = new QVBoxLayout(cell.frame);
    layout->setContentsMargins(4, 2, 4, 2);
    layout->setSpacing(0);
    cell.name->setText(title_of_series(series));
    cell.name->setObjectName("name of " + title_of_series(series));
    cell.name->setAutoRaise(true);
    cell.name->setToolTip(tr("Make this chart large, or small again"));
    layout->addWidget(cell.name, 0, Qt::AlignLeft);
    layout->addWidget(cell.chart, 1);
    cell.chart->controls()->hide();
    cell.chart->set_theme(theme_);
    LossSettings settings = settings_;
    settings.metric = series;
    cell.chart->set_settings(settings);
    connect_cell(cell);
    cells_.push_back(cell);
}

void SeriesGrid::connect_cell(const Cell& cell) {
    LossWidget* chart = cell.chart;
    connect(cell.name, &QToolButton::clicked, this,
            [this, series = cell.series] { make_large(series); });
    connect(chart, &LossWidget::looked_at, this, [this, chart](Range x) { link(chart, x); });
    connect(chart, &LossWidget::fitted, this, &SeriesGrid::fit);
    connect(chart, &LossWidget::pointed_at, this,
            [this, chart, series = cell.series](std::optional<double> x) {
                for (const Cell& other : cells_)
                    if (other.chart != chart) other.chart->show_cursor(x);
                if (x) choose(series);
            });
    connect(chart, &LossWidget::view_shown, this, &SeriesGrid::picture_changed);
}

/// For what takes one chart alone.
void SeriesGrid::choose(const std::string& series) {
    if (std::exchange(current_, series) == series) return;
    mark_current();
    emit picture_changed();
}

void SeriesGrid::mark_current() {
    for (const Cell& cell : cells_) {
        QFont font = cell.name->font();
        font.setBold(cell.chart == current());
        cell.name->setFont(font);
    }
}

bool SeriesGrid::is_wanted(const Cell& cell) const {
    if (is_large_) return cell.series == large_;
    return title_of_series(cell.series).contains(filter_->text().trimmed(), Qt::CaseInsensitive);
}

/// As many columns as there is room for; a large chart takes all of it.
void SeriesGrid::arrange() {
    if (is_large_ && chart_of(large_) == nullptr) is_large_ = false;
    const int columns = is_large_ ? 1 : std::max(1, width() / kLeastChartWidth);
    int shown = 0;
    for (const Cell& cell : cells_) grid_->removeWidget(cell.frame);
    for (int c = 0; c < std::max(columns, grid_->columnCount()); ++c)
        grid_->setColumnStretch(c, c < columns ? 1 : 0);
    for (const Cell& cell : cells_) {
        const bool wanted = is_wanted(cell);
        cell.frame->setVisible(wanted);
        if (!wanted) continue;
        cell.frame->setFixedHeight(is_large_ ? std::max(kHeight, height() - 16) : kHeight);
        grid_->addWidget(cell.frame, shown / columns, shown % columns);
        ++shown;
    }
    grid_->setRowStretch(grid_->rowCount(), 1);
    scroll_->setVisible(shown > 0);
    nothing_->setVisible(shown == 0);
    nothing_->setText(cells_.empty() ? tr("No run has logged anything yet")
                                     : tr("No series has this in its name"));
}

void SeriesGrid::make_large(const std::string& series) {
    is_large_ = !is_large_;
    large_ = current_ = series;
    mark_current();
    arrange();
    emit picture_changed();
}

void SeriesGrid::set_settings(const LossSettings& settings) {
    controls_->set_settings(settings);
    apply(settings);
}

/// Everything but which series it is of and its y range, which every chart has for itself.
void SeriesGrid::apply(const LossSettings& settings) {
    settings_ = settings;
    settings_.metric.clear();
    settings_.y_range.reset();
    for (const Cell& cell : cells_) {
        LossSettings own = settings_;
        own.metric = cell.series;
        cell.chart->set_settings(own);
    }
}

/// What one chart looks at along x, all do.
void SeriesGrid::link(LossWidget* from, Range x) {
    if (std::exchange(linking_, true)) return;
    settings_.x_range = x;
    for (const Cell& cell : cells_)
        if (cell.chart != from) cell.chart->look_at(x, std::nullopt);
    linking_ = false;
    emit moved();
}

void SeriesGrid::fit() {
    if (std::exchange(linking_, true)) return;
    settings_.x_range.reset();
    for (const Cell& cell : cells_) cell.chart->fit();
    linking_ = false;
    emit moved();
}

void SeriesGrid::set_theme(const Theme& theme) {
    theme_ = theme;
    for (const Cell& cell : cells_) cell.chart->set_theme(theme);
}

std::vector<std::string> SeriesGrid::series() const {
    std::vector<std::string> names;
    for (const Cell& cell : cells_) names.push_back(cell.series);
    return names;
}

LossWidget* SeriesGrid::chart_of(const std::string& series) const {
    for (const Cell& cell : cells_)
        if (cell.series == series) return cell.chart;
    return nullptr;
}

LossWidget* SeriesGrid::current() const {
    if (LossWidget* chart = chart_of(current_)) return chart;
    return cells_.empty() ? nullptr : cells_.front().chart;
}

void SeriesGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

}  // namespace headroom
