#include "panels/wiring_editor/draw_wiring_editor.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "tests/panels/imgui/headless_imgui.h"

namespace headroom {
namespace {

class DrawWiringEditor : public HeadlessImGui {
  protected:
    void begin(int n_layer, int n_head) {
        editor_.begin("start", parse_job({{"model",
                                           {{"n_layer", n_layer},
                                            {"n_head", n_head},
                                            {"d_model", 4 * n_head},
                                            {"vocab_size", 16}}}},
                                         ""));
    }
    int draw() {
        if (!editor_.empty() && view_version_ != editor_.version()) {
            view_.picture = build_wiring_view(editor_.job().model, DType::kBF16, "drawn");
            view_.ownership = build_ownership(view_.picture);
            view_version_ = editor_.version();
        }
        return frame([this] {
            const WiringEditorCommands commands =
                draw_wiring_editor(editor_, view_, dark_theme(), settings_);
            if (commands.any()) perform(editor_, commands);
        });
    }
    ImVec2 place(KvTable lane, int layer, int head) {
        const WiringPoint at = settings_.layout->cell_box(lane, {layer, head}).centre();
        return {settings_.drawn.origin.x + at.x * settings_.drawn.unit,
                settings_.drawn.origin.y + at.y * settings_.drawn.unit};
    }
    void drag(ImVec2 from, ImVec2 to, int button = 0) {
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = from;
        draw();
        io.MouseDown[button] = true;
        draw();
        for (const float share : {0.5f, 1.0f}) {
            io.MousePos = {from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share};
            draw();
        }
        io.MouseDown[button] = false;
        draw();
        draw();
    }

    WiringEditor editor_;
    WiringEditorView view_;
    WiringEditorSettings settings_;
    int view_version_ = -1;
};

TEST_F(DrawWiringEditor, WithoutADrawingItSaysWhatToDo) {
    EXPECT_GT(draw(), 0);
}

TEST_F(DrawWiringEditor, OneHeadIsDrawn) {
    const int nothing = draw();
    begin(1, 1);
    EXPECT_GT(draw(), nothing);
}

TEST_F(DrawWiringEditor, ADragReadsAndTheOtherButtonPans) {
    begin(6, 4);
    draw();
    drag(place(KvTable::kKeys, 4, 1), place(KvTable::kKeys, 2, 1));
    EXPECT_EQ(editor_.tables(), EditedTables::kKeys) << "where it was touched";
    EXPECT_EQ(editor_.wiring().keys[4][1], (HeadSources{{2, 1}}));
    EXPECT_EQ(editor_.wiring().values[4][1], (HeadSources{{4, 1}}));
    drag(place(KvTable::kKeys, 4, 1), place(KvTable::kKeys, 3, 3), 2);
    EXPECT_NE(settings_.pan_x, 0);
    EXPECT_EQ(editor_.wiring().keys[4][1], (HeadSources{{2, 1}}));
}

TEST_F(DrawWiringEditor, BothTablesAreEditedWhereThatIsChosen) {
    begin(6, 4);
    editor_.set_tables(EditedTables::kBoth);
    draw();
    drag(place(KvTable::kKeys, 4, 1), place(KvTable::kKeys, 2, 1));
    EXPECT_EQ(editor_.wiring().keys[4][1], (HeadSources{{2, 1}}));
    EXPECT_EQ(editor_.wiring().values[4][1], (HeadSources{{2, 1}}));
}

TEST_F(DrawWiringEditor, AHeldReturnAsksAndAHeldArrowMoves) {
    begin(6, 4);
    draw();
    const auto hold = [&](ImGuiKey key) {
        ImGuiIO& io = ImGui::GetIO();
        io.KeyMap[key] = key;
        io.KeysDown[key] = true;
        for (int frames = 0; frames < 60; ++frames) draw();
        io.KeysDown[key] = false;
        draw();
    };
    drag(place(KvTable::kKeys, 4, 1), place(KvTable::kKeys, 4, 1));
    hold(ImGuiKey_Enter);
    EXPECT_TRUE(editor_.is_asking()) << "a second frame of one press takes nothing";
    EXPECT_FALSE(editor_.can_undo());
    hold(ImGuiKey_UpArrow);
    EXPECT_EQ(editor_.cursor().layer, 0);
    hold(ImGuiKey_Escape);
    EXPECT_FALSE(editor_.is_asking());
    EXPECT_EQ(editor_.marked(), (std::vector<HeadId>{{4, 1}})) << "a second press clears them";
}

TEST_F(DrawWiringEditor, EveryToolCanBePressed) {
    begin(4, 4);
    editor_.mark({{1, 0}, {2, 3}});
    ImGuiIO& io = ImGui::GetIO();
    std::set<std::string> drawings;
    for (float y = 12; y < 90; y += 10)
        for (float x = 10; x < 990; x += 14) {
            io.MousePos = {x, y};
            draw();
            io.MouseDown[0] = true;
            draw();
            io.MouseDown[0] = false;
            draw();
            drawings.insert(editor_.text());
            if (editor_.tables() == EditedTables::kKeys) editor_.set_tables(EditedTables::kValues);
            editor_.mark({{1, 0}, {2, 3}});
        }
    EXPECT_GE(drawings.size(), 5u) << "brushes and tools that draw something else";
}

TEST_F(DrawWiringEditor, FortyEightLayersOfSixtyFourHeadsAreZoomedAndEdited) {
    begin(48, 64);
    editor_.mark({{30, 0}, {47, 63}});
    for (int i = 0; i < 3; ++i) EXPECT_GT(draw(), 2 * 48 * 64 * 4);
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = place(KvTable::kValues, 30, 30);
    for (int i = 0; i < 12; ++i) {
        io.MouseWheel = 1;
        draw();
    }
    EXPECT_GT(settings_.zoom, 5);
    drag(place(KvTable::kValues, 30, 30), place(KvTable::kValues, 29, 30));
    EXPECT_EQ(editor_.wiring().values[30][30], (HeadSources{{29, 30}}));
    EXPECT_EQ(editor_.wiring().values[47][63], (HeadSources{{29, 63}}));
}

}  // namespace
}  // namespace headroom
