// Tokens in order, and sums over runs of them.
#include "cuda/primitives/token_sort.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/device/check.h"
#include "cuda/primitives/run_sums.h"

namespace headroom::cuda {
namespace {

/// Multiples of a number that has no divisor in common with the limit, so that all tokens occur.
std::vector<int32_t> mixed_tokens(size_t rows, int64_t limit) {
    std::vector<int32_t> tokens(rows);
    for (size_t i = 0; i < rows; ++i)
        tokens[i] = static_cast<int32_t>(static_cast<int64_t>(i) * 7919 % limit);
    return tokens;
}

struct Order {
    std::vector<int32_t> tokens, places;
    bool operator==(const Order&) const = default;
};

Order sort_on_device(const std::vector<int32_t>& tokens, int64_t vocab_size) {
    const auto rows = static_cast<int64_t>(tokens.size());
    const TokenSort sort(rows, vocab_size);
    std::vector<std::byte> workspace(static_cast<size_t>(sort.workspace_bytes()));
    const SortedTokens sorted = sort.run(nullptr, tokens.data(), workspace.data());
    check(cudaDeviceSynchronize(), "sort");
    return {{sorted.tokens, sorted.tokens + rows}, {sorted.places, sorted.places + rows}};
}

Order sort_on_host(const std::vector<int32_t>& tokens) {
    Order order{{}, std::vector<int32_t>(tokens.size())};
    std::iota(order.places.begin(), order.places.end(), 0);
    std::stable_sort(order.places.begin(), order.places.end(), [&](int32_t a, int32_t b) {
        return tokens[static_cast<size_t>(a)] < tokens[static_cast<size_t>(b)];
    });
    for (const int32_t place : order.places)
        order.tokens.push_back(tokens[static_cast<size_t>(place)]);
    return order;
}

TEST(TokenSort, IsStable) {
    for (const size_t rows : {1, 255, 256, 257, 3000})
        for (const int64_t vocab_size : {1, 2, 256, 257, 50257, 70000}) {
            const std::vector<int32_t> tokens = mixed_tokens(rows, vocab_size);
            EXPECT_EQ(sort_on_device(tokens, vocab_size), sort_on_host(tokens))
                << rows << " of " << vocab_size;
        }
}

TEST(TokenSort, TakesAsManyPassesAsTokensHaveBytes) {
    EXPECT_EQ(TokenSort(10, 256).passes(), 1);
    EXPECT_EQ(TokenSort(10, 257).passes(), 2);
    EXPECT_EQ(TokenSort(10, 65536).passes(), 2);
    EXPECT_EQ(TokenSort(10, 65537).passes(), 3);
    EXPECT_EQ(TokenSort(1 << 16, 256).tiles(), 256);
    EXPECT_EQ(TokenSort(1 << 20, 256).tiles(), 512);
}

TEST(TokenSort, KeepsTokensOutsideTheVocabularyInIt) {
    EXPECT_EQ(sort_on_device({5, -1, 2, 900}, 3).tokens, (std::vector<int32_t>{0, 2, 2, 2}));
}

TEST(RunSums, HalveALongRunManyTimes) {
    EXPECT_EQ(RunSums<float>(32, 8).levels(), (std::vector<int64_t>{32}));
    EXPECT_EQ(RunSums<float>(33, 8).levels(), (std::vector<int64_t>{33, 4}));
    EXPECT_EQ(RunSums<float>(65536, 8).levels(), (std::vector<int64_t>{65536, 4096, 256, 16}));
}

/// Two blocks that add to one row at a time would lose one of the sums on a device. Here the sums
/// of the pieces would be too small to change the large number that they are added to.
TEST(RunSums, AddToEveryRowOnce) {
    constexpr double kLarge = 9007199254740992.0;  // the next number is larger by 2
    const std::vector<int64_t> lengths{5, 300, 64, 40000, 320};
    std::vector<int32_t> keys;
    for (size_t key = 0; key < lengths.size(); ++key)
        keys.insert(keys.end(), static_cast<size_t>(lengths[key]), static_cast<int32_t>(key));
    const std::vector<double> x(keys.size(), 1.0 / 64);
    std::vector<double> out(lengths.size(), kLarge), expected;
    for (const int64_t length : lengths)
        expected.push_back(kLarge + static_cast<double>(length) / 64);
    const RunSums<double> sums(std::ssize(keys), 1);
    std::vector<std::byte> workspace(static_cast<size_t>(sums.workspace_bytes()));
    sums.run(nullptr, x.data(), keys.data(), nullptr, workspace.data(), out.data());
    check(cudaDeviceSynchronize(), "add");
    EXPECT_EQ(out, expected);
}

TEST(RunSums, AddRunsOfEveryLengthAtEveryPlace) {
    // Runs of 1, 2, ... rows, then some that fill several pieces: they begin and end anywhere.
    std::vector<int32_t> keys;
    std::vector<int64_t> lengths;
    for (int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
    for (const int64_t n : {2100, 1, 33, 640}) lengths.push_back(n);
    for (size_t key = 0; key < lengths.size(); ++key)
        keys.insert(keys.end(), static_cast<size_t>(lengths[key]), static_cast<int32_t>(key));
    const auto rows = static_cast<int64_t>(keys.size()), columns = int64_t{3};
    std::vector<double> x(static_cast<size_t>(rows * columns)), out(lengths.size() * 3, 1.0);
    std::vector<int32_t> places(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) places[i] = static_cast<int32_t>(keys.size() - 1 - i);
    std::vector<double> expected = out;
    for (size_t i = 0; i < keys.size(); ++i)
        for (size_t c = 0; c < 3; ++c) {
            const double value = static_cast<double>(i * 3 + c);
            x[static_cast<size_t>(places[i]) * 3 + c] = value;
            expected[static_cast<size_t>(keys[i]) * 3 + c] += value;
        }
    const RunSums<double> sums(rows, columns);
    std::vector<std::byte> workspace(static_cast<size_t>(sums.workspace_bytes()));
    sums.run(nullptr, x.data(), keys.data(), places.data(), workspace.data(), out.data());
    check(cudaDeviceSynchronize(), "add");
    EXPECT_EQ(out, expected);  // whole numbers: sums are exact
}

}  // namespace
}  // namespace headroom::cuda
