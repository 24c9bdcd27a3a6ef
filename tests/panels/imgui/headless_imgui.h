#pragma once

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <imgui.h>

namespace headroom {

/// An ImGui context without any window or GPU: frames end in draw lists that a test can inspect.
class HeadlessImGui : public testing::Test {
  protected:
    HeadlessImGui() : context_(ImGui::CreateContext()) {
        ImGui::SetCurrentContext(context_);
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.DisplaySize = {1000, 700};
        // What Debian's OpenGL backend does too: lists of more than 65,536 vertices are fine.
        io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
        unsigned char* pixels = nullptr;
        int width = 0;
        int height = 0;
        io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    }
    ~HeadlessImGui() override { ImGui::DestroyContext(context_); }

    /// Runs one frame and returns how many vertices it drew.
    template <class Draw>
    int frame(Draw draw) {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        ImGui::NewFrame();
        draw();
        ImGui::Render();
        return ImGui::GetDrawData()->TotalVtxCount;
    }

    /// The letters that the last frame drew, in their order and without blanks, turned ones too:
    /// a letter is a quad of the font's texture.
    static std::string drawn_letters() {
        std::map<std::pair<float, float>, char> letters;
        const ImFont& font = *ImGui::GetFont();
        for (char c = '!'; c <= '~'; ++c) {
            const ImFontGlyph& glyph = *font.FindGlyph(static_cast<ImWchar>(c));
            letters[{glyph.U0, glyph.V0}] = c;
        }
        std::string text;
        const ImDrawData& data = *ImGui::GetDrawData();
        for (int i = 0; i < data.CmdListsCount; ++i)
            for (const ImDrawVert& corner : data.CmdLists[i]->VtxBuffer)
                if (const auto letter = letters.find({corner.uv.x, corner.uv.y});
                    letter != letters.end())
                    text += letter->second;
        return text;
    }

  private:
    ImGuiContext* context_;
};

}  // namespace headroom
