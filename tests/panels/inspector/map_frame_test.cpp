#include "panels/inspector/map_frame.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "tests/panels/inspector/memory_source.h"

namespace headroom {
namespace {

const PixelBox kBox{100, 50, 800, 600};

TEST(MapFrame, TheWholeMapFitsAtFirst) {
    const MapFrame frame(kBox, 300, {});
    EXPECT_DOUBLE_EQ(frame.pixels_per_token(), 2);
    const PixelBox shown = frame.shown();
    EXPECT_DOUBLE_EQ(shown.x, 200);
    EXPECT_DOUBLE_EQ(shown.width, 600);
    EXPECT_EQ(frame.entry_at(200.5, 50.5), (MapEntry{0, 0}));
    EXPECT_EQ(frame.entry_at(799, 649), (MapEntry{299, 299}));
    EXPECT_EQ(frame.entry_at(150, 300), std::nullopt);  // in the box, beside the map
    EXPECT_EQ(frame.entry_at(500, 700), std::nullopt);
}

TEST(MapFrame, ZoomingKeepsWhatIsUnderTheCursor) {
    MapWindow window;
    const auto before = MapFrame(kBox, 4096, window).entry_at(400, 300);
    for (int i = 0; i < 12; ++i) window = zoomed_at(window, kBox, 4096, 400, 300, 1.18);
    EXPECT_GT(window.zoom, 7);
    const auto after = MapFrame(kBox, 4096, window).entry_at(400, 300);
    ASSERT_TRUE(before && after);
    EXPECT_NEAR(before->query, after->query, 4);  // a pixel was several tokens wide
    EXPECT_NEAR(before->key, after->key, 4);
}

TEST(MapFrame, ZoomEndsAtTheWholeMapAndAtLargeCells) {
    MapWindow window;
    for (int i = 0; i < 200; ++i) window = zoomed_at(window, kBox, 4096, 400, 300, 2);
    EXPECT_NEAR(MapFrame(kBox, 4096, window).pixels_per_token(), kMostPixelsPerToken, 1e-6);
    for (int i = 0; i < 200; ++i) window = zoomed_at(window, kBox, 4096, 700, 100, 0.5);
    EXPECT_EQ(window, MapWindow{});
}

TEST(MapFrame, PanningMovesTheMapByThePixelsThatTheMouseMoved) {
    MapWindow window{8, 0.5, 0.5};
    const auto before = MapFrame(kBox, 1024, window);
    window = panned(window, kBox, 1024, 30, -20);
    const auto after = MapFrame(kBox, 1024, window);
    EXPECT_NEAR(after.x_of(500), before.x_of(500) + 30, 1e-9);
    EXPECT_NEAR(after.y_of(500), before.y_of(500) - 20, 1e-9);
}

TEST(MapFrame, TheMapCannotBeLost) {
    MapWindow window{8, 0.5, 0.5};
    for (int i = 0; i < 100; ++i) window = panned(window, kBox, 1024, 500, 500);
    EXPECT_GT(MapFrame(kBox, 1024, window).shown().width, 100);
}

TEST(MapFrame, ABoxIsShownAsLargeAsItFits) {
    const MapWindow window = zoomed_into({}, kBox, 300, {300, 150, 100, 60});
    const MapFrame frame(kBox, 300, window);
    EXPECT_NEAR(frame.x_of(50), kBox.x, 1e-6);  // 100 px were 50 tokens; now 800 are
    EXPECT_NEAR(frame.x_of(100), kBox.x + kBox.width, 1e-6);
    EXPECT_EQ(zoomed_into({}, kBox, 300, {300, 150, 3, 60}), MapWindow{});
}

TEST(MapFrame, NoEntryFallsBetweenPixels) {
    for (const int64_t seq_len : {64, 600, 1024, 4096, 100000})
        for (const double zoom : {1.0, 1.7, 3.0, 20.0}) {
            const MapFrame frame(kBox, seq_len, {zoom, 0.5, 0.5});
            const double cell = frame.pixels_per_token() * std::exp2(frame.level());
            EXPECT_GE(cell, 1 - 1e-9) << seq_len << " at zoom " << zoom;
            EXPECT_TRUE(frame.level() == 0 || cell < 2) << seq_len << " at zoom " << zoom;
        }
}

TEST(MapFrame, TilesCoverWhatIsSeenAndNoMore) {
    const MapInfo info = example_info(4096, 1, 1, false);
    const MapFrame frame(kBox, 4096, {8, 0.3, 0.6});
    const auto tiles = frame.tiles(info, 1, {}, frame.level());
    std::set<std::pair<int64_t, int64_t>> found;
    for (const TileKey& key : tiles) found.insert({key.row, key.column});
    EXPECT_EQ(found.size(), tiles.size());
    const int64_t side = kTileCells << frame.level();
    for (double y = kBox.y + 1; y < kBox.y + kBox.height; y += 7)
        for (double x = kBox.x + 1; x < kBox.x + kBox.width; x += 7) {
            const auto entry = frame.entry_at(x, y);
            EXPECT_TRUE(!entry || found.contains({entry->query / side, entry->key / side}));
        }
    EXPECT_LE(tiles.size(), 30u);
}

TEST(MapFrame, TheNearestTileComesFirst) {
    const MapInfo info = example_info(4096, 1, 1, false);
    const MapFrame frame(kBox, 4096, {8, 0.5, 0.5});
    const TileKey first = frame.tiles(info, 1, {}, 0).front();
    EXPECT_NEAR(static_cast<double>(first.row), 7.5, 0.6);
    EXPECT_NEAR(static_cast<double>(first.column), 7.5, 0.6);
}

TEST(MapFrame, MaskedTilesAreLeftOut) {
    const MapFrame frame(kBox, 4096, {1, 0.5, 0.5});
    for (const TileKey& key : frame.tiles(example_info(4096), 1, {}, 0))
        EXPECT_LE(key.column, key.row);
}

TEST(MapFrame, TheCoarsestLevelIsOneTile) {
    EXPECT_EQ(coarsest_level(256), 0);
    EXPECT_EQ(coarsest_level(257), 1);
    EXPECT_EQ(coarsest_level(4096), 4);
}

}  // namespace
}  // namespace headroom
