#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lab/experiment.h"
#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/lab/lab_form.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QToolButton;

namespace headroom {

class FigureChart;
class LabInputs;

/// The laboratory: an experiment with its theorem and its options, how far its worker is, and what
/// it found: claims, tables and charts. Each experiment keeps its options and what it found while
/// another is looked at, and goes on if it runs. UI thread only.
class LabPanel : public QWidget {
    Q_OBJECT
  public:
    explicit LabPanel(QWidget* parent = nullptr);
    ~LabPanel() override;

    void set_theme(const Theme& theme);
    /// The options of the experiment, for the pane of options.
    QWidget* controls() const { return controls_; }
    void choose(const std::string& experiment);
    std::string chosen() const;
    QPushButton* run_button() const { return run_; }
    FigureChart* chart() const { return chart_; }
    QTabWidget* tables() const { return tables_; }
    /// The chart for export_page(). REQUIRES: a result with a chart.
    FigurePage page() const;
    bool has_picture() const;

    /// What `headroom` is told to run what the form says. UserError for an option left empty.
    std::vector<std::string> arguments() const;
    /// A worker is at work on the experiment that is chosen now, or not any more. What it is told
    /// below is of that experiment, whichever is looked at.
    void set_running(bool running);
    void show_progress(double share, const std::string& doing);
    /// In place of what the run before found.
    void take_result(LabResult result);
    /// Why the worker failed, as it says it; options that it names are marked.
    void show_problem(const std::string& problem);
    void show_note(const QString& words);

  signals:
    /// Another experiment is looked at.
    void chosen_changed();
    void run_asked();
    void stop_asked();
    void export_asked();
    /// has_picture() may have changed.
    void picture_changed();

  private:
    /// What is said of an experiment and what it found.
    struct Found {
        LabResult result;
        int chart = 0;  ///< which one is looked at
        QString words = {};
        bool wrong = false;                 ///< the words say what went wrong
        std::vector<LabField> fields = {};  ///< that the result is of
    };

    QWidget* make_strip();
    QWidget* make_controls();
    QWidget* make_results();
    size_t looked_at() const;
    /// The one that runs, else the one that is looked at.
    size_t spoken_of() const;
    void say(const QString& words, bool wrong);
    void show_experiment();
    void show_run_state();
    void show_words();
    void show_result();
    /// Says so where the result is of other options than the form has.
    void show_age();
    void choose_chart();
    /// REQUIRES: has_picture().
    const LabChart& shown_chart() const;
    void show_chart();
    void fill_tables();

    std::vector<std::unique_ptr<Experiment>> experiments_;
    std::vector<LabInputs*> inputs_;  ///< by experiment; that of the chosen one is shown
    std::vector<Found> found_;        ///< by experiment
    Theme theme_;
    std::optional<size_t> running_;  ///< the experiment that a worker is at
    QComboBox* choice_;
    std::vector<LabField> asked_;  ///< what it was told
    QLabel *theorem_, *status_, *age_;
    QWidget* controls_;
    QPushButton* run_;
    QProgressBar* progress_;
    QComboBox* charts_;
    QToolButton* export_;
    FigureChart* chart_;
    QTabWidget* tables_;
};

}  // namespace headroom
