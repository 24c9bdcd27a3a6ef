#pragma once

#include <qcustomplot.h>

#include "panels/figure/figure.h"

namespace headroom {

/// Puts make_ticks() on an axis of QCustomPlot.
class FigureTicker : public QCPAxisTicker {
  public:
    FigureTicker(AxisScale scale, NumberFormat format) : scale_(scale), format_(format) {}

    void generate(const QCPRange& range, const QLocale& locale, QChar format_char, int precision,
                  QVector<double>& ticks, QVector<double>* sub_ticks,
                  QVector<QString>* labels) override;

  private:
    AxisScale scale_;
    NumberFormat format_;
};

}  // namespace headroom
