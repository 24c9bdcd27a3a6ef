#include "panels/loss/range_fields.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <cmath>
#include <string_view>
#include <utility>

#include "panels/base/clock_text.h"
#include "panels/base/number_format.h"
#include "panels/qt/style_property.h"

namespace headroom {
namespace {

constexpr int kFieldWidth = 78;

/// Where the axis spans more than a day, the day says most.
QString clock_of(double time, const Range& shown) {
    constexpr double kDay = 86400;
    constexpr size_t kDate = 10;
    const bool long_range = shown.upper - shown.lower > kDay;
    return QString::fromStdString(clock_text(time, long_range).substr(0, long_range ? kDate : 8));
}

QString range_text(double value) {
    constexpr double kLarge = 1e4;
    if (std::abs(value) >= kLarge) return QString::fromStdString(format_count(value));
    return QString::number(value, 'g', 4);
}

/// As long as the text is no number or the range is upside down.
void mark(QLineEdit* field, const QString& problem, bool clock = false) {
    field->setProperty("problem", problem);
    mark_wrong(*field, problem,
               clock
                   ? RangeFields::tr("Such as 07:30, 07:30:15 or 2026-11-29 07:30; empty: as it is")
                   : RangeFields::tr("Such as 20000, 20k or 2e4; empty: as it is"));
}

}  // namespace

RangeFields::RangeFields(QWidget* parent) : QWidget(parent) {
    auto* layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setHorizontalSpacing(4);
    layout->setVerticalSpacing(4);
    x_ = add_pair(tr("x from"), "xRange");
    y_ = add_pair(tr("y from"), "yRange");
}

RangeFields::Pair RangeFields::add_pair(const QString& axis, const QString& name) {
    auto& grid = *static_cast<QGridLayout*>(layout());
    const int row = grid.rowCount();
    int column = 0;
    const auto field = [&](const QString& label, const char* end, const QString& spoken) {
        grid.addWidget(new QLabel(label, this), row, column++);
        auto* edit = new QLineEdit(this);
        edit->setObjectName(name + end);
        edit->setAccessibleName(spoken);
        edit->setFixedWidth(kFieldWidth);
        mark(edit, "");
        grid.addWidget(edit, row, column++);
        connect(edit, &QLineEdit::editingFinished, this, &RangeFields::take);
        return edit;
    };
    QLineEdit* from = field(axis, "From", tr("Begin of the %1 axis").arg(axis.front()));
    QLineEdit* to = field(tr("to"), "To", tr("End of the %1 axis").arg(axis.front()));
    return {from, to, {}};
}

void RangeFields::show_ranges(Range x, Range y, bool clock) {
    if (clock != x_.clock) x_.shown = {};  // the same numbers read otherwise
    x_.clock = clock;
    show_range(x_, x);
    show_range(y_, y);
}

void RangeFields::clear() {
    for (const Pair& pair : {x_, y_})
        for (QLineEdit* field : {pair.from, pair.to}) {
            field->clear();
            mark(field, "", pair.clock);
        }
}

void RangeFields::show_range(Pair& pair, Range range) {
    if (range == pair.shown) return;
    pair.shown = range;
    for (QLineEdit* field : {pair.from, pair.to}) {
        // A run that goes on moves the axes: what somebody is typing stays.
        if (field->hasFocus() && field->isModified()) continue;
        field->clear();
        mark(field, "", pair.clock);
    }
    pair.from->setPlaceholderText(pair.clock ? clock_of(range.lower, range)
                                             : range_text(range.lower));
    pair.to->setPlaceholderText(pair.clock ? clock_of(range.upper, range)
                                           : range_text(range.upper));
}

std::optional<Range> RangeFields::range_of(const Pair& pair) {
    Range range = pair.shown;
    bool sound = true;
    for (const auto& [field, end] : {std::pair{pair.from, &range.lower}, {pair.to, &range.upper}}) {
        const std::string text = field->text().trimmed().toStdString();
        const std::optional<double> number =
            pair.clock ? parse_clock(text, pair.shown.lower) : parse_shown_number(text);
        const QString problem = text.empty() || number ? QString()
                                : pair.clock ? tr("This is no time; such as 07:30 or 07:30:15")
                                             : tr("This is no number; such as 20000 or 20k");
        mark(field, problem, pair.clock);
        sound = sound && (text.empty() || number);
        if (number) *end = *number;
    }
    if (sound && !(range.lower < range.upper)) {
        mark(pair.to, tr("The range ends before it begins"), pair.clock);
        return std::nullopt;
    }
    return sound ? std::optional(range) : std::nullopt;
}

void RangeFields::take() {
    const std::optional<Range> x = range_of(x_), y = range_of(y_);
    if (!x || !y || (*x == x_.shown && *y == y_.shown)) return;
    for (const Pair* pair : {&x_, &y_})
        for (QLineEdit* field : {pair->from, pair->to}) field->setModified(false);
    emit typed(*x, *y);
}

}  // namespace headroom
