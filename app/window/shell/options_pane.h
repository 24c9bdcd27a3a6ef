#pragma once

#include <QHash>
#include <QWidget>

class QLabel;
class QScrollArea;
class QStackedWidget;

namespace headroom {

class Panel;

/// The pane of a page's controls at the right edge. A page's controls move in here when it is first
/// shown and stay.
class OptionsPane : public QWidget {
    Q_OBJECT
  public:
    OptionsPane();

    /// False where the page has none: then there is nothing to open.
    bool show_options_of(Panel* page);

  signals:
    void close_asked();

  protected:
    /// What stands in it may change its form.
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fit_width();

    QLabel* title_;
    QStackedWidget* stack_;
    QHash<Panel*, QScrollArea*> places_;
};

}  // namespace headroom
