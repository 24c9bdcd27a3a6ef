#include "panels/architecture/architecture_layout.h"

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/architectures.h"
#include "core/model/parameters.h"
#include "panels/architecture/column_layout.h"
#include "panels/architecture/label_text.h"
#include "panels/base/numbering.h"
#include "tests/panels/architecture/models.h"

namespace headroom {
namespace {

using testing::HasSubstr;

std::vector<std::pair<std::string, ModelConfig>> all_models() {
    std::vector<std::pair<std::string, ModelConfig>> models;
    for (const ArchitecturePreset& arch : architecture_presets())
        models.emplace_back(arch.name, model_of_arch(arch.name));
    const std::pair<const char*, nlohmann::json> more[] = {
        {"hc", {{"hyper", "hc"}, {"n_stream", 4}}},
        {"mhc", {{"hyper", "mhc"}, {"n_stream", 2}}},
        {"shared", {{"arch", "no_norm"}, {"share_layers", true}}},
        {"parallel gated",
         {{"arch", "parallel"}, {"norm", "layernorm"}, {"skip_attn", true}, {"mlp", "swiglu"}}},
        {"gpt-neox",
         {{"topology", "parallel"},
          {"parallel_norm", "separate"},
          {"pos", "rope"},
          {"rope_dim", 4},
          {"bias", true}}},
        {"two norms and streams",
         {{"topology", "parallel"},
          {"parallel_norm", "separate"},
          {"hyper", "hc"},
          {"n_stream", 3},
          {"mlp", "geglu"}}},
        {"nonlinear", {{"query", "nonlinear"}, {"qk_norm", true}, {"pos", "rope"}}},
        {"no projections",
         {{"query", "identity"},
          {"key", "identity"},
          {"value", "identity"},
          {"out_proj", "identity"}}},
        {"skipv0", {{"arch", "skipv1"}, {"skip_layer", 0}}},
        {"dense skip", {{"arch", "skipv1"}, {"dense", true}}},
        {"deep", {{"arch", "skipv1_yoco"}, {"n_layer", 32}}},
        {"one layer", {{"n_layer", 1}}},
        {"experts", {{"mlp_experts", 8}}},
        {"experts by layer", {{"n_layer", 3}, {"mlp_experts", {1, 4, 64}}, {"mlp", "swiglu"}}},
        {"parallel experts",
         {{"arch", "parallel"}, {"norm", "rmsnorm"}, {"mlp", "geglu"}, {"mlp_experts", 16}}},
        {"wide", {{"n_head", 64}, {"n_kv_head", 8}, {"d_model", 8192}, {"base", "llama"}}},
    };
    for (const auto& [name, keys] : more) models.emplace_back(name, model_of(keys));
    return models;
}

bool overlap(const DrawRect& a, const DrawRect& b) {
    constexpr double kTouch = 0.01;
    return a.x < b.right() - kTouch && b.x < a.right() - kTouch && a.y < b.bottom() - kTouch &&
           b.y < a.bottom() - kTouch;
}

bool lies_in(const DrawRect& inner, const DrawRect& outer) {
    constexpr double kTouch = 0.01;
    return inner.x >= outer.x - kTouch && inner.y >= outer.y - kTouch &&
           inner.right() <= outer.right() + kTouch && inner.bottom() <= outer.bottom() + kTouch;
}

ArchitectureOptions with_all_kinds(const ArchitectureView& view) {
    ArchitectureOptions options;
    for (int i = 0; i < std::ssize(view.kinds) && i < 4; ++i) options.details.push_back(i);
    return options;
}

TEST(ArchitectureLayout, NoTwoBoxesOverlapInAnyArchitecture) {
    for (const auto& [name, model] : all_models()) {
        SCOPED_TRACE(name);
        const ArchitectureView view = build_architecture(model, name);
        const DrawingLayout drawing = lay_out_architecture(view, with_all_kinds(view));
        std::set<std::string> ids;
        for (const DrawBox& a : drawing.boxes) {
            EXPECT_TRUE(ids.insert(a.id).second) << a.id << " stands twice";
            EXPECT_TRUE(lies_in(a.rect, {0, 0, drawing.width, drawing.height})) << a.id;
            if (!a.parent.empty()) {
                ASSERT_NE(drawing.find(a.parent), nullptr) << a.parent;
                EXPECT_TRUE(lies_in(a.rect, drawing.find(a.parent)->rect)) << a.id;
            }
            for (const DrawBox& b : drawing.boxes)
                if (&a < &b && a.parent == b.parent) {
                    EXPECT_FALSE(overlap(a.rect, b.rect)) << a.id << " and " << b.id;
                }
        }
    }
}

TEST(ArchitectureLayout, LabelsCountAsThePersonDoesAndIdsFromZero) {
    const ArchitectureView view = build_architecture(model_of({{"n_layer", 3}}), "three");
    const auto labels = [&](int base) {
        const NumberingScope numbers(base);
        std::set<std::string> found;
        const DrawingLayout drawing = lay_out_architecture(view, {});
        for (const DrawBox& box : drawing.boxes)
            if (box.role == BoxRole::kLayer) found.insert(box.id + " " + box.label);
        return found;
    };
    EXPECT_THAT(labels(0), testing::ElementsAre("layer.0 0", "layer.1 1", "layer.2 2"));
    EXPECT_THAT(labels(1), testing::ElementsAre("layer.0 1", "layer.1 2", "layer.2 3"));
}

TEST(ArchitectureLayout, EdgesStayOnThePageAndEndAtTheirBoxes) {
    for (const auto& [name, model] : all_models()) {
        SCOPED_TRACE(name);
        const ArchitectureView view = build_architecture(model, name);
        const DrawingLayout drawing = lay_out_architecture(view, with_all_kinds(view));
        for (const DrawEdge& edge : drawing.edges) {
            ASSERT_GE(edge.path.size(), 2u);
            for (const DrawPoint& point : edge.path) {
                EXPECT_GE(point.x, 0) << edge.from << " to " << edge.to;
                EXPECT_LE(point.x, drawing.width) << edge.from << " to " << edge.to;
                EXPECT_GE(point.y, 0) << edge.from << " to " << edge.to;
                EXPECT_LE(point.y, drawing.height) << edge.from << " to " << edge.to;
            }
            if (edge.to.empty()) continue;
            ASSERT_NE(drawing.find(edge.to), nullptr) << edge.to;
            DrawRect around = drawing.find(edge.to)->rect;
            around = {around.x - 0.1, around.y - 0.1, around.w + 0.2, around.h + 0.2};
            EXPECT_TRUE(around.contains(edge.path.back())) << edge.from << " to " << edge.to;
        }
    }
}

TEST(ArchitectureLayout, EveryCrossLayerSourceOfTheWiringHasAnEdge) {
    for (const auto& [name, model] : all_models()) {
        if (model.mla) continue;
        SCOPED_TRACE(name);
        const ArchitectureView view = build_architecture(model, name);
        const auto rows = layer_rows(view, 12);
        const DrawingLayout column = lay_out_column(view, rows);
        const auto row_id = [&](int layer) {
            return "layer." + std::to_string(rows[row_of(rows, layer)].layers.front());
        };
        std::set<std::tuple<Ink, std::string, std::string>> drawn, wanted;
        for (const DrawEdge& edge : column.edges)
            if (edge.kind == EdgeKind::kReuse) drawn.emplace(edge.ink, edge.from, edge.to);
        for (const auto& [ink, table] : {std::pair(Ink::kKeys, model.wiring.keys),
                                         std::pair(Ink::kValues, model.wiring.values)})
            for (int layer = 0; layer < std::ssize(table); ++layer)
                for (const HeadSources& sources : table[layer])
                    for (const HeadSource& source : sources)
                        if (row_id(source.layer) != row_id(layer))
                            wanted.emplace(ink, row_id(source.layer), row_id(layer));
        EXPECT_EQ(drawn, wanted);
    }
}

TEST(ArchitectureLayout, LatentsAreTakenFromTheirLayer) {
    const ArchitectureView view = build_architecture(model_of_arch("skipv1_mla"), "mla");
    const DrawingLayout drawing = lay_out_architecture(view);
    int edges = 0;
    for (const DrawEdge& edge : drawing.edges)
        if (edge.kind == EdgeKind::kReuse) {
            EXPECT_EQ(edge.ink, Ink::kLatent);
            EXPECT_EQ(edge.from, "layer.0");
            ++edges;
        }
    EXPECT_EQ(edges, 5);
    EXPECT_EQ(drawing.find("block.kv_down")->note, "64 × 16");
    EXPECT_EQ(drawing.find("block.latent_source")->note, "layer 0");
}

/// Boxes of the detail that stand for a weight matrix, with their sizes.
TEST(ArchitectureLayout, ABlockHasExactlyTheMatricesOfItsTensors) {
    for (const auto& [name, model] : all_models()) {
        SCOPED_TRACE(name);
        const ArchitectureView view = build_architecture(model, name);
        for (int kind = 0; kind < std::ssize(view.kinds) && kind < 4; ++kind) {
            ArchitectureOptions options;
            options.details = {kind};
            const DrawingLayout drawing = lay_out_architecture(view, options);
            std::multiset<std::string> drawn, wanted;
            for (const DrawBox& box : drawing.boxes)
                if (box.parent == "block.frame" && box.note.find(" × ") != std::string::npos) {
                    // "8 · 64 × 256": so many matrices
                    const std::string between = " · ";
                    const size_t dot = box.note.find(between);
                    const bool several = dot != std::string::npos;
                    const int count = several ? std::stoi(box.note.substr(0, dot)) : 1;
                    for (int i = 0; i < count; ++i)
                        drawn.insert(several ? box.note.substr(dot + between.size()) : box.note);
                }
            const int layer = model.share_layers ? 0 : view.kinds[kind].layers.front();
            // A nonlinear map is one box for its two matrices.
            const LayerChoices choices = model.layer(layer);
            const auto in_one_box = [&](ParameterRole role) {
                return (role == ParameterRole::kQuery && choices.query == QueryMap::kNonlinear) ||
                       (role == ParameterRole::kValue && choices.value == ValueMap::kNonlinear);
            };
            for (const ParameterSpec& spec : parameter_specs(model))
                if (spec.layer == layer && spec.is_matrix() && !in_one_box(spec.role))
                    wanted.insert(shape_text(spec.shape));
            EXPECT_EQ(drawn, wanted);
        }
    }
}

TEST(ArchitectureLayout, WhatIsNotThereIsNotDrawn) {
    const DrawingLayout wq =
        lay_out_architecture(build_architecture(model_of_arch("wq_identity"), ""));
    EXPECT_EQ(wq.find("block.q")->role, BoxRole::kIdentity);
    EXPECT_EQ(wq.find("block.k")->role, BoxRole::kKey);
    const DrawingLayout yoco = lay_out_architecture(build_architecture(model_of_arch("yoco"), ""));
    EXPECT_EQ(yoco.find("block.k"), nullptr);
    EXPECT_EQ(yoco.find("block.k_source")->note, "layer 2");
    const DrawingLayout skipless =
        lay_out_architecture(build_architecture(model_of_arch("skipless"), ""));
    for (const char* id : {"block.ln_1", "block.ln_2", "block.sum_attn", "block.sum_mlp", "ln_f"})
        EXPECT_EQ(skipless.find(id), nullptr) << id;
    const DrawingLayout llama =
        lay_out_architecture(build_architecture(model_of_arch("llama"), ""));
    EXPECT_EQ(llama.find("positions"), nullptr);
    EXPECT_NE(llama.find("block.q_rope"), nullptr);
    EXPECT_EQ(llama.find("head")->note, "64 × 100");
    const DrawingLayout gpt2 = lay_out_architecture(build_architecture(model_of_arch("gpt2"), ""));
    EXPECT_THAT(gpt2.find("head")->note, HasSubstr("tied"));
    EXPECT_EQ(gpt2.find("block.q_rope"), nullptr);
}

TEST(ArchitectureLayout, SkipsAreAsConfigured) {
    const auto skips = [](const std::string& arch) {
        const DrawingLayout drawing =
            lay_out_architecture(build_architecture(model_of_arch(arch), ""));
        return std::count_if(drawing.edges.begin(), drawing.edges.end(),
                             [](const DrawEdge& edge) { return edge.kind == EdgeKind::kSkip; });
    };
    EXPECT_EQ(skips("gpt2"), 2);
    EXPECT_EQ(skips("attn_skip_only"), 1);
    EXPECT_EQ(skips("skipless"), 0);
    EXPECT_EQ(skips("parallel"), 0);
}

TEST(ArchitectureLayout, AveragesReadTheStreamsThatTheyName) {
    const ArchitectureView view = build_architecture(model_of_arch("denseformer"), "");
    const DrawingLayout drawing = lay_out_architecture(view);
    int edges = 0;
    for (const DrawEdge& edge : drawing.edges)
        edges += edge.kind == EdgeKind::kAverage && !edge.from.empty();
    EXPECT_EQ(edges, 1 + 2 + 3 + 4 + 5 + 6);  // what comes straight from the block is no detour
}

TEST(ArchitectureLayout, LayersThatAreLeftOutTakeAndGiveStreams) {
    const ArchitectureView view =
        build_architecture(model_of({{"arch", "denseformer"}, {"n_layer", 24}}), "");
    const DrawingLayout drawing = lay_out_architecture(view);
    std::set<std::pair<std::string, std::string>> edges;
    for (const DrawEdge& edge : drawing.edges)
        if (edge.kind == EdgeKind::kAverage && !edge.from.empty())
            edges.emplace(edge.from, edge.to);
    const std::set<std::pair<std::string, std::string>> wanted = {
        {"embedding", "average.0"},  {"embedding", "layer.1"},  {"layer.0", "layer.1"},
        {"embedding", "average.23"}, {"layer.0", "average.23"}, {"layer.1", "average.23"}};
    EXPECT_EQ(edges, wanted);
}

TEST(ArchitectureLayout, NormsOfAParallelBlockStandSideBySide) {
    const nlohmann::json keys = {{"topology", "parallel"}, {"parallel_norm", "separate"}};
    const DrawingLayout two = lay_out_architecture(build_architecture(model_of(keys), ""));
    const DrawBox *first = two.find("block.ln_1"), *second = two.find("block.ln_2");
    ASSERT_TRUE(first != nullptr && second != nullptr);
    EXPECT_EQ(first->rect.y, second->rect.y);
    EXPECT_GT(second->rect.x, first->rect.right());
    const auto leads = [&](const char* from, const char* to) {
        return std::any_of(two.edges.begin(), two.edges.end(), [&](const DrawEdge& edge) {
            return edge.from == from && edge.to == to;
        });
    };
    EXPECT_TRUE(leads("block.ln_2", "block.up"));
    EXPECT_FALSE(leads("block.ln_1", "block.up"));
    EXPECT_TRUE(leads("block.ln_1", "block.q"));
    const DrawingLayout one =
        lay_out_architecture(build_architecture(model_of({{"topology", "parallel"}}), ""));
    EXPECT_EQ(one.find("block.ln_2"), nullptr);
}

TEST(ArchitectureLayout, SaysHowManyColumnsTurn) {
    const auto note = [](const nlohmann::json& keys) {
        const DrawingLayout drawing = lay_out_architecture(build_architecture(model_of(keys), ""));
        return drawing.find("block.attention")->note;
    };
    EXPECT_EQ(note({{"pos", "rope"}}), "4 heads of 16 · scale 1/4");
    EXPECT_EQ(note({{"pos", "rope"}, {"rope_dim", 4}}), "4 heads of 16, 4 rotated · scale 1/4");
}

TEST(ArchitectureLayout, HyperConnectionsRunInParallelStreams) {
    const ArchitectureView view =
        build_architecture(model_of({{"hyper", "hc"}, {"n_stream", 4}}), "");
    const DrawingLayout drawing = lay_out_architecture(view);
    for (const DrawEdge& edge : drawing.edges)
        if (edge.kind == EdgeKind::kSkip) {
            EXPECT_EQ(edge.lines, 4);
        }
    EXPECT_NE(drawing.find("block.hc_attn_r"), nullptr);
    EXPECT_NE(drawing.find("sum_streams"), nullptr);
}

TEST(ArchitectureLayout, FitsAColumnWithReadableType) {
    constexpr double kColumn = 3.3 * 72, kSmallestType = 5.6, kReadable = 4.4;
    for (const char* arch : {"gpt2", "wq_identity", "skipv1", "yoco", "cla", "resformer", "mla",
                             "skipv1_mla", "denseformer", "parallel", "skipless", "gqa"}) {
        nlohmann::json keys = {{"arch", arch},   {"n_layer", 12},       {"n_head", 12},
                               {"d_model", 768}, {"vocab_size", 50304}, {"block_size", 1024}};
        const DrawingLayout drawing = lay_out_architecture(build_architecture(model_of(keys), ""));
        EXPECT_GE(std::min(1.0, kColumn / drawing.width) * kSmallestType, kReadable) << arch;
    }
}

TEST(ArchitectureLayout, MoreKindsAreShownWhereThereIsRoom) {
    const ArchitectureView view = build_architecture(model_of_arch("skipv1"), "");
    EXPECT_THAT(details_for_width(view, 230), testing::ElementsAre(1));
    EXPECT_THAT(details_for_width(view, 480), testing::ElementsAre(0, 1));
}

TEST(ArchitectureLayout, WhatDiffersBetweenTwoModelsIsMarked) {
    const ComparedLayouts both = lay_out_compared(build_architecture(model_of_arch("skipv1"), "a"),
                                                  build_architecture(model_of_arch("gpt2"), "b"));
    EXPECT_TRUE(both.model.find("block.v")->changed);
    EXPECT_TRUE(both.baseline.find("block.v")->changed);
    EXPECT_TRUE(both.model.find("block.v_source")->changed);
    EXPECT_FALSE(both.model.find("block.k")->changed);
    EXPECT_FALSE(both.model.find("embedding")->changed);
    EXPECT_FALSE(both.model.find("layer.0")->changed);
    EXPECT_TRUE(both.model.find("layer.1")->changed);
}

/// The layer that differs is the one in detail, in both pictures.
TEST(ArchitectureLayout, TheOneLayerThatDiffersIsShown) {
    const ModelConfig whole = model_of({{"arch", "no_norm"}, {"n_layer", 3}});
    for (const int layer : {0, 1}) {
        ModelConfig reduced = whole;
        reduced.query.set(layer, whole.n_layer, QueryMap::kIdentity);
        const ComparedLayouts both =
            lay_out_compared(build_architecture(reduced, "a"), build_architecture(whole, "b"));
        for (const DrawingLayout* drawing : {&both.model, &both.baseline}) {
            EXPECT_TRUE(drawing->find("block.q")->changed);
            EXPECT_FALSE(drawing->find("block.k")->changed);
            EXPECT_TRUE(std::any_of(
                drawing->labels.begin(), drawing->labels.end(),
                [&](const DrawLabel& l) { return l.text == "Layer " + std::to_string(layer); }));
        }
    }
}

TEST(ArchitectureLayout, EqualModelsHaveNoMarks) {
    const ComparedLayouts both = lay_out_compared(build_architecture(model_of_arch("yoco"), "a"),
                                                  build_architecture(model_of_arch("yoco"), "b"));
    for (const DrawBox& box : both.model.boxes) EXPECT_FALSE(box.changed) << box.id;
    for (const DrawEdge& edge : both.model.edges) EXPECT_FALSE(edge.changed);
}

}  // namespace
}  // namespace headroom
