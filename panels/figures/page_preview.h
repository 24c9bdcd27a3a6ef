#pragma once

#include <QImage>
#include <QScrollArea>

class QLabel;

namespace headroom {

/// A drawn page on its ground, at the size that it will have on paper. UI thread only.
class PagePreview : public QScrollArea {
    Q_OBJECT
  public:
    PagePreview();

    /// `dots_per_inch` of the image tells how large the page is.
    void set_page(const QImage& page, double dots_per_inch);
    /// In place of a page: why there is none.
    void set_message(const QString& text);
    /// 1 is true size; 0 fits the page into the view.
    void set_zoom(double zoom);
    double zoom() const { return zoom_; }
    /// What is shown now, in screen pixels; empty without a page.
    QSize page_size() const;
    QString message() const;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  signals:
    void zoom_changed(double zoom);

  private:
    void show_page();

    QLabel* label_;
    QImage page_;
    double dots_per_inch_ = 192, zoom_ = 0;
};

}  // namespace headroom
