#include "panels/imgui/imgui_input.h"

#include <cfloat>

#include <imgui.h>

namespace headroom {

void ImGuiInput::Latch::set(bool now) {
    if (now && !down) seen = false;
    down = now;
}

bool ImGuiInput::Latch::take() {
    const bool state = down || !seen;
    seen = true;
    return state;
}

void ImGuiInput::mouse_move(QPointF position) {
    mouse_ = position;
    mouse_inside_ = true;
}

void ImGuiInput::mouse_leave() {
    mouse_inside_ = false;
}

void ImGuiInput::mouse_button(Qt::MouseButton button, bool down) {
    switch (button) {
        case Qt::LeftButton:
            return buttons_[0].set(down);
        case Qt::RightButton:
            return buttons_[1].set(down);
        case Qt::MiddleButton:
            return buttons_[2].set(down);
        default:
            return;
    }
}

void ImGuiInput::wheel(double x, double y) {
    wheel_x_ += x;
    wheel_y_ += y;
}

int ImGuiInput::key_slot(int qt_key) {
    // Qt numbers printable keys by their Unicode value and special ones from 0x01000000.
    constexpr int kSpecial = 0x01000000;
    if (qt_key >= 0 && qt_key < 256) return qt_key;
    if (qt_key >= kSpecial && qt_key < kSpecial + 256) return qt_key - kSpecial + 256;
    return -1;
}

void ImGuiInput::map_keys(ImGuiIO& io) {
    const struct {
        ImGuiKey imgui;
        Qt::Key qt;
    } keys[] = {
        {ImGuiKey_Tab, Qt::Key_Tab},
        {ImGuiKey_LeftArrow, Qt::Key_Left},
        {ImGuiKey_RightArrow, Qt::Key_Right},
        {ImGuiKey_UpArrow, Qt::Key_Up},
        {ImGuiKey_DownArrow, Qt::Key_Down},
        {ImGuiKey_PageUp, Qt::Key_PageUp},
        {ImGuiKey_PageDown, Qt::Key_PageDown},
        {ImGuiKey_Home, Qt::Key_Home},
        {ImGuiKey_End, Qt::Key_End},
        {ImGuiKey_Insert, Qt::Key_Insert},
        {ImGuiKey_Delete, Qt::Key_Delete},
        {ImGuiKey_Backspace, Qt::Key_Backspace},
        {ImGuiKey_Space, Qt::Key_Space},
        {ImGuiKey_Enter, Qt::Key_Return},
        {ImGuiKey_KeyPadEnter, Qt::Key_Enter},
        {ImGuiKey_Escape, Qt::Key_Escape},
        {ImGuiKey_A, Qt::Key_A},
        {ImGuiKey_C, Qt::Key_C},
        {ImGuiKey_V, Qt::Key_V},
        {ImGuiKey_X, Qt::Key_X},
        {ImGuiKey_Y, Qt::Key_Y},
        {ImGuiKey_Z, Qt::Key_Z},
    };
    for (const auto& [imgui, qt] : keys) io.KeyMap[imgui] = key_slot(qt);
}

void ImGuiInput::key(int qt_key, Qt::KeyboardModifiers modifiers, bool down) {
    modifiers_ = modifiers;
    if (const int slot = key_slot(qt_key); slot >= 0) keys_[slot].set(down);
}

void ImGuiInput::text(const QString& typed) {
    typed_ += typed;
}

void ImGuiInput::release_all() {
    for (Latch& button : buttons_) button.set(false);
    for (Latch& key : keys_) key.set(false);
    modifiers_ = {};
}

void ImGuiInput::begin_frame(ImGuiIO& io) {
    io.MousePos = mouse_inside_
                      ? ImVec2(static_cast<float>(mouse_.x()), static_cast<float>(mouse_.y()))
                      : ImVec2(-FLT_MAX, -FLT_MAX);
    for (size_t i = 0; i < buttons_.size(); ++i) io.MouseDown[i] = buttons_[i].take();
    for (size_t i = 0; i < keys_.size(); ++i) io.KeysDown[i] = keys_[i].take();
    io.KeyCtrl = modifiers_.testFlag(Qt::ControlModifier);
    io.KeyShift = modifiers_.testFlag(Qt::ShiftModifier);
    io.KeyAlt = modifiers_.testFlag(Qt::AltModifier);
    io.KeySuper = modifiers_.testFlag(Qt::MetaModifier);
    io.MouseWheel += static_cast<float>(wheel_y_);
    io.MouseWheelH += static_cast<float>(wheel_x_);
    wheel_x_ = wheel_y_ = 0;
    for (const QChar unit : typed_)
        io.AddInputCharacterUTF16(static_cast<ImWchar16>(unit.unicode()));
    typed_.clear();
}

}  // namespace headroom
