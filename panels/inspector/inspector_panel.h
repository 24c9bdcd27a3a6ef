#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "panels/figure/page_export.h"
#include "panels/inspector/inspector_canvas.h"
#include "panels/inspector/inspector_controls.h"

namespace headroom {

/// What heads attend to: controls above, maps below. It shows what it is given; whoever owns it
/// probes checkpoints and brings the records. UI thread only.
class InspectorPanel : public QWidget {
    Q_OBJECT
  public:
    explicit InspectorPanel(QWidget* parent = nullptr);

    void set_view(InspectorView view);
    void set_steps(const std::vector<int64_t>& steps, int64_t shown);
    void set_theme(const Theme& theme) { canvas_->set_theme(theme); }
    void set_settings(const InspectorSettings& settings);
    void set_place(const InspectorPlace& place);

    const InspectorView& view() const { return canvas_->view(); }
    const InspectorSettings& settings() const { return canvas_->settings(); }
    const InspectorPlace& place() const { return canvas_->place(); }
    /// Whose attention lies over the pictures that are shown; nothing where maps are.
    std::optional<PictureQuery> shown_query() const;
    /// What is shown, for export_page(): the head that is large, whole. UserError where no run has
    /// a record.
    FigurePage page() const;
    InspectorCanvas* canvas() const { return canvas_; }
    InspectorControls* controls() const { return controls_; }

  signals:
    /// By its place in shown_panes().
    void probe_asked(int pane);
    /// The run that is to become A, by its place in the view's panes.
    void reference_asked(int pane);
    void step_asked(qint64 step);
    void text_entered(const QString& text);
    void export_asked();
    void settings_changed();

  private:
    void take(const InspectorCommands& commands);
    void fit();
    void step_by(int count);

    InspectorControls* controls_;
    InspectorCanvas* canvas_;
    std::vector<int64_t> steps_;
    int64_t step_ = -1;
};

}  // namespace headroom
