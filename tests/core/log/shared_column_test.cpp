#include "core/log/shared_column.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

std::vector<int64_t> whole_numbers(size_t count) {
    std::vector<int64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

TEST(SharedColumn, HoldsWhatAVectorWould) {
    SharedColumn<int64_t> column;
    const std::vector<int64_t> numbers = whole_numbers(10'000);
    column.append(numbers);
    column.push_back(-1);
    EXPECT_EQ(column.size(), 10'001u);
    EXPECT_EQ(column[9'999], 9'999);
    EXPECT_EQ(column.back(), -1);
    column.resize(10'000);
    EXPECT_EQ(column, numbers);
    EXPECT_EQ(column.to_vector(), numbers);
    column.clear();
    EXPECT_TRUE(column.empty());
}

TEST(SharedColumn, ACopyNeverChangesWhileTheOriginalGrows) {
    SharedColumn<float> column{1, 2, 3};
    const SharedColumn<float> copy = column;
    column.push_back(4);
    EXPECT_THAT(copy, testing::ElementsAre(1, 2, 3));
    EXPECT_THAT(column, testing::ElementsAre(1, 2, 3, 4));
}

TEST(SharedColumn, ACopySharesTheRowsAndNotOnlyTheirValues) {
    SharedColumn<int64_t> column;
    column.append(whole_numbers(5'000));
    const SharedColumn<int64_t> copy = column;
    column.push_back(5'000);
    EXPECT_EQ(&copy[0], &column[0]);
    EXPECT_EQ(&copy[4'999], &column[4'999]) << "also those of a chunk that is not full";
}

TEST(SharedColumn, TwoCopiesThatGoOnApartDoNotMeet) {
    SharedColumn<int64_t> one{1, 2};
    SharedColumn<int64_t> other = one;
    one.push_back(10);
    other.push_back(20);
    other.push_back(21);
    EXPECT_THAT(one, testing::ElementsAre(1, 2, 10));
    EXPECT_THAT(other, testing::ElementsAre(1, 2, 20, 21));
}

TEST(SharedColumn, CuttingAndGoingOnLeavesCopiesAlone) {
    SharedColumn<int64_t> column{1, 2, 3, 4};
    const SharedColumn<int64_t> copy = column;
    column.resize(2);
    column.push_back(30);
    EXPECT_THAT(copy, testing::ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(column, testing::ElementsAre(1, 2, 30));
}

}  // namespace
}  // namespace headroom
