#include "panels/imgui/imgui_widget.h"

#include <QEvent>
#include <QFocusEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QSurfaceFormat>
#include <QWheelEvent>
#include <algorithm>

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "panels/imgui/imgui_font.h"
#include "panels/imgui/imgui_theme.h"

namespace headroom {

void ImGuiWidget::choose_surface_format() {
    QSurfaceFormat format;
    format.setVersion(3, 3);
    format.setProfile(QSurfaceFormat::CoreProfile);
    format.setDepthBufferSize(0);
    QSurfaceFormat::setDefaultFormat(format);
}

ImGuiWidget::ImGuiWidget(Draw draw, QWidget* parent)
    : QOpenGLWidget(parent), draw_(std::move(draw)) {
    setMouseTracking(true);
    // A layout may leave no room, and Qt has no picture of such a size: shown again, the window
    // showed whatever else had its number by then.
    setMinimumSize(1, 1);
    setFocusPolicy(Qt::StrongFocus);
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().ConfigDragClickToInputText = true;  // it looks like a field to type into
    ImGuiInput::map_keys(ImGui::GetIO());
    apply_theme(ImGui::GetStyle(), light_theme());
    ground_ = light_theme().panel;
}

ImGuiWidget::~ImGuiWidget() {
    release_gl();
    disconnect(end_of_gl_);  // Qt ends the GL context when this is no ImGuiWidget any more
    ImGui::DestroyContext(context_);
}

void ImGuiWidget::set_theme(const Theme& theme) {
    ImGui::SetCurrentContext(context_);
    apply_theme(ImGui::GetStyle(), theme);
    ground_ = theme.panel;
    request_frames();
}

void ImGuiWidget::request_frames(int count) {
    frames_left_ = std::max(frames_left_, count);
    update();
}

void ImGuiWidget::initializeGL() {
    ImGui::SetCurrentContext(context_);
    gl_ready_ = ImGui_ImplOpenGL3_Init("#version 330 core");
    font_scale_ = 0;
    // The GL context goes when the widget moves to another window, too.
    end_of_gl_ = connect(
        context(), &QOpenGLContext::aboutToBeDestroyed, this, [this] { release_gl(); },
        Qt::SingleShotConnection);
}

void ImGuiWidget::release_gl() {
    if (!gl_ready_) return;
    gl_ready_ = false;
    makeCurrent();
    ImGui::SetCurrentContext(context_);
    ImGui_ImplOpenGL3_Shutdown();
    doneCurrent();
}

void ImGuiWidget::load_font_for_screen() {
    if (font_scale_ == devicePixelRatioF()) return;
    font_scale_ = devicePixelRatioF();
    ImGuiIO& io = ImGui::GetIO();
    load_font(*io.Fonts, font(), font_scale_);
    io.FontGlobalScale = static_cast<float>(1.0 / font_scale_);
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
}

void ImGuiWidget::paintGL() {
    if (!gl_ready_) return;
    ImGui::SetCurrentContext(context_);
    ImGui_ImplOpenGL3_NewFrame();
    load_font_for_screen();
    ImGuiIO& io = ImGui::GetIO();
    const auto scale = static_cast<float>(devicePixelRatioF());
    io.DisplaySize = {static_cast<float>(width()), static_cast<float>(height())};
    io.DisplayFramebufferScale = {scale, scale};
    io.DeltaTime = 1.0f / 60.0f;
    input_.begin_frame(io);

    ImGui::NewFrame();
    draw_();
    ImGui::Render();
    // Many times cheaper than a quad of that size in software rendering.
    const ImVec4 ground = to_imvec4(ground_);
    QOpenGLFunctions& gl = *context()->functions();
    gl.glClearColor(ground.x, ground.y, ground.z, 1);
    gl.glClear(GL_COLOR_BUFFER_BIT);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());

    if (frames_left_ > 0) {
        --frames_left_;
        update();
    }
}

bool ImGuiWidget::event(QEvent* event) {
    // Tab moves the keyboard focus out of the canvas, as anywhere else in the window.
    if (event->type() == QEvent::FontChange) font_scale_ = 0;
    // While a number is typed, digits and letters are no shortcuts of the window.
    if (event->type() == QEvent::ShortcutOverride && context_ != nullptr) {
        ImGui::SetCurrentContext(context_);
        if (ImGui::GetIO().WantTextInput) {
            event->accept();
            return true;
        }
    }
    return QOpenGLWidget::event(event);
}

void ImGuiWidget::mouseMoveEvent(QMouseEvent* event) {
    input_.mouse_move(event->position());
    request_frames();
}

void ImGuiWidget::mouse_button(QMouseEvent* event, bool down) {
    input_.mouse_move(event->position());
    input_.mouse_button(event->button(), down);
    request_frames();
}

void ImGuiWidget::mousePressEvent(QMouseEvent* event) {
    mouse_button(event, true);
}
void ImGuiWidget::mouseReleaseEvent(QMouseEvent* event) {
    mouse_button(event, false);
}
void ImGuiWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    mouse_button(event, true);
}

void ImGuiWidget::wheelEvent(QWheelEvent* event) {
    input_.mouse_move(event->position());
    constexpr double kNotch = 120.0;
    input_.wheel(event->angleDelta().x() / kNotch, event->angleDelta().y() / kNotch);
    request_frames();
    event->accept();
}

void ImGuiWidget::keyPressEvent(QKeyEvent* event) {
    input_.key(event->key(), event->modifiers(), true);
    const bool command = event->modifiers() & (Qt::ControlModifier | Qt::AltModifier);
    if (!command) input_.text(event->text());
    request_frames();
    ImGui::SetCurrentContext(context_);
    if (!ImGui::GetIO().WantTextInput) QOpenGLWidget::keyPressEvent(event);
}

void ImGuiWidget::keyReleaseEvent(QKeyEvent* event) {
    input_.key(event->key(), event->modifiers(), false);
    request_frames();
    QOpenGLWidget::keyReleaseEvent(event);
}

void ImGuiWidget::leaveEvent(QEvent* event) {
    input_.mouse_leave();
    request_frames();
    QOpenGLWidget::leaveEvent(event);
}

void ImGuiWidget::focusOutEvent(QFocusEvent* event) {
    input_.release_all();
    request_frames();
    QOpenGLWidget::focusOutEvent(event);
}

}  // namespace headroom
