#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/base/theme.h"
#include "panels/figure/page_export.h"
#include "panels/probe/probed_runs.h"
#include "panels/probe/profile_view.h"

class QComboBox;
class QToolButton;

namespace headroom {

class FigureChart;
class ProbeStatusBar;

/// Numbers per layer of the shown runs against depth. Files are read off the UI thread. UI thread
/// only.
class ProfilePanel : public QWidget {
    Q_OBJECT
  public:
    explicit ProfilePanel(QWidget* parent = nullptr);
    ~ProfilePanel() override;

    void set_runs(const std::vector<ProbeableRun>& runs);
    void set_work(int busy, const std::string& problem);
    void refresh();
    void relabel() { refresh(); }
    void set_theme(const Theme& theme);

    ProfileSettings settings() const;
    FigureChart* chart() const { return chart_; }
    ProbeStatusBar* strip() const { return strip_; }
    QWidget* controls() const { return controls_; }
    /// Whether there is something to export.
    bool has_picture() const;
    FigurePage page() const;

  signals:
    /// Another picture is shown, or none.
    void shown();
    void export_asked();
    /// The person wants these runs (by id) probed by `headroom probe KIND`.
    void probe_asked(const std::string& kind, const std::vector<std::string>& runs);

  private:
    struct Request {
        std::vector<ProbeableRun> runs;
        ProfileSettings settings;
    };
    struct Answer {
        Figure figure;
        FoundProbes found;
    };

    QWidget* make_controls();
    static Answer read(const Request& request);
    void take(const Answer& answer);
    void fill_choices();
    void ask();
    void show_state();

    std::vector<ProbeableRun> runs_;
    FoundProbes found_;
    int busy_ = 0;
    std::string problem_;
    bool dark_ = false;
    Figure figure_;
    QComboBox *what_, *tensor_, *heads_;
    QToolButton* export_;
    QWidget* controls_;
    ProbeStatusBar* strip_;
    FigureChart* chart_;
    std::unique_ptr<LatestTask<Request, Answer>> task_;
};

}  // namespace headroom
