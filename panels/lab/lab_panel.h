#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "core/lab/experiment.h"
#include "panels/base/theme.h"
#include "panels/figure/page_export.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;
class QTabWidget;
class QToolButton;

namespace headroom {

class FigureChart;

/// The laboratory: an experiment with its theorem and its options, how far its worker is, and what
/// it found: claims, tables and charts. UI thread only.
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

    /// What `headroom` is told to run what the form says.
    std::vector<std::string> arguments() const;
    /// A worker is at work, or not any more.
    void set_running(bool running);
    void show_progress(double share, const std::string& doing);
    void take_result(LabResult result);
    void show_problem(const QString& problem);

  signals:
    /// Another experiment is looked at.
    void chosen_changed();
    void run_asked();
    void stop_asked();
    void export_asked();
    /// has_picture() may have changed.
    void picture_changed();

  private:
    QWidget* make_strip();
    QWidget* make_controls();
    QWidget* make_results();
    void show_experiment();
    void show_status(const QString& words);
    void show_chart();
    void fill_tables();

    std::vector<std::unique_ptr<Experiment>> experiments_;
    std::vector<QWidget*> inputs_;  ///< of the form, by field
    LabResult result_;
    Theme theme_;
    bool running_ = false;
    QComboBox* choice_;
    QLabel *theorem_, *status_;
    QWidget *controls_, *form_;
    QPushButton* run_;
    QProgressBar* progress_;
    QComboBox* charts_;
    QToolButton* export_;
    FigureChart* chart_;
    QTabWidget* tables_;
};

}  // namespace headroom
