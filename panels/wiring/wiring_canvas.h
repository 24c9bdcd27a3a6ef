#pragma once

#include <memory>

#include "panels/imgui/canvas_host.h"
#include "panels/wiring/draw_wiring.h"
#include "panels/wiring/wiring_page.h"

namespace headroom {

/// The wiring picture as a Qt widget. Holds an immutable view and draws it; UI thread only.
class WiringCanvas : public QWidget {
  public:
    explicit WiringCanvas(QWidget* parent = nullptr);

    void set_view(std::shared_ptr<const WiringView> view);
    void set_theme(const Theme& theme);
    /// The canvas itself, for tests that press on it; nullptr where OpenGL is missing.
    ImGuiWidget* canvas() const { return host_->canvas(); }
    const WiringSettings& settings() const { return settings_; }
    void set_settings(const WiringSettings& settings);
    const WiringView& view() const { return *view_; }
    /// What is drawn, for a file.
    FigurePage page() const {
        return wiring_page(view_, {.keys = settings_.show_keys,
                                   .values = settings_.show_values,
                                   .by_owner = settings_.color_by == WiringColoring::kCacheOwner,
                                   .title = view_->title});
    }
    const WiringCommands& last_commands() const { return commands_; }

  private:
    std::shared_ptr<const WiringView> view_;
    WiringOwnership ownership_;  ///< of the view
    WiringSettings settings_;
    WiringCommands commands_;
    Theme theme_;
    CanvasHost* host_;
};

}  // namespace headroom
