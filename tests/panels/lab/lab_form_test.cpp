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

}  // namespace
}  // namespace headroom
