#include "panels/probe/similarity_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/probe/probe_datasets.h"
#include "core/probe/similarity_probe.h"
#include "tests/panels/probe/probe_files.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// L = 2, H = 2, T = 3; values tell where they come from.
ProbeSource write_file(const TemporaryFolder& folder, const std::string& name, double start) {
    return write_probe(folder, name, "similarity", 2, [&](ArrayFileWriter& file) {
        SimilarityNumbers numbers;
        numbers.heads["output"] = {{2, 2, 2}, {1, 0.1, 0.1, 1, 1, start, start, 1}};
        numbers.tokens["stream"] = NumberArray{{3, 3, 3}, std::vector<double>(27, 0.5)};
        numbers.tokens["stream"].at({2, 0, 2}) = start;
        numbers.token_means["stream"] = {{3}, {0.1, 0.2, 0.3}};
        numbers.effective_rank["stream"] = {{3}, {3, 2, 1}};
        numbers.cka = {{3, 3}, std::vector<double>(9, 1)};
        write_similarity(file, numbers);
    });
}

TEST(SimilarityView, ShowsTheLastLayerOfEveryRunOnOneScale) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{write_file(folder, "a", 0.25),
                                           write_file(folder, "b", 0.75)};
    const HeatmapFigure figure = build_similarity(sources, {});
    ASSERT_EQ(figure.panels.size(), 2U);
    EXPECT_EQ(figure.panels[1].name, "b");
    EXPECT_EQ(figure.panels[0].at(0, 1), 0.25);
    EXPECT_EQ(figure.panels[1].at(1, 0), 0.75);
    EXPECT_EQ(figure.scale.lower, 0.25);
    EXPECT_EQ(figure.scale.upper, 1);
    EXPECT_EQ(figure.scale.map, ColorMap::kViridis);
    EXPECT_EQ(figure.footnote, "output · layer 1 · 1 sequence of 3 tokens");
}

TEST(SimilarityView, SaysOfWhichSeedsItsMapsAre) {
    const TemporaryFolder folder;
    std::vector<ProbeSource> sources{write_file(folder, "a", 0.25), write_file(folder, "b", 0.75)};
    for (ProbeSource& source : sources) source.source.job = R"({"seed": 3})";
    EXPECT_THAT(build_similarity(sources, {}).footnote, HasSubstr(" | seed 3"));
    sources[1].source.job = R"({"seed": 4})";
    EXPECT_THAT(build_similarity(sources, {}).footnote, HasSubstr("a (seed 3); b (seed 4)"));
    sources[0].name = "a, seed 3";
    sources[1].name = "b, seed 4";
    EXPECT_THAT(build_similarity(sources, {}).footnote, testing::Not(HasSubstr("("))) << "said";
}

TEST(SimilarityView, TakesOtherLayersAndStreamsCountFromZero) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{write_file(folder, "a", 0.25)};
    SimilaritySettings settings;
    settings.layer = 0;
    EXPECT_EQ(build_similarity(sources, settings).panels[0].at(0, 1), 0.1);
    settings.map = SimilarityMap::kTokens;
    settings.layer = 1;  // index 2: the first is before block 0
    EXPECT_EQ(build_similarity(sources, settings).panels[0].at(0, 2), 0.25);
    settings.layer = 2;
    EXPECT_THROW(build_similarity(sources, settings), UserError);
}

TEST(SimilarityView, ValuesOfBothSignsGetADivergingMapAroundZero) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{write_file(folder, "a", -0.5)};
    SimilaritySettings settings;
    settings.diagonal = false;
    const HeatmapFigure figure = build_similarity(sources, settings);
    EXPECT_EQ(figure.scale.map, ColorMap::kVik);
    EXPECT_EQ(figure.scale.lower, -0.5);
    EXPECT_EQ(figure.scale.upper, 0.5);
    EXPECT_TRUE(figure.panels[0].is_masked(1, 1));
}

TEST(SimilarityView, NamesTokensByTheirTextsAndLayersByTheirNumbers) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{write_file(folder, "a", 0.25)};
    SimilaritySettings settings;
    settings.map = SimilarityMap::kTokens;
    EXPECT_EQ(build_similarity(sources, settings).panels[0].row_axis.names,
              (std::vector<std::string>{"the", "·cat", "⏎"}));
    settings.map = SimilarityMap::kCka;
    EXPECT_EQ(build_similarity(sources, settings).panels[0].row_axis.names,
              (std::vector<std::string>{"embed", "0", "1"}));
}

TEST(SimilarityView, OnlyWhatIsComparedWithItselfHasADiagonalToLeaveOut) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{
        write_probe(folder, "a", "similarity", 2, [](ArrayFileWriter& file) {
            file.add(kStreamCka, {3, 3}, std::vector<double>(9, 1));
            file.add(kStreamCkaOther, {3, 3}, std::vector<double>(9, 0.5));
        })};
    SimilaritySettings settings;
    settings.diagonal = false;
    settings.map = SimilarityMap::kCka;
    EXPECT_TRUE(build_similarity(sources, settings).panels[0].is_masked(1, 1));
    settings.map = SimilarityMap::kCkaOther;
    EXPECT_FALSE(build_similarity(sources, settings).panels[0].is_masked(1, 1));
}

TEST(SimilarityView, RefusesWhatIsNotThere) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{write_file(folder, "a", 0.25)};
    SimilaritySettings settings;
    settings.tensor = "quary";
    EXPECT_THROW(build_similarity(sources, settings), UserError);
    settings.tensor = "value";  // not in this file
    EXPECT_THROW(build_similarity(sources, settings), UserError);
    settings = {};
    settings.map = SimilarityMap::kCkaOther;
    try {
        build_similarity(sources, settings);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("--other"));
    }
    const std::vector<ProbeSource> lens{
        write_probe(folder, "c", "lens", 2, [](ArrayFileWriter&) {})};
    EXPECT_THROW(build_similarity(lens, {}), UserError);
}

TEST(SimilarityView, RefusesMapsOfThingsWithThemselvesThatAreNotSquare) {
    const TemporaryFolder folder;
    const std::vector<ProbeSource> sources{
        write_probe(folder, "a", "similarity", 2, [](ArrayFileWriter& file) {
            file.add<float>("/similarity/cka", {3, 7}, std::vector<float>(21));
            file.add<float>("/similarity/tokens/stream", {3, 4, 40}, std::vector<float>(480));
            file.add<float>("/similarity/heads/output", {2, 2, 3}, std::vector<float>(12));
        })};
    SimilaritySettings settings;
    for (const SimilarityMap map :
         {SimilarityMap::kCka, SimilarityMap::kTokens, SimilarityMap::kHeads}) {
        settings.map = map;
        EXPECT_THAT([&] { build_similarity(sources, settings); },
                    testing::ThrowsMessage<UserError>(HasSubstr("unexpected shape")));
    }
}

TEST(SimilarityView, WithoutFilesSaysSo) {
    EXPECT_FALSE(build_similarity({}, {}).empty_text.empty());
}

}  // namespace
}  // namespace headroom
