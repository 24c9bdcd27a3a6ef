#include "panels/architecture/architecture_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "panels/architecture/column_layout.h"
#include "panels/architecture/label_text.h"
#include "panels/architecture/layer_rows.h"
#include "panels/architecture/rails_layout.h"
#include "tests/panels/architecture/models.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

ArchitectureView view_of(nlohmann::json keys) {
    return build_architecture(model_of(std::move(keys)), "model");
}

TEST(ArchitectureView, LayersOfTheBaselineAreOfOneKind) {
    const ArchitectureView view = view_of({{"arch", "gpt2"}});
    ASSERT_EQ(view.kinds.size(), 1u);
    EXPECT_THAT(view.kinds[0].layers, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(view.layers[3].values.shares, IsEmpty());
    EXPECT_EQ(view.layers[3].values.projected, 4);
}

TEST(ArchitectureView, SkipV1TakesHalfOfItsValuesFromTheFirstLayer) {
    const ArchitectureView view = view_of({{"arch", "skipv1"}});
    ASSERT_EQ(view.kinds.size(), 2u);
    EXPECT_THAT(view.kinds[1].layers, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_FALSE(view.kinds[1].by_distance);
    EXPECT_EQ(telling_kind(view), 1);
    const LaneFacts& values = view.layers[4].values;
    EXPECT_EQ(values.projected, 2);
    ASSERT_EQ(values.shares.size(), 1u);
    EXPECT_EQ(values.shares[0].layer, 0);
    EXPECT_EQ(values.shares[0].heads, 2);
    EXPECT_THAT(values.heads,
                ElementsAre(HeadRole::kOwn, HeadRole::kOwn, HeadRole::kReused, HeadRole::kReused));
}

TEST(ArchitectureView, PairsOfLayersAreAlikeByDistance) {
    const ArchitectureView view = view_of({{"arch", "cla"}});
    ASSERT_EQ(view.kinds.size(), 2u);
    EXPECT_THAT(view.kinds[1].layers, ElementsAre(1, 3, 5));
    EXPECT_TRUE(view.kinds[1].by_distance);
    EXPECT_EQ(layer_text(2, view.kinds[0]), "layer 2");
    EXPECT_EQ(source_text(view.layers[1].keys, view.kinds[1], 'K').note, "layer before");
}

TEST(ArchitectureView, MixturesAreNamedByTheirWeight) {
    const ArchitectureView fixed = view_of({{"arch", "resformer"}, {"res_lambda", 0.75}});
    EXPECT_EQ(fixed.layers[2].values.heads[0], HeadRole::kMixed);
    EXPECT_TRUE(fixed.layers[2].values.is_mixture());
    EXPECT_EQ(source_text(fixed.layers[2].values, fixed.kinds[1], 'V').label, "0.75 V + 0.25 V′");
    EXPECT_EQ(source_text(fixed.layers[2].values, fixed.kinds[1], 'V').note, "V′ of layer 0");
    const ArchitectureView learned = view_of({{"arch", "resformer"}, {"res_lambda", "learned"}});
    EXPECT_EQ(source_text(learned.layers[2].values, learned.kinds[1], 'V').label, "λ V + (1−λ) V′");
}

TEST(ArchitectureView, AScaledReuseSaysItsWeight) {
    std::vector<nlohmann::json> scaled(4);
    for (int head = 0; head < 4; ++head) scaled[head] = {{0, head, 0.5}};
    const ArchitectureView view =
        view_of({{"n_layer", 2}, {"wiring", {{"values", {"own", scaled}}}}});
    EXPECT_EQ(source_text(view.layers[1].values, view.kinds[1], 'V').label, "0.5 V of");
}

TEST(ArchitectureView, HeadsThatReadNothingSaySo) {
    const ArchitectureView view = view_of({{"arch", "skipv1"}, {"skip_layer", 0}});
    EXPECT_EQ(view.layers[1].values.heads[3], HeadRole::kNone);
    EXPECT_EQ(source_text(view.layers[1].values, view.kinds[1], 'V').note, "read zeros");
}

TEST(ArchitectureView, AveragesNameTheirStreams) {
    const ArchitectureView view =
        view_of({{"arch", "denseformer"}, {"dwa_dilation", 2}, {"dwa_period", 2}});
    EXPECT_THAT(view.layers[0].averaged, IsEmpty());
    EXPECT_THAT(view.layers[3].averaged, ElementsAre(0, 2, 4));
}

TEST(ArchitectureView, CountsStandInTheSmallPrint) {
    const ArchitectureView view =
        build_architecture(parse_model_config({{"arch", "gpt2"}}, ""), "baseline");
    EXPECT_THAT(view.note, HasSubstr("124,373,760 parameters"));
    EXPECT_THAT(view.note, HasSubstr("36,864 B per token"));
}

TEST(ArchitectureView, ChangedLayersAreThoseThatDiffer) {
    ArchitectureView model = view_of({{"arch", "yoco"}});
    mark_changed_layers(model, view_of({{"arch", "gpt2"}}));
    EXPECT_FALSE(model.layers[2].changed);
    EXPECT_TRUE(model.layers[3].changed);
}

TEST(LayerNames, AreShort) {
    EXPECT_EQ(name_layers({0}), "Layer 0");
    EXPECT_EQ(name_layers({1, 2, 3}), "Layers 1–3");
    EXPECT_EQ(name_layers({0, 2}), "Layers 0, 2");
    EXPECT_EQ(name_layers({1, 3, 5, 7, 9}), "Layers 1, 3, …, 9");
}

TEST(LayerRows, ADeepModelShowsWhatRepeatsOnce) {
    const auto rows = layer_rows(view_of({{"n_layer", 24}, {"arch", "gpt2"}}), 12);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_TRUE(rows[1].dots);
    EXPECT_EQ(rows[1].layers.size(), 22u);
    EXPECT_EQ(layer_rows(view_of({{"n_layer", 24}}), 24).size(), 24u);
}

TEST(LayerRows, SourcesAndPairsStayWhole) {
    const auto yoco = layer_rows(view_of({{"n_layer", 24}, {"arch", "yoco"}}), 12);
    EXPECT_NE(std::find(yoco.begin(), yoco.end(), LayerRow{{11}}), yoco.end());
    const auto cla = layer_rows(view_of({{"n_layer", 24}, {"arch", "cla"}}), 12);
    ASSERT_EQ(cla.size(), 5u);
    EXPECT_THAT(cla[1].layers, ElementsAre(1));
    EXPECT_EQ(cla[2].layers.size(), 20u);
    EXPECT_EQ(row_of(cla, 10), 2);
}

TEST(LayerRows, LayersThatShareTheirWeightsAreOneRow) {
    EXPECT_EQ(layer_rows(view_of({{"arch", "no_norm"}, {"share_layers", true}}), 12).size(), 1u);
}

TEST(Rails, NoneCoversAnother) {
    const ArchitectureView view =
        view_of({{"wiring",
                  {{"keys", {"own", 0, "own", 2, 0, 2}}, {"values", {"own", 0, 1, 2, 0, "own"}}}}});
    const std::vector<Rail> rails = find_rails(view, layer_rows(view, 12));
    for (const Rail& a : rails)
        for (const Rail& b : rails) {
            const bool same_side = (a.ink == Ink::kValues) == (b.ink == Ink::kValues);
            if (&a == &b || !same_side || a.lane != b.lane) continue;
            EXPECT_TRUE(a.readers.back() <= b.source || b.readers.back() <= a.source);
        }
}

TEST(Labels, SplitIntoHeights) {
    EXPECT_THAT(split_label("W_{Q}x"),
                ElementsAre(LabelRun{LabelRun::kBase, "W"}, LabelRun{LabelRun::kBelow, "Q"},
                            LabelRun{LabelRun::kBase, "x"}));
    EXPECT_THAT(split_label("a_{"), ElementsAre(LabelRun{LabelRun::kBase, "a"}));
    EXPECT_EQ(scale_text(0.125), "1/8");
    EXPECT_EQ(scale_text(1 / std::sqrt(60.0)), "1/√60");
    EXPECT_EQ(scale_text(0.3), "0.3");
}

}  // namespace
}  // namespace headroom
