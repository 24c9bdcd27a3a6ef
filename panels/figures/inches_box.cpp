#include "panels/figures/inches_box.h"

#include "core/study/figure_options.h"

namespace headroom {

InchesBox::InchesBox(const QString& name) {
    setRange(0, kMostFigureInches);
    setDecimals(2);
    setSingleStep(0.25);
    setSuffix(tr(" in"));
    setSpecialValueText(tr("auto"));
    setKeyboardTracking(false);
    setAccessibleName(name);
}

void InchesBox::stepBy(int steps) {
    const double wanted = value() + steps * singleStep();
    if (wanted >= kLeastFigureInches) return QDoubleSpinBox::stepBy(steps);
    setValue(steps > 0 ? kLeastFigureInches : 0);
}

QValidator::State InchesBox::validate(QString& text, int& at) const {
    const QValidator::State state = QDoubleSpinBox::validate(text, at);
    if (state != QValidator::Acceptable) return state;
    const double inches = valueFromText(text);
    const bool too_small = inches > 0 && inches < kLeastFigureInches;
    return too_small ? QValidator::Intermediate : state;  // "0.5", or "0" and more to come
}

void InchesBox::fixup(QString& text) const {
    text = textFromValue(kLeastFigureInches);
}

}  // namespace headroom
