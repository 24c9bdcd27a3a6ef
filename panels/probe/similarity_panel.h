#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/probe/probed_runs.h"
#include "panels/probe/similarity_view.h"

class QCheckBox;
class QComboBox;
class QSpinBox;
class QToolButton;

namespace headroom {

class HeatmapWidget;
class ProbeStatusBar;

/// How alike heads, tokens and layers of the shown runs are, side by side. Files are read off the
/// UI thread. UI thread only.
class SimilarityPanel : public QWidget {
    Q_OBJECT
  public:
    explicit SimilarityPanel(QWidget* parent = nullptr);
    ~SimilarityPanel() override;

    void set_runs(const std::vector<ProbeableRun>& runs);
    /// Probes of these runs that are being made, and what the last one complained of.
    void set_work(int busy, const std::string& problem);
    /// Looks for files anew.
    void refresh();
    /// Layers are called by other numbers now.
    void relabel();
    void set_theme(const Theme& theme);

    SimilaritySettings settings() const;
    HeatmapWidget* maps() const { return maps_; }
    ProbeStatusBar* strip() const { return strip_; }
    QWidget* controls() const { return controls_; }
    /// Whether there is something to export.
    bool has_picture() const;
    /// The maps for export_page().
    FigurePage page() const;

  signals:
    /// Another picture is shown, or none.
    void shown();
    void export_asked();
    /// The person wants these runs (by id) probed.
    void probe_asked(const std::vector<std::string>& runs);

  private:
    struct Request {
        std::vector<ProbeableRun> runs;
        SimilaritySettings settings;
    };
    struct Answer {
        HeatmapFigure figure;
        FoundProbes found;
        int64_t layers = 0;
    };

    QWidget* make_controls();
    static Answer read(const Request& request);
    void take(const Answer& answer);
    void fill_tensors();
    void ask();
    void show_state();

    std::vector<ProbeableRun> runs_;
    FoundProbes found_;
    int busy_ = 0;
    std::string problem_;
    bool dark_ = false;
    QComboBox *what_, *tensor_;
    QSpinBox* layer_;
    QCheckBox* diagonal_;
    QToolButton* export_;
    QWidget* controls_;
    ProbeStatusBar* strip_;
    HeatmapWidget* maps_;
    std::unique_ptr<LatestTask<Request, Answer>> task_;
};

}  // namespace headroom
