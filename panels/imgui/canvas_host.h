#pragma once

#include <QWidget>
#include <functional>

#include "panels/base/theme.h"

namespace headroom {

class ImGuiWidget;

/// True where an OpenGL context can be made. QOpenGLWidget aborts the program where it cannot
/// (platforms "offscreen", "minimal" and "vnc", or a display without GLX), so ask first.
bool opengl_works();

/// A place for an ImGui canvas: the canvas itself, or one plain sentence where OpenGL is missing.
class CanvasHost : public QWidget {
  public:
    explicit CanvasHost(std::function<void()> draw, QWidget* parent = nullptr);

    void set_theme(const Theme& theme);
    void request_frames();
    /// nullptr where OpenGL is missing.
    ImGuiWidget* canvas() const { return canvas_; }

  private:
    ImGuiWidget* canvas_ = nullptr;
};

}  // namespace headroom
