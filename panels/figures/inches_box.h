#pragma once

#include <QDoubleSpinBox>

namespace headroom {

/// The width or height of a figure, inches: what a study takes (check_figure_inches), or 0, which
/// reads "auto", for what the recipe asks.
class InchesBox : public QDoubleSpinBox {
  public:
    explicit InchesBox(const QString& name);

    void stepBy(int steps) override;

  protected:
    QValidator::State validate(QString& text, int& at) const override;
    void fixup(QString& text) const override;
};

}  // namespace headroom
