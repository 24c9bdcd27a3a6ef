#include "panels/surgery/surgery_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<PlanGroup> plan_of(const std::string& keys) {
    nlohmann::json model{{"n_layer", 2}, {"n_head", 2},      {"d_model", 8},
                         {"d_ff", 16},   {"vocab_size", 11}, {"block_size", 8}};
    model.update(nlohmann::json::parse(keys));
    return build_surgery_plan(parse_model_config(model, ""));
}

PlanGroup& group_of(std::vector<PlanGroup>& plan, const std::string& name) {
    for (PlanGroup& group : plan)
        if (group.surgery->name == name) return group;
    throw std::logic_error("no such surgery");
}

/// As the command prints it, with `condition` for all that applies.
nlohmann::json told(const std::vector<PlanGroup>& plan, double condition) {
    nlohmann::json rows = nlohmann::json::array();
    for (const PlanGroup& group : plan)
        for (const PlanLine& line : group.lines) {
            nlohmann::json row{{"name", group.surgery->name}, {"reason", line.why}};
            row["condition"] = line.applies() ? nlohmann::json(condition) : nlohmann::json();
            rows.push_back(std::move(row));
        }
    return {{"transforms", rows}};
}

TEST(SurgeryPlanView, ListsEverySurgeryWithWhatItSavesOrWhyNot) {
    auto skipless = plan_of(R"({"arch": "skipless"})");
    const PlanGroup& all = group_of(skipless, "remove-all");
    ASSERT_EQ(all.lines.size(), 4u);
    EXPECT_EQ(all.applicable(), 4u);
    EXPECT_EQ(all.lines[0].what(), "q");
    EXPECT_EQ(all.lines[0].weights_removed, 2 * 64);
    EXPECT_EQ(group_of(skipless, "remove-one").lines[3].what(), "k, layer 1");
    auto gpt2 = plan_of("{}");
    EXPECT_EQ(group_of(gpt2, "remove-all").applicable(), 0u);
    EXPECT_THAT(group_of(gpt2, "remove-all").lines[0].why, HasSubstr("ln_1 of layer 0"));
}

TEST(SurgeryPlanView, NamesLayersAsEveryViewDoesAtAnyTime) {
    auto plan = plan_of(R"({"arch": "skipless"})");
    const PlanLine& line = group_of(plan, "remove-one").lines[3];
    EXPECT_EQ(line.what(), "k, layer 1");
    const NumberingScope from_one(1);
    EXPECT_EQ(line.what(), "k, layer 2");
}

TEST(SurgeryPlanView, UntiesTheHeadWhereItIsAskedTo) {
    const ModelConfig model = parse_model_config(
        {{"n_layer", 2}, {"n_head", 2}, {"d_model", 8}, {"d_ff", 16}, {"vocab_size", 11}}, "");
    auto tied = build_surgery_plan(model), untied = build_surgery_plan(model, true);
    EXPECT_THAT(group_of(tied, "freeze-norms").lines[0].why, HasSubstr("--untie"));
    const PlanLine& line = group_of(untied, "freeze-norms").lines[0];
    ASSERT_TRUE(line.applies());
    EXPECT_FALSE(line.plan.config.tie);
    EXPECT_THAT(surgery_arguments(line, "a", "b", "c", ""), Contains("--untie"));
}

TEST(SurgeryPlanView, TakesWhatOnlyTheWeightsSay) {
    auto plan = plan_of(R"({"arch": "skipless"})");
    nlohmann::json document = told(plan, 40);
    document["transforms"].back()["reason"] = "W_Q of layer 1 is singular";
    take_conditions(plan, dump_text(document));
    EXPECT_EQ(group_of(plan, "remove-all").lines[1].condition, 40);
    EXPECT_EQ(plan.back().lines.back().why, "W_Q of layer 1 is singular");
    // Nothing of another model's plan, or of what is none.
    document["transforms"].erase(0);
    for (const std::string& text :
         {dump_text(document), std::string("[]"), std::string(R"({"transforms": [1]})"),
          dump_text(told(plan_of(R"({"n_layer": 3})"), 7))})
        EXPECT_THROW(take_conditions(plan, text), UserError);
    EXPECT_EQ(group_of(plan, "remove-all").lines[1].condition, 40);
}

TEST(SurgeryPlanView, TellsTheWorkerWhatThePersonChose) {
    auto plan = plan_of(R"({"arch": "no_norm", "norm_f": "none", "tie": false})");
    const PlanLine& line = group_of(plan, "remove-one").lines[3];
    const auto arguments = surgery_arguments(line, "/a/b.safetensors", "/o", "/r", "task:copy");
    EXPECT_THAT(arguments, ElementsAre("surgery", "apply", "--checkpoint", "/a/b.safetensors",
                                       "--transform", "remove-one", "--out", "/o", "--report", "/r",
                                       "--matrix", "k", "--layer", "1", "--data", "task:copy"));
    EXPECT_EQ(suggested_file(line, "/a/b.safetensors"), "b-remove-one-k-1.safetensors");
    EXPECT_THAT(surgery_arguments(line, "/a", "/o", "/r", ""), testing::Not(Contains("--data")));
}

TEST(SurgeryPlanView, EveryRefusalNamesItsAssumptionInAWordOrTwo) {
    for (const char* keys :
         {"{}", R"({"norm": "none", "norm_f": "none"})", R"({"arch": "skipless"})",
          R"({"norm": "dyt", "bias": true})", R"({"share_layers": true})", R"({"pos": "rope"})",
          R"({"query": "identity", "tie": true})", R"({"hyper": "hc", "n_stream": 2})",
          R"({"n_kv_head": 1, "topology": "parallel"})"}) {
        SCOPED_TRACE(keys);
        for (const PlanGroup& group : plan_of(keys))
            for (const PlanLine& line : group.lines) {
                EXPECT_EQ(line.plan.assumption.empty(), line.plan.applies())
                    << group.surgery->name << ": " << line.plan.refusal;
                EXPECT_LE(line.plan.assumption.size(), 20u) << line.plan.assumption;
            }
    }
}

}  // namespace
}  // namespace headroom
