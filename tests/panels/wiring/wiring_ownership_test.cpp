#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/kv_cache.h"
#include "core/config/job_json.h"
#include "panels/wiring/wiring_ownership_view.h"
#include "tests/panels/wiring/wiring_cases.h"

namespace headroom {
namespace {

using testing::Contains;
using testing::HasSubstr;

const WiringCosts kOwnedCosts{64, 1000, 1000};

WiringView view_of(const char* preset) {
    return build_wiring_view(parse_model_config({{"preset", preset}}, ""), DType::kBF16, preset);
}

TEST(WiringOwnership, HeadsWearTheColourOfTheirOwner) {
    const WiringView view = build_wiring_view(skipv1_wiring(4, 4), kOwnedCosts, "skipv1");
    const WiringOwnership owned = build_ownership(view);
    ASSERT_EQ(owned.owners.size(), 1u);
    EXPECT_EQ(owned.owners[0].layer, 0);
    EXPECT_EQ(owned.owners[0].readers, 3);
    EXPECT_EQ(owned.owners[0].bytes_per_token, 2 * 64);
    const HeadOwnership& owner = owned.head(KvTable::kValues, {0, 3});
    EXPECT_TRUE(owner.keeps);
    EXPECT_EQ(owner.hue, 0);
    const HeadOwnership& reader = owned.head(KvTable::kValues, {2, 3});
    EXPECT_FALSE(reader.keeps);
    EXPECT_EQ(reader.hue, owner.hue);
    EXPECT_EQ(owned.head(KvTable::kValues, {0, 0}).hue, kOwnHue);
    EXPECT_TRUE(owned.head(KvTable::kKeys, {2, 3}).keeps);
    EXPECT_EQ(describe_owners(owned), "Layer 0 keeps 128 B per token that 3 other layers read");
}

TEST(WiringOwnership, HeadsThatKeepSomethingAddUpToTheCache) {
    for (const char* preset : {"gpt2-124m", "gpt2-124m-skipv1", "llama-60m-skipv1"}) {
        const WiringView view = view_of(preset);
        const WiringOwnership owned = build_ownership(view);
        int64_t bytes = 0;
        for (const auto* lane : {&owned.keys, &owned.values})
            for (const auto& layer : *lane)
                for (const HeadOwnership& head : layer)
                    bytes += head.keeps ? view.costs.cache_bytes_per_head : 0;
        EXPECT_EQ(bytes, view.cache_bytes_per_token) << preset;
    }
}

TEST(WiringOwnership, EveryOwnerHasAColourOfItsOwn) {
    Wiring wiring = own_wiring(4, 2, 2);
    wiring.values[1] = {{{0, 0}}, {{0, 1}}};
    wiring.values[3] = {{{2, 0}}, {{2, 1}}};
    wiring.own_value_heads = {2, 0, 2, 0};
    const WiringOwnership owned = build_ownership(build_wiring_view(wiring, kOwnedCosts, "cla"));
    EXPECT_NE(owned.head(KvTable::kValues, {1, 0}).hue, owned.head(KvTable::kValues, {3, 0}).hue);
    EXPECT_THAT(describe_owners(owned), HasSubstr("1 other layer reads"));
}

TEST(WiringOwnership, ASumIsMarkedWithItsSecondOwner) {
    Wiring wiring = own_wiring(2, 2, 2);
    wiring.values[1][0] = {{1, 0, 0.5}, {0, 0, 0.5}};
    const WiringOwnership owned = build_ownership(build_wiring_view(wiring, kOwnedCosts, "res"));
    const HeadOwnership& sum = owned.head(KvTable::kValues, {1, 0});
    EXPECT_TRUE(sum.keeps);
    EXPECT_TRUE(sum.sums);
    EXPECT_EQ(sum.hue, kOwnHue);
    EXPECT_EQ(sum.second, 0);
}

TEST(WiringOwnership, WithoutSharingThereIsNoOwnerToName) {
    const WiringOwnership owned =
        build_ownership(build_wiring_view(own_wiring(2, 2, 2), kOwnedCosts, "mha"));
    EXPECT_TRUE(owned.owners.empty());
    EXPECT_EQ(describe_owners(owned), "No layer reads another layer's cache.");
    EXPECT_TRUE(build_ownership({}).keys.empty());
}

TEST(WiringView, LatentAttentionKeepsLatentsAndNotHeads) {
    for (const char* arch : {"mla", "skipv1_mla"}) {
        const ModelConfig model = parse_model_config({{"preset", "llama-60m"}, {"arch", arch}}, "");
        const WiringView view = build_wiring_view(model, DType::kBF16, arch);
        EXPECT_EQ(view.cache_bytes_per_token, count_cache(model).bytes_per_token(DType::kBF16));
        EXPECT_THAT(describe_total(view), HasSubstr(" per token in bfloat16 as latents"));
        EXPECT_THAT(describe_head(view, KvTable::kValues, {1, 0}),
                    Contains(HasSubstr("Made of its layer's latent")));
        EXPECT_EQ(view.cache_bytes_saved > 0, std::string(arch) == "skipv1_mla");
    }
}

TEST(WiringView, AnEncoderKeepsNothing) {
    const ModelConfig model = parse_model_config({{"preset", "gpt2-124m"}, {"causal", false}}, "");
    const WiringView view = build_wiring_view(model, DType::kBF16, "encoder");
    EXPECT_EQ(view.cache_bytes_per_token, 0);
    EXPECT_THAT(describe_total(view), HasSubstr("keeps no cache"));
}

}  // namespace
}  // namespace headroom
