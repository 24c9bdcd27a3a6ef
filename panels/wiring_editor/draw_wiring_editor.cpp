#include "panels/wiring_editor/draw_wiring_editor.h"

#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "core/base/parse_number.h"
#include "panels/base/numbering.h"
#include "panels/imgui/imgui_theme.h"
#include "panels/wiring/wiring_painter.h"

namespace headroom {

namespace {

/// On the line of what came before as long as there is room.
void beside(const char* label) {
    const float wide = ImGui::CalcTextSize(label).x + 2 * ImGui::GetStyle().FramePadding.x;
    const float right = ImGui::GetWindowContentRegionMax().x + ImGui::GetWindowPos().x;
    if (ImGui::GetItemRectMax().x + ImGui::GetStyle().ItemSpacing.x + wide < right)
        ImGui::SameLine();
}

/// Says what the edit does, or why it cannot be, while the mouse is on its button.
void explain(const WiringEditor& editor, const WiringEdit& edit, const char* help,
             const Theme& theme) {
    if (!ImGui::IsItemHovered()) return;
    ImGui::BeginTooltip();
    ImGui::TextUnformatted(help);
    const std::string refusal = editor.refusal_of(edit);
    if (!refusal.empty()) {
        ImGui::PushTextWrapPos(28 * ImGui::GetFontSize());
        ImGui::PushStyleColor(ImGuiCol_Text, to_imvec4(theme.bad));
        ImGui::TextUnformatted(refusal.c_str());
        ImGui::PopStyleColor();
        ImGui::PopTextWrapPos();
    }
    ImGui::EndTooltip();
}

/// The item that was drawn last is the tool of this name.
void note_tool(WiringEditorSettings& settings, const std::string& name) {
    const ImVec2 a = ImGui::GetItemRectMin(), b = ImGui::GetItemRectMax();
    settings.tools[name] = {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

void draw_tables(const WiringEditor& editor, WiringEditorSettings& settings,
                 WiringEditorCommands& commands) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Edit");
    const struct {
        const char* name;
        EditedTables tables;
    } choices[] = {{"keys", EditedTables::kKeys},
                   {"values", EditedTables::kValues},
                   {"both", EditedTables::kBoth}};
    for (const auto& choice : choices) {
        ImGui::SameLine();
        if (ImGui::RadioButton(choice.name, editor.tables() == choice.tables))
            commands.tables = choice.tables;
        note_tool(settings, choice.name);
    }
}

const char* weight_name(SourceWeight learned) {
    if (learned == SourceWeight::kFixed) return "fixed";
    return learned == SourceWeight::kLambda ? "learned λ" : "1 − λ";
}

/// A number that is dragged or typed, and whether it is learned; the new weight once it is set.
std::optional<PickedWeight> draw_weight(int index, const PickedWeight& weight,
                                        WiringEditorSettings& settings) {
    std::optional<PickedWeight> changed;
    ImGui::PushID(index);
    if (weight.learned == SourceWeight::kFixed) {
        double shown = settings.weighed == index ? settings.typed_weight : weight.weight;
        ImGui::SetNextItemWidth(4.5f * ImGui::GetFontSize());
        const float value_before = static_cast<float>(shown);
        float value = value_before;
        if (ImGui::DragFloat("##weight", &value, 0.01f, 0, 0, "%.3g")) {
            settings.weighed = index;
            settings.typed_weight = parse_number(fmt::format("{:.6g}", value)).value_or(value);
        }
        if (ImGui::IsItemDeactivatedAfterEdit()) {
            changed = PickedWeight{settings.typed_weight, SourceWeight::kFixed};
            settings.weighed.reset();
        }
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("Drag, or click and type");
        ImGui::SameLine(0, 4);
    }
    ImGui::SetNextItemWidth(6.5f * ImGui::GetFontSize());
    if (ImGui::BeginCombo("##learned", weight_name(weight.learned))) {
        for (const SourceWeight learned :
             {SourceWeight::kFixed, SourceWeight::kLambda, SourceWeight::kOneMinusLambda})
            if (ImGui::Selectable(weight_name(learned), learned == weight.learned))
                changed =
                    PickedWeight{learned == SourceWeight::kFixed ? 1.0 : kInitialLambda, learned};
        ImGui::EndCombo();
    }
    ImGui::PopID();
    return changed;
}

void draw_tools(const WiringEditor& editor, const Theme& theme, WiringEditorSettings& settings,
                WiringEditorCommands& commands) {
    draw_tables(editor, settings, commands);
    ImGui::SameLine(0, 16);
    ImGui::TextDisabled("New link ×");
    ImGui::SameLine();
    if (const auto weight = draw_weight(-1, editor.weight(), settings)) commands.weight = weight;
    beside("Read from… ");
    if (ImGui::Button("Read from…")) commands.ask_source = true;
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip(
            "Return: then click or point at the source, Return again; with Ctrl\n"
            "the source is added to what is read already");
    const auto edit_button = [&](const char* label, const WiringEdit& edit, const char* help,
                                 const std::string& group = "") {
        beside(label);
        if (ImGui::Button(label)) commands.edit = edit;
        note_tool(settings, group + label);
        explain(editor, edit, help, theme);
    };
    using Kind = WiringEdit::Kind;
    edit_button("Own", {.kind = Kind::kOwn}, "O or Delete: the layer's own again");
    edit_button("Zero", {.kind = Kind::kNothing}, "N: reads nothing");
    edit_button("Repeat above", editor.repeat_edit(),
                "U: the marked layers' pattern, for all layers above them");
    edit_button("Mirror", {.kind = Kind::kMirror},
                "M: heads in the opposite order, sources with them");
    edit_button("Reverse", editor.reverse_edit(),
                "T: the marked layers in the opposite order, sources with them");
    beside("Fit");
    if (ImGui::Button("Fit")) show_whole(settings);
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled("Paint");
    ImGui::PushID("Paint");  // one of them is called as a tool above
    for (const WiringBrush& brush : wiring_brushes(settings.choice))
        edit_button(brush.title.c_str(), brush.edit, brush.help.c_str(), "Paint ");
    ImGui::PopID();
}

/// What the head at the cursor reads, each source with its weight.
void draw_sources(const WiringEditor& editor, WiringEditorSettings& settings,
                  WiringEditorCommands& commands) {
    const KvTable table = editor.edits(KvTable::kValues) ? KvTable::kValues : KvTable::kKeys;
    const HeadId head = editor.cursor();
    const auto& tables = table == KvTable::kKeys ? editor.wiring().keys : editor.wiring().values;
    const HeadSources& sources =
        tables[static_cast<size_t>(head.layer)][static_cast<size_t>(head.head)];
    ImGui::AlignTextToFramePadding();
    ImGui::TextDisabled(
        "%s of layer %d head %d read%s", table == KvTable::kKeys ? "Keys" : "Values",
        static_cast<int>(shown_number(head.layer)), static_cast<int>(shown_number(head.head)),
        sources.empty() ? " nothing" : "");
    constexpr size_t kMostShown = 3;
    for (size_t i = 0; i < std::min(sources.size(), kMostShown); ++i) {
        const HeadSource& source = sources[i];
        const int column = column_of(tables, source);
        // Marked heads that read the same in their own layer, or the same layer, are weighed too.
        WiringEdit edit{.layer = source.layer == head.layer ? WiringEdit::kOwnLayer : source.layer};
        if (column != head.head) edit.head = column;
        const std::string label =
            source.layer == head.layer && column == head.head
                ? "own"
                : fmt::format("L{}.{}", shown_number(source.layer), shown_number(column));
        ImGui::SameLine(0, 14);
        ImGui::TextUnformatted(label.c_str());
        ImGui::SameLine(0, 4);
        ImGui::PushID(static_cast<int>(i));
        if (const auto weight =
                draw_weight(static_cast<int>(i), {source.weight, source.learned}, settings)) {
            edit.kind = WiringEdit::Kind::kWeigh;
            edit.weight = weight->weight;
            edit.learned = weight->learned;
            commands.edit = edit;
        }
        ImGui::SameLine(0, 4);
        if (ImGui::SmallButton("×")) {
            edit.kind = WiringEdit::Kind::kDrop;
            commands.edit = edit;
        }
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("No longer read this");
        ImGui::PopID();
    }
    if (sources.size() > kMostShown) {
        ImGui::SameLine();
        ImGui::TextDisabled("and %zu more", sources.size() - kMostShown);
    }
}

void draw_readout(const WiringEditorFrame& frame, const WiringEditorSettings& settings,
                  const Theme& theme) {
    const WiringEditor& editor = frame.editor;
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(frame.view.counts.c_str());
    const bool points = pointed_pick(frame, settings).has_value();
    const std::string& refusal = points ? settings.preview.refusal : editor.refusal();
    if (!refusal.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text, to_imvec4(theme.bad));
        ImGui::TextUnformatted(refusal.c_str());
        ImGui::PopStyleColor();
    } else if (points) {
        ImGui::TextColored(to_imvec4(theme.accent), "%s%s", settings.preview.words.c_str(),
                           editor.is_asking()
                               ? "? Arrows go elsewhere, Return or a click takes it, Esc gives up."
                               : "");
    } else {
        const size_t count = editor.marked().size();
        ImGui::TextDisabled(
            "%s%s", count > 0 ? fmt::format("{} marked. ", count).c_str() : "",
            "Drag a head, or the number of a layer, to what it shall read; Shift+drag marks, "
            "Ctrl+drag adds.");
    }
    ImGui::PopTextWrapPos();
}

/// Works the preview out where it points at something else than before.
void update_preview(const WiringEditorFrame& frame, WiringEditorSettings& settings) {
    const auto pick = pointed_pick(frame, settings);
    WiringPreview& preview = settings.preview;
    const bool besides =
        frame.editor.is_asking() ? frame.editor.adds_source() : settings.gesture.besides;
    if (pick == preview.pick && besides == preview.besides &&
        preview.version == frame.editor.version())
        return;
    preview = {pick, besides, frame.editor.version(), "", ""};
    if (!pick) return;
    const WiringEdit edit = frame.editor.read_edit(*pick, besides);
    preview.words = edit_words(edit, frame.editor.tables(), frame.editor.marked());
    preview.refusal = frame.editor.refusal_of(edit);
    const RewireMap* map = frame.view.rewire.get();
    if (map && fits(*map, frame.editor) && !besides)
        preview.words += loss_words(frame.editor, *map, *pick);
}

void draw_canvas(const WiringEditor& editor, const WiringEditorView& view, const Theme& theme,
                 WiringEditorSettings& settings, ImVec2 size, WiringEditorCommands& commands) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("canvas", size,
                           ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight |
                               ImGuiButtonFlags_MouseButtonMiddle);
    const WiringLayout layout =
        fitting_layout(view.picture, settings.show_keys, settings.show_values, size);
    const WiringEditorFrame frame{editor, view, layout, frame_of(settings, layout, corner, size),
                                  corner, size};
    settings.drawn = frame.place;
    settings.layout = layout;
    take_mouse(frame, settings, commands);
    take_keys(frame, settings, commands);
    update_preview(frame, settings);
    const WiringPainter painter(view.picture, layout, theme, frame.place.origin, frame.place.unit,
                                &view.ownership);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(corner, {corner.x + size.x, corner.y + size.y}, true);
    painter.paint(*list, std::nullopt);
    const bool points = editor.is_asking() || pointed_pick(frame, settings);
    if (points && view.rewire && fits(*view.rewire, editor)) paint_losses(frame, theme, *list);
    paint_gesture(frame, settings, theme, *list);
    list->PopClipRect();
    if (pointed_pick(frame, settings) && !editor.is_asking()) {
        const WiringPreview& preview = settings.preview;
        ImGui::SetTooltip("%s%s%s", preview.words.c_str(), preview.refusal.empty() ? "" : "\n",
                          preview.refusal.c_str());
    }
    draw_sources(editor, settings, commands);
    draw_readout(frame, settings, theme);
}

}  // namespace

WiringEditorCommands draw_wiring_editor(const WiringEditor& editor, const WiringEditorView& view,
                                        const Theme& theme, WiringEditorSettings& settings) {
    WiringEditorCommands commands;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin("wiring editor", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar(2);
    if (editor.empty()) {
        ImGui::TextDisabled("Select a run, or choose above what to start from.");
        ImGui::End();
        return commands;
    }
    draw_tools(editor, theme, settings, commands);
    constexpr int kReadoutLines = 3;
    ImVec2 size = ImGui::GetContentRegionAvail();
    size.x = std::max(size.x, 16.0f);
    size.y = std::max(size.y - kReadoutLines * ImGui::GetTextLineHeightWithSpacing() -
                          ImGui::GetFrameHeightWithSpacing(),
                      16.0f);
    draw_canvas(editor, view, theme, settings, size, commands);
    ImGui::End();
    return commands;
}

}  // namespace headroom
