#pragma once

#include <QWidget>
#include <array>
#include <cstddef>
#include <vector>

#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/memory/memory_measured_view.h"
#include "panels/memory/memory_table.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QSpinBox;
class QStackedWidget;
class QToolButton;
class QTreeWidget;

namespace headroom {

class FigureChart;
class TreemapCanvas;

/// Where the memory of runs goes: plots of the prediction, what to change about it, the ledgers as
/// a table, and what workers measured beside it. UI thread only.
class MemoryPanel : public QWidget {
    Q_OBJECT
  public:
    explicit MemoryPanel(QWidget* parent = nullptr);

    void set_runs(const std::vector<MemoryRun>& runs);
    void set_theme(const Theme& theme);
    /// Layers are called otherwise now.
    void relabel();
    MemoryFigureSettings settings() const;
    FigureChart* chart() const { return chart_; }
    TreemapCanvas* treemap() const { return treemap_; }
    QTreeWidget* table() const { return table_; }
    QLabel* readout() const { return readout_; }
    QPushButton* measure_button() const { return measure_; }
    QWidget* controls() const { return controls_; }

    /// The plot for export_page(). REQUIRES: a run.
    FigurePage page() const;

    /// What to measure now: each run as the settings say.
    std::vector<MeasureQuestion> questions() const;
    /// Workers are at work; `progress` says on what. They are done with "".
    void set_measuring(const QString& progress);
    void take_measurement(const MeasureQuestion& question, const MeasuredMemory& measured);
    void show_problem(const QString& problem);

  signals:
    void export_asked();
    void measure_asked();
    void stop_asked();

  private:
    struct Measurement {
        MeasureQuestion question;
        std::shared_ptr<const MeasuredMemory> measured;
    };

    void make_strip();
    void make_choices();
    void make_sizes();
    void connect_controls();
    void take_use();
    /// Reads the controls into the settings of the use that is shown.
    void take_controls();
    void show_controls();
    std::vector<MemoryModel> models(const MemoryFigureSettings& settings) const;
    Figure figure() const;
    void update_all();
    void draw();
    void fill_table();
    void make_room_for_headings();
    void say(const QString& text, bool problem);

    std::vector<MemoryRun> runs_;
    std::vector<Measurement> measurements_;
    /// Of inference and training, by MemoryUse.
    std::array<MemoryFigureSettings, 2> settings_;
    bool chosen_precision_ = false;  ///< of training, by the person; else it is the first job's
    bool showing_ = false;           ///< controls are being set, not touched
    bool counted_ = false;           ///< there is a ledger to look at and to measure
    Theme theme_;
    QComboBox* use_;
    QComboBox* plot_;
    QComboBox* dtype_;
    QSlider* dtype_slider_;
    QSpinBox* batch_;
    QSlider* batch_slider_;
    QSpinBox* context_;
    QSlider* context_slider_;
    QPushButton* measure_;
    QToolButton* export_;
    QWidget* controls_;
    QStackedWidget* pictures_;
    FigureChart* chart_;
    TreemapCanvas* treemap_;
    QLabel* readout_;
    QLabel* status_;
    QTreeWidget* table_;
};

}  // namespace headroom
