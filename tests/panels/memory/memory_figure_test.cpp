#include "panels/memory/memory_figure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/account/memory_ledger.h"
#include "core/config/job_json.h"
#include "panels/figure/figure_csv.h"
#include "panels/memory/memory_plots.h"

namespace headroom {
namespace {

using testing::HasSubstr;

MemoryModel preset(const std::string& name, const char* more = "{}") {
    nlohmann::json keys = nlohmann::json::parse(more);
    keys["preset"] = name;
    return {name, parse_model_config(keys, "")};
}

MemoryFigureSettings settings(MemoryPlot plot, int64_t context = 0) {
    MemoryFigureSettings result;
    result.plot = plot;
    result.context = context;
    return result;
}

TEST(MemoryFigure, TheCacheGrowsWithTheSequenceByItsBytesPerToken) {
    const MemoryView view = build_memory({preset("llama-350m"), preset("llama-350m-skipv1")},
                                         settings(MemoryPlot::kCache, 8192));
    ASSERT_EQ(view.figure.series.size(), 2u);
    const Curve& skip = *view.figure.series[1].data;
    EXPECT_EQ(skip.x().front(), 0);
    EXPECT_EQ(skip.x().back(), 8192);
    EXPECT_EQ(skip.y().back(), 74'752.0 * 8192 / (1 << 20));
    EXPECT_THAT(view.figure.y.label, HasSubstr("MiB"));
    EXPECT_TRUE(view.figure.x.range.contains(8192));
}

TEST(MemoryFigure, OnALogarithmicAxisTheCacheBeginsAtSixteenTokens) {
    MemoryFigureSettings asked = settings(MemoryPlot::kCache, 8192);
    asked.log_axes = true;
    const Figure figure = build_memory({preset("llama-350m-skipv1")}, asked).figure;
    const Curve& skip = *figure.series[0].data;
    EXPECT_EQ(skip.x().front(), 16);
    EXPECT_TRUE(figure.y.range.contains(skip.y().front()));
    EXPECT_GT(figure.y.range.lower, skip.y().front() / 2) << "nothing stands below";
}

TEST(MemoryFigure, ARunWearsItsColourAndNoModelThatOfAnother) {
    MemoryModel run = preset("llama-350m-skipv1");
    run.color = 0;
    const std::vector<MemoryModel> models{preset("llama-350m"), run, preset("llama-130m")};
    for (const MemoryPlot plot : {MemoryPlot::kCache, MemoryPlot::kBytesPerToken}) {
        const MemoryView view = build_memory(models, settings(plot));
        const bool lines = plot == MemoryPlot::kCache;
        ASSERT_EQ(view.figure.series.size(), lines ? 3u : 2u) << "two of one architecture";
        EXPECT_EQ(view.figure.series[0].style.color, 1);
        EXPECT_EQ(view.figure.series[1].style.color, 0);
    }
}

TEST(MemoryFigure, ALineEndsWhereLearnedPositionsDo) {
    const MemoryView view = build_memory({preset("gpt2-124m"), preset("llama-130m")},
                                         settings(MemoryPlot::kCache, 4096));
    EXPECT_EQ(view.figure.series[0].data->x().back(), 1024);
    EXPECT_EQ(view.figure.series[1].data->x().back(), 4096);
    EXPECT_THAT(view.figure.footnote, HasSubstr("gpt2-124m has 1,024 positions"));
}

TEST(MemoryFigure, AnEncoderIsLeftOutWithAReason) {
    const MemoryModel encoder = preset("gpt2-124m", R"({"causal": false})");
    const MemoryView both =
        build_memory({encoder, preset("llama-130m")}, settings(MemoryPlot::kCache));
    EXPECT_EQ(both.figure.series.size(), 1u);
    EXPECT_THAT(both.figure.footnote, HasSubstr("keeps no cache"));
    const MemoryView alone = build_memory({encoder}, settings(MemoryPlot::kBytesPerToken));
    EXPECT_TRUE(alone.figure.is_empty());
    EXPECT_FALSE(alone.figure.empty_text.empty());
}

TEST(MemoryFigure, VariantsAreLinesOverTheSizesOfTheirModels) {
    MemoryFigureSettings asked = settings(MemoryPlot::kBytesPerToken);
    asked.log_axes = true;
    const MemoryView view =
        build_memory({preset("llama-1.3b"), preset("llama-350m"), preset("llama-1.3b-skipv1"),
                      preset("llama-350m-skipv1"), preset("tinyllama-1.1b")},
                     asked);
    ASSERT_EQ(view.figure.series.size(), 3u);
    const Curve& llama = *view.figure.series[0].data;
    ASSERT_EQ(llama.size(), 2u);
    EXPECT_EQ(llama.x()[0], 367'969'280);  // the smaller first
    EXPECT_EQ(llama.y()[0], 96);
    EXPECT_EQ(view.figure.series[1].data->y()[1], 146);
    EXPECT_THAT(view.figure.series[2].legend, HasSubstr("groups of 8"));
    EXPECT_EQ(view.figure.x.scale, AxisScale::kLog);
    EXPECT_TRUE(view.figure.x.range.contains(367'969'280));
}

// An axis in KiB bore columns labelled in MiB, and one in GiB others in MiB.
TEST(MemoryFigure, ColumnsAreLabelledInTheUnitOfTheAxis) {
    const MemoryModel small = preset("demo", R"({"n_layer": 1})"), large = preset("llama-1.3b");
    for (const auto& models : {std::vector{small}, {small, large}, {large}}) {
        MemoryFigureSettings asked = settings(MemoryPlot::kBreakdown, 128);
        asked.dtype = DType::kF32;
        const Figure figure = build_memory(models, asked).figure;
        for (const FigureBar& bar : figure.bars) {
            if (bar.label.empty()) continue;
            const std::string unit = bar.label.substr(bar.label.find(' ') + 1);
            EXPECT_EQ(figure.y.label, "memory (" + unit + ")") << bar.label;
        }
    }
}

// What was measured above the prediction was cut off with its label.
TEST(MemoryFigure, AMeasuredColumnFitsTheAxis) {
    MemoryModel model = preset("llama-60m");
    const MemoryFigureSettings asked = settings(MemoryPlot::kBreakdown, 2048);
    std::vector<std::string> notes;
    MeasuredMemory measured{memory_report(memory_question(model, asked, notes)).predicted, {}, 0};
    measured.held.workspace += measured.held.total;
    measured.held.total *= 2;
    model.measured = std::make_shared<MeasuredMemory>(measured);
    const Figure figure = build_memory({model}, asked).figure;
    for (const FigureBar& bar : figure.bars) EXPECT_TRUE(figure.y.range.contains(bar.upper));
}

TEST(MemoryFigure, ALineOverSizesGoesFromTheSmallestModelToTheLargest) {
    const MemoryModel wide = preset("llama-130m", R"({"n_layer": 2, "d_ff": 65536})");
    const MemoryView view =
        build_memory({preset("llama-130m"), wide}, settings(MemoryPlot::kBytesPerToken));
    ASSERT_EQ(view.figure.series.size(), 1u);
    const Curve& line = *view.figure.series[0].data;
    EXPECT_LT(line.x()[0], line.x()[1]);
    EXPECT_GT(line.y()[0], line.y()[1]) << "the larger one caches less";
}

TEST(MemoryFigure, ColumnsStackTheLedger) {
    const MemoryModel model = preset("llama-60m");
    MemoryFigureSettings asked = settings(MemoryPlot::kBreakdown, 2048);
    asked.dtype = DType::kF32;
    asked.batch_size = 4;
    const MemoryView view = build_memory({model, preset("llama-60m-skipv1")}, asked);
    Job job;
    job.model = model.model;
    const MemoryLedger ledger =
        memory_report({MemoryUse::kInference, job, DType::kF32, 4, 2048}).predicted;
    ASSERT_EQ(view.figure.bars.size(), 8u);
    const double mib = 1 << 20;
    EXPECT_EQ(view.figure.bars[0].upper, static_cast<double>(ledger.weights) / mib);
    EXPECT_EQ(view.figure.bars[1].lower, view.figure.bars[0].upper);
    EXPECT_NEAR(view.figure.bars[1].upper - view.figure.bars[1].lower,
                static_cast<double>(ledger.cache) / mib, 1e-9);
    EXPECT_LE(view.figure.bars[3].upper, static_cast<double>(ledger.total) / mib);
    EXPECT_NEAR(view.figure.bars[3].upper, static_cast<double>(ledger.total) / mib, 1e-3);
    EXPECT_TRUE(view.figure.y.range.contains(view.figure.bars[3].upper));
    EXPECT_EQ(view.figure.x.names[1], "llama-60m-skipv1");
    EXPECT_THAT(figure_csv(view.figure), HasSubstr("\nKV cache,bar,llama-60m,"));
}

TEST(MemoryFigure, AnUnknownVocabularyIsSaid) {
    MemoryModel model = preset("tiny");
    model.model.vocab_size = 0;
    const MemoryView view = build_memory({model}, settings(MemoryPlot::kBreakdown));
    EXPECT_THAT(view.figure.footnote, HasSubstr("tiny counted with a vocabulary of 256"));
}

}  // namespace
}  // namespace headroom
