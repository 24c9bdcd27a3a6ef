#include "panels/figure/zoom.h"

#include <cmath>

#include <gtest/gtest.h>

namespace headroom {
namespace {

const Frame kLinear{{0, 100}, {2, 4}};
const Frame kLog{{1, 10'000}, {0.1, 10}, AxisScale::kLog, AxisScale::kLog};

TEST(Zoomed, KeepsWhatIsUnderThePointer) {
    const Frame near = zoomed(kLinear, {0.25, 0.5}, 0.5, 0.5);
    EXPECT_DOUBLE_EQ(value_at(near.x, near.x_scale, 0.25), 25);
    EXPECT_DOUBLE_EQ(near.x.size(), 50);
    EXPECT_DOUBLE_EQ(near.y.lower, 2.5);
    const Frame log = zoomed(kLog, {0.5, 0.5}, 0.5, 1);
    EXPECT_NEAR(log.x.lower, 10, 1e-9);
    EXPECT_NEAR(log.x.upper, 1000, 1e-9);
    EXPECT_NEAR(log.y.upper, 10, 1e-12);
}

TEST(Panned, MovesTheContent) {
    EXPECT_EQ(panned(kLinear, 0.1, 0).x, (Range{-10, 90}));
    EXPECT_NEAR(panned(kLog, -0.25, 0).x.upper, 100'000, 1e-6);
}

TEST(Boxed, TakesCornersInAnyOrder) {
    EXPECT_EQ(boxed(kLinear, {0.75, 0}, {0.25, 1}).x, (Range{25, 75}));
    EXPECT_EQ(boxed(kLinear, {0.75, 0}, {0.25, 1}).y, (Range{2, 4}));
}

TEST(Zoomed, StopsBeforeTheDoublesEnd) {
    Frame frame = kLinear;
    for (int i = 0; i < 500; ++i) frame = zoomed(frame, {0.3, 0.3}, 0.5, 0.5);
    EXPECT_GT(frame.x.size(), 0);
    EXPECT_LT(frame.x.lower, frame.x.upper);
    for (int i = 0; i < 2000; ++i) frame = zoomed(frame, {0.3, 0.3}, 2, 2);
    EXPECT_TRUE(std::isfinite(frame.x.upper));
    EXPECT_EQ(boxed(kLinear, {0.5, 0.5}, {0.5, 0.5}).x, kLinear.x)
        << "an empty box changes nothing";
}

}  // namespace
}  // namespace headroom
