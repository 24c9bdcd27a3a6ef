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

TEST(LabForm, RefusesAnEmptyFieldByName) {
    const auto experiment = basis_transfer();
    std::vector<LabField> fields = lab_fields(*experiment);
    for (const char* empty : {"", ", ,"}) {
        fields[0].value = empty;
        try {
            lab_arguments(*experiment, fields);
            FAIL() << "nothing was refused";
        } catch (const UserError& error) {
            EXPECT_EQ(lab_refusal(error.what()).words, "h is empty; give it a value");
        }
    }
}

TEST(LabForm, SaysARefusalInTheFormsWords) {
    const auto words = [](const char* problem) { return lab_refusal(problem).words; };
    EXPECT_EQ(words("--matrices 0 is out of range; give 1 to 1000"),
              "matrices = 0 is out of range; give 1 to 1000");
    EXPECT_EQ(words("Could not convert: --eps = abc; see headroom lab semi-conjugacy --help"),
              "eps = abc is no such number");
    EXPECT_EQ(words("--n-head 7 does not divide --d 768; give a divisor"),
              "n-head = 7 does not divide d = 768; give a divisor");
    EXPECT_EQ(words("give --n as large as --d, or --sigma of 1e-6 at least"),
              "give n as large as d, or sigma of 1e-6 at least");
    EXPECT_EQ(words("out of memory; close other programs"), "out of memory; close other programs");
}

TEST(LabForm, FindsTheOptionsThatARefusalNames) {
    EXPECT_THAT(lab_refusal("--n-head 7 does not divide --d 768; give a divisor").names,
                ElementsAre("n-head", "d"));
    EXPECT_THAT(lab_refusal("Could not convert: --eps = abc; see headroom lab x --help").names,
                ElementsAre("eps"));
    EXPECT_THAT(lab_refusal("out of memory").names, ElementsAre());
}

}  // namespace
}  // namespace headroom
