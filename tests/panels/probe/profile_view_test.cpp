#include "panels/probe/profile_view.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/probe/heads_probe.h"
#include "core/probe/mixing_probe.h"
#include "core/probe/weights_probe.h"
#include "tests/panels/probe/probe_files.h"

namespace headroom {
namespace {

ProbeSource lens_file(const TemporaryFolder& folder, const std::string& name,
                      std::vector<double> loss) {
    return write_probe(folder, name, "lens", 2, [&](ArrayFileWriter& file) {
        file.add("/lens/loss", {static_cast<int64_t>(loss.size())}, loss);
    });
}

ProfileSettings settings_of(const std::string& what) {
    ProfileSettings settings;
    settings.what = what;
    return settings;
}

TEST(Profile, DrawsALineForEveryRunAgainstDepth) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{lens_file(folder, "a", {4, 3, 2}),
                                           lens_file(folder, "b", {5, 3, 1})};
    const ProfileView view = build_profile(sources, settings_of("lens_loss"));
    ASSERT_EQ(view.curves.size(), 2U);
    EXPECT_EQ(view.curves[1].values, (std::vector<double>{5, 3, 1}));
    EXPECT_EQ(view.figure.series[1].data->x()[2], 2);
    EXPECT_EQ(view.figure.x.column, "blocks_passed");
    EXPECT_EQ(view.figure.x.format, NumberFormat::kWhole) << "nothing lies between two layers";
    EXPECT_EQ(view.figure.y.column, "lens_loss");
    EXPECT_TRUE(view.figure.bands.empty());
    EXPECT_TRUE(view.figure.y.range.contains(5));
}

// A mean of two texts is no mean over seeds.
TEST(Profile, SaysWhichProbesWereMadeOnOtherTokens) {
    const TemporaryFolder folder;
    std::vector<ProbeSource> sources;
    for (const auto& [name, text] :
         {std::pair{"a-s1", "val.txt"}, {"a-s2", "repeat:20?seed=0"}, {"b-s1", "val.txt"}})
        sources.push_back(write_probe(
            folder, name, "lens", 2,
            [](ArrayFileWriter& file) { file.add("/lens/loss", {1}, std::vector<double>{4}); },
            text));
    const ProfileView view = build_profile(sources, settings_of("lens_loss"));
    EXPECT_EQ(view.notes.back(),
              "not on the same tokens: a-s1, b-s1 val.txt (1 × 3); a-s2 repeat:20?seed=0 (1 × 3)");
    sources.erase(sources.begin() + 1);
    for (const std::string& note : build_profile(sources, settings_of("lens_loss")).notes)
        EXPECT_EQ(note.find("tokens"), std::string::npos) << note;
}

// "(4 seeds)" stood beside two seeds, each trained twice.
TEST(Profile, ASeedCountsOnce) {
    const TemporaryFolder folder;
    std::vector<ProbeSource> sources;
    for (const auto& [name, loss] : {std::pair{"a-s1", 4.0}, {"a-s2", 2.0}, {"a-s1-2", 4.0}}) {
        sources.push_back(
            write_probe(folder, name, "lens", 1, [loss = loss](ArrayFileWriter& file) {
                file.add("/lens/loss", {1}, std::vector<double>{loss});
            }));
        sources.back().group = "a";
    }
    sources.back().repeats = "a: a-s1-2 repeats seed 1 and counts once";
    ProfileSettings settings = settings_of("lens_loss");
    settings.group_seeds = true;
    const ProfileView view = build_profile(sources, settings);
    ASSERT_EQ(view.curves.size(), 1u);
    EXPECT_EQ(view.curves[0].name, "a (2 seeds)");
    EXPECT_EQ(view.curves[0].values.front(), 3);
    EXPECT_THAT(view.notes, testing::Contains(sources.back().repeats));
    settings.group_seeds = false;
    EXPECT_EQ(build_profile(sources, settings).curves.size(), 3u);
}

// Bytes and pieces of a BPE are other tokens of one text.
TEST(Profile, SaysWhichProbesReadOneTextInOtherTokens) {
    const TemporaryFolder folder;
    std::vector<ProbeSource> sources;
    for (const auto& [name, ids] : {std::pair{"a", std::vector<int32_t>{5, 6, 7}},
                                    {"bpe", {9, 9, 9}},
                                    {"b", {5, 6, 7}},
                                    {"char", {1, 2, 3}}})
        sources.push_back(write_probe(
            folder, name, "lens", 2,
            [](ArrayFileWriter& file) { file.add("/lens/loss", {1}, std::vector<double>{4}); },
            "val.txt", -1, ids));
    EXPECT_EQ(build_profile(sources, settings_of("lens_loss")).notes.back(),
              "not on the same tokens: a, b val.txt (1 × 3); bpe val.txt (1 × 3), in other tokens; "
              "char val.txt (1 × 3), in other tokens (2)");
}

// A run of a third of the steps stood beside the others without a word.
TEST(Profile, SaysWhichModelsWereTrainedForOtherNumbersOfSteps) {
    const TemporaryFolder folder;
    std::vector<ProbeSource> sources;
    for (const auto& [name, step] : {std::pair{"a", 600}, {"drawn", 200}, {"b", 600}})
        sources.push_back(write_probe(
            folder, name, "lens", 2,
            [](ArrayFileWriter& file) { file.add("/lens/loss", {1}, std::vector<double>{4}); },
            "val.txt", step));
    EXPECT_EQ(build_profile(sources, settings_of("lens_loss")).notes.back(),
              "not after the same number of steps: a, b (600); drawn (200)");
}

TEST(Profile, RunsThatDifferInTheSeedAloneBecomeAMeanWithABand) {
    const TemporaryFolder folder;
    std::vector<ProbeSource> sources{lens_file(folder, "a-s1", {4, 3, 2}),
                                     lens_file(folder, "a-s2", {6, 5, 3}),
                                     lens_file(folder, "b", {1, 1, 1})};
    sources[0].group = sources[1].group = "a";
    sources[0].shade = 1;  // the first seed is not there
    ProfileSettings settings = settings_of("lens_loss");
    const ProfileView view = build_profile(sources, settings);
    ASSERT_EQ(view.curves.size(), 2U);
    EXPECT_EQ(view.curves[0].name, "a (2 seeds)");
    EXPECT_EQ(view.curves[0].values, (std::vector<double>{5, 4, 2.5}));
    EXPECT_EQ(view.curves[0].lower, (std::vector<double>{4, 3, 2}));
    EXPECT_EQ(view.curves[0].upper, (std::vector<double>{6, 5, 3}));
    EXPECT_EQ(view.curves[0].shade, 0) << "of all seeds";
    EXPECT_EQ(view.curves[1].name, "b");
    EXPECT_EQ(view.figure.bands.size(), 1U);
    EXPECT_NE(view.figure.footnote.find("minimum to maximum"), std::string::npos);
    settings.group_seeds = false;
    EXPECT_EQ(build_profile(sources, settings).curves.size(), 3U);
}

TEST(Profile, ALogarithmicAxisPassesOverZero) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{lens_file(folder, "a", {4, 0, 2})};
    ProfileSettings settings = settings_of("lens_loss");
    settings.log_y = true;
    const Range range = build_profile(sources, settings).figure.y.range;
    EXPECT_GT(range.lower, 1);
    EXPECT_LT(range.lower, 2);
}

TEST(Profile, ReadsNumbersOfHeadsAsMeanOrExtreme) {
    const TemporaryFolder folder;
    const double nan = std::nan("");
    const std::vector<ProbeSource> sources{
        write_probe(folder, "a", "heads", 2, [&](ArrayFileWriter& file) {
            file.add("/heads/induction", {2, 3}, std::vector<double>{0.1, 0.6, 0.2, 0.3, nan, 0.5});
        })};
    ProfileSettings settings = settings_of("induction");
    const ProfileView mean = build_profile(sources, settings);
    EXPECT_NEAR(mean.curves[0].values[0], 0.3, 1e-15);
    EXPECT_NEAR(mean.curves[0].values[1], 0.4, 1e-15);
    EXPECT_EQ(mean.figure.x.column, "layer");
    settings.heads = HeadSummary::kMax;
    EXPECT_EQ(build_profile(sources, settings).curves[0].values, (std::vector<double>{0.6, 0.5}));
    settings.heads = HeadSummary::kMin;
    EXPECT_EQ(build_profile(sources, settings).curves[0].values, (std::vector<double>{0.1, 0.3}));
}

// "attention to the first token" is called sink_mass in the table, the file and the figure's CSV.
TEST(Profile, NumbersOfHeadsAreCalledAsInTheirTable) {
    for (size_t m = 0; m < kHeadMeasures; ++m) {
        std::string name(name_of(static_cast<HeadMeasure>(m)));
        const ProfileQuantity& quantity = find_quantity(name);
        std::replace(name.begin(), name.end(), '_', ' ');
        EXPECT_NE(quantity.label.find(name), std::string_view::npos)
            << quantity.label << ": " << name;
    }
}

TEST(Profile, ReadsEveryKindOfSimilarity) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{
        write_probe(folder, "a", "similarity", 2, [](ArrayFileWriter& file) {
            file.add("/similarity/heads/output", {1, 3, 3},
                     std::vector<double>{1, 0.1, 0.2, 0.1, 1, 0.6, 0.2, 0.6, 1});
            file.add("/similarity/effective_rank/key", {2}, std::vector<double>{8, 9});
            file.add("/similarity/tokens/stream_mean", {3}, std::vector<double>{0.1, 0.2, 0.3});
            file.add("/similarity/cka", {2, 2}, std::vector<double>{1, 0.25, 0.25, 1});
        })};
    EXPECT_NEAR(build_profile(sources, settings_of("head_similarity")).curves[0].values[0], 0.3,
                1e-15);
    EXPECT_EQ(build_profile(sources, settings_of("cka")).curves[0].values,
              (std::vector<double>{0.25, 1}));
    EXPECT_EQ(build_profile(sources, settings_of("token_similarity")).curves[0].axis,
              ProfileAxis::kStreams);
    ProfileSettings keys = settings_of("effective_rank");
    keys.tensor = "key";
    EXPECT_EQ(build_profile(sources, keys).curves[0].axis, ProfileAxis::kLayers);
    keys.tensor = "value";
    EXPECT_THROW(build_profile(sources, keys), UserError);
}

TEST(Profile, ReadsWeightsOfEveryLayerThatHasThem) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{
        write_probe(folder, "a", "weights", 3, [](ArrayFileWriter& file) {
            write_weights(file, {{"h.0.attn.v.weight", {2, 2}, 5, 0.5, {4, 3}},
                                 {"h.2.attn.v.weight", {2, 2}, 2, 0.25, {2, 0}}});
        })};
    ProfileSettings settings = settings_of("weight_norm");
    settings.tensor = "attn.v";
    const std::vector<double> norms = build_profile(sources, settings).curves[0].values;
    EXPECT_EQ(norms[0], 5);
    EXPECT_TRUE(std::isnan(norms[1]));
    EXPECT_EQ(norms[2], 2);
    settings.what = "gradient_norm";
    EXPECT_EQ(build_profile(sources, settings).curves[0].values[2], 0.25);
    settings.what = "spectral_norm";
    EXPECT_EQ(build_profile(sources, settings).curves[0].values[0], 4);
    settings.what = "stable_rank";
    EXPECT_DOUBLE_EQ(build_profile(sources, settings).curves[0].values[0], 25.0 / 16);
    settings.tensor = "attn.w";
    EXPECT_THROW(build_profile(sources, settings), UserError);
}

TEST(Profile, ReadsMixingWeightsAndStreamNorms) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{
        write_probe(folder, "a", "mixing", 2, [](ArrayFileWriter& file) {
            write_mixing(file, {{"lambda", {{2}, {std::nan(""), 0.4}}}}, {{3}, {1, 2, 4}});
        })};
    EXPECT_EQ(build_profile(sources, settings_of("stream_norm")).curves[0].values,
              (std::vector<double>{1, 2, 4}));
    EXPECT_EQ(build_profile(sources, settings_of("lambda")).curves[0].values[1], 0.4);
    ProfileSettings log = settings_of("stream_norm");
    log.log_y = true;
    EXPECT_GT(build_profile(sources, log).figure.y.range.lower, 0);
}

TEST(Profile, RefusesArraysOfAnotherShape) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> flat{
        write_probe(folder, "flat", "similarity", 1, [](ArrayFileWriter& file) {
            file.add("/similarity/heads/output", {1, 1, 7}, std::vector<double>(7, 0.5));
        })};
    EXPECT_THROW(build_profile(flat, settings_of("head_similarity")), UserError);
    const std::vector<ProbeSource> empty{
        write_probe(folder, "empty", "weights", 1, [](ArrayFileWriter& file) {
            file.add("/weights/h.0.attn.q.weight/norm", {0}, std::vector<double>{});
        })};
    ProfileSettings norm = settings_of("weight_norm");
    norm.tensor = "attn.q";
    EXPECT_THROW(build_profile(empty, norm), UserError);
}

TEST(Profile, RefusesOtherKindsAndUnknownNumbers) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{lens_file(folder, "a", {4, 3, 2})};
    EXPECT_THROW(build_profile(sources, settings_of("effective_rank")), UserError);
    EXPECT_THROW(build_profile(sources, settings_of("lens_kl")), UserError);
    EXPECT_THROW(build_profile(sources, settings_of("lens_los")), UserError);
    EXPECT_FALSE(build_profile({}, settings_of("lens_loss")).figure.empty_text.empty());
}

}  // namespace
}  // namespace headroom
