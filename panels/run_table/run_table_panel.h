#pragma once

#include <QWidget>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "panels/base/latest_task.h"
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

/// All runs of a study as a table: any key, count or series as a column, only what differs,
/// conditions, groups with mean ± deviation and n. What it shows is made off the UI thread.
/// UI thread only.
class RunTablePanel : public QWidget {
    Q_OBJECT
  public:
    explicit RunTablePanel(QWidget* parent = nullptr);
    ~RunTablePanel() override;

    void set_runs(std::vector<RunPointer> runs);
    /// Marks the rows of these runs as selected.
    void set_selected(const std::vector<std::string>& ids);
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
    /// Tags, note or name of runs are to be changed.
    void label_asked(const std::vector<std::string>& ids, const headroom::LabelChange& change);

  private:
    struct Request {
        std::vector<RunPointer> runs;
        RunTableSettings settings;
    };
    struct Result {
        RunTable table;
        std::vector<std::string> all_columns, group_columns;
        std::string problem;  ///< one line; the table is then that of before
    };

    void lay_out();
    void connect_parts();
    void request();
    static Result build(RunFacts& facts, const Request& request);
    void show_result(Result result);
    void fill_rows();
    void fill_groupings(const std::vector<std::string>& columns);
    void change(const RunTableSettings& settings);
    void sort_by(int section);
    void choose_columns();
    void show_menu(const QPoint& at);
    void ask_name(const std::vector<std::string>& ids);
    void ask_tags(const std::vector<std::string>& ids);
    void ask_note(const std::vector<std::string>& ids);
    std::vector<std::string> selected_ids() const;
    RunPointer run(const std::string& id) const;

    std::vector<RunPointer> runs_;
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
    bool filling_ = false;
    std::unique_ptr<LatestTask<Request, Result>> task_;
};

}  // namespace headroom
