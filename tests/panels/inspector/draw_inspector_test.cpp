#include "panels/inspector/draw_inspector.h"

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

#include "panels/inspector/attention_figure.h"
#include "tests/panels/imgui/headless_imgui.h"
#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

/// Stands in for textures: remembers what was asked for.
class CountedImages : public TileImages {
  public:
    void* image(const ImageKey& key, const MapTile& tile, const MapInfo&, const ColorScale& scale,
                bool) override {
        // Textures are kept by key: one key must always mean one picture.
        if (key.tile.column < 0) {
            EXPECT_EQ(kept.try_emplace(key, tile.values).first->second, tile.values);
        }
        if (key.tile.column < 0 && !key.thumbnail) heats.insert_or_assign(key.tile, tile.values);
        (key.thumbnail ? thumbnails : large).insert_or_assign(key.tile, scale);
        return key.tile.column < 0 && !key.thumbnail ? static_cast<void*>(&heats) : this;
    }
    void* picture(uint64_t source, const SquarePicture& picture, bool) override {
        pictures.insert_or_assign(source, picture);
        return this;
    }
    void* flat(Rgb) override { return this; }
    std::map<uint64_t, SquarePicture> pictures;
    std::map<TileKey, std::vector<float>> heats;  ///< over pictures
    std::map<TileKey, ColorScale> large, thumbnails;
    std::map<ImageKey, std::vector<float>> kept;
};

class DrawInspector : public HeadlessImGui {
  protected:
    DrawInspector() : store_(size_t{64} << 20, [] {}) {
        ImGuiIO& io = ImGui::GetIO();
        const ImGuiKey keys[] = {ImGuiKey_RightArrow, ImGuiKey_LeftArrow, ImGuiKey_DownArrow,
                                 ImGuiKey_UpArrow,    ImGuiKey_Escape,    ImGuiKey_PageUp,
                                 ImGuiKey_PageDown,   ImGuiKey_Home};
        for (const ImGuiKey key : keys) io.KeyMap[key] = key;
    }

    int draw() {
        images_.large.clear();
        images_.thumbnails.clear();
        images_.pictures.clear();
        images_.heats.clear();
        return frame([&] {
            commands_ = draw_inspector(view_, {dark_theme(), store_, images_}, settings_, place_);
        });
    }
    /// Draws until all that is wanted has been read.
    void settle() {
        draw();
        for (int i = 0; i < 5000 && !store_.complete(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            draw();
        }
        ASSERT_TRUE(store_.complete());
        draw();
    }
    void show(std::vector<InspectorPane> panes) {
        view_ = build_inspector_view(std::move(panes));
        ImGui::GetIO().MousePos = {-1, -1};
        settle();
    }
    void show_one(int64_t seq_len = 40, bool causal = true) {
        show({pane_of("a", example_source(seq_len, causal))});
    }
    void move_to(ImVec2 at) {
        ImGui::GetIO().MousePos = at;
        draw();
        draw();
    }
    /// A place on the canvas where a condition holds: tests must not know the layout's arithmetic.
    ImVec2 find(const std::function<bool()>& holds) {
        for (float y = 4; y < 700; y += 7)
            for (float x = 4; x < 1000; x += 7) {
                ImGui::GetIO().MousePos = {x, y};
                draw();
                if (holds()) return {x, y};
            }
        ADD_FAILURE() << "no such place";
        return {};
    }
    ImVec2 find_head(HeadId head) {
        return find([&] { return commands_.hovered == head; });
    }
    ImVec2 find_entry(MapEntry entry) {
        return find([&] { return place_.cursor == entry; });
    }
    void press_button(int button) {
        ImGui::GetIO().MouseDown[button] = true;
        draw();
        ImGui::GetIO().MouseDown[button] = false;
        draw();
    }
    void wait_past_double_click() {
        for (int i = 0; i < 40; ++i) draw();
    }
    void drag(int button, ImVec2 by) {
        ImGuiIO& io = ImGui::GetIO();
        io.MouseDown[button] = true;
        draw();
        for (int i = 0; i < 5; ++i) {
            io.MousePos.x += by.x / 5;
            io.MousePos.y += by.y / 5;
            draw();
        }
        io.MouseDown[button] = false;
        draw();
    }
    void key(ImGuiKey key) {
        ImGui::GetIO().KeysDown[key] = true;
        draw();
        keyed_ = commands_;
        ImGui::GetIO().KeysDown[key] = false;
        draw();
    }

    CountedImages images_;
    TileStore store_;
    InspectorView view_;
    InspectorSettings settings_;
    InspectorPlace place_;
    InspectorCommands commands_, keyed_;
};

TEST_F(DrawInspector, WithoutRunsItSaysWhatToDo) {
    EXPECT_GT(draw(), 0);
    EXPECT_FALSE(commands_.any());
}

TEST_F(DrawInspector, ASingleTokenIsDrawn) {
    show_one(1);
    EXPECT_EQ(images_.large.size(), 1u);
    EXPECT_EQ(images_.thumbnails.size(), 6u);
}

TEST_F(DrawInspector, AxesAndColoursAreNamedAsInFigures) {
    for (const bool over_two : {false, true}) {
        std::vector<InspectorPane> panes{pane_of("A", example_source(40))};
        if (over_two) panes.push_back(pane_of("B", example_source(40)));
        settings_.compare = CompareMode::kDifference;
        show(panes);
        const std::string letters = drawn_letters();
        std::vector<MapSourcePointer> sources;
        for (const InspectorPane& pane : panes) sources.push_back(pane.source);
        AttentionFigureSettings asked{{}, settings_};
        if (!over_two) asked.colors.compare = CompareMode::kOne;
        const HeatmapFigure figure = build_attention_figure(sources, asked);
        std::string measured = figure.value_label;
        std::erase(measured, ' ');
        for (const std::string& name :
             {figure.panels[0].row_axis.label, figure.panels[0].column_axis.label, measured})
            EXPECT_NE(letters.find(name), std::string::npos) << name << " in " << letters;
    }
}

TEST_F(DrawInspector, ThousandsOfHeadsAndNumbersThatAreNoneAreDrawn) {
    MapInfo info = example_info(64, 48, 64);
    show({pane_of("large", std::make_shared<MemorySource>(info, [](int, int, int64_t q, int64_t) {
                      return q % 3 == 0   ? std::nanf("")
                             : q % 3 == 1 ? std::numeric_limits<float>::infinity()
                                          : 1.0f;
                  }))});
    EXPECT_EQ(images_.thumbnails.size(), 48u * 64u);
}

TEST_F(DrawInspector, HoveringPreviewsAHeadAndAClickKeepsIt) {
    show_one();
    find_head({1, 2});
    EXPECT_EQ(place_.head, (HeadId{1, 2}));
    EXPECT_FALSE(place_.locked);
    press_button(0);
    EXPECT_TRUE(place_.locked);
    find_head({0, 1});
    EXPECT_EQ(place_.head, (HeadId{1, 2}));  // kept
    press_button(0);
    EXPECT_EQ(place_.head, (HeadId{0, 1}));
    wait_past_double_click();
    press_button(0);
    EXPECT_FALSE(place_.locked);
}

TEST_F(DrawInspector, ArrowsStepThroughHeadsAndLayersAndEscUnlocks) {
    show_one();
    key(ImGuiKey_RightArrow);
    key(ImGuiKey_RightArrow);
    key(ImGuiKey_RightArrow);
    key(ImGuiKey_DownArrow);
    EXPECT_EQ(place_.head, (HeadId{1, 2}));
    key(ImGuiKey_LeftArrow);
    key(ImGuiKey_UpArrow);
    EXPECT_EQ(place_.head, (HeadId{0, 1}));
    place_.locked = true;
    key(ImGuiKey_Escape);
    EXPECT_FALSE(place_.locked);
}

TEST_F(DrawInspector, PageKeysAskForOtherCheckpoints) {
    show_one();
    key(ImGuiKey_PageDown);
    EXPECT_EQ(keyed_.step, 1);
    key(ImGuiKey_PageUp);
    EXPECT_EQ(keyed_.step, -1);
}

// PgUp onto a checkpoint without a record was a trap: no key led away from it.
TEST_F(DrawInspector, PageKeysLeadAwayFromACheckpointWithoutARecord) {
    InspectorPane pane;
    pane.name = "a";
    view_ = build_inspector_view({pane});
    place_.head = {1, 2};
    draw();
    key(ImGuiKey_PageDown);
    EXPECT_EQ(keyed_.step, 1);
    key(ImGuiKey_PageUp);
    EXPECT_EQ(keyed_.step, -1);
    key(ImGuiKey_RightArrow);
    EXPECT_EQ(place_.head, (HeadId{1, 2})) << "the head that was looked at is kept";
}

TEST_F(DrawInspector, TheEntryUnderTheMouseIsFound) {
    show_one();
    find_entry({17, 4});
    ImGui::GetIO().MousePos = {-1, -1};
    draw();
    EXPECT_EQ(place_.cursor, std::nullopt);
}

TEST_F(DrawInspector, TheWheelZoomsAtTheCursor) {
    show_one();
    find_entry({17, 4});
    for (int i = 0; i < 4; ++i) {
        ImGui::GetIO().MouseWheel = 1;
        draw();
    }
    draw();
    EXPECT_GT(place_.window.zoom, 1.5);
    EXPECT_EQ(place_.cursor, (MapEntry{17, 4}));
}

TEST_F(DrawInspector, DraggingZoomsIntoTheBox) {
    show_one();
    find_entry({10, 10});
    drag(0, {100, 100});
    const MapWindow window = place_.window;
    EXPECT_GT(window.zoom, 2);
    EXPECT_GT(window.key, 0.25);
    EXPECT_LT(window.key, 0.6);
}

TEST_F(DrawInspector, MiddleOrShiftDraggingPans) {
    show_one();
    place_.window = {4, 0.5, 0.5};
    move_to(find_entry({20, 20}));
    drag(2, {40, 0});
    EXPECT_LT(place_.window.key, 0.5);
    EXPECT_EQ(place_.window.zoom, 4);
    place_.window = {4, 0.5, 0.5};
    move_to(find_entry({20, 20}));
    ImGui::GetIO().KeyShift = true;
    drag(0, {0, 40});
    EXPECT_LT(place_.window.query, 0.5);
    EXPECT_EQ(place_.window.zoom, 4);
}

TEST_F(DrawInspector, ADoubleClickFits) {
    show_one();
    place_.window = {4, 0.5, 0.5};
    move_to(find_entry({20, 20}));
    press_button(0);
    press_button(0);
    EXPECT_EQ(place_.window, MapWindow{});
}

TEST_F(DrawInspector, ARightClickAsksForAnotherReference) {
    show({pane_of("a", example_source(10)), pane_of("b", example_source(10))});
    const ImVec2 first = find_entry({7, 2});
    // The same entry in the other map.
    move_to(find([&] {
        const ImVec2 at = ImGui::GetIO().MousePos;
        return place_.cursor == MapEntry{7, 2} && std::hypot(at.x - first.x, at.y - first.y) > 60;
    }));
    std::optional<size_t> asked;
    ImGui::GetIO().MouseDown[1] = true;
    draw();
    ImGui::GetIO().MouseDown[1] = false;
    draw();
    asked = commands_.reference;
    EXPECT_EQ(asked, 1u);
}

TEST_F(DrawInspector, MapsThatAreComparedHaveOneScale) {
    const auto twice = [](int l, int h, int64_t q, int64_t k) {
        return 2 * example_entry(l, h, q, k);
    };
    show({pane_of("a", example_source(40)),
          pane_of("b", std::make_shared<MemorySource>(example_info(40), twice))});
    ASSERT_EQ(images_.large.size(), 2u);
    EXPECT_EQ(images_.large.begin()->second, std::next(images_.large.begin())->second);
}

TEST_F(DrawInspector, DifferencesAreDrawnWithZeroInTheMiddle) {
    settings_.compare = CompareMode::kDifference;
    const auto other = [](int, int, int64_t, int64_t) { return 0.25f; };
    show({pane_of("a", example_source(40)),
          pane_of("b", std::make_shared<MemorySource>(example_info(40), other))});
    ASSERT_EQ(images_.large.size(), 1u);
    EXPECT_DOUBLE_EQ(images_.large.begin()->second.place(0), 0.5);
    EXPECT_TRUE(is_diverging(images_.large.begin()->second.map));
}

TEST_F(DrawInspector, TheDividerOfTheSplitIsDragged) {
    settings_.compare = CompareMode::kSplit;
    show({pane_of("a", example_source(40)), pane_of("b", example_source(40))});
    EXPECT_EQ(images_.large.size(), 2u);
    const ImVec2 divider =
        find([&] { return place_.cursor && ImGui::GetMouseCursor() == ImGuiMouseCursor_ResizeEW; });
    move_to(divider);
    drag(0, {90, 0});
    EXPECT_GT(place_.split, 0.55);
    EXPECT_EQ(place_.window, MapWindow{});  // and nothing was zoomed
}

TEST_F(DrawInspector, ARunWithoutARecordOffersToProbe) {
    InspectorPane empty = pane_of("a", nullptr);
    empty.note = "No attention record of a";
    empty.can_probe = true;
    show({empty});
    bool asked = false;
    for (float y = 300; y < 420 && !asked; y += 6) {
        ImGui::GetIO().MousePos = {460, y};
        draw();
        ImGui::GetIO().MouseDown[0] = true;
        draw();
        ImGui::GetIO().MouseDown[0] = false;
        draw();
        asked = commands_.probe == 0u;
    }
    EXPECT_TRUE(asked);
}

TEST_F(DrawInspector, OnlyTheTilesInSightAreRead) {
    show(
        {pane_of("a", std::make_shared<MemorySource>(
                          example_info(4096, 1, 1), [](int, int, int64_t, int64_t) { return 0.5f; },
                          std::vector<int64_t>{1, 16}))});
    place_.window = {16, 0.75, 0.25};
    settle();
    for (const auto& [key, scale] : images_.large) EXPECT_LE(key.level, 1);
    EXPECT_LE(images_.large.size(), 12u);
    EXPECT_LT(store_.bytes(), size_t{16} << 20);
}

TEST_F(DrawInspector, ACoarseTileStandsInForTheFineOne) {
    const auto source = std::make_shared<MemorySource>(
        example_info(1024, 1, 1), [](int, int, int64_t, int64_t) { return 0.5f; },
        std::vector<int64_t>{1, 4});
    show({pane_of("a", source)});
    place_.window = {4, 0.75, 0.25};
    draw();  // the fine tiles cannot be there yet
    ASSERT_FALSE(images_.large.empty());
    EXPECT_GT(images_.large.begin()->first.level, 0);
    settle();
    EXPECT_EQ(images_.large.begin()->first.level, 0);
}

TEST_F(DrawInspector, AHeadThatAnotherRunLacksSaysSo) {
    const auto small = std::make_shared<MemorySource>(example_info(40, 1, 1), example_entry);
    place_.head = {1, 2};
    show({pane_of("small", small), pane_of("a", example_source(40))});
    EXPECT_EQ(images_.large.size(), 1u);
}

// M27
TEST_F(DrawInspector, ModelsOfSeveralSizesShareTheAtlasOfTheLargest) {
    const auto small = std::make_shared<MemorySource>(example_info(40, 1, 1), example_entry);
    const auto both = [&] { show({pane_of("small", small), pane_of("a", example_source(40))}); };
    both();
    EXPECT_EQ(images_.thumbnails.size(), 6u) << "every head of the larger one";
    const ImVec2 last = find_head({1, 2});
    move_to(last);
    press_button(0);
    ASSERT_TRUE(place_.locked);
    EXPECT_EQ(place_.head, (HeadId{1, 2}));
    show({pane_of("small", small)});
    EXPECT_EQ(place_.head, (HeadId{1, 2})) << "what was clicked stays, also where it is not";
    EXPECT_TRUE(images_.large.empty());
    both();
    EXPECT_EQ(place_.head, (HeadId{1, 2}));
    EXPECT_EQ(images_.large.size(), 1u);
    key(ImGuiKey_UpArrow);
    EXPECT_EQ(place_.head, (HeadId{0, 2}));
}

/// A class token and 4 x 4 patches, with a picture of 8 x 8 pixels.
MapInfo image_info(bool class_token = true, int64_t columns = 4) {
    MapInfo info = example_info(columns * columns + (class_token ? 1 : 0), 2, 3, false);
    info.patch_columns = columns;
    info.first_patch = class_token ? 1 : 0;
    info.picture.picture = std::make_shared<const SquarePicture>(
        SquarePicture{8, std::vector<uint8_t>(8 * 8 * 3, 77)});
    return info;
}

InspectorPane image_pane(const MapInfo& info = image_info()) {
    return pane_of("a", std::make_shared<MemorySource>(info, example_entry));
}

class DrawPicture : public DrawInspector {
  protected:
    DrawPicture() { place_.locked = true; }  // the mouse crosses other heads on its way

    ImVec2 find_patch(PatchPlace patch) {
        return find([&] { return place_.patch == patch; });
    }
    /// Of each heat that the last frame drew large, 0 to 255.
    std::vector<int> heat_opacities() const {
        std::vector<int> found;
        const ImDrawData* data = ImGui::GetDrawData();
        for (int i = 0; i < data->CmdListsCount; ++i) {
            const ImDrawList& list = *data->CmdLists[i];
            for (const ImDrawCmd& cmd : list.CmdBuffer) {
                if (cmd.TextureId != &images_.heats) continue;
                const unsigned first =
                    cmd.VtxOffset + list.IdxBuffer[static_cast<int>(cmd.IdxOffset)];
                const ImU32 colour = list.VtxBuffer[static_cast<int>(first)].col;
                found.push_back(static_cast<int>(colour >> IM_COL32_A_SHIFT & 0xff));
            }
        }
        return found;
    }
    /// What is drawn large, of the one run.
    std::vector<float> heat() {
        EXPECT_EQ(images_.heats.size(), 1u);
        return images_.heats.empty() ? std::vector<float>{} : images_.heats.begin()->second;
    }
};

TEST_F(DrawPicture, ImagesAreShownWithWhatTheClassTokenAttendsTo) {
    show({image_pane()});
    ASSERT_EQ(heat().size(), 16u);
    for (int64_t i = 0; i < 16; ++i)
        EXPECT_EQ(heat()[static_cast<size_t>(i)], example_entry(0, 0, 0, 1 + i));
    ASSERT_EQ(images_.pictures.size(), 1u);
    EXPECT_EQ(images_.pictures.begin()->second.side, 8);
    EXPECT_EQ(images_.thumbnails.size(), 6u);
    settings_.over_picture = false;
    settle();
    EXPECT_TRUE(images_.heats.empty());
    EXPECT_TRUE(images_.pictures.empty());
    EXPECT_FALSE(images_.large.empty());
}

TEST_F(DrawPicture, AClickOnAPatchMakesItTheQueryAndAnotherTakesItBack) {
    show({image_pane()});
    find_patch({1, 2});
    EXPECT_EQ(place_.cursor, std::nullopt);
    press_button(0);
    settle();
    EXPECT_EQ(place_.query, PictureQuery::of_patch({1, 2}));
    for (int64_t i = 0; i < 16; ++i)
        EXPECT_EQ(heat()[static_cast<size_t>(i)], example_entry(0, 0, 1 + 4 + 2, 1 + i));
    wait_past_double_click();
    press_button(0);
    EXPECT_EQ(place_.query, PictureQuery{});
    ImGui::GetIO().MousePos = {-1, -1};
    draw();
    EXPECT_EQ(place_.patch, std::nullopt);
}

TEST_F(DrawPicture, HeadsAreSteppedThroughAsOfTexts) {
    show({image_pane()});
    key(ImGuiKey_RightArrow);
    key(ImGuiKey_DownArrow);
    settle();
    EXPECT_EQ(heat()[5], example_entry(1, 1, 0, 6));
}

TEST_F(DrawPicture, DraggingZoomsAndChoosesNothing) {
    show({image_pane(image_info(true, 14))});
    move_to(find_patch({3, 3}));
    drag(0, {120, 120});
    EXPECT_GT(place_.window.zoom, 1);
    EXPECT_EQ(place_.query, PictureQuery{});
}

TEST_F(DrawPicture, TheMeanOfAllIsThatOfEveryQuery) {
    place_.query = {PictureQuery::Kind::kMean};
    show({image_pane()});
    double sum = 0;
    for (int64_t q = 0; q < 17; ++q) sum += static_cast<double>(example_entry(0, 0, q, 1 + 9));
    EXPECT_NEAR(static_cast<double>(heat()[9]), sum / 17, 1e-6);
}

TEST_F(DrawPicture, WithoutAClassTokenItIsTheMeanAndAnotherModelSaysWhatItLacks) {
    show({image_pane(image_info(false))});
    EXPECT_EQ(place_.query.kind, PictureQuery::Kind::kMean);
    place_.query = {};
    show({image_pane(), image_pane(image_info(false))});
    EXPECT_EQ(place_.query.kind, PictureQuery::Kind::kClassToken);
    EXPECT_EQ(images_.heats.size(), 1u);  // of the first
}

TEST_F(DrawPicture, ADifferenceLiesOverThePictureOfBoth) {
    settings_.compare = CompareMode::kDifference;
    const auto other = std::make_shared<MemorySource>(
        image_info(), [](int, int, int64_t, int64_t) { return 0.25f; });
    show({image_pane(), pane_of("b", other)});
    EXPECT_FLOAT_EQ(heat()[3], 0.25f - example_entry(0, 0, 0, 4));
    EXPECT_EQ(images_.pictures.size(), 1u);
    EXPECT_DOUBLE_EQ(images_.large.begin()->second.place(0), 0.5);
    MapInfo changed = image_info();
    changed.picture.picture = std::make_shared<const SquarePicture>(
        SquarePicture{8, std::vector<uint8_t>(8 * 8 * 3, 78)});
    show({image_pane(), image_pane(changed)});
    EXPECT_TRUE(images_.heats.empty());
    EXPECT_NE(view_.differences[0].note.find("different pictures"), std::string::npos);
}

TEST_F(DrawPicture, HeatStandsAloneWhereThereIsNoPicture) {
    MapInfo info = image_info();
    info.picture = {nullptr, "the record keeps no picture"};
    show({image_pane(info)});
    EXPECT_EQ(heat().size(), 16u);
    EXPECT_TRUE(images_.pictures.empty());
    show({image_pane(info), image_pane()});
    EXPECT_EQ(images_.heats.size(), 2u);
    EXPECT_EQ(heat_opacities(), std::vector<int>(2, 255));  // equal colours mean equal values
    show({image_pane(), image_pane()});
    EXPECT_EQ(heat_opacities(), std::vector<int>(2, 153));  // 60 %
}

TEST_F(DrawPicture, BesideATextAllAreMaps) {
    show({image_pane(), pane_of("text", example_source(17))});
    EXPECT_TRUE(images_.heats.empty());
    EXPECT_EQ(images_.large.size(), 2u);
}

}  // namespace
}  // namespace headroom
