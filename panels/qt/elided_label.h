#pragma once

#include <QLabel>
#include <QString>

namespace headroom {

/// One line that takes what room it gets: what is too long ends in "…", and its tip has all of it.
class ElidedLabel : public QLabel {
  public:
    ElidedLabel();

    /// `aside`: what the tip has below the line; "" = nothing.
    void set_line(const QString& line, const QString& aside = {});

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void elide();

    QString line_;
};

}  // namespace headroom
