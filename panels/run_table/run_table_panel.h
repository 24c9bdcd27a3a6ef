#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/base/study_look.h"
#include "panels/base/theme.h"
#include "panels/study/label_runs.h"
#include "panels/study/run_table.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QTreeWidget;

namespace headroom {

class CopyTableButton;
class RunEdits;

/// All runs of a study as a table: any key, count or series as a column, only what differs,
/// conditions, groups with mean ± deviation and n. What it shows is made off the UI thread.
/// UI thread only.
class RunTablePanel : public QWidget {
    Q_OBJECT
  public:
    explicit RunTablePanel(QWidget* parent = nullptr);
    ~RunTablePanel() override;

    /// All runs of the study; the selected ones are marked, and those that are hidden.
    void set_study(const StudyLook& look);
    void set_theme(const Theme& theme);
    void set_settings(const RunTableSettings& settings);
    const RunTableSettings& settings() const { return settings_; }
    /// What is shown.
    const RunTable& table() const { return table_; }

    QWidget* options() const { return options_; }
    QTreeWidget* view() const { return view_; }
    QLineEdit* filter() const { return filter_; }

  signals:
    void settings_changed();
    /// The table as it was asked for is there.
    void shown();
    void selection_asked(const std::vector<std::string>& ids);
    void hidden_asked(const std::set<std::string>& ids);
    void reference_asked(const std::string& id);
    void removal_asked(const std::vector<std::string>& ids);
    /// Tags, note, colour or name of runs are to be changed.
    void label_asked(const std::vector<std::string>& ids, const headroom::LabelChange& change);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Request {
        std::vector<RunPointer> runs;
        RunTableSettings settings;
    };
    struct Result {
        RunTable table;
        std::vector<std::string> all_columns, group_columns;
        std::string problem;  ///< what of the settings is not understood, in a line; else ""
    };

    void lay_out();
    void connect_parts();
    void request();
    static Result build(RunFacts& facts, const Request& request);
    void show_result(Result result);
    void order_columns(bool grouped);
    void fill_rows();
    void dress_rows();
    void set_selected(const std::vector<std::string>& ids);
    void fill_groupings(const std::vector<std::string>& columns);
    void change(const RunTableSettings& settings);
    void sort_by(int section);
    void choose_columns();
    std::vector<std::string> selected_ids() const;

    std::vector<RunPointer> runs_;
    QStringList heads_;
    std::set<std::string> hidden_;
    std::vector<std::string> selected_;
    RunTableSettings settings_;
    RunTable table_;
    std::vector<std::string> all_columns_;
    Theme theme_;
    QWidget* options_;
    QLineEdit* filter_;
    QComboBox* group_by_;
    QCheckBox* only_differing_;
    QToolButton* columns_;
    CopyTableButton* copy_;
    QLabel* count_;
    QLabel* problem_;
    QTreeWidget* view_;
    RunEdits* edits_;
    bool filling_ = false;
    std::unique_ptr<LatestTask<Request, Result>> task_;
};

}  // namespace headroom
