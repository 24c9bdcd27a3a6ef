#include "panels/imgui/imgui_input.h"

#include <cfloat>

#include <gtest/gtest.h>
#include <imgui.h>

namespace headroom {
namespace {

class ImGuiInputTest : public testing::Test {
  protected:
    ImGuiInputTest() : context_(ImGui::CreateContext()), io_(ImGui::GetIO()) {}
    ~ImGuiInputTest() override { ImGui::DestroyContext(context_); }
    ImGuiContext* context_;
    ImGuiIO& io_;
    ImGuiInput input_;
};

TEST_F(ImGuiInputTest, APressThatEndsBeforeTheFrameIsSeenForOneFrame) {
    input_.mouse_button(Qt::LeftButton, true);
    input_.mouse_button(Qt::LeftButton, false);
    input_.begin_frame(io_);
    EXPECT_TRUE(io_.MouseDown[0]);
    input_.begin_frame(io_);
    EXPECT_FALSE(io_.MouseDown[0]);
}

TEST_F(ImGuiInputTest, AHeldPressStaysDown) {
    input_.mouse_button(Qt::MiddleButton, true);
    for (int i = 0; i < 3; ++i) {
        input_.begin_frame(io_);
        EXPECT_TRUE(io_.MouseDown[2]);
    }
}

TEST_F(ImGuiInputTest, LeavingTakesTheMouseAway) {
    input_.mouse_move({12, 34});
    input_.begin_frame(io_);
    EXPECT_EQ(io_.MousePos.x, 12);
    input_.mouse_leave();
    input_.begin_frame(io_);
    EXPECT_EQ(io_.MousePos.x, -FLT_MAX);
}

TEST_F(ImGuiInputTest, SpecialKeysFitIntoTheTableAndDoNotCollide) {
    EXPECT_EQ(ImGuiInput::key_slot(Qt::Key_A), 'A');
    EXPECT_GE(ImGuiInput::key_slot(Qt::Key_Left), 256);
    EXPECT_LT(ImGuiInput::key_slot(Qt::Key_F35), 512);
    EXPECT_EQ(ImGuiInput::key_slot(0x0401), -1);
    EXPECT_EQ(ImGuiInput::key_slot(-5), -1);
}

TEST_F(ImGuiInputTest, LosingTheKeyboardLetsKeysGo) {
    input_.key(Qt::Key_Shift, Qt::ShiftModifier, true);
    input_.begin_frame(io_);
    EXPECT_TRUE(io_.KeyShift);
    input_.release_all();
    input_.begin_frame(io_);
    EXPECT_FALSE(io_.KeyShift);
    EXPECT_FALSE(io_.KeysDown[ImGuiInput::key_slot(Qt::Key_Shift)]);
}

TEST_F(ImGuiInputTest, WheelNotchesAddUpAndAreSpentOnce) {
    input_.wheel(0, 1);
    input_.wheel(0, 0.5);
    input_.begin_frame(io_);
    EXPECT_FLOAT_EQ(io_.MouseWheel, 1.5f);
    io_.MouseWheel = 0;
    input_.begin_frame(io_);
    EXPECT_FLOAT_EQ(io_.MouseWheel, 0);
}

}  // namespace
}  // namespace headroom
