#pragma once

#include <QWidget>
#include <set>

#include "panels/base/theme.h"
#include "panels/run_list/run_list_view.h"
#include "panels/study/label_runs.h"

class QLineEdit;
class QTreeWidget;
class QTreeWidgetItem;

namespace headroom {

class RunEdits;

/// The list of runs beside every page: it decides what is looked at. A row has the run's colour, an
/// eye (shown in views of many runs) and a star (the reference of every difference); the selected
/// row is what views of one run show. UI thread only.
class RunList : public QWidget {
    Q_OBJECT
  public:
    RunList();

    void set_study(const StudyLook& look);
    void set_theme(const Theme& theme);
    /// Folded, it shows the colours alone.
    void set_folded(bool folded);
    bool is_folded() const { return folded_; }
    QTreeWidget* tree() const { return tree_; }
    QLineEdit* filter() const { return filter_; }

    enum Column { kName, kEye, kStar };

  signals:
    void selection_asked(const std::vector<std::string>& ids);
    void hidden_asked(const std::set<std::string>& ids);
    void reference_asked(const std::string& id);
    void removal_asked(const std::vector<std::string>& ids);
    void label_asked(const std::vector<std::string>& ids, const headroom::LabelChange& change);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill();
    QTreeWidgetItem* add_row(QTreeWidgetItem* parent, const RunListRow& row,
                             const std::string& name);
    void dress(QTreeWidgetItem* item, const RunListRow& row);
    /// Some runs of a variant are shown, and others not.
    void dress_half_shown(QTreeWidgetItem* heading, size_t shown, size_t all);
    void settle_headings();
    void select_shown();
    bool click_mark(const QPoint& at);
    /// Ids of an item's run, or of all runs below it.
    std::vector<std::string> ids_of(const QTreeWidgetItem* item) const;
    std::vector<std::string> selected_ids() const;

    QLineEdit* filter_;
    QTreeWidget* tree_;
    RunEdits* edits_;
    StudyLook look_;
    std::vector<RunListGroup> groups_;
    std::vector<std::string> revealed_;  ///< the selection that was scrolled to
    Theme theme_;
    bool folded_ = false;
    bool filling_ = false;
};

}  // namespace headroom
