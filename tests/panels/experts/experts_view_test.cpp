#include "panels/experts/experts_view.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/model/router_numbers.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A run of such a model whose log has `evaluations` of its routers: expert e of layer l got
/// 0.01 (e + 10 l) + evaluation / 1000.
RunPointer routed(const std::string& name, const std::string& keys, int64_t evaluations) {
    nlohmann::json model{{"n_layer", 3}, {"n_head", 2}, {"d_model", 8}};
    model.update(nlohmann::json::parse(keys));
    Run run;
    run.id = run.name = name;
    run.job = std::make_shared<const Job>(parse_job({{"model", model}}, ""));
    auto series = std::make_shared<RunSeries>();
    const ModelConfig& config = run.job->model;
    for (int64_t at = 1; at <= evaluations; ++at) {
        for (const int64_t layer : config.router_layers())
            for (int64_t e = 0; e < config.mlp_experts.at(layer); ++e) {
                ScalarSeries& share = series->scalars[router_share_name(layer, e)];
                share.step.push_back(50 * at);
                share.value.push_back(static_cast<float>(
                    0.01 * static_cast<double>(e + 10 * layer) + 0.001 * static_cast<double>(at)));
            }
        for (const char* what : {"dropped", "balance", "entropy"})
            series->scalars[router_mean_name(what)].value.push_back(0.25f);
    }
    run.series = series;
    return std::make_shared<const Run>(std::move(run));
}

const char kByLayer[] = R"({"mlp_experts": [1, 2, 4]})";

TEST(ExpertsView, ShowsEveryLayerOverTheEvaluations) {
    const std::vector<RunPointer> runs{routed("a", kByLayer, 3)};
    const HeatmapFigure figure = build_experts(runs, ExpertMap::kSteps);
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.title, "a");
    EXPECT_EQ(figure.panels[0].name, "layer 1");
    EXPECT_EQ(figure.panels[0].rows, 2);
    EXPECT_EQ(figure.panels[1].rows, 4);
    EXPECT_THAT(figure.panels[1].column_axis.names, ElementsAre("50", "100", "150"));
    EXPECT_FALSE(figure.panels[1].column_axis.texts) << "a step is read out as \"step 100\"";
    EXPECT_FLOAT_EQ(static_cast<float>(figure.panels[1].at(3, 1)), 0.232f);
    EXPECT_EQ(figure.scale.lower, 0);
    EXPECT_FLOAT_EQ(static_cast<float>(figure.scale.upper), 0.233f);
    EXPECT_THAT(figure.footnote, HasSubstr("even shares 0.25 to 0.5 · 25.00 % dropped"));
    EXPECT_EQ(figure.sources.size(), 1u);
}

TEST(ExpertsView, LeavesSomeOfManyEvaluationsOutButNeverTheLast) {
    const std::vector<RunPointer> runs{routed("a", kByLayer, 100)};
    const HeatmapFigure figure = build_experts(runs, ExpertMap::kSteps);
    EXPECT_EQ(figure.panels[0].columns, static_cast<int64_t>(kMostEvaluationColumns));
    EXPECT_EQ(figure.panels[0].column_axis.names.back(), "5,000");
}

TEST(ExpertsView, ShowsLayersOfSeveralRunsAtTheirLastEvaluation) {
    const NumberingScope from_one(1);
    const std::vector<RunPointer> runs{routed("a", kByLayer, 2), routed("b", "{}", 2),
                                       routed("c", R"({"mlp_experts": 3})", 2)};
    const HeatmapFigure figure = build_experts(runs, ExpertMap::kLayers);
    ASSERT_EQ(figure.panels.size(), 2u);
    EXPECT_EQ(figure.panels[0].name, "a");
    EXPECT_EQ(figure.title, "") << "each map has a name";
    EXPECT_EQ(figure.panels[0].rows, 2);
    EXPECT_EQ(figure.panels[0].columns, 4);
    EXPECT_THAT(figure.panels[0].row_axis.names, ElementsAre("2", "3"));
    EXPECT_TRUE(figure.panels[0].is_masked(0, 3));
    EXPECT_FALSE(figure.panels[0].is_masked(1, 3));
    EXPECT_EQ(figure.panels[1].rows, 3);
    EXPECT_THAT(figure.footnote, HasSubstr("a: even shares"));
}

TEST(ExpertsView, SaysWhyThereIsNothing) {
    const auto why = [](const std::vector<RunPointer>& runs) {
        return build_experts(runs, ExpertMap::kSteps).empty_text;
    };
    EXPECT_THAT(why({}), HasSubstr("No run"));
    EXPECT_THAT(why({routed("a", "{}", 2)}), HasSubstr("no experts"));
    headroom::Run unknown;
    unknown.name = "theirs";
    EXPECT_EQ(why({std::make_shared<const headroom::Run>(unknown)}),
              "Nothing is known of the model of theirs.");
    EXPECT_THAT(why({routed("a", kByLayer, 0)}), HasSubstr("No evaluation"));
    EXPECT_THAT(why({routed("a", R"({"mlp_experts": 200})", 0)}), HasSubstr("largest"));
}

}  // namespace
}  // namespace headroom
