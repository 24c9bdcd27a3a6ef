#pragma once

#include <QWidget>
#include <vector>

#include "panels/base/theme.h"
#include "panels/experts/experts_view.h"
#include "panels/figure/page_export.h"

class QComboBox;
class QToolButton;

namespace headroom {

class HeatmapWidget;

/// Which experts the routers of runs choose, as maps. UI thread only.
class ExpertsPanel : public QWidget {
    Q_OBJECT
  public:
    explicit ExpertsPanel(QWidget* parent = nullptr);

    /// Over steps `focused` alone is drawn, by layers all of `compared`.
    void set_runs(RunPointer focused, std::vector<RunPointer> compared);
    void set_map(ExpertMap map);
    ExpertMap map() const;
    /// Layers and experts are called by other numbers now.
    void relabel() { redraw(); }
    void set_theme(const Theme& theme);

    /// Runs that are drawn.
    const std::vector<RunPointer>& runs() const;
    HeatmapWidget* maps() const { return maps_; }
    QWidget* controls() const { return controls_; }
    bool has_picture() const;
    /// REQUIRES: has_picture().
    FigurePage page() const;

  signals:
    /// Another picture is shown, or none.
    void shown();
    void settings_changed();
    void export_asked();

  private:
    QWidget* make_controls();
    void redraw();

    std::vector<RunPointer> focused_, compared_;
    bool dark_ = false;
    QComboBox* map_;
    QToolButton* export_;
    QWidget* controls_;
    HeatmapWidget* maps_;
};

}  // namespace headroom
