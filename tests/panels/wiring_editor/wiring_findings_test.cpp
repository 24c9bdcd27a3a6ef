#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/wiring_editor/ablation_map.h"
#include "panels/wiring_editor/rewire_figure.h"
#include "panels/wiring_editor/sharing_order.h"
#include "panels/wiring_editor/wiring_counts.h"

namespace headroom {
namespace {

using testing::ElementsAre;

RewireMap small_map() {
    const double nan = std::nan("");
    RewireMap map;
    map.n_layer = 3;
    map.n_kv_head = 2;
    map.loss = 2.0;
    map.keys.assign(18, nan);
    // [reader][head][source]
    map.values = {2.0, nan, nan, 2.0, nan,  nan, 2.5, 2.0, nan,
                  2.1, 2.0, nan, 3.0, 2.25, 2.0, 2.2, 2.3, 2.0};
    return map;
}

TEST(RewireFigure, EveryHeadHasAColumnAndEverySourceARow) {
    const RewireFigure picture = rewire_figure(small_map(), KvTable::kValues, {});
    const HeatmapPanel& panel = picture.figure.panels.at(0);
    EXPECT_EQ(panel.rows, 3);
    EXPECT_EQ(panel.columns, 6);
    EXPECT_THAT(panel.column_axis.names, ElementsAre("0.0", "0.1", "1.0", "1.1", "2.0", "2.1"));
    EXPECT_DOUBLE_EQ(panel.at(0, 2), 0.5);
    EXPECT_DOUBLE_EQ(panel.at(1, 5), 0.3);
    EXPECT_TRUE(panel.is_masked(2, 2)) << "a layer above the reader";
    EXPECT_FALSE(panel.is_masked(1, 2));
    const WiringEdit edit = edit_of_cell(picture, 0, 3);
    EXPECT_EQ(edit.kind, WiringEdit::Kind::kRead);
    EXPECT_EQ(edit.layer, 0);
    ASSERT_EQ(edit.heads.size(), 1u);
    EXPECT_EQ(edit.heads[0].head, (HeadId{1, 1}));
    EXPECT_EQ(edit_of_cell(picture, 1, 3).kind, WiringEdit::Kind::kOwn);
    EXPECT_EQ(picture.figure.footnote, "loss 2.0000 nats as it is");
    RewireMap measured = small_map();
    measured.sequences = 4;
    measured.seq_len = 64;
    EXPECT_EQ(rewire_figure(measured, KvTable::kValues, {}).figure.footnote,
              "loss 2.0000 nats as it is, in 4 sequences of 64 tokens");
}

// "nats more: 0" stood where a click gave the reader weights that the run does not have.
TEST(RewireFigure, ARunsMissingHeadsAreLeftOut) {
    Wiring trained = build_wiring({}, 3, 2, 2);
    WiringEdit edit{.kind = WiringEdit::Kind::kRead, .layer = 0};
    edit.heads = {{KvTable::kValues, {1, 1}}};
    trained = *apply(trained, edit).wiring;
    RewireMap map = small_map();
    map.keys.assign(18, 2.0);
    leave_out_missing_heads(map, trained);
    EXPECT_TRUE(std::isnan(map.change(KvTable::kValues, {1, 1}, 1)));
    EXPECT_EQ(map.change(KvTable::kValues, {1, 0}, 1), 0) << "it has one of its own";
    EXPECT_NEAR(map.change(KvTable::kValues, {1, 1}, 0), 0.1, 1e-12);
    EXPECT_EQ(map.change(KvTable::kKeys, {1, 1}, 1), 0);
    EXPECT_TRUE(rewire_figure(map, KvTable::kValues, {}).figure.panels[0].is_masked(1, 3));
}

TEST(RewireFigure, LayersAreMeansAndReadTogether) {
    const RewireFigure layers =
        rewire_figure(small_map(), KvTable::kValues, {RewireReaders::kLayers});
    EXPECT_EQ(layers.figure.panels[0].columns, 3);
    EXPECT_DOUBLE_EQ(layers.figure.panels[0].at(0, 1), 0.3);
    EXPECT_EQ(edit_of_cell(layers, 0, 1).heads.size(), 2u);
    const RewireFigure one = rewire_figure(small_map(), KvTable::kValues, {1});
    EXPECT_EQ(one.figure.panels[0].rows, 2) << "sources that there are for layer 1";
    EXPECT_EQ(one.figure.panels[0].columns, 2);
}

TEST(RewireFigure, WhatIsReadInTheDrawingIsMarkedWhereItIsOneHeadOfItsNumber) {
    Wiring wiring = build_wiring({}, 3, 2, 2);
    WiringEdit edit{.kind = WiringEdit::Kind::kRead, .layer = 0};
    edit.heads = {{KvTable::kValues, {2, 1}}};
    wiring = *apply(wiring, edit).wiring;
    edit = {.kind = WiringEdit::Kind::kRead, .layer = 0, .head = 1};
    edit.heads = {{KvTable::kValues, {1, 0}}};  // another number: no place in the map
    wiring = *apply(wiring, edit).wiring;
    const auto cells = cells_read(rewire_figure(small_map(), KvTable::kValues, {}), wiring);
    using Cell = std::pair<int64_t, int64_t>;
    EXPECT_THAT(cells, ElementsAre(Cell{0, 0}, Cell{0, 1}, Cell{1, 3}, Cell{2, 4}, Cell{0, 5}));
    EXPECT_THAT(
        cells_read(rewire_figure(small_map(), KvTable::kValues, {RewireReaders::kLayers}), wiring),
        ElementsAre(Cell{0, 0}))
        << "heads of the others do not agree";
}

TEST(SharingOrder, WhoeverReadALayerThatSharesReadsOn) {
    SharingOrder order;
    order.n_layer = 5;
    order.steps = {{4, 2, 2.1}, {3, 1, 2.2}, {2, 0, 2.3}};
    EXPECT_THAT(shared_sources(order, 0), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(shared_sources(order, 2), ElementsAre(0, 1, 2, 1, 2));
    EXPECT_THAT(shared_sources(order, 9), ElementsAre(0, 1, 0, 1, 0));
    Wiring wiring = build_wiring({}, 5, 2, 2);
    for (const WiringEdit& edit : sharing_edits(order, 3, 2)) wiring = *apply(wiring, edit).wiring;
    check_wiring(wiring);
    EXPECT_THAT(wiring.own_key_heads, ElementsAre(2, 2, 0, 0, 0));
    EXPECT_EQ(wiring.values[4][1], (HeadSources{{0, 1}}));
    EXPECT_EQ(wiring.keys[3][0], (HeadSources{{1, 0}}));
}

TEST(AblationMap, HeadsStandWhereTheyAreMissedAgainstHowAlikeTheyAre) {
    AblationMap map;
    map.n_layer = 2;
    map.n_head = 2;
    map.loss = 2;
    map.zero = {2.5, 2.25, 2.0, 3.0};
    map.mean = map.resampled = {2.1, 2.1, 2.1, std::nan("")};
    map.similarity = {0.9, 0.1, 0.5, 0.2};
    const HeatmapFigure maps = ablation_figure(map, Ablation::kZero);
    EXPECT_DOUBLE_EQ(maps.panels.at(0).at(1, 1), 1.0);
    const Figure figure = importance_figure(map, Ablation::kZero);
    EXPECT_THAT(figure.series.at(0).data->x(), ElementsAre(0.1, 0.2, 0.5, 0.9));
    EXPECT_THAT(figure.series.at(0).data->y(), ElementsAre(0.25, 1.0, 0.0, 0.5));
    EXPECT_EQ(importance_figure(map, Ablation::kResampled).series.at(0).data->size(), 3u);
}

TEST(WiringCounts, TheTimeOfAStepIsItsFlopsAtTheRateOfTheStudy) {
    const auto job = [](const char* arch) {
        return parse_job(
            {{"model",
              {{"arch", arch}, {"n_layer", 6}, {"n_head", 8}, {"d_model", 64}, {"vocab_size", 64}}},
             {"train", {{"seq_len", 16}, {"batch_size", 4}}}},
            "");
    };
    const Job own = job("gpt2"), shared = job("svformer");
    const double flops = static_cast<double>(count_wiring(own, own).rows[1].count.model) * 4 * 16;
    EXPECT_EQ(step_time_words(own, own, flops / 0.125),
              "Step: about 125 ms at this study's rate (125 ms as it started)");
    EXPECT_NE(step_time_words(shared, own, flops / 0.125),
              step_time_words(own, own, flops / 0.125));
    EXPECT_EQ(step_time_words(own, own, 0),
              "Time of a step is told once a run of this study trained.");
}

}  // namespace
}  // namespace headroom
