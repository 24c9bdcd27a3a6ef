#pragma once

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "panels/base/latest_task.h"
#include "panels/base/theme.h"
#include "panels/loss/kept_curves.h"
#include "panels/loss/loss_cache.h"
#include "panels/loss/loss_tooltip.h"
#include "panels/loss/loss_view.h"
#include "panels/study/run.h"

class QLabel;
class QPushButton;

namespace headroom {

class FigureChart;
class LossControls;

/// The loss panel: controls, chart and tooltip over the view-model that build_loss() makes. Runs
/// are read and views are built on threads of their own. UI thread only.
class LossWidget : public QWidget {
    Q_OBJECT
  public:
    explicit LossWidget(QWidget* parent = nullptr);
    ~LossWidget() override;

    /// Shows these runs as they are; does nothing if they are the ones shown. Where only their logs
    /// have grown, drawing waits so long that following them takes kFollowingShare of a core.
    static constexpr double kFollowingShare = 0.05;
    void set_runs(std::vector<RunPointer> runs);
    const std::vector<RunPointer>& runs() const { return runs_; }

    const LossSettings& settings() const { return settings_; }
    /// Takes over all settings, the visible ranges and hidden runs included.
    void set_settings(const LossSettings& settings);
    void set_theme(const Theme& theme);

    /// What is on the screen, in the size of the settings.
    Figure figure() const;
    const LossView& view() const { return *view_; }
    /// The same with all points of long curves, for CSV; takes as long as reading them does.
    std::function<Figure()> whole_figure() const;
    FigureChart* chart() const { return chart_; }
    LossControls* controls() const { return controls_; }

    /// Whether logs have grown since the last plot was asked for.
    bool is_waiting() const { return follow_->isActive(); }

    /// Makes this part visible; without y, what is visible along it stays.
    void look_at(Range x, std::optional<Range> y);
    /// A line at this place of the x axis, as if the pointer were there; none without x.
    void show_cursor(std::optional<double> x);
    /// Shows everything.
    void fit();
    void undo_zoom();
    void redo_zoom();

  signals:
    /// The person changed something that is worth keeping.
    void settings_changed();
    /// A view has been built and drawn.
    void view_shown();
    /// Another part is visible now.
    void looked_at(headroom::Range x);
    void fitted();
    /// Where the pointer is along x; nothing when it has left.
    void pointed_at(std::optional<double> x);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Request {
        std::vector<RunPointer> runs;
        LossSettings settings;
        int64_t settings_id = 0;
    };
    struct Result {
        LossView view;
        int64_t settings_id = 0;
        double made_ms = 0;  ///< how long that took
    };
    using ViewPointer = std::shared_ptr<const LossView>;
    struct TipRequest {
        ViewPointer view;
        double x = 0, y = 0;
        QPoint position;
        size_t rows = 0;  ///< at most
    };
    struct TipResult {
        LossTooltip tooltip;
        QPoint position;
    };

    void lay_out();
    void make_tasks();
    void connect_parts();
    void rebuild();
    void follow();
    void deliver(Result result);
    void look_closely(Range x);
    void show_result(Result result);
    void change_settings(LossSettings settings);
    void click_legend(const QString& id, Qt::MouseButton button, Qt::KeyboardModifiers modifiers);
    void toggle_hidden(const std::string& id, bool alone);
    size_t rows_with_room() const;
    void ask_tooltip(double x, double y, const QPoint& position);
    void show_tooltip(const LossTooltip& tooltip, const QPoint& position);
    void hide_tooltip();
    void show_ranges();
    /// Says which curves a part of the axes that was chosen by hand leaves out, so that a run that
    /// comes later is not missed.
    void show_out_of_sight();
    void place_out_of_sight();

    LossSettings settings_;
    std::vector<RunPointer> runs_;
    ViewPointer view_ = std::make_shared<const LossView>();
    Theme theme_;
    int64_t settings_id_ = 0;  ///< changes with the settings: views of older ones are dropped
    LossControls* controls_;
    FigureChart* chart_;
    QLabel* tooltip_;
    QWidget* cursor_line_;
    QPushButton* out_of_sight_;
    QTimer* close_look_;  ///< until the person has stopped moving about
    QTimer* follow_;      ///< until growing logs are drawn again
    QElapsedTimer drawn_;
    double cost_ms_ = 0;  ///< of the last plot, from the logs to the screen
    LossCache cache_;     ///< of the builder's thread
    KeptCurves kept_;     ///< of the same
    bool hovering_ = false;
    std::unique_ptr<LatestTask<Request, Result>> builder_;
    std::unique_ptr<LatestTask<TipRequest, TipResult>> tips_;
};

}  // namespace headroom
