#include "panels/imgui/canvas_host.h"

#include <QGuiApplication>
#include <QLabel>
#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QVBoxLayout>

#include "panels/imgui/imgui_widget.h"

namespace headroom {

static bool probe_opengl() {
    const QString platform = QGuiApplication::platformName();
    if (platform == "offscreen" || platform == "minimal" || platform == "vnc") return false;
    QOpenGLContext context;
    if (!context.create()) return false;
    QOffscreenSurface surface;
    surface.setFormat(context.format());
    surface.create();
    return surface.isValid() && context.makeCurrent(&surface);
}

bool opengl_works() {
    static const bool works = probe_opengl();
    return works;
}

CanvasHost::CanvasHost(std::function<void()> draw, QWidget* parent) : QWidget(parent) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    if (opengl_works()) {
        canvas_ = new ImGuiWidget(std::move(draw), this);
        layout->addWidget(canvas_);
        return;
    }
    auto* message = new QLabel(
        tr("This picture needs OpenGL 3.3, which this display does not offer. Everything else "
           "works; \"headroom doctor\" says what is missing."));
    message->setWordWrap(true);
    message->setAlignment(Qt::AlignCenter);
    message->setMargin(24);
    layout->addWidget(message);
}

void CanvasHost::set_theme(const Theme& theme) {
    if (canvas_) canvas_->set_theme(theme);
}

void CanvasHost::request_frames() {
    if (canvas_) canvas_->request_frames();
}

}  // namespace headroom
