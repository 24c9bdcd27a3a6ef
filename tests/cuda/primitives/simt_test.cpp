// The emulated device itself: it finds what breaks the rules of a GPU, and its tensor cores follow
// the layouts of the PTX ISA.
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/primitives/launch.h"
#include "cuda/primitives/tensor_core.h"

namespace headroom::cuda {
namespace {

using simt::SimtError;

/// The message of what stops a kernel of one block, empty if nothing does.
template <int kThreads, class F>
std::string trouble_of(int64_t shared_bytes, F f, uint64_t seed = 1) {
    const simt::With order({.seed = seed});
    try {
        for_blocks<kThreads>(nullptr, {}, shared_bytes, f);
        cudaDeviceSynchronize();
    } catch (const SimtError& error) {
        return error.what();
    }
    return "";
}

/// Every thread writes its number, and reads that of another one.
template <bool kBarrier>
void exchange(const BlockThread& t, int distance, int* out) {
    t.store(static_cast<uint32_t>(4 * t.thread()), t.thread());
    if (kBarrier) t.sync();
    out[t.thread()] = t.load<int>(static_cast<uint32_t>(4 * (t.thread() ^ distance)));
}

TEST(Simt, ThreadsExchangeThroughSharedMemory) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        std::vector<int> out(128, -1);
        EXPECT_EQ(trouble_of<128>(
                      512, [&](const BlockThread& t) { exchange<true>(t, 77, out.data()); }, seed),
                  "");
        for (int n = 0; n < 128; ++n) EXPECT_EQ(out[static_cast<size_t>(n)], n ^ 77);
    }
}

TEST(Simt, RaceIsFoundInEveryOrder) {
    for (const int distance : {1, 64})
        for (uint64_t seed = 1; seed <= 5; ++seed) {
            std::vector<int> out(128, -1);
            EXPECT_THAT(
                trouble_of<128>(
                    512, [&](const BlockThread& t) { exchange<false>(t, distance, out.data()); },
                    seed),
                testing::AnyOf(testing::HasSubstr("no barrier between"),
                               testing::HasSubstr("never written")));
        }
}

TEST(Simt, RaceAfterReadingIsFound) {
    const auto overwrite = [](const BlockThread& t) {
        t.store(static_cast<uint32_t>(4 * t.thread()), 1.0f);
        t.sync();
        t.load<float>(static_cast<uint32_t>(4 * (t.thread() ^ 32)));
        t.store(static_cast<uint32_t>(4 * t.thread()), 2.0f);
    };
    for (uint64_t seed = 1; seed <= 5; ++seed)
        EXPECT_THAT(trouble_of<64>(256, overwrite, seed), testing::HasSubstr("no barrier between"));
}

TEST(Simt, WarpBarrierOrdersAWarpOnly) {
    const auto by = [](int distance) {
        return [distance](const BlockThread& t) {
            t.store(static_cast<uint32_t>(4 * t.thread()), 1.0f);
            t.sync_warp();
            t.load<float>(static_cast<uint32_t>(4 * (t.thread() ^ distance)));
        };
    };
    EXPECT_EQ(trouble_of<64>(256, by(5)), "");
    EXPECT_NE(trouble_of<64>(256, by(32)), "");
}

TEST(Simt, BarrierThatSomeThreadsMissIsFound) {
    EXPECT_THAT(trouble_of<64>(0,
                               [](const BlockThread& t) {
                                   if (t.thread() != 13) t.sync();
                               }),
                testing::HasSubstr("63 of 64 threads wait at a barrier"));
    EXPECT_THAT(trouble_of<64>(0,
                               [](const BlockThread& t) {
                                   if (t.lane() < 16) t.shuffle_xor(1, 1);
                               }),
                testing::HasSubstr("32 for lanes of their warp"));
    EXPECT_THAT(trouble_of<32>(0,
                               [](const BlockThread& t) {
                                   t.lane() < 16 ? t.shuffle_xor(1, 1) : t.shuffle_xor(1, 2);
                               }),
                testing::HasSubstr("different things"));
}

/// Copies 16 bytes for each thread, 10 of them there, and reads another thread's.
template <bool kWait, bool kSync>
auto copier(const std::vector<uint16_t>& from, std::vector<uint16_t>& out) {
    return [&](const BlockThread& t) {
        const auto at = static_cast<uint32_t>(16 * t.thread());
        t.copy_async<16>(at, from.data() + 8 * t.thread(), 10);
        t.commit_copies();
        if (kWait) t.wait_copies<0>();
        if (kSync) t.sync();
        const uint32_t other = at ^ 512;
        for (uint32_t i = 0; i < 8; ++i) out[other / 2 + i] = t.load<uint16_t>(other + 2 * i);
    };
}

TEST(Simt, CopiesLandWhenTheyAreWaitedFor) {
    alignas(16) std::vector<uint16_t> from(512), out(512, 1);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint16_t>(1000 + i);
    EXPECT_EQ(trouble_of<64>(1024, copier<true, true>(from, out)), "");
    for (size_t i = 0; i < from.size(); ++i) EXPECT_EQ(out[i], i % 8 < 5 ? 1000 + i : 0);
    EXPECT_THAT(trouble_of<64>(1024, copier<false, true>(from, out)),
                testing::HasSubstr("while a copy is under way"));
    EXPECT_NE(trouble_of<64>(1024, copier<true, false>(from, out)), "");
}

TEST(Simt, AddressesAreChecked) {
    alignas(16) static char data[64];
    EXPECT_THAT(trouble_of<32>(64,
                               [](const BlockThread& t) {
                                   if (t.thread() == 0) t.copy_async<16>(0, data + 8, 16);
                               }),
                testing::HasSubstr("not aligned to 16"));
    EXPECT_THAT(trouble_of<32>(64,
                               [](const BlockThread& t) {
                                   t.store<float>(static_cast<uint32_t>(4 * t.thread()), 0);
                               }),
                testing::HasSubstr("shared byte"));
    EXPECT_THAT(trouble_of<32>(int64_t{200} << 10, [](const BlockThread&) {}),
                testing::HasSubstr("bytes of shared memory"));
    EXPECT_THAT(trouble_of<32>(64, [](const BlockThread& t) { t.load<float>(0); }),
                testing::HasSubstr("never written"));
}

TEST(Simt, RowsSumOverManyThreads) {
    for (const int threads : {32, 64, 256, 1024}) {
        const simt::With all({.many_threads = true});
        std::vector<double> sums(3), most(3);
        for_rows<1024>(nullptr, 3, threads, [&](Block& block, int64_t row) {
            ASSERT_EQ(block.threads(), threads);
            double sum = 0, high = -1;
            for (int i = block.thread(); i < 5000; i += block.threads()) sum += i, high = i;
            sum = block.sum(sum);
            high = block.max(high);
            if (block.thread() == 0)
                sums[static_cast<size_t>(row)] = sum + static_cast<double>(row);
            if (block.thread() == 31) most[static_cast<size_t>(row)] = high;
        });
        cudaDeviceSynchronize();
        EXPECT_THAT(sums, testing::ElementsAre(12497500, 12497501, 12497502));
        EXPECT_THAT(most, testing::Each(4999));
    }
}

TEST(Simt, RowsHaveNoMoreThreadsThanTheirRegistersAllow) {
    const auto nothing = [](Block&, int64_t) {};
    EXPECT_NO_THROW(for_rows(nullptr, 1, 256, nothing));
    EXPECT_THROW(for_rows(nullptr, 1, 512, nothing), InternalError);
    EXPECT_THROW(for_rows(nullptr, 0, 512, nothing), InternalError);
    EXPECT_NO_THROW(for_rows<512>(nullptr, 1, 512, nothing));
    EXPECT_THROW(for_rows<512>(nullptr, 1, 1024, nothing), InternalError);
    cudaDeviceSynchronize();
}

/// A matrix of small whole numbers, which bfloat16 and sums hold exactly.
struct SimtMatrix {
    int rows, columns;
    std::vector<float> numbers;

    SimtMatrix(int rows_, int columns_, uint64_t seed) : rows(rows_), columns(columns_) {
        std::mt19937_64 random(seed);
        for (int i = 0; i < rows * columns; ++i)
            numbers.push_back(static_cast<float>(random() % 31) - 15);
    }
    float at(int i, int j) const { return numbers[static_cast<size_t>(i * columns + j)]; }
};

TEST(TensorCore, FragmentsAreThoseOfThePtxIsa) {
    const SimtMatrix a(16, 16, 1), b(16, 8, 2);
    SimtMatrix c(16, 8, 3);
    const SimtMatrix before = c;
    const auto multiply = [&](const BlockThread& t) {
        const int g = t.lane() / 4, p = t.lane() % 4 * 2;
        const uint32_t left[4] = {
            pack(a.at(g, p), a.at(g, p + 1)), pack(a.at(g + 8, p), a.at(g + 8, p + 1)),
            pack(a.at(g, p + 8), a.at(g, p + 9)), pack(a.at(g + 8, p + 8), a.at(g + 8, p + 9))};
        float sums[4];
        for (int i = 0; i < 4; ++i) sums[i] = c.at(g + i / 2 * 8, p + i % 2);
        multiply_add(sums, left, pack(b.at(p, g), b.at(p + 1, g)),
                     pack(b.at(p + 8, g), b.at(p + 9, g)));
        for (int i = 0; i < 4; ++i)
            c.numbers[static_cast<size_t>((g + i / 2 * 8) * 8 + p + i % 2)] = sums[i];
    };
    EXPECT_EQ(trouble_of<32>(0, multiply), "");
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 8; ++j) {
            float sum = before.at(i, j);
            for (int k = 0; k < 16; ++k) sum += a.at(i, k) * b.at(k, j);
            EXPECT_EQ(c.at(i, j), sum) << i << " " << j;
        }
}

TEST(TensorCore, MatricesAreLoadedAsThePtxIsaSays) {
    // Matrix m, row r, column c holds 100 m + 8 r + c.
    uint32_t plain[32][4], transposed[32][4];
    const auto load = [&](const BlockThread& t) {
        for (uint32_t column = 0; column < 8; ++column)
            t.store<uint16_t>(static_cast<uint32_t>(16 * t.lane()) + 2 * column,
                              static_cast<uint16_t>(t.lane() / 8 * 100 + t.lane() % 8 * 8 +
                                                    static_cast<int>(column)));
        t.sync();
        load_matrices<false>(t, plain[t.lane()], static_cast<uint32_t>(16 * t.lane()));
        load_matrices<true>(t, transposed[t.lane()], static_cast<uint32_t>(16 * t.lane()));
    };
    EXPECT_EQ(trouble_of<32>(512, load), "");
    for (uint32_t lane = 0; lane < 32; ++lane)
        for (uint32_t m = 0; m < 4; ++m) {
            const uint32_t row = lane / 4, column = lane % 4 * 2;
            const auto number = [&](uint32_t r, uint32_t c) { return 100 * m + 8 * r + c; };
            EXPECT_EQ(plain[lane][m], number(row, column) | number(row, column + 1) << 16);
            EXPECT_EQ(transposed[lane][m], number(column, row) | number(column + 1, row) << 16);
        }
}

}  // namespace
}  // namespace headroom::cuda
