#include <algorithm>

#include <imgui.h>

#include "panels/imgui/imgui_theme.h"
#include "panels/wiring/wiring_painter.h"
#include "panels/wiring_editor/draw_wiring_editor.h"

namespace headroom {

namespace {

/// Pixels that the mouse moves before a press is a drag.
constexpr float kDragPixels = 5;

bool is_dragged() {
    return ImGui::GetIO().MouseDragMaxDistanceSqr[0] > kDragPixels * kDragPixels;
}

bool all_marked(const WiringEditor& editor, const HeadBox& box) {
    for (int l = box.from.layer; l <= box.to.layer; ++l)
        for (int g = box.from.head; g <= box.to.head; ++g)
            if (!editor.is_marked({l, g})) return false;
    return true;
}

void begin(const WiringEditorFrame& frame, WiringEditorSettings& settings,
           WiringEditorCommands& commands) {
    const ImGuiIO& io = ImGui::GetIO();
    const WiringPoint at = frame.to_picture(io.MousePos);
    const auto spot = spot_at(frame.layout, frame.view.picture, at);
    settings.gesture = {WiringGesture::Kind::kLasso, {}, at, settings.ctrl};
    if (spot) commands.tables = tables_at(frame.editor.tables(), spot->lane);
    if (!spot || !spot->on_mark || settings.shift) return;
    settings.gesture.kind = WiringGesture::Kind::kLink;
    settings.gesture.from = *spot;
    const HeadBox box = box_of(*spot, frame.view.picture);
    if (all_marked(frame.editor, box) || frame.editor.is_asking()) return;
    settings.gesture.marks = settings.ctrl;  // a click with Ctrl adds to the marks
    if (settings.ctrl) return;
    commands.mark = WiringMarking{box};
    commands.cursor = box.from;
}

/// A press that was let go where it began.
void click(const WiringEditorFrame& frame, const WiringEditorSettings& settings,
           const WiringGesture& gesture, WiringEditorCommands& commands) {
    const auto spot = spot_at(frame.layout, frame.view.picture, gesture.start);
    if (frame.editor.is_asking() && spot && spot->layer) {
        commands.edit = frame.editor.read_edit({*spot->layer, spot->head},
                                               frame.editor.adds_source() || gesture.besides);
        return;
    }
    if (!spot || (!spot->on_mark && !settings.shift)) {
        commands.clear_marks = true;
        return;
    }
    const HeadBox box = box_of(*spot, frame.view.picture);
    if (settings.shift) {
        // A row's or a column's number stretches over whole rows or columns.
        const HeadId anchor = frame.editor.cursor();
        const HeadBox whole{
            {spot->layer ? anchor.layer : box.from.layer, spot->head ? anchor.head : box.from.head},
            box.to};
        commands.mark = WiringMarking{whole};
        return;
    }
    commands.mark = WiringMarking{box, gesture.besides ? MarkMode::kToggle : MarkMode::kReplace};
    commands.cursor = box.from;
}

void end(const WiringEditorFrame& frame, WiringEditorSettings& settings,
         WiringEditorCommands& commands) {
    const WiringGesture gesture = settings.gesture;
    settings.gesture = {};
    if (!is_dragged()) return click(frame, settings, gesture, commands);
    const ImGuiIO& io = ImGui::GetIO();
    const WiringPoint at = frame.to_picture(io.MousePos);
    if (gesture.kind == WiringGesture::Kind::kLasso) {
        const WiringLasso lasso = lasso_of(frame.layout, frame.view.picture, gesture.start, at);
        commands.tables = tables_at(frame.editor.tables(), lasso.lane);
        commands.mark =
            WiringMarking{lasso.box, gesture.besides ? MarkMode::kAdd : MarkMode::kReplace};
        commands.cursor = lasso.box.from;
        return;
    }
    if (const auto spot = spot_at(frame.layout, frame.view.picture, at))
        if (const auto pick = pick_between(gesture.from, *spot); pick && !(*spot == gesture.from))
            commands.edit = frame.editor.read_edit(*pick, gesture.besides);
}

/// The place in sight: keys may lead out of what a zoomed canvas shows.
void show_cursor(const WiringEditorFrame& frame, HeadId head, WiringEditorSettings& settings) {
    const KvTable lane = frame.editor.edits(KvTable::kValues) && settings.show_values
                             ? KvTable::kValues
                             : frame.layout.lanes().front();
    const ImVec2 at = frame.to_screen(frame.layout.cell_box(lane, head).centre());
    const float inset = std::min(frame.place.unit, 40.0f);
    settings.pan_x +=
        std::clamp(at.x, frame.corner.x + inset, frame.corner.x + frame.size.x - inset) - at.x;
    settings.pan_y +=
        std::clamp(at.y, frame.corner.y + inset, frame.corner.y + frame.size.y - inset) - at.y;
}

/// Once a press: what asks and then takes must not do both because a key was held.
bool pressed(ImGuiKey key) {
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), false);
}

/// At the press, and again and again while it is held.
bool repeated(ImGuiKey key) {
    return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key), true);
}

bool pressed(char letter) {
    const ImGuiIO& io = ImGui::GetIO();
    return !io.KeyCtrl && !io.KeyAlt && ImGui::IsKeyPressed(letter, false);
}

void take_letters(const WiringEditor& editor, WiringEditorCommands& commands) {
    if (pressed('K')) commands.tables = EditedTables::kKeys;
    if (pressed('V')) commands.tables = EditedTables::kValues;
    if (pressed('B')) commands.tables = EditedTables::kBoth;
    if (pressed('O')) commands.edit = WiringEdit{.kind = WiringEdit::Kind::kOwn};
    if (pressed('N')) commands.edit = WiringEdit{.kind = WiringEdit::Kind::kNothing};
    if (pressed('M')) commands.edit = WiringEdit{.kind = WiringEdit::Kind::kMirror};
    if (pressed('U')) commands.edit = editor.repeat_edit();
    if (pressed('T')) commands.edit = editor.reverse_edit();
    if (pressed('A')) commands.ask_source = commands.adds_source = true;
    if (pressed(ImGuiKey_Delete)) commands.edit = WiringEdit{.kind = WiringEdit::Kind::kOwn};
    if (ImGui::GetIO().KeyCtrl && pressed(ImGuiKey_A)) commands.mark_all = true;
}

}  // namespace

std::optional<SourcePick> pointed_pick(const WiringEditorFrame& frame,
                                       const WiringEditorSettings& settings) {
    if (frame.editor.is_asking()) return frame.editor.asked_pick();
    const bool links = settings.gesture.kind == WiringGesture::Kind::kLink && is_dragged();
    if (!links) return std::nullopt;
    const auto spot =
        spot_at(frame.layout, frame.view.picture, frame.to_picture(ImGui::GetIO().MousePos));
    if (!spot || *spot == settings.gesture.from) return std::nullopt;
    return pick_between(settings.gesture.from, *spot);
}

void take_mouse(const WiringEditorFrame& frame, WiringEditorSettings& settings,
                WiringEditorCommands& commands) {
    const ImGuiIO& io = ImGui::GetIO();
    if (ImGui::IsItemActivated() && ImGui::IsMouseDown(0)) begin(frame, settings, commands);
    const bool pans = ImGui::IsItemActive() && settings.gesture.kind == WiringGesture::Kind::kNone;
    if (pans && (ImGui::IsMouseDragging(1) || ImGui::IsMouseDragging(2))) {
        settings.pan_x += io.MouseDelta.x;
        settings.pan_y += io.MouseDelta.y;
    }
    WiringGesture& gesture = settings.gesture;
    if (gesture.kind == WiringGesture::Kind::kLink && gesture.marks && is_dragged()) {
        gesture.marks = false;
        commands.mark = WiringMarking{box_of(gesture.from, frame.view.picture)};
        commands.cursor = commands.mark->box.from;
    }
    if (ImGui::IsItemHovered())
        zoom_by_wheel(settings,
                      {frame.corner.x + frame.size.x / 2, frame.corner.y + frame.size.y / 2});
    if (ImGui::IsItemDeactivated() && settings.gesture.kind != WiringGesture::Kind::kNone)
        end(frame, settings, commands);
}

void take_keys(const WiringEditorFrame& frame, WiringEditorSettings& settings,
               WiringEditorCommands& commands) {
    // While the mouse drags, Esc takes the drag back and nothing else.
    if (settings.gesture.kind != WiringGesture::Kind::kNone && pressed(ImGuiKey_Escape)) {
        settings.gesture = {};
        return;
    }
    if (!ImGui::IsWindowFocused() || ImGui::IsAnyItemActive() || ImGui::GetIO().WantTextInput)
        return;
    const WiringEditor& editor = frame.editor;
    const int across = repeated(ImGuiKey_RightArrow) - repeated(ImGuiKey_LeftArrow);
    const int down = repeated(ImGuiKey_DownArrow) - repeated(ImGuiKey_UpArrow);
    if (across != 0 || down != 0) {
        const HeadId to{editor.cursor().layer + down, editor.cursor().head + across};
        (settings.shift && !editor.is_asking() ? commands.stretch : commands.cursor) = to;
        show_cursor(frame,
                    {std::clamp(to.layer, 0, editor.wiring().n_layer - 1),
                     std::clamp(to.head, 0, editor.wiring().n_kv_head - 1)},
                    settings);
    }
    if (pressed(ImGuiKey_Escape)) {
        (editor.is_asking() ? commands.stop_asking : commands.clear_marks) = true;
    }
    if (pressed(ImGuiKey_Space))
        commands.mark = WiringMarking{{editor.cursor(), editor.cursor()}, MarkMode::kToggle};
    if (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter)) {
        if (editor.is_asking())
            commands.edit = editor.read_edit(editor.asked_pick(), editor.adds_source());
        else
            commands.ask_source = true;
    }
    take_letters(editor, commands);
}

void paint_gesture(const WiringEditorFrame& frame, const WiringEditorSettings& settings,
                   const Theme& theme, ImDrawList& list) {
    const WiringEditor& editor = frame.editor;
    const ImU32 accent = to_imgui(theme.accent);
    const auto outline = [&](KvTable lane, HeadId head, ImU32 colour, float grow) {
        const WiringBox box = frame.layout.cell_box(lane, head);
        const ImVec2 a = frame.to_screen({box.x0, box.y0}), b = frame.to_screen({box.x1, box.y1});
        if (!ImGui::IsRectVisible(a, b)) return;
        if (frame.place.unit < WiringPainter::kShapeUnit)
            list.AddRectFilled({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1},
                               to_imgui(with_alpha(theme.text, 0.55)));
        else
            list.AddRect({a.x - grow, a.y - grow}, {b.x + grow, b.y + grow}, colour, 3, 0, 2);
    };
    for (const KvTable lane : frame.layout.lanes()) {
        if (!editor.edits(lane)) continue;
        for (const HeadId head : editor.marked()) outline(lane, head, accent, 2);
        outline(lane, editor.cursor(), to_imgui(theme.text), 5);
    }
    const WiringGesture& gesture = settings.gesture;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (gesture.kind == WiringGesture::Kind::kLasso && is_dragged()) {
        const ImVec2 start = frame.to_screen(gesture.start);
        const ImVec2 a{std::min(start.x, mouse.x), std::min(start.y, mouse.y)};
        const ImVec2 b{std::max(start.x, mouse.x), std::max(start.y, mouse.y)};
        list.AddRectFilled(a, b, to_imgui(with_alpha(theme.accent, 0.12)));
        list.AddRect(a, b, accent);
    }
    if (gesture.kind == WiringGesture::Kind::kLink && is_dragged()) {
        const bool good = settings.preview.pick && settings.preview.refusal.empty();
        const ImU32 colour = good || !settings.preview.pick ? accent : to_imgui(theme.bad);
        list.AddLine(frame.to_screen(gesture.start), mouse, colour, 2.5f);
        list.AddCircleFilled(mouse, 4, colour, 12);
    }
}

}  // namespace headroom
