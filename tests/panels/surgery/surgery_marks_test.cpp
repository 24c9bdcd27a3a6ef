#include "panels/surgery/surgery_marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/architecture/architecture_layout.h"
#include "panels/architecture/architecture_view.h"
#include "panels/base/numbering.h"

namespace headroom {
namespace {

using testing::HasSubstr;

struct Marked {
    DrawingLayout drawing;

    const DrawBox& box(const std::string& name) const {
        const DrawBox* box = drawing.find("block." + name);
        if (box == nullptr) throw std::logic_error("no box " + name);
        return *box;
    }
    std::string note(const std::string& name) const { return box(name).note; }
};

/// The picture with `line` of `surgery` chosen, its block that of the line's layer.
Marked marked(const std::string& keys, const std::string& surgery, size_t line = 0,
              bool untie = false) {
    nlohmann::json model{{"n_layer", 2}, {"n_head", 2},      {"d_model", 8},
                         {"d_ff", 16},   {"vocab_size", 11}, {"block_size", 8}};
    model.update(nlohmann::json::parse(keys));
    const ModelConfig config = parse_model_config(model, "");
    const std::vector<PlanGroup> plan = build_surgery_plan(config, untie);
    const ArchitectureView view = build_architecture(config, "model");
    for (const PlanGroup& group : plan) {
        if (group.surgery->name != surgery) continue;
        const PlanLine& chosen = group.lines.at(line);
        ArchitectureOptions options;
        options.details = {view.layers[chosen.plan.request.layer.value_or(0)].kind};
        Marked result{lay_out_architecture(view, options)};
        mark_plan(result.drawing, group, &chosen);
        return result;
    }
    throw std::logic_error("no such surgery");
}

TEST(SurgeryMarks, NameTheAssumptionAtEveryMatrixThatStays) {
    const Marked gpt2 = marked("{}", "remove-all");
    for (const char* matrix : {"q", "k", "v", "o"}) {
        EXPECT_EQ(gpt2.note(matrix), "stays: norm") << matrix;
        EXPECT_TRUE(gpt2.box(matrix).held) << matrix;
        EXPECT_THAT(gpt2.box(matrix).tip, HasSubstr("a norm in front of it")) << matrix;
    }
    const std::string skips = R"({"norm": "none", "norm_f": "none", "tie": false})";
    EXPECT_EQ(marked(skips, "remove-all").note("q"), "stays: skip");
    EXPECT_EQ(marked(R"({"norm": "none", "norm_f": "none"})", "remove-one").note("q"),
              "stays: tied");
    EXPECT_EQ(marked("{}", "merge-head").note("o"), "stays: 2 heads");
    EXPECT_EQ(marked(R"({"pos": "rope"})", "change-head-basis").note("k"), "stays: rotary");
    EXPECT_EQ(marked("{}", "remove-parallel").note("v"), "stays: serial");
}

TEST(SurgeryMarks, SayWhatGoesAndLeaveWhatAnotherLineTakes) {
    const Marked one = marked(R"({"arch": "skipless", "tie": false})", "remove-one", 3);
    EXPECT_EQ(one.note("k"), "goes");
    EXPECT_EQ(one.note("q"), "8 × 8");
    EXPECT_FALSE(one.box("k").held);
    const Marked graef = marked(R"({"arch": "skipless", "tie": false})", "remove-with-output", 2);
    EXPECT_EQ(graef.note("v"), "goes");
    EXPECT_EQ(graef.note("o"), "goes");
    EXPECT_EQ(graef.note("q"), "8 × 8");
    EXPECT_EQ(marked("{}", "change-head-basis").note("q"), "changes");
}

TEST(SurgeryMarks, SayWhatGoesWhereUntyingAddsMoreThanThat) {
    const std::string tied = R"({"arch": "skipless", "tie": true, "vocab_size": 200})";
    EXPECT_EQ(marked(tied, "remove-one", 3, true).note("k"), "goes");
    EXPECT_EQ(marked(tied, "change-head-basis", 0, true).note("q"), "changes");
}

TEST(SurgeryMarks, GroupedHeadsHoldOnlyTheirOwnMatrices) {
    const std::string keys = R"({"n_kv_head": 1, "norm": "none", "norm_f": "none", "tie": false})";
    const Marked grouped = marked(keys, "remove-one");
    EXPECT_EQ(grouped.note("q"), "goes");
    EXPECT_EQ(grouped.note("k"), "stays: grouped heads");
    EXPECT_EQ(grouped.note("v"), "stays: grouped heads");
    EXPECT_EQ(grouped.note("o"), "8 × 8");
}

TEST(SurgeryMarks, WhatIsNoMatrixIsNotMarked) {
    const Marked identity = marked(R"({"query": "identity"})", "remove-all");
    EXPECT_EQ(identity.note("q"), "no W_{Q}");
    EXPECT_EQ(identity.note("k"), "stays: norm");
}

TEST(SurgeryMarks, ReasonsCountLayersAsThePictureDoes) {
    const NumberingScope from_one(1);
    EXPECT_THAT(marked("{}", "remove-all").box("q").tip, HasSubstr("ln_1 of layer 1"));
}

TEST(SurgeryMarks, AMatrixThatStaysForWantOfAnotherIsNotSaidToBeMissing) {
    const Marked identity = marked(R"({"query": "identity"})", "change-head-basis");
    EXPECT_EQ(identity.note("k"), "stays: no W_{Q}");
    EXPECT_THAT(identity.box("k").tip, HasSubstr("layer 0 has no W_Q for W_K"));
    const Marked fixed = marked(R"({"key": "identity"})", "change-head-basis");
    EXPECT_EQ(fixed.note("q"), "stays: no W_{K}");
    EXPECT_EQ(marked(R"({"query": "residual"})", "change-head-basis").note("k"),
              "stays: not linear");
}

}  // namespace
}  // namespace headroom
