#include "panels/study/named_run.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

RunPointer run_of(const std::string& id, const std::string& group, int64_t seed) {
    Run made;
    made.id = id;
    made.name = group + ", seed " + std::to_string(seed);
    made.group = group;
    made.seed = seed;
    return std::make_shared<const Run>(std::move(made));
}

TEST(NamedRun, AWordMeansARunAGroupOrAVariantOfTheStudy) {
    const std::vector<RunPointer> runs{run_of("tiny-s1", "TinyLlama", 1),
                                       run_of("skip-s1", "tiny", 1), run_of("skip-s2", "tiny", 2),
                                       run_of("skip-s3", "other", 4)};
    EXPECT_EQ(find_named_run(runs, "skip-s2"), runs[2]);
    EXPECT_EQ(find_named_run(runs, "TinyLlama, seed 1"), runs[0]);
    EXPECT_EQ(find_named_run(runs, "TinyLlama"), runs[0]);
    EXPECT_EQ(find_named_run(runs, "tiny"), runs[1]) << "a group goes before a variant";
    const std::vector<RunPointer> variant = find_named_runs(runs, "skip");
    ASSERT_EQ(variant.size(), 2u) << "-s3 of seed 4 is part of a name";
    EXPECT_EQ(variant[1], runs[2]);
    EXPECT_EQ(find_named_run(runs, "nobody"), nullptr);
}

}  // namespace
}  // namespace headroom
