#pragma once

#include <QPointF>
#include <QString>
#include <Qt>
#include <array>

struct ImGuiIO;

namespace headroom {

/// Collects Qt's input events between two frames and hands them to Dear ImGui. ImGui 1.86 has no
/// event queue and samples the state once a frame, so a press that is released before the next
/// frame would be lost: every press stays down until one frame has seen it. UI thread only.
class ImGuiInput {
  public:
    void mouse_move(QPointF position);
    void mouse_leave();
    void mouse_button(Qt::MouseButton button, bool down);
    /// In notches; positive y scrolls up.
    void wheel(double x, double y);
    void key(int qt_key, Qt::KeyboardModifiers modifiers, bool down);
    void text(const QString& typed);
    /// Lets everything go: the widget has lost the keyboard and will see no releases.
    void release_all();

    /// Writes the collected state into `io`; call just before ImGui::NewFrame.
    void begin_frame(ImGuiIO& io);

    /// The slot of io.KeysDown that stands for a Qt key, or -1 where ImGui cannot know it.
    static int key_slot(int qt_key);
    /// Tells ImGui which slots are Tab, Enter, the arrows and so on.
    static void map_keys(ImGuiIO& io);

  private:
    struct Latch {
        bool down = false;
        bool seen = true;
        void set(bool now);
        bool take();
    };

    QPointF mouse_;
    bool mouse_inside_ = false;
    std::array<Latch, 5> buttons_;
    std::array<Latch, 512> keys_;
    Qt::KeyboardModifiers modifiers_;
    double wheel_x_ = 0;
    double wheel_y_ = 0;
    QString typed_;
};

}  // namespace headroom
