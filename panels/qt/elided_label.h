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
    /// All of it, whatever room there is.
    const QString& line() const { return line_; }
    /// As high as a line, also where it says nothing or has no room yet.
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void elide();

    QString line_;
};

}  // namespace headroom
