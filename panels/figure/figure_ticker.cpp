#include "panels/figure/figure_ticker.h"

#include "panels/figure/ticks.h"

namespace headroom {

void FigureTicker::generate(const QCPRange& range, const QLocale&, QChar, int,
                            QVector<double>& ticks, QVector<double>* sub_ticks,
                            QVector<QString>* labels) {
    const Ticks made = make_ticks({range.lower, range.upper}, scale_, format_, tickCount());
    ticks = QVector<double>(made.major.begin(), made.major.end());
    if (sub_ticks) *sub_ticks = QVector<double>(made.minor.begin(), made.minor.end());
    if (!labels) return;
    labels->clear();
    for (const std::string& label : made.labels) labels->append(QString::fromStdString(label));
}

}  // namespace headroom
