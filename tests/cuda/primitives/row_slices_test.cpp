// How the kernels cut their work: plain numbers, the same on every machine.
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cuda/device/check.h"
#include "cuda/primitives/column_sums.h"
#include "cuda/primitives/held_row.h"

namespace headroom::cuda {
namespace {

TEST(Divider, DividesAsTheProcessorDoes) {
    for (const int64_t divisor :
         {int64_t{1}, int64_t{2}, int64_t{3}, int64_t{7}, int64_t{96}, int64_t{641}, int64_t{50257},
          int64_t{1} << 20, (int64_t{1} << 31) - 1}) {
        const Divider divide(divisor);
        for (int64_t n : {int64_t{0}, divisor - 1, divisor, divisor + 1, 17 * divisor - 1,
                          17 * divisor, int64_t{123456789}, (int64_t{1} << 31) - 1,
                          int64_t{1} << 31, (int64_t{1} << 40) + 12345})
            EXPECT_EQ(divide(n), n / divisor) << n << " / " << divisor;
        for (const int n : {0, 96, 123456789, std::numeric_limits<int>::max()})
            EXPECT_EQ(divide(n), n / divisor) << n << " / " << divisor;
    }
}

TEST(RowSlices, HaveEightRowsOrMoreAndFillNoMoreThanTheDevice) {
    EXPECT_EQ(RowSlices(0, 32).count, 1);
    EXPECT_EQ(RowSlices(1, 32).count, 1);
    EXPECT_EQ(RowSlices(9, 32).count, 2);
    EXPECT_EQ(RowSlices(16384, 32).count, 2048);
    EXPECT_EQ(RowSlices(1 << 20, 32).count, 4096);
    EXPECT_EQ(RowSlices(1 << 20, 1 << 20).count, 1);
}

TEST(RowSlices, AreAddedUpWithOneThreadAndWithAll) {
    for (const bool many : {false, true})
        for (const int64_t slices : {1, 7, 300, 1500})
            for (const int64_t columns : {1, 8, 13}) {
                const simt::With threads({.many_threads = many});
                std::vector<float> partial(static_cast<size_t>(slices * columns));
                std::vector<float> out(static_cast<size_t>(columns), 5), expected = out;
                for (size_t i = 0; i < partial.size(); ++i) {
                    partial[i] = static_cast<float>(i % 97);  // whole numbers: sums are exact
                    expected[i % expected.size()] += partial[i];
                }
                sum_slices(nullptr, partial.data(), slices, columns, out.data(), true);
                check(cudaDeviceSynchronize(), "add");
                EXPECT_EQ(out, expected) << slices << " slices of " << columns;
            }
}

TEST(RowGeometry, TakesAPartOfAWarpAWarpOrABlock) {
    const auto expect = [](RowGeometry g, int width, int held, int threads) {
        EXPECT_EQ(g.width, width);
        EXPECT_EQ(g.held, held);
        EXPECT_EQ(g.threads, threads);
    };
    expect(RowGeometry(64, 8, true), 8, 1, 8);
    expect(RowGeometry(8, 8, true), 8, 1, 1);
    expect(RowGeometry(768, 8, true), 8, 3, 32);
    expect(RowGeometry(1024, 8, true), 8, 2, 64);
    expect(RowGeometry(1032, 8, true), 8, 3, 64);
    expect(RowGeometry(768, 4, true), 4, 3, 64);
    expect(RowGeometry(65, 8, true), 1, 3, 32);
    expect(RowGeometry(64, 8, false), 1, 2, 32);
    expect(RowGeometry(1 << 20, 8, true), 8, 3, 256);
}

}  // namespace
}  // namespace headroom::cuda
