#include "panels/run/run_names.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

std::string job(const std::string& name, int seed, int layers) {
    return "{\"name\":\"" + name + "\",\"seed\":" + std::to_string(seed) +
           ",\"model\":{\"n_layer\":" + std::to_string(layers) + "}}";
}

TEST(RunNames, AJobNestedWithoutEndIsNone) {
    std::string job;
    for (int i = 0; i < 200000; ++i) job += "{\"a\":";
    job += "1" + std::string(200000, '}');
    const auto runs = identify_runs({{"/s/runs/a", job}, {"/s/runs/b", "{\"name\": \"b\"}"}});
    EXPECT_EQ(runs.at(0).name, "a");
    EXPECT_EQ(runs.at(1).name, "b");
}

TEST(IdentifyRuns, SeedsOfOneJobShareAVariant) {
    const auto runs = identify_runs({{"s/runs/base-s1", job("base-s1", 1, 6)},
                                     {"s/runs/base-s2", job("base-s2", 2, 6)},
                                     {"s/runs/deep", job("deep", 1, 12)}});
    EXPECT_EQ(runs[0].variant, "base");
    EXPECT_EQ(runs[1].variant, "base");
    EXPECT_EQ(runs[0].name, "base, seed 1");
    EXPECT_EQ(runs[1].id, "base-s2");
    EXPECT_EQ(runs[2].name, "deep");
    EXPECT_EQ(runs[2].seed, 1);
}

TEST(IdentifyRuns, JobsOfOneNameThatDifferAreCalledByTheirFolders) {
    const auto runs =
        identify_runs({{"a/runs/first", job("run", 1, 6)}, {"a/runs/second", job("run", 1, 8)}});
    EXPECT_EQ(runs[0].name, "first");
    EXPECT_EQ(runs[1].name, "second");
    EXPECT_NE(runs[0].variant, runs[1].variant);
}

TEST(IdentifyRuns, EqualFolderNamesAreToldApartByTheirParents) {
    const auto runs = identify_runs({{"a/runs/x", job("x", 1, 6)}, {"b/runs/x/", job("x", 1, 6)}});
    EXPECT_EQ(runs[0].id, "a/runs/x");
    EXPECT_EQ(runs[1].id, "b/runs/x");
    EXPECT_NE(runs[0].name, runs[1].name);
}

TEST(IdentifyRuns, AJobThatIsNotOneIsARunOfItsOwn) {
    const auto runs = identify_runs({{"a/x", "not json"}, {"a/y", ""}});
    EXPECT_EQ(runs[0].name, "x");
    EXPECT_EQ(runs[1].name, "y");
    EXPECT_NE(runs[0].variant, runs[1].variant);
}

TEST(AssignColors, ARunKeepsItsColourWhileOthersComeAndGo) {
    RunColors colors;
    auto two = identify_runs({{"a/x", ""}, {"a/y", ""}});
    assign_colors(two, colors);
    auto later = identify_runs({{"a/y", ""}, {"a/z", ""}});
    assign_colors(later, colors);
    EXPECT_EQ(later[0].color, two[1].color);
    EXPECT_NE(later[1].color, later[0].color);
    EXPECT_EQ(later[0].variant_color, two[1].variant_color);
}

TEST(ParseIsoTime, KnowsZones) {
    EXPECT_EQ(parse_iso_time("2025-01-31T12:00:00Z"), 1738324800);
    EXPECT_EQ(parse_iso_time("2025-01-31T13:30:00+01:30"), 1738324800);
    EXPECT_EQ(parse_iso_time("2025-01-31T12:00:00.25Z"), 1738324800);
    EXPECT_EQ(parse_iso_time("yesterday"), 0);
}

}  // namespace
}  // namespace headroom
