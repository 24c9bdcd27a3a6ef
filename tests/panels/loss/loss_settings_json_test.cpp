#include "panels/loss/loss_settings_json.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(LossSettingsJson, ReadsBackWhatIsKept) {
    LossSettings settings;
    settings.x = LossX::kWall;
    settings.val = false;
    settings.smoothing = 0.85;
    settings.log_y = true;
    settings.unit = RelativeUnit::kPercent;
    settings.group_seeds = true;
    settings.band = SeedBand::kMinMax;
    settings.baseline = "base-s1";
    const std::string text = loss_settings_to_json(settings);
    const LossSettings back = loss_settings_from_json(text);
    EXPECT_EQ(loss_settings_to_json(back), text);
    EXPECT_EQ(back.x, LossX::kWall);
    EXPECT_FALSE(back.val);
    EXPECT_EQ(back.band, SeedBand::kMinMax);
    EXPECT_EQ(back.baseline, "") << "belongs to one study";
}

TEST(LossSettingsJson, GarbageIsTheDefault) {
    const std::string plain = loss_settings_to_json({});
    for (const char* text : {"", "[1]", "{\"x\":", "{\"x\":7,\"train\":\"yes\",\"band\":\"t1\"}",
                             "{\"smoothing\":4}", "{\"unknown\":1}"})
        EXPECT_EQ(loss_settings_to_json(loss_settings_from_json(text)), plain) << text;
}

}  // namespace
}  // namespace headroom
