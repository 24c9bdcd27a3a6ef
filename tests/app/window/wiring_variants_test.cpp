#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QTest>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/config/architectures.h"
#include "core/config/job_json.h"
#include "core/config/presets.h"
#include "core/wiring/source_rules.h"
#include "panels/wiring_editor/wiring_editor_controls.h"
#include "tests/app/window/draw_wiring_fixture.h"

namespace headroom {
namespace {

using nlohmann::json;

ModelConfig model_of(json keys) {
    keys["vocab_size"] = 64;
    return parse_job({{"model", keys}}, "").model;
}

/// The same model with every head its own.
json baseline_of(json keys) {
    keys["arch"] = to_json(model_of(keys)).at("base");
    for (const char* key : {"n_kv_head", "mla", "value_source", "key_source"}) keys.erase(key);
    return keys;
}

bool is_wired(const ModelConfig& model) {
    return model.mla || model.wiring != build_wiring({}, static_cast<int>(model.n_layer),
                                                     static_cast<int>(model.n_head),
                                                     static_cast<int>(model.n_head));
}

/// Draws variants as a person does, and counts what the mouse does: a press, a click or a drag.
class WiringVariantsTest : public DrawWiringTest {
  protected:
    void begin(const json& baseline) {
        Job job = panel().editor().job();
        job.model = model_of(baseline);
        panel().begin("baseline", job);
        frame();
        frame();
        press_tool("values");  // as a window begins
        gestures_ = 0;
    }
    void press_tool(const std::string& name) {
        ++gestures_;
        redraw();
        ASSERT_TRUE(panel().settings().tools.contains(name)) << name;
        const ImVec2 at = panel().settings().tools.at(name);
        const QPoint place(static_cast<int>(at.x), static_cast<int>(at.y));
        click_at(place);
    }
    void drag_to(const WiringSpot& from, const WiringSpot& to, Qt::KeyboardModifiers keys = {}) {
        ++gestures_;
        drag(from, to, keys);
    }
    static WiringSpot at(KvTable lane, int layer, int head) { return {lane, layer, head, true}; }
    static WiringSpot row(KvTable lane, int layer) { return {lane, layer, std::nullopt, true}; }

    /// The last `heads` heads of layers 1 and up read the first layer.
    void share_with_first(KvTable lane, int heads) {
        const int layers = wiring().n_layer, columns = wiring().n_kv_head;
        drag_to(at(lane, 1, columns - heads), at(lane, layers - 1, columns - 1), Qt::ShiftModifier);
        drag_to(at(lane, 1, columns - 1), at(lane, 0, columns - 1));
    }
    /// Layers from `first` up read the one below it.
    void share_below(KvTable lane, int first) {
        ++gestures_;
        click(row(lane, first));
        ++gestures_;
        click(row(lane, wiring().n_layer - 1), Qt::ShiftModifier);
        drag_to(row(lane, first), row(lane, first - 1));
    }
    void share_in_pairs(KvTable lane) {
        drag_to(row(lane, 1), row(lane, 0));
        drag_to(at(lane, 0, 0), at(lane, 1, wiring().n_kv_head - 1), Qt::ShiftModifier);
        press_tool("Repeat above");
    }
    void choose_kv_heads(int64_t n_kv_head) {
        gestures_ += 2;  // opened, chosen
        QComboBox* box = panel().controls()->kv_heads();
        const int index = box->findData(static_cast<int>(n_kv_head));
        ASSERT_GE(index, 0);
        const auto is_chosen = [&] { return wiring().n_kv_head == n_kv_head; };
        // A list that has just opened takes a release for the end of the click that opened it.
        for (int attempt = 0; attempt < 5 && !is_chosen(); ++attempt) {
            if (!box->view()->isVisible()) QTest::mouseClick(box, Qt::LeftButton);
            ASSERT_TRUE(wait_for([&] { return box->view()->isVisible(); }));
            QTest::qWait(QApplication::doubleClickInterval() + 200);
            const QRect item = box->view()->visualRect(box->model()->index(index, 0));
            QTest::mouseMove(box->view()->viewport(), item.center());
            QTest::mouseClick(box->view()->viewport(), Qt::LeftButton, {}, item.center());
            wait_for(is_chosen, 2);
        }
        ASSERT_TRUE(is_chosen()) << panel().editor().refusal();
    }

    void draw(const ModelConfig& named) {
        const WiringChoice& choice = named.wiring_choice;
        const std::string &values = choice.value_source, &keys = choice.key_source;
        if (named.mla) {
            ++gestures_;
            QTest::mouseClick(panel().controls()->latent(), Qt::LeftButton, {},
                              QPoint(8, panel().controls()->latent()->height() / 2));
            frame();
            frame();
            if (values == "skip") press_tool("Paint SkipV1 share");
            return;
        }
        if (named.n_kv_head != wiring().n_kv_head) choose_kv_heads(named.n_kv_head);
        frame();
        const bool both = keys != "own" && keys == values;
        if (both) press_tool("both");
        draw_table(KvTable::kValues, values, choice);
        if (both || keys == "own") return;
        press_tool("keys");
        draw_table(KvTable::kKeys, keys, choice);
    }
    void draw_table(KvTable lane, const std::string& rule, const WiringChoice& choice) {
        const int layers = wiring().n_layer;
        if (rule == "skip") share_with_first(lane, n_skip_heads(choice, wiring().n_kv_head));
        if (rule == "sv") share_below(lane, 1);
        if (rule == "yoco")
            share_below(lane, choice.yoco_split > 0 ? static_cast<int>(choice.yoco_split)
                                                    : default_yoco_split(layers));
        if (rule == "cla") share_in_pairs(lane);
        if (rule == "res") press_tool("Paint Mix with first");
    }

    void expect_drawn(const std::string& name, const json& keys) {
        const ModelConfig named = model_of(keys);
        begin(baseline_of(keys));
        ASSERT_TRUE(wiring() != named.wiring || !panel().editor().job().model.mla) << name;
        draw(named);
        EXPECT_TRUE(wait_for([&] { return wiring() == named.wiring; }, 5))
            << name << ": " << panel().editor().refusal();
        EXPECT_EQ(panel().editor().job().model.mla, named.mla) << name;
        EXPECT_EQ(panel().editor().job().model.n_kv_head, named.n_kv_head) << name;
        EXPECT_LE(gestures_, 10) << name;
    }

    int gestures_ = 0;
};

TEST_F(WiringVariantsTest, EveryNamedArchitectureIsDrawnByMouseInAtMostTenGestures) {
    std::set<std::string> drawn;
    for (const ArchitecturePreset& named : architecture_presets()) {
        const json keys{{"arch", named.name}, {"n_layer", 6}, {"n_head", 8}, {"d_model", 128}};
        if (!is_wired(model_of(keys))) continue;
        expect_drawn(std::string(named.name), keys);
        drawn.emplace(named.name);
    }
    EXPECT_THAT(
        drawn, testing::UnorderedElementsAre("skipv1", "resformer", "svformer", "yoco", "yoco_v",
                                             "cla", "cla_v", "skipkv1", "skipv1_yoco", "gqa", "mqa",
                                             "skipv1_gqa", "mla", "skipv1_mla"));
}

TEST_F(WiringVariantsTest, EveryPresetIsDrawnByMouseInAtMostTenGestures) {
    int drawn = 0;
    for (const Preset& preset : presets()) {
        json keys = json::parse(preset.model);
        if (!is_wired(model_of(keys))) continue;
        expect_drawn(preset.name, keys);
        ++drawn;
    }
    EXPECT_GT(drawn, 10);
}

TEST_F(WiringVariantsTest, EveryBrushPaintsByMouse) {
    begin({{"arch", "gpt2"}, {"n_layer", 6}, {"n_head", 8}, {"d_model", 128}});
    const Wiring own = wiring();
    for (const char* brush :
         {"SkipV1 share", "SkipV1 pool", "Mix with first", "First layer", "Upper half", "Pairs"}) {
        press_tool(std::string("Paint ") + brush);
        EXPECT_TRUE(wait_for([&] { return wiring() != own; }, 5)) << brush;
        press_tool("Paint Own");
        EXPECT_TRUE(wait_for([&] { return wiring() == own; }, 5)) << brush;
    }
}

}  // namespace
}  // namespace headroom
