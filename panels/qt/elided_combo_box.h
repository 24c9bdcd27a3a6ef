#pragma once

#include <QComboBox>

namespace headroom {

/// A list whose chosen text loses its middle where the box is too narrow for it: its end, such as a
/// step, tells it from others.
class ElidedComboBox : public QComboBox {
  public:
    using QComboBox::QComboBox;

    /// The chosen text as there is room for it.
    QString shown_text() const;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace headroom
