#include "panels/lab/lab_form.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace headroom {
namespace {

using testing::ElementsAre;

std::unique_ptr<Experiment> basis_transfer() {
    for (auto& one : experiments())
        if (one->name() == "basis-transfer") return std::move(one);
    return nullptr;
}

TEST(LabForm, ShowsEveryOptionWithItsDefault) {
    const auto experiment = basis_transfer();
    const std::vector<LabField> fields = lab_fields(*experiment);
    EXPECT_EQ(fields.size(), experiment->options().size());
    EXPECT_EQ(fields[0].name, "h");
    EXPECT_EQ(fields[0].value, "256");
    EXPECT_EQ(fields[1].value, "plain");
    EXPECT_THAT(fields[1].choices, ElementsAre("plain", "literal"));
}

TEST(LabForm, TellsTheWorkerWhatAPersonChanged) {
    const auto experiment = basis_transfer();
    std::vector<LabField> fields = lab_fields(*experiment);
    EXPECT_THAT(lab_arguments(*experiment, fields),
                ElementsAre("lab", "basis-transfer", "--stream"));
    fields[0].value = "256,512";
    fields[1].value = "literal";
    EXPECT_THAT(
        lab_arguments(*experiment, fields),
        ElementsAre("lab", "basis-transfer", "--h=256,512", "--target=literal", "--stream"));
}

TEST(LabForm, ReadsTheWorkersLines) {
    const LabNews step = read_lab_line(R"({"share": 0.25, "doing": "step 5"})");
    EXPECT_EQ(step.share, 0.25);
    EXPECT_EQ(step.doing, "step 5");
    EXPECT_FALSE(step.result);
    const LabNews end =
        read_lab_line(R"({"result": {"stopped": true, "checks": [], "tables": [], "charts": []}})");
    EXPECT_TRUE(end.result->stopped);
    for (const char* line : {"", "[]", "{}", R"({"share": "x", "doing": ""})", R"({"result": 1})"})
        EXPECT_THROW(read_lab_line(line), UserError) << line;
}

}  // namespace
}  // namespace headroom
