#pragma once

#include <QWidget>

#include "panels/launch/launch_form.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;

namespace headroom {

/// The right half of the launch form: counts of every variant, the commands that will run, the
/// button that queues them.
class LaunchSummary : public QWidget {
    Q_OBJECT
  public:
    explicit LaunchSummary(QWidget* parent = nullptr);

    void set_view(const LaunchView& view);
    QPushButton* launch_button() const { return launch_; }
    QPushButton* picture_button() const { return picture_; }
    QPlainTextEdit* commands() const { return commands_; }
    QTableWidget* table() const { return table_; }

  signals:
    void launch_asked();
    void picture_asked();

  private:
    void fill_table(const LaunchView& view);

    QTableWidget* table_;
    QLabel* data_;
    QPlainTextEdit* commands_;
    QPushButton* copy_;
    QPushButton* picture_;
    QLabel* error_;
    QPushButton* launch_;
};

}  // namespace headroom
