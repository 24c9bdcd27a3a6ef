#include "core/search/successive_halving.h"

#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/search/search_fixture.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

/// Trains what a search asks for, at once: a run's loss is that of its number and its steps.
class Trainings {
  public:
    explicit Trainings(WiringSearch search) : search_(std::move(search)) {}

    SearchProgress ask() {
        return plan_search(search_, taken,
                           [&](const SearchCandidate& candidate,
                               const SearchTrial& trial) -> std::optional<double> {
                               const auto run = reached_.find({candidate.id, trial.seed});
                               if (run == reached_.end() || run->second < trial.steps)
                                   return std::nullopt;
                               return loss_of(candidate.id);
                           });
    }
    void train(const SearchProgress& progress, const SearchTrial& trial) {
        int64_t& reached = reached_[{progress.candidates[trial.candidate].id, trial.seed}];
        EXPECT_LT(reached, trial.steps) << "trained twice";
        steps += trial.steps - reached;
        reached = trial.steps;
    }
    SearchProgress run() {
        SearchProgress progress = ask();
        while (!progress.missing.empty()) {
            stages.push_back(progress.stage);
            for (const SearchTrial& trial : progress.missing) train(progress, trial);
            progress = ask();
        }
        return progress;
    }

    std::vector<Wiring> taken;
    std::vector<std::string> stages;
    int64_t steps = 0;
    std::map<std::string, double> losses;

  private:
    double loss_of(const std::string& id) const {
        const auto known = losses.find(id);
        return known != losses.end() ? known->second : 3 + (std::stoi(id.substr(1)) * 7 % 10) / 10.;
    }

    WiringSearch search_;
    std::map<std::pair<std::string, int64_t>, int64_t> reached_;
};

nlohmann::json eight(int64_t generations = 1) {
    return {{"candidates", 8}, {"generations", generations}};
}

TEST(SuccessiveHalving, HalvesFromRungToRungAndTrainsFinalistsWithEverySeed) {
    Trainings trainings(small_search(eight()));
    trainings.losses = {{"w05", 1.0}, {"w02", 1.5}};
    const SearchProgress end = trainings.run();
    EXPECT_THAT(trainings.stages,
                ElementsAre("generation 1 of 1: 8 wirings to 100 steps",
                            "rung 2 of 3: 4 wirings to 200 steps",
                            "rung 3 of 3: 2 wirings to 400 steps", "2 finalists with every seed"));
    EXPECT_EQ(end.stage, "done");
    EXPECT_THAT(end.finalists, ElementsAre(4u, 1u));  // w05, then w02
    EXPECT_EQ(trainings.steps, 8 * 100 + 4 * 100 + 2 * 200 + 2 * 3 * 400);
    EXPECT_EQ(trainings.steps, steps_of(small_search(eight())));
}

TEST(SuccessiveHalving, FurtherGenerationsAreChangesOfTheBest) {
    Trainings trainings(small_search(eight(3)));
    const SearchProgress end = trainings.run();
    ASSERT_THAT(end.candidates, SizeIs(24));
    for (const SearchCandidate& candidate : end.candidates)
        EXPECT_EQ(candidate.parent.empty(), candidate.generation == 1) << candidate.id;
    // Losses of w01 … w08 are those of 7, 4, 1, 8, 5, 2, 9, 6: the best four become parents.
    std::set<std::string> parents;
    for (size_t i = 8; i < 16; ++i) parents.insert(end.candidates[i].parent);
    EXPECT_THAT(parents, ElementsAre("w02", "w03", "w05", "w06"));
    for (size_t i = 0; i < 24; ++i)
        for (size_t j = 0; j < i; ++j)
            EXPECT_NE(end.candidates[i].drawn.wiring, end.candidates[j].drawn.wiring);
}

TEST(SuccessiveHalving, StoppedAnywhereItGoesOnToTheSameEndWithoutRepeatingAStep) {
    Trainings straight(small_search(eight(2)));
    const SearchProgress expected = straight.run();
    Trainings stumbling(small_search(eight(2)));
    for (;;) {  // one training at a time, everything else forgotten in between
        const SearchProgress progress = stumbling.ask();
        if (progress.missing.empty()) break;
        stumbling.train(progress, progress.missing.back());
    }
    const SearchProgress end = stumbling.ask();
    EXPECT_EQ(stumbling.steps, straight.steps);
    EXPECT_EQ(straight.steps, steps_of(small_search(eight(2))));
    EXPECT_EQ(end.finalists, expected.finalists);
    ASSERT_EQ(end.candidates.size(), expected.candidates.size());
    for (size_t i = 0; i < end.candidates.size(); ++i)
        EXPECT_EQ(end.candidates[i].drawn.wiring, expected.candidates[i].drawn.wiring);
}

TEST(SuccessiveHalving, WhatDivergedComesLast) {
    Trainings trainings(small_search(eight()));
    for (int i = 1; i <= 7; ++i) trainings.losses[fmt::format("w{:02}", i)] = HUGE_VAL;
    trainings.losses["w08"] = 9;
    EXPECT_THAT(trainings.run().finalists, ElementsAre(7u, 0u));
}

TEST(SuccessiveHalving, TheSearchSeedCountsWhereItIsOneOfTheStudys) {
    nlohmann::json section = eight();
    section["seed"] = 2;
    Trainings trainings(small_search(section));
    trainings.run();
    EXPECT_EQ(trainings.steps, 8 * 100 + 4 * 100 + 2 * 200 + 2 * 2 * 400);
    EXPECT_EQ(trainings.steps, steps_of(small_search(section)));
}

/// Of a hundred seven stay, though 0.07 * 100 is a little more in floating point.
TEST(SuccessiveHalving, AShareOfCandidatesIsNotRoundedUpByAnUlp) {
    nlohmann::json section = eight();
    section["candidates"] = 100;
    section["survivors"] = 0.07;
    section["finalists"] = 1;
    EXPECT_EQ(steps_of(small_search(section)), 100 * 100 + 7 * 100 + 1 * 200 + 3 * 400);
}

TEST(SuccessiveHalving, WiringsThatTheStudyHasAreNotTriedAgain) {
    Trainings first(small_search(eight()));
    const Wiring drawn = first.ask().candidates.front().drawn.wiring;
    Trainings second(small_search(eight()));
    second.taken = {drawn};
    for (const SearchCandidate& candidate : second.ask().candidates)
        EXPECT_NE(candidate.drawn.wiring, drawn);
}

TEST(SuccessiveHalving, MoreCandidatesThanWiringsAreRefused) {
    const nlohmann::json section = {{"candidates", 60}, {"budget", {{"cache", 0.5}}}};
    EXPECT_THAT([&] { Trainings(small_search(section, 2, 1)).ask(); },
                ThrowsMessage<UserError>(HasSubstr("there is no other wiring within the budget")));
}

}  // namespace
}  // namespace headroom
