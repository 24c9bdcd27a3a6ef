#include "panels/wiring_editor/wiring_editor.h"

#include <cmath>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/describe.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/wiring/source_rules.h"
#include "core/wiring/wiring_json.h"
#include "panels/base/numbering.h"
#include "panels/wiring_editor/rewire_map.h"
#include "panels/wiring_editor/wiring_counts.h"
#include "panels/wiring_editor/wiring_editor_commands.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = WiringEdit::Kind;

Job job_of(json model) {
    model["vocab_size"] = 64;
    if (!model.contains("n_layer")) model["n_layer"] = 6;
    model["n_head"] = 8;
    model["d_model"] = 64;
    model["block_size"] = 32;
    return parse_job({{"model", model}, {"train", {{"seq_len", 16}}}}, "");
}

WiringEditor editor_of(const json& model = {{"arch", "gpt2"}}) {
    WiringEditor editor;
    editor.begin("start", job_of(model));
    return editor;
}

/// Marks layers and their heads, as one drag over numbers does.
WiringEditorCommands rows(int first, int last, int from_head = 0, int to_head = 1000) {
    return {.mark = WiringMarking{{{first, from_head}, {last, to_head}}}};
}
WiringEditorCommands in(EditedTables tables) {
    return {.tables = tables};
}
WiringEditorCommands read(int layer) {
    return {.edit = WiringEdit{.kind = Kind::kRead, .layer = layer}};
}
WiringEditorCommands paint(const std::string& rule) {
    WiringEdit edit{.kind = Kind::kRule};
    edit.choice.key_source = edit.choice.value_source = rule;
    return {.edit = edit};
}

/// The drawing after at most ten commands, each of which must do something.
const Job& drawn(WiringEditor& editor, const std::vector<WiringEditorCommands>& commands) {
    EXPECT_LE(commands.size(), 10u);
    for (const WiringEditorCommands& command : commands)
        EXPECT_TRUE(perform(editor, command) || !command.edit) << editor.refusal();
    return editor.job();
}

TEST(WiringEditor, NamedArchitecturesAreDrawnInAtMostTenCommands) {
    using enum EditedTables;
    const std::map<std::string, std::vector<WiringEditorCommands>> by_hand{
        {"skipv1", {in(kValues), rows(1, 5, 4, 7), read(0)}},
        {"svformer", {in(kValues), rows(1, 5), read(0)}},
        {"yoco", {in(kBoth), rows(3, 5), read(2)}},
        {"yoco_v", {in(kValues), rows(3, 5), read(2)}},
        {"cla", {in(kBoth), rows(1, 1), read(0), rows(3, 3), read(2), rows(5, 5), read(4)}},
        {"cla_v", {in(kValues), rows(1, 1), read(0), rows(3, 3), read(2), rows(5, 5), read(4)}},
        {"skipkv1", {in(kBoth), rows(1, 5, 4, 7), read(0)}},
        {"skipv1_yoco", {in(kValues), rows(1, 5, 4, 7), read(0), in(kKeys), rows(3, 5), read(2)}},
        {"resformer",
         {in(kValues),
          rows(1, 5),
          {.edit = WiringEdit{.kind = Kind::kWeigh, .layer = WiringEdit::kOwnLayer, .weight = 0.5}},
          {.edit = WiringEdit{.kind = Kind::kAdd, .layer = 0, .weight = 0.5}}}}};
    for (const auto& [arch, commands] : by_hand) {
        WiringEditor editor = editor_of();
        EXPECT_EQ(drawn(editor, commands).model.wiring, job_of({{"arch", arch}}).model.wiring)
            << arch;
    }
}

TEST(WiringEditor, GroupedHeadsAreDrawnFromTheBaselineOfTheirBase) {
    for (const char* arch : {"gqa", "mqa", "skipv1_gqa"}) {
        const Job named = job_of({{"arch", arch}});
        WiringEditor editor = editor_of({{"arch", "llama"}});
        ASSERT_TRUE(editor.set_kv_heads(named.model.wiring.n_kv_head)) << editor.refusal();
        if (named.model.wiring_choice.value_source == "skip") drawn(editor, {paint("skip")});
        EXPECT_EQ(editor.wiring(), named.model.wiring) << arch;
        EXPECT_EQ(editor.job().model.n_kv_head, named.model.n_kv_head);
        ASSERT_TRUE(editor.set_kv_heads(8)) << editor.refusal();
        if (named.model.wiring_choice.value_source != "own") continue;
        EXPECT_EQ(editor.wiring(), job_of({{"arch", "llama"}}).model.wiring);
    }
}

TEST(WiringEditor, EveryRuleIsABrush) {
    const std::vector<WiringBrush> brushes = wiring_brushes({});
    EXPECT_EQ(brushes.size(), source_rules().size() + 1);
    for (const WiringBrush& brush : brushes) {
        WiringEditor editor = editor_of();
        WiringChoice choice = brush.edit.choice;
        choice.key_source = "own";
        if (choice.value_source == "own") continue;
        drawn(editor, {{.edit = brush.edit}});
        EXPECT_EQ(editor.wiring(), build_wiring(choice, 6, 8, 8)) << brush.title;
    }
}

TEST(WiringEditor, APatternIsRepeatedAboveAndWritesTheSameJob) {
    WiringEditor editor = editor_of();
    drawn(editor, {in(EditedTables::kBoth), rows(1, 1), read(0), rows(0, 1)});
    ASSERT_TRUE(editor.apply(editor.repeat_edit())) << editor.refusal();
    const Job cla = job_of({{"arch", "cla"}});
    EXPECT_EQ(editor.wiring(), cla.model.wiring);
    EXPECT_TRUE(editor.job().model.custom_wiring);
    EXPECT_EQ(parse_job(to_json(editor.job()), ""), editor.job());
}

TEST(WiringEditor, ADrawingThatTheKeysMakeNeedsNoTable) {
    WiringEditor editor = editor_of({{"arch", "cla"}});
    drawn(editor, {in(EditedTables::kBoth), rows(5, 5), {.edit = WiringEdit{.kind = Kind::kOwn}}});
    EXPECT_TRUE(editor.job().model.custom_wiring);
    EXPECT_TRUE(editor.is_changed());
    drawn(editor, {read(4)});
    EXPECT_FALSE(editor.job().model.custom_wiring);
    EXPECT_EQ(editor.job(), job_of({{"arch", "cla"}}));
}

TEST(WiringEditor, WhatCannotBeIsRefusedAndLeavesTheDrawing) {
    WiringEditor editor = editor_of();
    const Wiring before = editor.wiring();
    editor.mark({{1, 0}, {1, 7}});
    EXPECT_THAT(editor.refusal_of({.kind = Kind::kRead, .layer = 2}), HasSubstr("comes after it"));
    EXPECT_FALSE(editor.apply({.kind = Kind::kRead, .layer = 2}));
    EXPECT_THAT(editor.refusal(), HasSubstr("comes after it"));
    EXPECT_FALSE(editor.apply({.kind = Kind::kOwn}));
    EXPECT_THAT(editor.refusal(), HasSubstr("so already"));
    EXPECT_EQ(editor.wiring(), before);
    EXPECT_FALSE(editor.can_undo());
    WiringEditor latent = editor_of({{"arch", "mla"}});
    latent.mark({{1, 0}, {1, 7}});
    EXPECT_FALSE(latent.apply({.kind = Kind::kRead, .layer = 0}));
    EXPECT_THAT(latent.refusal(), HasSubstr("model.mla does not go with model.wiring"));
    WiringEditor shared = editor_of({{"arch", "gpt2"}, {"share_layers", true}});
    shared.mark({{1, 0}, {1, 7}});
    EXPECT_FALSE(shared.apply({.kind = Kind::kRead, .layer = 0}));
    EXPECT_THAT(shared.refusal(), HasSubstr("share_layers"));
}

TEST(WiringEditor, KeysAloneMarkAndAskForASource) {
    WiringEditor editor = editor_of();
    perform(editor, {.tables = EditedTables::kValues});
    perform(editor, {.cursor = HeadId{4, 2}});
    perform(editor, {.stretch = HeadId{5, 3}});
    EXPECT_EQ(editor.marked().size(), 4u);
    perform(editor, {.ask_source = true});
    ASSERT_TRUE(editor.is_asking());
    perform(editor, {.cursor = HeadId{1, 3}});
    EXPECT_EQ(editor.asked_pick(), (SourcePick{1, std::nullopt})) << "straight up: its own number";
    perform(editor, {.edit = editor.read_edit(editor.asked_pick(), false)});
    EXPECT_FALSE(editor.is_asking());
    EXPECT_EQ(editor.wiring().values[5][2], (HeadSources{{1, 2}}));
    EXPECT_EQ(editor.wiring().values[4][3], (HeadSources{{1, 3}}));
    EXPECT_EQ(editor.wiring().values[4][4], (HeadSources{{4, 2}}));
}

TEST(WiringEditor, WordsSayWhatALinkDoesInTheNumbersOfTheWindow) {
    const std::vector<HeadId> heads{{5, 0}, {5, 1}, {6, 0}, {6, 1}, {7, 0}, {7, 1}};
    const WiringEdit edit{.kind = Kind::kRead, .layer = 2};
    EXPECT_EQ(edit_words(edit, EditedTables::kValues, heads),
              "values of layers 5 to 7 read layer 2, each head its own number");
    const NumberingScope from_one(1);
    EXPECT_EQ(edit_words({.kind = Kind::kAdd, .layer = 2, .head = 3, .weight = 0.5},
                         EditedTables::kBoth, {{4, 1}}),
              "keys and values of layer 5 head 2 read 0.5 × layer 3 head 4 besides");
}

TEST(WiringEditor, TextGoesOutAndComesInAsTableAsModelAndAsJob) {
    WiringEditor source = editor_of({{"arch", "skipv1"}});
    for (const std::string& text :
         {source.text(), dump_text(json{{"wiring", json::parse(source.text())}}),
          dump_text(json{{"model", {{"wiring", json::parse(source.text())}}}})}) {
        WiringEditor editor = editor_of();
        ASSERT_TRUE(editor.read_text(text, "text")) << editor.refusal();
        EXPECT_EQ(editor.wiring(), source.wiring());
    }
    WiringEditor editor = editor_of({{"arch", "llama"}});
    ASSERT_TRUE(editor.read_text(editor_of({{"arch", "gqa"}}).text(), "text")) << editor.refusal();
    EXPECT_EQ(editor.job().model.n_kv_head, 4);
    EXPECT_FALSE(editor.read_text("{", "the clipboard"));
    EXPECT_THAT(editor.refusal(), HasSubstr("the clipboard"));
    EXPECT_FALSE(editor.read_text(R"({"keys": [[]]})", "text"));
    EXPECT_THAT(editor.refusal(), HasSubstr("layers"));
}

TEST(WiringEditor, AnotherStartIsTakenBackLikeAnEdit) {
    WiringEditor editor = editor_of();
    drawn(editor, {paint("sv")});
    const Wiring shared = editor.wiring();
    editor.start("deep", job_of({{"arch", "gpt2"}, {"n_layer", 9}}));
    EXPECT_THAT(editor.marked(), IsEmpty());
    EXPECT_EQ(editor.drawing().title, "deep");
    editor.undo();
    EXPECT_EQ(editor.wiring(), shared);
    EXPECT_EQ(editor.drawing().title, "start");
    editor.redo();
    EXPECT_EQ(editor.wiring().n_layer, 9);
}

WiringEdit any_edit(std::mt19937& random, const Wiring& wiring) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    WiringEdit edit{.kind = static_cast<Kind>(below(10)),
                    .layer = below(wiring.n_layer + 1) - 1,
                    .span = 1 + below(3),
                    .weight = below(4) == 0 ? 0.5 : 1.0};
    if (below(2) == 0) edit.head = below(wiring.n_kv_head);
    if (below(8) == 0) edit.learned = SourceWeight::kLambda;
    const std::vector<SourceRule>& rules = source_rules();
    edit.choice.value_source = edit.choice.key_source =
        rules[static_cast<size_t>(below(static_cast<int>(rules.size())))].name;
    return edit;
}

/// What `headroom describe` says of the job as it would be written.
json description(const Job& job) {
    return describe_model(parse_job(json::parse(dump_text(to_json(job))), "").model,
                          {.seq_len = job.train.seq_len});
}

void expect_counts_of_the_written_job(const Job& job) {
    const WiringCounts counts = count_wiring(job, unshared(job));
    const json said = description(job);
    ASSERT_EQ(counts.rows.size(), 3u);
    EXPECT_EQ(counts.rows[0].count.model, said["params_total"].get<int64_t>());
    EXPECT_EQ(counts.rows[1].count.model, said["flops_per_token"].get<int64_t>());
    EXPECT_EQ(counts.rows[2].count.model, said["kv_bytes_per_token"].get<int64_t>());
    for (size_t layer = 0; layer < counts.cache_by_layer.size(); ++layer)
        EXPECT_EQ(counts.cache_by_layer[layer].model,
                  said["layers"][layer]["kv_bytes_per_token"].get<int64_t>());
}

TEST(WiringEditor, AHundredThousandRandomEditsKeepItValidAndAreUndoneBitForBit) {
    std::mt19937 random(11);
    int done = 0, refused = 0, counted = 0;
    for (int sequence = 0; sequence < 500; ++sequence) {
        WiringEditor editor = editor_of({{"arch", "llama"}, {"n_layer", 4}});
        std::vector<Job> states{editor.job()};
        for (int i = 0; i < 200; ++i) {
            const int kind = static_cast<int>(random() % 16);
            editor.set_tables(static_cast<EditedTables>(random() % 3));
            const HeadId a{static_cast<int>(random() % 4), static_cast<int>(random() % 8)};
            const HeadId b{static_cast<int>(random() % 4), static_cast<int>(random() % 8)};
            editor.mark({a, b}, static_cast<MarkMode>(random() % 3));
            const bool changed = kind == 0   ? editor.set_kv_heads(1 << (random() % 4))
                                 : kind == 1 ? editor.apply(editor.repeat_edit())
                                 : kind == 2 ? editor.apply(editor.reverse_edit())
                                             : editor.apply(any_edit(random, editor.wiring()));
            ASSERT_EQ(changed, editor.refusal().empty());
            if (!changed) {
                ASSERT_EQ(editor.job(), states.back());
                ++refused;
                continue;
            }
            ++done;
            ASSERT_NO_THROW(check_wiring(editor.wiring()));
            states.push_back(editor.job());
            if (done % 200 != 0 && sequence >= 5) continue;
            expect_counts_of_the_written_job(editor.job());
            ++counted;
        }
        const Job last = states.back();
        for (size_t i = states.size(); i-- > 1;) {
            editor.undo();
            ASSERT_EQ(editor.job(), states[i - 1]);
        }
        ASSERT_FALSE(editor.can_undo());
        while (editor.can_redo()) editor.redo();
        ASSERT_EQ(editor.job(), last);
    }
    EXPECT_GT(done, 30000);
    EXPECT_GT(refused, 10000);
    EXPECT_GT(counted, 100);
}

TEST(RewireMap, MeansAreOfTheHeadsThatCanReadThere) {
    RewireMap map;
    map.n_layer = 3;
    map.n_kv_head = 2;
    map.loss = 2.0;
    const double nan = std::nan("");
    map.keys.assign(18, nan);
    // [reader][head][source]
    map.values = {2.0, nan, nan, 2.0, nan,  nan, 2.5, 2.0, nan,
                  2.1, 2.0, nan, 3.0, 2.25, 2.0, 2.2, 2.3, 2.0};
    EXPECT_DOUBLE_EQ(map.change(KvTable::kValues, {1, 0}, 0), 0.5);
    EXPECT_DOUBLE_EQ(mean_change(map, KvTable::kValues, {{1, 0}, {2, 0}, {2, 1}}, 0, 0), 0.75);
    EXPECT_DOUBLE_EQ(mean_change(map, KvTable::kValues, {{2, 1}}, 1, 1), 2.3 - 2.0);
    EXPECT_TRUE(std::isnan(mean_change(map, KvTable::kValues, {{1, 0}, {2, 0}}, 0, 2)));
    EXPECT_TRUE(std::isnan(mean_change(map, KvTable::kValues, {{2, 0}}, 1, 0)));
    EXPECT_TRUE(std::isnan(map.change(KvTable::kValues, {3, 0}, 0)));
}

TEST(WiringCounts, SharedValuesSaveWhatTheirProjectionsCost) {
    const Job own = job_of({{"arch", "gpt2"}});
    const WiringCounts counts = count_wiring(job_of({{"arch", "svformer"}}), own);
    EXPECT_EQ(counts.rows[0].count.difference(), -5 * 64 * 64);
    EXPECT_EQ(counts.rows[2].count.difference(), -5 * 64 * 2);
    EXPECT_EQ(counts.rows[2].difference, "−41.7 %");
    EXPECT_EQ(counts.cache_by_layer[0].difference(), 0);
    EXPECT_EQ(counts.cache_by_layer[5].difference(), -64 * 2);
}

TEST(WiringCounts, TheMatchedControlIsTheBaselineMadeAsLarge) {
    const Job own = job_of({{"arch", "gpt2"}}), shared = job_of({{"arch", "svformer"}});
    // 5 value matrices of 64 x 64 over 6 MLPs of two matrices of 64 columns: 26.7 columns each.
    EXPECT_THAT(matched_control(shared, own, MatchMeasure::kParams), HasSubstr("d_ff = 229 makes"));
    EXPECT_THAT(matched_control(own, own, MatchMeasure::kParams), HasSubstr("equal"));
}

}  // namespace
}  // namespace headroom
