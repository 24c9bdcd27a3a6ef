#include "core/search/wiring_sampler.h"

#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/describe.h"
#include "core/base/error.h"
#include "core/base/json_text.h"
#include "core/config/job_json.h"
#include "core/wiring/wiring_edit.h"
#include "core/wiring/wiring_json.h"
#include "tests/core/search/search_fixture.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

json budget(const char* by, double share) {
    return {{"budget", {{by, share}}}};
}

/// What `describe --json` says of the measure.
int64_t described(const ModelConfig& model, const std::string& by) {
    const json counts = describe_model(model, {});
    return counts.at(by == "cache"    ? "kv_bytes_per_token"
                     : by == "params" ? "params_total"
                     : by == "flops"  ? "flops_per_token"
                                      : "params_non_embedding");
}

TEST(WiringSampler, TenThousandWiringsKeepTheBudget) {
    const WiringSearch search = small_search(budget("cache", 0.5));
    const WiringSampler sampler(search);
    const int64_t limit = sampler.budget().limit();
    EXPECT_EQ(limit, described(search.job.model, "cache") / 2);
    std::set<std::string> different;
    int exact = 0;
    DrawnWiring parent = sampler.draw(0);
    for (uint64_t i = 0; i < 10000; ++i) {
        const DrawnWiring drawn = i % 2 == 0 ? sampler.draw(i) : sampler.change(parent, i);
        EXPECT_TRUE(i % 2 == 0 || drawn.wiring != parent.wiring);
        ASSERT_NO_THROW(check_wiring(drawn.wiring));
        const ModelConfig model = with_wiring(search.job.model, drawn.wiring);
        const int64_t count = sampler.budget().count(model);
        ASSERT_LE(count, limit);
        if (i % 8 == 0) {
            ASSERT_EQ(count, described(model, "cache"));
        }
        EXPECT_GE(count, limit * 3 / 4);
        exact += count == limit;
        different.insert(dump_text(to_json(drawn.wiring)));
        parent = drawn;
    }
    EXPECT_GT(different.size(), 8000u);
    EXPECT_GT(exact, 500);
}

TEST(WiringSampler, EveryMeasureIsDescribes) {
    for (const auto& [by, share] :
         {std::pair{"params", 0.93}, {"non-embedding", 0.9}, {"flops", 0.97}, {"cache", 0.25}}) {
        const WiringSearch search = small_search(budget(by, share));
        const WiringSampler sampler(search);
        const auto baseline = static_cast<double>(described(search.job.model, by));
        for (uint64_t i = 0; i < 50; ++i) {
            const ModelConfig model = with_wiring(search.job.model, sampler.draw(i).wiring);
            EXPECT_EQ(described(model, by), sampler.budget().count(model)) << by;
            EXPECT_LE(static_cast<double>(described(model, by)), share * baseline) << by;
        }
    }
}

TEST(WiringSampler, TheEditsMakeTheWiring) {
    const WiringSearch search = small_search(budget("cache", 0.5));
    const WiringSampler sampler(search);
    for (uint64_t i = 0; i < 200; ++i) {
        const DrawnWiring drawn = sampler.draw(i);
        ASSERT_FALSE(drawn.edits.empty());
        Wiring made = search.job.model.wiring;
        for (const std::string& line : drawn.edits)
            made = *apply(made, parse_wiring_edit(line, made, {})).wiring;
        EXPECT_EQ(made, drawn.wiring);
        const DrawnWiring changed = sampler.change(drawn, i);
        for (size_t left_out = 0; left_out < changed.edits.size(); ++left_out) {
            std::optional<Wiring> fewer = search.job.model.wiring;
            for (size_t k = 0; k < changed.edits.size(); ++k)
                if (fewer && k != left_out)
                    fewer = apply(*fewer, parse_wiring_edit(changed.edits[k], *fewer, {})).wiring;
            EXPECT_NE(fewer, changed.wiring) << "without " << changed.edits[left_out];
        }
        json document = {{"n_layer", 6}, {"n_head", 4}, {"d_model", 64}};
        document["wiring"] = to_json(drawn.wiring);
        EXPECT_EQ(parse_model_config(document, "").wiring, drawn.wiring) << "as a job has it";
    }
}

TEST(WiringSampler, CandidatesThatStartFromAFileTakeItsWeightsExactly) {
    WiringSearch search = small_search(budget("cache", 0.25));
    const auto refused = [&] {
        const WiringSampler sampler(search);
        int count = 0;
        for (uint64_t i = 0; i < 300; ++i) try {
                edited(search.job.model.wiring, sampler.draw(i).edits, {}, EditFor::kWeights);
            } catch (const UserError&) {
                ++count;
            }
        return count;
    };
    EXPECT_GT(refused(), 0);
    search.job.train.init_from = "trained.safetensors";
    EXPECT_EQ(refused(), 0);
}

TEST(WiringSampler, OneTableAloneChangesWhereThatIsAsked) {
    for (const char* table : {"keys", "values"}) {
        json section = budget("cache", 0.75);
        section["tables"] = table;
        const WiringSearch search = small_search(section);
        const WiringSampler sampler(search);
        const bool keys = std::string(table) == "keys";
        for (uint64_t i = 0; i < 100; ++i) {
            const Wiring wiring = sampler.draw(i).wiring;
            EXPECT_EQ(keys ? wiring.values : wiring.keys,
                      keys ? search.job.model.wiring.values : search.job.model.wiring.keys);
        }
    }
}

TEST(WiringSampler, TheSameSeedDrawsTheSameAndAnotherDoesNot) {
    json section = budget("cache", 0.5);
    const WiringSampler first(small_search(section)), again(small_search(section));
    section["seed"] = 8;
    const WiringSampler other(small_search(section));
    int equal = 0;
    for (uint64_t i = 0; i < 50; ++i) {
        const DrawnWiring drawn = first.draw(i);
        EXPECT_EQ(drawn.edits, again.draw(i).edits);
        EXPECT_EQ(first.change(drawn, i).edits, again.change(drawn, i).edits);
        equal += drawn.wiring == other.draw(i).wiring;
    }
    EXPECT_LT(equal, 5);
}

TEST(WiringSampler, ABudgetOutOfReachIsRefusedWithTheLeastThatIsNot) {
    // 6 layers of 4 heads, keys and values: one head of each left is 2 of 48.
    EXPECT_THAT([] { WiringSampler{small_search(budget("cache", 0.04))}; },
                ThrowsMessage<UserError>(HasSubstr("give 0.042 or more")));
    EXPECT_NO_THROW(WiringSampler{small_search(budget("cache", 0.042))}.draw(1));
    EXPECT_THAT([] { WiringSampler{small_search(budget("params", 0.5))}; },
                ThrowsMessage<UserError>(HasSubstr("params = 0.5 is below what any wiring")));
    EXPECT_FALSE(WiringSampler{small_search(budget("cache", 1), 2, 1)}.draw(3).edits.empty());
}

}  // namespace
}  // namespace headroom
