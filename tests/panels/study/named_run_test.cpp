#include "panels/study/named_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

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

TEST(NamedRun, OfASweepOnePointIsABaseline) {
    std::vector<RunPointer> runs;
    for (const std::string rate : {"0.1", "0.2"})
        for (const int64_t seed : {1, 2}) {
            const std::string end = "-lr" + rate + "-s" + std::to_string(seed);
            runs.push_back(run_of("gpt2" + end, "baseline · lr " + rate, seed));
            runs.push_back(run_of("wq" + end, "W_Q = I · lr " + rate, seed));
        }
    const auto problem_of = [&](const std::string& word) -> std::string {
        try {
            return find_baseline_group(runs, word);
        } catch (const UserError& error) {
            return error.what();
        }
    };
    EXPECT_EQ(problem_of("gpt2-lr0.2"), "baseline · lr 0.2");
    for (const char* word : {"baseline", "gpt2"})
        EXPECT_EQ(problem_of(word), "the baseline " + std::string(word) +
                                        " was trained in 2 ways; name one: \"baseline · lr 0.1\", "
                                        "\"baseline · lr 0.2\"");
    EXPECT_THAT(problem_of("gpt2-lr0.1-s3"), testing::HasSubstr("did you mean \"gpt2-lr0.1-s"));
    EXPECT_EQ(problem_of("nobody at all"),
              "the baseline nobody at all is not among the runs; known: baseline · lr 0.1, "
              "W_Q = I · lr 0.1, baseline · lr 0.2, W_Q = I · lr 0.2");
}

}  // namespace
}  // namespace headroom
