#include "panels/inspector/map_tile.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

int64_t counted(const MapInfo& info, int64_t factor, int64_t row, int64_t column) {
    int64_t count = 0;
    for (int64_t q = row * factor; q < std::min((row + 1) * factor, info.seq_len); ++q)
        for (int64_t k = column * factor; k < std::min((column + 1) * factor, info.seq_len); ++k)
            count += !info.causal || k <= q;
    return count;
}

TEST(MapSource, KnowsHowManyEntriesTheMaskLetsThrough) {
    for (const bool causal : {true, false})
        for (const int64_t seq_len : {1, 5, 16, 23})
            for (const int64_t factor : {1, 2, 3, 4, 8}) {
                const MapInfo info = example_info(seq_len, 1, 1, causal);
                const int64_t size = level_size(seq_len, factor);
                for (int64_t r = 0; r < size; ++r)
                    for (int64_t c = 0; c < size; ++c)
                        EXPECT_EQ(visible_entries(info, factor, r, c), counted(info, factor, r, c))
                            << seq_len << " " << factor << " " << r << " " << c;
            }
}

TEST(MapSource, EverySourceHasANumberOfItsOwn) {
    EXPECT_NE(example_source(4)->serial(), example_source(4)->serial());
}

/// Whatever levels are stored, a coarse cell is the mean, or the largest, of its entries.
TEST(MapTile, CoarseCellsFollowFromTheirEntries) {
    for (const std::vector<int64_t>& stored : {std::vector<int64_t>{1}, {1, 4}, {1, 4, 16}})
        for (const CellValue value : {CellValue::kMean, CellValue::kMax})
            for (const int level : {0, 1, 2, 3, 5}) {
                const MemorySource source(example_info(77), example_entry, stored);
                const TileKey key{source.serial(), {1, 2, MapSignal::kWeights, value}, level, 0, 0};
                const MapTile tile = load_tile(source, key);
                ASSERT_EQ(tile.box.rows, level_size(77, key.factor()));
                for (int64_t r = 0; r < tile.box.rows; ++r)
                    for (int64_t c = 0; c <= r; ++c)
                        EXPECT_NEAR(tile.at(r, c), source.cell(key.plane, key.factor(), r, c), 1e-6)
                            << stored.size() << " level " << level << " at " << r << ", " << c;
            }
}

TEST(MapTile, TilesOfALargeMapLieBesideEachOther) {
    const auto source = example_source(600, false);
    const TileKey key{source->serial(), {}, 0, 2, 1};
    const MapTile tile = load_tile(*source, key);
    EXPECT_EQ(tile.box, (CellBox{512, 256, 88, 256}));
    EXPECT_EQ(tile.at(599, 300), example_entry(0, 0, 599, 300));
}

TEST(MapTile, TilesAboveTheDiagonalAreNotVisible) {
    const MapInfo info = example_info(1000);
    EXPECT_TRUE(tile_is_visible(info, {1, {}, 0, 0, 0}));
    EXPECT_TRUE(tile_is_visible(info, {1, {}, 0, 3, 1}));
    EXPECT_FALSE(tile_is_visible(info, {1, {}, 0, 0, 1}));
    EXPECT_FALSE(tile_is_visible(info, {1, {}, 0, 4, 0}));  // there is no such tile
    EXPECT_TRUE(tile_is_visible(example_info(1000, 1, 1, false), {1, {}, 0, 0, 3}));
}

TEST(MapTile, ANumberThatIsNoneStaysOneInCoarserCells) {
    const MemorySource source(example_info(64, 1, 1), [](int, int, int64_t q, int64_t k) {
        return q == 40 && k == 9 ? std::nanf("") : 0.5f;
    });
    const MapTile tile = load_tile(source, {source.serial(), {}, 3, 0, 0});
    EXPECT_TRUE(std::isnan(tile.at(5, 1)));
    EXPECT_EQ(tile.at(5, 0), 0.5f);
}

TEST(MapTile, WhatCannotBeReadSaysSo) {
    const auto source = example_source(40);
    source->broken = true;
    const MapTile tile = load_tile(*source, {source->serial(), {}, 0, 0, 0});
    EXPECT_EQ(tile.problem, "the disk is on fire");
    EXPECT_TRUE(std::isnan(tile.at(10, 0)));
}

}  // namespace
}  // namespace headroom
