#include "core/study/wiring_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/study/study.h"
#include "tests/core/search/search_fixture.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(WiringSearch, IsReadWithWhatIsLeftOut) {
    const WiringSearch search = small_search({{"budget", {{"params", 0.9}}}});
    EXPECT_EQ(search.by, "params");
    EXPECT_EQ(search.share, 0.9);
    EXPECT_EQ(search.seed, 7);
    EXPECT_THAT(search.seeds, ElementsAre(1, 2, 3));
    EXPECT_THAT(search.rungs, ElementsAre(100, 200, 400));
    EXPECT_EQ(search.candidates, 16);
    EXPECT_EQ(search.generations, 1);
    EXPECT_EQ(search.tables, "both");
    EXPECT_EQ(search.job.model.n_layer, 6);
    EXPECT_FALSE(parse_search({{"name", "no search"}}));
}

TEST(WiringSearch, SaysWhatIsWrongWithTheSection) {
    const auto refused = [](const json& section, const char* why) {
        EXPECT_THAT([&] { small_search(section); }, ThrowsMessage<UserError>(HasSubstr(why)))
            << section;
    };
    refused({{"bugdet", 1}}, "unknown key \"bugdet\" in search; did you mean \"budget\"");
    refused({{"budget", 0.5}}, "search.budget = 0.5 is no budget");
    refused({{"budget", {{"cash", 0.5}}}}, "search.budget: \"cash\" is not known");
    refused({{"budget", {{"cache", 0}}}}, "search.budget: cache = 0 is no share");
    refused({{"budget", {{"cache", 1.5}}}}, "search.budget: cache = 1.5 is no share");
    refused({{"budget", {{"cache", 0.5}, {"params", 0.9}}}}, "is no budget");
    refused({{"rungs", {100, 400}}}, "does not rise to train.steps = 400");
    refused({{"rungs", {200, 100}}}, "does not rise to train.steps");
    refused({{"survivors", 1}}, "search.survivors = 1 is no share");
    refused({{"candidates", 0}}, "search.candidates = 0 is out of range");
    refused({{"candidates", 4}, {"finalists", 5}}, "search.finalists = 5 is out of range");
    refused({{"tables", "value"}}, "did you mean \"values\"");
}

TEST(WiringSearch, AStudyIsRefusedWhereItsSearchIs) {
    const json document = {{"schema", "headroom-study/1"},
                           {"name", "s"},
                           {"job", {{"model", {{"n_layer", 1}}}}},
                           {"search", json::object()}};
    EXPECT_THAT([&] { parse_study(document, "study.json"); },
                ThrowsMessage<UserError>(HasSubstr("study.json: \"search\" needs two layers")));
}

TEST(WiringSearch, ABudgetIsGivenAsAWord) {
    EXPECT_EQ(budget_of_option("0.5"), (json{{"cache", 0.5}}));
    EXPECT_EQ(budget_of_option("params=0.9"), (json{{"params", 0.9}}));
    for (const char* wrong : {"", "cache=", "cache=half", "cash=0.5", "cache=0", "cache=2", "nan"})
        EXPECT_THROW(budget_of_option(wrong), UserError) << wrong;
}

}  // namespace
}  // namespace headroom
