// Every reader of files from outside, fed with the kept corpus and with mutants of it.
#include <gtest/gtest.h>

#include "tests/fuzz/fuzz_targets.h"
#include "tests/support/places.h"

namespace headroom {
namespace {

const std::vector<FuzzTarget>& targets() {
    static const std::vector<FuzzTarget> all = fuzz_targets();
    return all;
}

TEST(FuzzTargets, AreThoseThatHaveALibFuzzerProgram) {
    std::string names;
    for (const FuzzTarget& target : targets()) names += (names.empty() ? "" : " ") + target.name;
    EXPECT_EQ(names, HEADROOM_FUZZ_NAMES);
}

class Fuzz : public testing::TestWithParam<size_t> {};

TEST_P(Fuzz, WhateverIsReadIsTakenOrRefusedByName) {
    EXPECT_GT(run_fuzz(targets()[GetParam()], source_tree() / "tests/corpus"), 10);
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::Range<size_t>(0, targets().size()),
                         [](const auto& tested) { return targets()[tested.param].name; });

}  // namespace
}  // namespace headroom
