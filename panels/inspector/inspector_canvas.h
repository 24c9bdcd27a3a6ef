#pragma once

#include <QWidget>
#include <memory>

#include "panels/imgui/canvas_host.h"
#include "panels/inspector/draw_inspector.h"
#include "panels/inspector/gl_tile_images.h"

namespace headroom {

/// The maps as a Qt widget: holds an immutable view, what the person has set, and the tiles that
/// were read. Memory stays within a limit, whatever the records' size. UI thread only.
class InspectorCanvas : public QWidget {
    Q_OBJECT
  public:
    explicit InspectorCanvas(QWidget* parent = nullptr);
    ~InspectorCanvas() override;

    void set_view(std::shared_ptr<const InspectorView> view);
    void set_theme(const Theme& theme);
    void set_settings(const InspectorSettings& settings);
    void set_place(const InspectorPlace& place);

    const InspectorView& view() const { return *view_; }
    const InspectorSettings& settings() const { return settings_; }
    const InspectorPlace& place() const { return place_; }
    const InspectorCommands& last_commands() const { return commands_; }
    /// The ImGui widget, for tests that press on it; nullptr where OpenGL is missing.
    ImGuiWidget* canvas() const { return host_->canvas(); }
    TileStore& store() { return *store_; }
    /// Bytes of tiles, statistics and textures that are held.
    size_t bytes() const { return store_->bytes() + images_.bytes(); }

  signals:
    /// After a frame in which the person did something.
    void acted(const headroom::InspectorCommands& commands);

  private:
    void draw();
    bool eventFilter(QObject* watched, QEvent* event) override;

    std::shared_ptr<const InspectorView> view_;
    InspectorSettings settings_;
    InspectorPlace place_;
    InspectorCommands commands_;
    Theme theme_;
    GlTileImages images_;
    CanvasHost* host_;
    std::unique_ptr<TileStore> store_;  ///< last: its threads end before the rest goes
};

}  // namespace headroom
