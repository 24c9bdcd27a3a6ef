#include "panels/wiring/draw_wiring.h"

#include <gtest/gtest.h>

#include "tests/panels/imgui/headless_imgui.h"
#include "tests/panels/wiring/wiring_cases.h"

namespace headroom {
namespace {

const WiringCosts kCosts{64, 1000, 1000};

class DrawWiring : public HeadlessImGui {
  protected:
    int draw(const WiringView& view) {
        return frame(
            [&] { commands_ = draw_wiring(view, build_ownership(view), dark_theme(), settings_); });
    }
    /// Puts the mouse on a head and draws until the hover has settled.
    void hover(const WiringView& view, TableHead head) {
        // Scan the canvas: the test must not know the layout's arithmetic.
        for (float y = 40; y < 600; y += 6) {
            for (float x = 10; x < 990; x += 6) {
                ImGui::GetIO().MousePos = {x, y};
                draw(view);
                if (commands_.hovered == head) return;
            }
        }
        FAIL() << "no such head on the canvas";
    }
    WiringSettings settings_;
    WiringCommands commands_;
};

TEST_F(DrawWiring, AnEmptyWiringShowsWhatToDo) {
    EXPECT_GT(draw({}), 0);
}

TEST_F(DrawWiring, OneLayerIsDrawn) {
    const WiringView view = build_wiring_view(own_wiring(1, 1, 1), kCosts, "one");
    const int empty = draw({});
    EXPECT_GT(draw(view), empty);
}

TEST_F(DrawWiring, FortyEightLayersOfSixtyFourHeadsAreDrawn) {
    const WiringView view = build_wiring_view(skipv1_wiring(48, 64), kCosts, "large");
    for (int i = 0; i < 3; ++i) EXPECT_GT(draw(view), 2 * 48 * 64 * 4);
    settings_.zoom = 20;
    EXPECT_GT(draw(view), 0);
}

TEST_F(DrawWiring, TheSwitchColoursHeadsByTheirOwner) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kCosts, "skipv1");
    // Presses along the toolbar until the switch is met: the test knows no layout.
    for (float x = 10; x < 900 && settings_.color_by == WiringColoring::kSource; x += 12)
        for (float y = 10; y < 60 && settings_.color_by == WiringColoring::kSource; y += 12) {
            settings_.show_keys = settings_.show_values = true;
            ImGui::GetIO().MousePos = {x, y};
            draw(view);
            ImGui::GetIO().MouseDown[0] = true;
            draw(view);
            ImGui::GetIO().MouseDown[0] = false;
            draw(view);
        }
    EXPECT_EQ(settings_.color_by, WiringColoring::kCacheOwner);
    EXPECT_GT(draw(view), 0);
    settings_.zoom = 0.25f;  // too small for shapes
    EXPECT_GT(draw(build_wiring_view(skipv1_wiring(48, 64), kCosts, "large")), 0);
}

TEST_F(DrawWiring, AWiringWithoutHeadsIsDrawn) {
    WiringView view;
    view.n_layer = 1;
    view.keys.cells.resize(1);
    view.values.cells.resize(1);
    EXPECT_GT(draw(view), 0);
}

TEST_F(DrawWiring, TheHeadUnderTheMouseIsReported) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kCosts, "skipv1");
    hover(view, {KvTable::kValues, {2, 3}});
    ImGui::GetIO().MousePos = {2, 2};
    draw(view);
    EXPECT_EQ(commands_.hovered, std::nullopt);
}

TEST_F(DrawWiring, AClickKeepsAHeadAndASecondClickLetsItGo) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kCosts, "skipv1");
    const TableHead head{KvTable::kKeys, {1, 1}};
    hover(view, head);
    const auto click = [&] {
        ImGui::GetIO().MouseDown[0] = true;
        draw(view);
        ImGui::GetIO().MouseDown[0] = false;
        draw(view);
    };
    click();
    EXPECT_EQ(settings_.locked, head);
    ImGui::GetIO().DeltaTime = 1;
    for (int i = 0; i < 60; ++i) draw(view);  // long enough not to be a double click
    click();
    EXPECT_EQ(settings_.locked, std::nullopt);
}

TEST_F(DrawWiring, TheWheelZoomsAtTheCursor) {
    const WiringView view = build_wiring_view(skipv1_wiring(6, 6), kCosts, "skipv1");
    const TableHead head{KvTable::kValues, {4, 5}};
    hover(view, head);
    for (int i = 0; i < 4; ++i) {
        ImGui::GetIO().MouseWheel = 1;
        draw(view);
    }
    draw(view);
    EXPECT_GT(settings_.zoom, 1.5f);
    EXPECT_EQ(commands_.hovered, head);
}

TEST_F(DrawWiring, DraggingPansAndDoesNotLock) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kCosts, "skipv1");
    hover(view, {KvTable::kKeys, {1, 1}});
    ImGui::GetIO().MouseDown[0] = true;
    draw(view);
    for (int i = 0; i < 5; ++i) {
        ImGui::GetIO().MousePos.x += 10;
        draw(view);
    }
    ImGui::GetIO().MouseDown[0] = false;
    draw(view);
    EXPECT_GT(settings_.pan_x, 20);
    EXPECT_EQ(settings_.locked, std::nullopt);
}

TEST_F(DrawWiring, ArrowsStepThroughHeadsAndLayers) {
    const WiringView view = build_wiring_view(skipv1_wiring(3, 2), kCosts, "skipv1");
    ImGuiIO& io = ImGui::GetIO();
    const ImGuiKey keys[] = {ImGuiKey_RightArrow, ImGuiKey_LeftArrow, ImGuiKey_DownArrow,
                             ImGuiKey_UpArrow, ImGuiKey_Escape};
    for (int i = 0; i < 5; ++i) io.KeyMap[keys[i]] = i;
    const auto press = [&](int key, int times = 1) {
        for (int i = 0; i < times; ++i) {
            io.KeysDown[key] = true;
            draw(view);
            io.KeysDown[key] = false;
            draw(view);
        }
    };
    draw(view);
    press(0);
    EXPECT_EQ(settings_.locked, (TableHead{KvTable::kKeys, {0, 0}}));
    press(0, 2);
    EXPECT_EQ(settings_.locked, (TableHead{KvTable::kValues, {0, 0}}));
    press(2, 5);
    EXPECT_EQ(settings_.locked, (TableHead{KvTable::kValues, {2, 0}}));
    press(1);
    EXPECT_EQ(settings_.locked, (TableHead{KvTable::kKeys, {2, 1}}));
    press(4);
    EXPECT_EQ(settings_.locked, std::nullopt);
}

TEST_F(DrawWiring, AKeptHeadThatAnotherRunLacksIsForgotten) {
    settings_.locked = TableHead{KvTable::kKeys, {11, 11}};
    draw(build_wiring_view(own_wiring(2, 2, 2), kCosts, "small"));
    EXPECT_EQ(settings_.locked, std::nullopt);
}

TEST(WiringLayout, EveryCellIsFoundAtItsOwnCentre) {
    const WiringView view = build_wiring_view(own_wiring(3, 8, 2), kCosts, "gqa");
    for (const float aspect : {0.3f, 4.0f}) {
        const WiringLayout layout(view, true, true, aspect);
        for (const KvTable lane : {KvTable::kKeys, KvTable::kValues})
            for (int l = 0; l < 3; ++l)
                for (int g = 0; g < 2; ++g)
                    EXPECT_EQ(layout.head_at(layout.cell_box(lane, {l, g}).centre()),
                              (TableHead{lane, {l, g}}));
    }
}

TEST(WiringLayout, ATallCanvasPutsTheLanesBelowEachOther) {
    const WiringView view = build_wiring_view(own_wiring(6, 6, 6), kCosts, "mha");
    EXPECT_GT(WiringLayout(view, true, true, 4.0f).width(), 12);
    EXPECT_GT(WiringLayout(view, true, true, 0.3f).height(), 12);
}

TEST(WiringLayout, EdgesStartAtTheReaderAndEndAtTheSource) {
    const WiringView view = build_wiring_view(own_wiring(4, 4, 4), kCosts, "mha");
    const WiringLayout layout(view, true, true, 1);
    for (const HeadId source : {HeadId{0, 2}, HeadId{1, 0}}) {
        const auto edge = layout.edge(KvTable::kValues, {3, 2}, source);
        EXPECT_FLOAT_EQ(edge.front().x, layout.cell_box(KvTable::kValues, {3, 2}).x1);
        EXPECT_FLOAT_EQ(edge.back().x, layout.cell_box(KvTable::kValues, source).x1);
        for (size_t i = 1; i < edge.size(); ++i)
            EXPECT_TRUE(edge[i].x == edge[i - 1].x || edge[i].y == edge[i - 1].y);
    }
}

}  // namespace
}  // namespace headroom
