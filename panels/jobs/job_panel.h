#pragma once

#include <QWidget>
#include <vector>

#include "panels/jobs/job_table_model.h"

class QAction;
class QLabel;
class QStackedWidget;
class QTableView;

namespace headroom {

class FlowLayout;

/// What a person asks of some runs. The panel only asks; the window does it.
enum class JobCommand { kPause, kResume, kStop, kRemove, kShowLog, kOpenFolder, kNewLike };

/// The queue of a study: buttons and table. UI thread only.
class JobPanel : public QWidget {
    Q_OBJECT
  public:
    explicit JobPanel(QWidget* parent = nullptr);

    void set_table(JobTable table);
    /// Drawn where the table is empty.
    void set_empty_text(const QString& text);
    void refresh_icons();
    /// Puts the window's own actions before those on runs.
    void add_leading_actions(const QList<QAction*>& actions);

    /// In the order of the table, whatever was clicked first.
    std::vector<std::string> selected() const;
    void select(const std::string& id);
    /// Selects exactly these.
    void select_all(const std::vector<std::string>& ids);
    QWidget* focus_target() const;
    QAction* action(JobCommand command) const { return actions_[static_cast<size_t>(command)]; }
    QTableView* view() const { return view_; }
    const JobTable& table() const { return model_->table(); }

  signals:
    void command_asked(headroom::JobCommand command, const std::vector<std::string>& ids);
    void selection_changed(const std::vector<std::string>& ids);
    /// A double click, or Enter, on a row, which is selected by then.
    void opened();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void make_actions();
    void add_button(QAction* action);
    void show_menu(const QPoint& at);
    void update_actions();

    JobTableModel* model_;
    QTableView* view_;
    QLabel* empty_;
    QStackedWidget* stack_;
    FlowLayout* buttons_ = nullptr;
    std::vector<QAction*> actions_;
    std::vector<std::string> last_selected_;
};

}  // namespace headroom
