#pragma once

#include <QOpenGLWidget>
#include <functional>

#include "panels/base/theme.h"
#include "panels/imgui/imgui_input.h"

struct ImGuiContext;

namespace headroom {

/// A Qt widget whose content is drawn by Dear ImGui. It repaints on input and on request only,
/// never in a loop. Each widget has a context of its own, so several live side by side. UI thread
/// only.
class ImGuiWidget : public QOpenGLWidget {
  public:
    using Draw = std::function<void()>;

    /// `draw` is called within an ImGui frame and fills the whole widget.
    explicit ImGuiWidget(Draw draw, QWidget* parent = nullptr);
    ~ImGuiWidget() override;

    void set_theme(const Theme& theme);
    /// Draws again, with the few trailing frames that tooltips and hover states need to settle.
    void request_frames(int count = 3);
    /// Puts an OpenGL 3.3 core context where QSurfaceFormat's default is taken from. Call before
    /// QApplication is made.
    static void choose_surface_format();

  protected:
    void initializeGL() override;
    void paintGL() override;
    bool event(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

  private:
    void release_gl();
    void load_font_for_screen();
    void mouse_button(QMouseEvent* event, bool down);

    Draw draw_;
    ImGuiContext* context_;
    ImGuiInput input_;
    double font_scale_ = 0;
    Rgb ground_;
    int frames_left_ = 0;
    QMetaObject::Connection end_of_gl_;
    bool gl_ready_ = false;
};

}  // namespace headroom
