#include "core/data/masked_tokens.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "core/data/random_tokens.h"

namespace headroom {
namespace {

constexpr int64_t kVocabulary = 50;
constexpr int32_t kMaskToken = 50;

bool is_chosen(MaskChoice choice) {
    return choice != MaskChoice::kUntouched;
}

int64_t count_of(const std::vector<MaskChoice>& choices) {
    return std::count_if(choices.begin(), choices.end(), is_chosen);
}

MaskKey training_row(int64_t row, int64_t step = 1, uint64_t seed = 1) {
    return {MaskKey::kTraining, seed, step, row};
}

/// Row r of step s holds the same tokens however the step is cut into micro-batches.
class NumberedRows : public DataSource {
  public:
    const DataInfo& info() const override { return info_; }
    void train_batch(int64_t step, int64_t micro, Batch& batch) const override {
        const int64_t first = micro * batch.batch_size();
        for (size_t i = 0; i < batch.tokens().size(); ++i)
            batch.tokens()[i] = static_cast<int32_t>(
                (step + first * batch.seq_len() + static_cast<int64_t>(i)) % kVocabulary);
    }
    void eval_batch(int64_t index, Batch& batch) const override { train_batch(0, index, batch); }

  private:
    DataInfo info_{kVocabulary, "numbered rows", "{}"};
};

TEST(ChooseMasked, TheShareOfPositionsIsTheRate) {
    for (const double rate : {0.15, 0.4}) {
        constexpr int64_t kRows = 4000, kLength = 64;
        int64_t chosen = 0, neighbours = 0;
        for (int64_t row = 0; row < kRows; ++row) {
            const auto choices = choose_masked({rate, 1}, training_row(row), kLength);
            chosen += count_of(choices);
            for (size_t t = 1; t < choices.size(); ++t)
                neighbours += is_chosen(choices[t]) && is_chosen(choices[t - 1]) ? 1 : 0;
        }
        const double positions = kRows * kLength, pairs = kRows * (kLength - 1);
        const double deviation = std::sqrt(rate * (1 - rate) / positions);
        EXPECT_NEAR(static_cast<double>(chosen) / positions, rate, 5 * deviation);
        // Each by itself: both of two neighbours with the product of the probabilities.
        EXPECT_NEAR(static_cast<double>(neighbours) / pairs, rate * rate, 0.01 * rate);
    }
}

TEST(ChooseMasked, EightyPercentBecomeTheMaskTenAnotherTokenAndTenStay) {
    std::map<MaskChoice, int64_t> counts;
    for (int64_t row = 0; row < 4000; ++row)
        for (const MaskChoice choice : choose_masked({0.15, 1}, training_row(row), 64))
            ++counts[choice];
    const auto chosen = static_cast<double>(counts[MaskChoice::kMask] + counts[MaskChoice::kOther] +
                                            counts[MaskChoice::kStay]);
    const double sigma = std::sqrt(0.16 / chosen);  // of the largest share
    EXPECT_NEAR(static_cast<double>(counts[MaskChoice::kMask]) / chosen, 0.8, 5 * sigma);
    EXPECT_NEAR(static_cast<double>(counts[MaskChoice::kOther]) / chosen, 0.1, 5 * sigma);
    EXPECT_NEAR(static_cast<double>(counts[MaskChoice::kStay]) / chosen, 0.1, 5 * sigma);
}

TEST(ChooseMasked, ARowHasAtLeastOneAnywhere) {
    std::vector<int64_t> at(8);
    for (int64_t row = 0; row < 4000; ++row) {
        const auto choices = choose_masked({1e-9, 1}, training_row(row), 8);
        ASSERT_EQ(count_of(choices), 1);
        ++at[static_cast<size_t>(std::find_if(choices.begin(), choices.end(), is_chosen) -
                                 choices.begin())];
    }
    for (const int64_t count : at) EXPECT_NEAR(static_cast<double>(count), 500, 5 * 21);
    EXPECT_EQ(count_of(choose_masked({1e-9, 1}, training_row(0), 1)), 1);
}

TEST(ChooseMasked, ARateOfOneChoosesAll) {
    EXPECT_EQ(count_of(choose_masked({1.0, 1}, training_row(3), 33)), 33);
    EXPECT_EQ(count_of(choose_masked({1.0, 4}, training_row(3), 33)), 33);
}

TEST(ChooseMasked, StretchesAreWholeAndMeetTheRate) {
    constexpr int64_t kLength = 100;
    bool starts_differ = false;
    for (int64_t row = 0; row < 300; ++row) {
        const auto choices = choose_masked({0.15, 4}, training_row(row), kLength);
        const int64_t count = count_of(choices);
        EXPECT_GE(count, 15);
        EXPECT_LE(count, 15 + 3);  // the last stretch may go beyond
        int64_t run = 0;
        for (size_t t = 0; t <= choices.size(); ++t) {
            if (t < choices.size() && is_chosen(choices[t])) {
                ++run;
                continue;
            }
            EXPECT_TRUE(run == 0 || run >= 4) << "row " << row << " before " << t;
            run = 0;
        }
        starts_differ |= is_chosen(choices.front()) || is_chosen(choices.back());
    }
    EXPECT_TRUE(starts_differ);  // stretches reach both ends
    EXPECT_EQ(count_of(choose_masked({0.07, 2}, training_row(0), 100)) / 2, 4);  // 7, so 8 of 2
    EXPECT_EQ(count_of(choose_masked({0.15, 40}, training_row(0), 12)), 12);  // all of a short row
}

TEST(ChooseMasked, FollowsFromSeedStepRowAndUseAlone) {
    const MaskOptions options{0.3, 1};
    const auto masks = choose_masked(options, training_row(5, 7, 9), 64);
    EXPECT_EQ(choose_masked(options, training_row(5, 7, 9), 64), masks);
    EXPECT_NE(choose_masked(options, training_row(6, 7, 9), 64), masks);
    EXPECT_NE(choose_masked(options, training_row(5, 8, 9), 64), masks);
    EXPECT_NE(choose_masked(options, training_row(5, 7, 10), 64), masks);
    EXPECT_NE(choose_masked(options, training_row(5, 7, 9 + (uint64_t{1} << 32)), 64), masks);
    EXPECT_NE(choose_masked(options, {MaskKey::kValidation, 9, 7, 5}, 64), masks);
}

/// Part of what a seed means: recorded runs are repeated with these masks.
TEST(ChooseMasked, StaysAsItWas) {
    const auto text = [](const MaskOptions& options) {
        std::string marks;
        for (const MaskChoice choice : choose_masked(options, training_row(2, 3, 4), 40))
            marks += ".MOS"[static_cast<size_t>(choice)];
        return marks;
    };
    EXPECT_EQ(text({0.3, 1}), "M.......M..MM..M.MM....M.....M.MMM......");
    EXPECT_EQ(text({0.3, 3}), ".............MMM..........MMMMMMMMMO....");
}

TEST(MaskedTokens, TargetsAreTheOriginalsOfTheChosenAndNoOthers) {
    const RandomTokens plain(kVocabulary);
    const MaskedTokens masked(plain, {0.3, 1}, 11, kMaskToken);
    Batch before = Batch::of_tokens(40, 50), after = before;
    plain.train_batch(3, 2, before);
    masked.train_batch(3, 2, after);
    std::map<MaskChoice, int64_t> seen;
    for (int64_t row = 0; row < 40; ++row) {
        const auto choices = choose_masked({0.3, 1}, training_row(2 * 40 + row, 3, 11), 50);
        for (int64_t t = 0; t < 50; ++t) {
            const auto at = static_cast<size_t>(row * 50 + t);
            const MaskChoice choice = choices[static_cast<size_t>(t)];
            const int32_t original = before.tokens()[at], token = after.tokens()[at];
            ++seen[choice];
            EXPECT_EQ(after.targets()[at], is_chosen(choice) ? original : kIgnoredTarget);
            if (choice == MaskChoice::kMask)
                EXPECT_EQ(token, kMaskToken);
            else if (choice == MaskChoice::kOther)
                EXPECT_TRUE(token != original && token >= 0 && token < kVocabulary) << token;
            else
                EXPECT_EQ(token, original);
        }
    }
    EXPECT_EQ(seen.size(), 4u);
}

TEST(MaskedTokens, EveryOtherTokenIsAsLikely) {
    const NumberedRows plain;
    const MaskedTokens masked(plain, {1.0, 1}, 1, kMaskToken);
    Batch before = Batch::of_tokens(2000, 50), after = before;
    plain.train_batch(1, 0, before);
    masked.train_batch(1, 0, after);
    std::vector<int64_t> distance(kVocabulary);
    int64_t replaced = 0;
    for (size_t i = 0; i < after.tokens().size(); ++i) {
        if (after.tokens()[i] == kMaskToken || after.tokens()[i] == before.tokens()[i]) continue;
        ++replaced;
        const int64_t moved = after.tokens()[i] - before.tokens()[i] + kVocabulary;
        ++distance[static_cast<size_t>(moved % kVocabulary)];
    }
    EXPECT_EQ(distance[0], 0);
    const double expected = static_cast<double>(replaced) / (kVocabulary - 1);
    for (size_t d = 1; d < distance.size(); ++d)
        EXPECT_NEAR(static_cast<double>(distance[d]), expected, 5 * std::sqrt(expected)) << d;
}

TEST(MaskedTokens, DoNotDependOnHowAStepIsCut) {
    const NumberedRows plain;
    const MaskedTokens masked(plain, {0.15, 1}, 5, kMaskToken);
    Batch whole = Batch::of_tokens(6, 20), part = Batch::of_tokens(2, 20);
    masked.train_batch(9, 0, whole);
    for (int64_t micro = 0; micro < 3; ++micro) {
        Batch expected = part;
        expected.copy_rows(whole, micro * 2);
        masked.train_batch(9, micro, part);
        EXPECT_EQ(part, expected) << micro;
    }
}

TEST(MaskedTokens, DoNotDependOnTheTokens) {
    const NumberedRows plain;
    const RandomTokens other(kVocabulary);
    Batch a = Batch::of_tokens(8, 32), b = a;
    MaskedTokens(plain, {0.15, 1}, 5, kMaskToken).train_batch(2, 1, a);
    MaskedTokens(other, {0.15, 1}, 5, kMaskToken).train_batch(2, 1, b);
    EXPECT_NE(a, b);
    for (size_t i = 0; i < a.tokens().size(); ++i) {
        EXPECT_EQ(a.targets()[i] == kIgnoredTarget, b.targets()[i] == kIgnoredTarget) << i;
        EXPECT_EQ(a.tokens()[i] == kMaskToken, b.tokens()[i] == kMaskToken) << i;
    }
}

TEST(MaskedTokens, ValidationIsTheSameForEverySeedAndBatchSize) {
    const NumberedRows plain;
    const MaskedTokens one(plain, {0.15, 2}, 1, kMaskToken), two(plain, {0.15, 2}, 2, kMaskToken);
    Batch a = Batch::of_tokens(4, 20), b = a, half = Batch::of_tokens(2, 20);
    one.eval_batch(1, a);
    two.eval_batch(1, b);
    EXPECT_EQ(a, b);
    two.eval_batch(3, half);  // rows 6 and 7
    Batch expected = half;
    expected.copy_rows(a, 2);
    EXPECT_EQ(half, expected);
    one.eval_batch(2, b);
    EXPECT_NE(a, b);
    one.train_batch(0, 1, b);
    EXPECT_NE(a, b);
}

TEST(MaskedTokens, ValidationDoesNotDependOnHowItIsCut) {
    const NumberedRows plain;
    const MaskedTokens masked(plain, {0.15, 1}, 1, kMaskToken);
    Batch whole = Batch::of_tokens(12, 20), part = Batch::of_tokens(2, 20);
    masked.eval_batch(0, whole);
    for (int64_t index = 0; index < 6; ++index) {
        Batch expected = part;
        expected.copy_rows(whole, index * 2);
        masked.eval_batch(index, part);
        EXPECT_EQ(part, expected) << index;
    }
}

TEST(MaskedTokens, CountsWhatAStepChooses) {
    const RandomTokens plain(kVocabulary);
    for (const int64_t span : {1, 3}) {
        const MaskedTokens masked(plain, {0.15, span}, 8, kMaskToken);
        Batch batch = Batch::of_tokens(3, 30);
        int64_t count = 0;
        for (int64_t micro = 0; micro < 4; ++micro) {
            masked.train_batch(6, micro, batch);
            count += count_valid(batch.targets());
        }
        EXPECT_EQ(masked.count_chosen(6, 12, 30), count);
        EXPECT_NE(masked.count_chosen(6, 11, 30), count);
    }
}

TEST(MaskedTokens, SayWhatTheyAreAndHaveTheMaskInTheirVocabulary) {
    const NumberedRows plain;
    const MaskedTokens masked(plain, {0.15, 3}, 8, kMaskToken);
    EXPECT_EQ(masked.info().vocab_size, 51);
    EXPECT_EQ(masked.info().description, "numbered rows; 15 % masked in stretches of 3");
    EXPECT_EQ(masked.info().tokenizer_json, "{}");
}

}  // namespace
}  // namespace headroom
