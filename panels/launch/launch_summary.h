#pragma once

#include <QWidget>

#include "panels/launch/launch_form.h"

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTableWidget;
class QToolButton;

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
    QPlainTextEdit* commands() const { return commands_; }  ///< folded away at first
    QTableWidget* table() const { return table_; }
    QPushButton* reset_button() const { return reset_; }
    QPushButton* cancel_button() const { return cancel_; }
    QLabel* cost() const { return cost_; }          ///< time, disk and FLOPs of all runs
    QLabel* changes() const { return changes_; }    ///< one line each, its × takes it back
    QLabel* problems() const { return problems_; }  ///< one line each, a link to its field

  signals:
    void launch_asked();
    void picture_asked();
    void reset_asked();
    void cancel_asked();
    void undo_asked(const std::string& path);
    void problem_asked(const std::string& path);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void style_table();
    void dress();
    void lay_out();
    void fill_table(const LaunchView& view);
    void show_whole_columns();
    void show_notes(const LaunchView& view);

    QTableWidget* table_;
    QLabel *cost_, *data_;
    QToolButton* show_commands_;
    QPlainTextEdit* commands_;
    QPushButton* copy_;
    QPushButton* picture_;
    QLabel* changes_;
    QLabel* problems_;
    QLabel* warning_;
    QPushButton* reset_;
    QPushButton* cancel_;
    QPushButton* launch_;
};

}  // namespace headroom
