#pragma once

#include <QButtonGroup>
#include <QWidget>
#include <vector>

#include "panels/base/theme.h"

class QHBoxLayout;
class QToolButton;

namespace headroom {

/// The column of buttons at the left edge, one for each activity, with its name below its icon;
/// icons alone where the window is too low for names.
class ActivityBar : public QWidget {
    Q_OBJECT
  public:
    ActivityBar();

    void add(const QString& title, const QString& icon, const QKeySequence& keys);
    /// A small button at the lower end, for what is no activity.
    QToolButton* add_small(const QString& title, const QString& icon);
    void set_theme(const Theme& theme);
    void set_current(int index);
    QToolButton* button(int index) const { return buttons_[static_cast<size_t>(index)]; }

  signals:
    void chosen(int index);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void show_names(bool shown);
    void show_names_where_they_fit();

    QButtonGroup group_;
    std::vector<QToolButton*> buttons_, small_;
    QHBoxLayout* row_;
    int named_height_ = 0;  ///< that names ask for
    Theme theme_;
};

}  // namespace headroom
