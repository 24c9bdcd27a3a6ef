#pragma once

#include <QWidget>
#include <vector>

#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/memory/memory_table.h"

class QComboBox;
class QSpinBox;
class QToolButton;
class QTreeWidget;

namespace headroom {

class FigureChart;

/// Where the memory of runs goes: a plot of the prediction, what to change about it, and the
/// ledgers as a table. UI thread only.
class MemoryPanel : public QWidget {
    Q_OBJECT
  public:
    explicit MemoryPanel(QWidget* parent = nullptr);

    void set_runs(const std::vector<MemoryRun>& runs);
    void set_theme(const Theme& theme);
    MemoryFigureSettings settings() const;
    FigureChart* chart() const { return chart_; }
    QTreeWidget* table() const { return table_; }

    /// The plot for export_page(). REQUIRES: a run.
    FigurePage page() const;

  signals:
    void export_asked();

  private:
    Figure figure() const;
    void update_all();
    void draw();
    void fill_table();

    std::vector<MemoryRun> runs_;
    bool dark_ = false;
    QComboBox* plot_;
    QComboBox* dtype_;
    QSpinBox* batch_;
    QSpinBox* context_;
    QToolButton* export_;
    FigureChart* chart_;
    QTreeWidget* table_;
};

}  // namespace headroom
