#include "panels/loss/stretch_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "panels/base/clock_text.h"
#include "panels/base/number_format.h"
#include "panels/figure/palette.h"
#include "panels/figure/qt_ink.h"
#include "panels/qt/count_table.h"

namespace headroom {
namespace {

constexpr int kMostRows = 8;  // the others are scrolled to

QString text_of(double value, const char* format = "{:.4f}") {
    if (std::isnan(value)) return QStringLiteral("–");
    std::string text = fmt::format(fmt::runtime(format), std::fabs(value));
    return (value < 0 ? QStringLiteral("−") : QString()) + QString::fromStdString(text);
}

/// Losses and their differences in four decimals, anything else in six digits.
const char* format_of(const FigureAxis& axis) {
    return axis.column.starts_with("loss") ? "{:.4f}" : "{:.6g}";
}

/// `stretch` is what all places lie in: of a time of day the day is said where it has several.
QString place_text(double x, const FigureAxis& axis, const Range& stretch) {
    if (std::isnan(x)) return QStringLiteral("–");
    constexpr double kDay = 86400;
    if (axis.format == NumberFormat::kDateTime)
        return QString::fromStdString(clock_text(x, stretch.size() > kDay));
    const bool counts = axis.column == "tokens" || axis.column == "step";
    return QString::fromStdString(axis.column == "step" ? format_integer(std::llround(x))
                                  : counts              ? format_count(std::round(x))
                                                        : fmt::format("{:.4g}", x));
}

/// The error of a stretch that could not be read stands in the table.
StretchStatistics measure(const LossView& view, const std::vector<RunPointer>& runs,
                          const LossSettings& settings, Range x) {
    try {
        return stretch_statistics(view, runs, settings, x);
    } catch (const std::exception& error) {
        StretchStatistics none{x, view.figure.x, view.figure.y, {}};
        none.rows.push_back({.name = error.what()});
        return none;
    }
}

}  // namespace

StretchTable::StretchTable(QWidget* parent)
    : QWidget(parent),
      theme_(light_theme()),
      title_(new QLabel),
      copy_(new QToolButton),
      close_(new QToolButton),
      table_(new QTreeWidget) {
    lay_out();
    task_ = std::make_unique<LatestTask<Request, StretchStatistics>>(
        [](const Request& request) {
            return measure(request.view, request.runs, request.settings, request.x);
        },
        [this](const StretchStatistics& statistics) {
            QMetaObject::invokeMethod(
                this,
                [this, statistics] {
                    statistics_ = statistics;
                    fill();
                    emit shown();
                },
                Qt::QueuedConnection);
        });
}

StretchTable::~StretchTable() {
    task_.reset();
}

void StretchTable::lay_out() {
    copy_->setObjectName("stretchCopy");
    copy_->setText(tr("Copy CSV"));
    copy_->setToolTip(tr("Copy these numbers, in full, as CSV"));
    close_->setObjectName("stretchClose");
    close_->setText("×");
    close_->setToolTip(tr("Close (Esc)"));
    close_->setAccessibleName(tr("Close the numbers of this stretch"));
    table_->setObjectName("stretchTable");
    table_->setAccessibleName(tr("Each run on the chosen stretch"));
    table_->setRootIsDecorated(false);
    style_count_table(*table_);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(0, 2, 0, 0);
    head->addWidget(title_, 1);
    head->addWidget(copy_);
    head->addWidget(close_);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 4);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(table_);
    connect(copy_, &QToolButton::clicked, this, &StretchTable::copy);
    connect(close_, &QToolButton::clicked, this, [this] {
        hide();
        emit closed();
    });
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    hide();
}

void StretchTable::show_stretch(const LossView& view, const std::vector<RunPointer>& runs,
                                const LossSettings& settings, Range x) {
    show();
    title_->setText(tr("Reading …"));
    task_->request({view, runs, settings, x});
}

void StretchTable::set_theme(const Theme& theme) {
    theme_ = theme;
    fill();
}

void StretchTable::fill() {
    const FigureAxis &x = statistics_.x_axis, &y = statistics_.y_axis;
    const bool is_clock = x.format == NumberFormat::kDateTime;
    const auto place = [&](double at) { return place_text(at, x, statistics_.x); };
    const QString label = is_clock ? QString() : " " + QString::fromStdString(x.label);
    title_->setText(tr("%1, from %2 to %3%4; as logged, not smoothed")
                        .arg(QString::fromStdString(y.label), place(statistics_.x.lower),
                             place(statistics_.x.upper), label));
    const QString unit = is_clock               ? tr("second")
                         : x.column == "tokens" ? tr("million tokens")
                                                : QString::fromStdString(x.column);
    table_->setHeaderLabels({tr("run"), tr("points"), tr("mean"), tr("least"), tr("at"),
                             tr("greatest"), tr("at"), tr("slope per %1").arg(unit)});
    for (int c = 1; c < table_->columnCount(); ++c)
        table_->headerItem()->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
    table_->clear();
    const char* format = format_of(y);
    for (const StretchRow& row : statistics_.rows) {
        const double slope = row.slope * (x.column == "tokens" ? 1e6 : 1);
        auto* item = new QTreeWidgetItem(table_);
        const QStringList texts{QString::fromStdString(row.name),
                                QString::fromStdString(format_integer(row.points)),
                                text_of(row.mean, format),
                                text_of(row.least, format),
                                place(row.least_x),
                                text_of(row.greatest, format),
                                place(row.greatest_x),
                                text_of(slope, "{:#.4g}")};
        for (int c = 0; c < texts.size(); ++c) {
            item->setText(c, texts[c]);
            if (c > 0) item->setTextAlignment(c, Qt::AlignRight | Qt::AlignVCenter);
        }
        item->setForeground(0, to_qcolor(palette_color(row.color, row.shade, theme_.dark)));
    }
    for (int c = 0; c < table_->columnCount(); ++c) table_->resizeColumnToContents(c);
    const int rows = static_cast<int>(statistics_.rows.size());
    const int line = rows > 0 ? table_->visualItemRect(table_->topLevelItem(0)).height() : 0;
    const int head = table_->header()->sizeHint().height();
    table_->setFixedHeight(head + line * std::clamp(rows, 1, kMostRows) + 4);
}

void StretchTable::copy() const {
    QGuiApplication::clipboard()->setText(QString::fromStdString(stretch_csv(statistics_)));
}

}  // namespace headroom
