#include "core/config/idle_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "core/config/presets.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> idle_in(const std::string& keys) {
    return idle_keys(parse_model_config(nlohmann::json::parse(keys), ""));
}

TEST(IdleKeys, NameWhatIsSwitchedOff) {
    EXPECT_THAT(idle_in(R"({"dwa_period": 2})"),
                ElementsAre("model.dwa_period = 2 has no effect without dense = true"));
    EXPECT_THAT(idle_in(R"({"res_lambda": "learned"})"),
                ElementsAre("model.res_lambda = \"learned\" has no effect without "
                            "value_source = res or skip_res"));
    EXPECT_THAT(idle_in(R"({"skip_ratio": 0.25, "rope_theta": 5e5})"), testing::SizeIs(2));
}

TEST(IdleKeys, AreSilentWhereTheKeyMatters) {
    EXPECT_THAT(idle_in(R"({"arch": "denseformer", "dwa_period": 2})"), IsEmpty());
    EXPECT_THAT(idle_in(R"({"arch": "resformer", "res_lambda": "learned"})"), IsEmpty());
    EXPECT_THAT(idle_in(R"({"arch": "skipv1", "skip_ratio": 0.25})"), IsEmpty());
    EXPECT_THAT(idle_in(R"({"base": "llama", "rope_theta": 5e5})"), IsEmpty());
}

TEST(IdleKeys, NoPresetHasAny) {
    for (const Preset& preset : presets())
        EXPECT_THAT(idle_keys(parse_job({{"model", {{"preset", preset.name}}}}, "").model),
                    IsEmpty())
            << preset.name;
}

}  // namespace
}  // namespace headroom
