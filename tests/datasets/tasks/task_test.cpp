#include "datasets/tasks/task.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "datasets/open_data.h"
#include "tests/datasets/batches.h"

namespace headroom {
namespace {

std::unique_ptr<DataSource> open(const std::string& spec, int64_t seed = 1) {
    return open_data({spec, "split:0.1", "byte"}, seed);
}

std::string message_of(const std::string& spec, int64_t seq_len) {
    try {
        train_batch(*open(spec), 1, 0, 1, seq_len);
    } catch (const UserError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Tasks, KeepTheirContract) {
    for (const TaskInfo& task : list_tasks()) {
        const auto source = open("task:" + task.name), other = open("task:" + task.name, 2);
        const Batch batch = train_batch(*source, 3, 1, 16, 128);
        EXPECT_EQ(batch, train_batch(*open("task:" + task.name), 3, 1, 16, 128)) << task.name;
        EXPECT_NE(batch, train_batch(*source, 4, 1, 16, 128)) << task.name;
        EXPECT_NE(batch, train_batch(*other, 3, 1, 16, 128)) << task.name;
        EXPECT_NE(batch, eval_batch(*source, 3, 16, 128)) << task.name;
        EXPECT_EQ(eval_batch(*source, 3, 16, 128), eval_batch(*other, 3, 16, 128)) << task.name;
        int scored = 0;
        for (size_t i = 0; i < batch.tokens().size(); ++i) {
            EXPECT_GE(batch.tokens()[i], 0);
            EXPECT_LT(batch.tokens()[i], source->info().vocab_size);
            EXPECT_GE(batch.targets()[i], kIgnoredTarget);
            EXPECT_LT(batch.targets()[i], source->info().vocab_size);
            const bool is_scored = batch.targets()[i] != kIgnoredTarget;
            scored += is_scored;
            if (is_scored && i % 128 != 127) {
                EXPECT_EQ(batch.targets()[i], batch.tokens()[i + 1]);
            }
        }
        EXPECT_GT(scored, 16) << task.name;
        EXPECT_FALSE(task.summary.empty());
    }
}

TEST(Induction, ScoredTargetsFollowedTheSameTokenBefore) {
    const Batch batch = train_batch(*open("task:induction?vocab=40&period=20"), 1, 0, 32, 64);
    std::set<int> periods;
    for (int row = 0; row < 32; ++row) {
        std::map<int32_t, int32_t> follower;
        int first_scored = -1;
        for (int t = 0; t < 64; ++t) {
            const int32_t token = batch.tokens()[row * 64 + t],
                          target = batch.targets()[row * 64 + t];
            if (target != kIgnoredTarget) {
                ASSERT_TRUE(follower.count(token));
                EXPECT_EQ(follower[token], target);
                if (first_scored < 0) first_scored = t;
            }
            if (t + 1 < 64) follower[token] = batch.tokens()[row * 64 + t + 1];
        }
        EXPECT_GE(first_scored, 10);
        EXPECT_LE(first_scored, 20);
        periods.insert(first_scored);
    }
    EXPECT_GE(periods.size(), 5u);
}

TEST(Copy, ScoredTargetsRepeatTheWord) {
    const Batch batch = train_batch(*open("task:copy?vocab=10&length=6"), 1, 0, 8, 200);
    for (int row = 0; row < 8; ++row) {
        std::vector<int32_t> word;
        size_t copied = 0;
        bool copying = false;
        for (int t = 0; t < 200; ++t) {
            const int32_t token = batch.tokens()[row * 200 + t],
                          target = batch.targets()[row * 200 + t];
            if (token == 9) word.clear(), copying = false;
            if (token == 8) copying = true, copied = 0;
            if (token < 8 && !copying) word.push_back(token);
            if (copying) {
                EXPECT_EQ(target, copied < word.size() ? word[copied] : 9);
                ++copied;
            } else {
                EXPECT_EQ(target, kIgnoredTarget);
            }
        }
    }
}

/// Least squares with two unknowns, by the normal equations.
struct TwoWeights {
    double xx = 0, xz = 0, zz = 0, xy = 0, zy = 0;
    void add(double x, double z, double y) {
        xx += x * x, xz += x * z, zz += z * z, xy += x * y, zy += z * y;
    }
    double predict(double x, double z) const {
        const double det = xx * zz - xz * xz;
        return x * (xy * zz - zy * xz) / det + z * (zy * xx - xy * xz) / det;
    }
};

TEST(Regression, LeastSquaresOfThePairsBeforePredictsTheTarget) {
    constexpr int kBins = 512, kLength = 3 * 60;
    const Batch batch = train_batch(*open("task:regression?dim=2&bins=512"), 1, 0, 20, kLength);
    const auto value = [](int32_t bin) { return (bin + 0.5) / kBins * 6 - 3; };
    int predicted = 0;
    for (int row = 0; row < 20; ++row) {
        TwoWeights fit;
        for (int t = row * kLength; t + 2 < (row + 1) * kLength; t += 3) {
            const double x = value(batch.tokens()[t]), z = value(batch.tokens()[t + 1]);
            const double y = value(batch.tokens()[t + 2] - kBins);
            const int pair = t % kLength / 3;
            EXPECT_EQ(batch.targets()[t], kIgnoredTarget);
            EXPECT_EQ(batch.targets()[t + 1], pair < 2 ? kIgnoredTarget : batch.tokens()[t + 2]);
            if (std::abs(y) > 2.9) continue;  // cut off at the last bin
            if (pair > 30) {
                EXPECT_NEAR(fit.predict(x, z), y, 0.02);  // bins are 0.012 wide
                ++predicted;
            }
            fit.add(x, z, y);
        }
    }
    EXPECT_GT(predicted, 400);
}

TEST(Tasks, RefuseOptionsByName) {
    using testing::HasSubstr;
    EXPECT_THAT(message_of("task:induction?vocab=9&period=10", 64), HasSubstr("period <= vocab"));
    EXPECT_THAT(message_of("task:induction?vocab=1", 64), HasSubstr("from 2 to 65536"));
    EXPECT_THAT(message_of("task:induction?vocab=two", 64), HasSubstr("vocab=two"));
    EXPECT_THAT(message_of("task:induction?vocab", 64), HasSubstr("has no value"));
    EXPECT_THAT(message_of("task:induction?vocab=9&vocab=9", 64), HasSubstr("given twice"));
    EXPECT_THAT(message_of("task:induction?vocabulary=9", 64), HasSubstr("\"vocabulary\""));
    EXPECT_THAT(message_of("task:copy?lenght=9", 64), HasSubstr("did you mean \"length\"?"));
    EXPECT_THAT(message_of("task:induction", 32), HasSubstr("train.seq_len = 32 is too short"));
    EXPECT_THAT(message_of("task:regression?dim=4", 23), HasSubstr("is too short"));
    EXPECT_EQ(message_of("task:regression?dim=4", 24), "no error");
}

}  // namespace
}  // namespace headroom
