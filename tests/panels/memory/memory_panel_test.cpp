#include "panels/memory/memory_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/config/job_json.h"
#include "panels/base/numbering.h"
#include "panels/figure/figure_chart.h"
#include "panels/memory/treemap_canvas.h"
#include "panels/memory/treemap_view.h"
#include "panels/memory/what_if_settings.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

MemoryRun run_of_preset(const std::string& preset) {
    return {preset, std::make_shared<Job>(parse_job({{"model", {{"preset", preset}}}}, ""))};
}

MemoryModel model(const std::string& preset) {
    const MemoryRun one = run_of_preset(preset);
    return {one.name, one.job->model, one.job};
}

/// As if everything were held as predicted, but for some workspace.
MeasuredMemory nearly_predicted(const MemoryRequest& request, int64_t more_workspace) {
    const MemoryReport report = memory_report(request);
    MeasuredMemory measured{report.predicted, {}, 0};
    measured.held.workspace += more_workspace;
    measured.held.total += more_workspace;
    for (const CacheBuffer& buffer : report.cache)
        measured.cache.push_back(report.cache_bytes(buffer));
    return measured;
}

TEST(MemoryTable, SetsLedgersOfInferenceAndTrainingSideBySide) {
    const std::vector<MemoryModel> models{model("gpt2-124m"), model("llama-130m")};
    MemoryFigureSettings inference, training;
    inference.dtype = training.dtype = DType::kF32;
    inference.context = 4096;  // beyond the 1,024 positions of gpt2-124m
    training.use = MemoryUse::kTraining;
    const MemoryTable table = build_memory_table({{models, inference}, {models, training}});
    ASSERT_EQ(table.sections.size(), 2u);
    EXPECT_EQ(table.sections[0].title,
              "Inference, float32, batch 1, 4,096 tokens; gpt2-124m: 1,024 (4,096 asked for)");
    const auto& decoding = table.sections[0].rows;
    EXPECT_EQ(decoding[0].name, "weights");
    EXPECT_EQ(decoding[1].name, "cache");
    EXPECT_THAT(decoding[1].cells, ElementsAre("72.0 MiB", "288 MiB"));
    const auto& steps = table.sections[1].rows;
    EXPECT_EQ(steps[1].name, "gradients");
    EXPECT_EQ(steps[1].cells[0], steps[0].cells[0]);
    EXPECT_EQ(steps.back().name, "total");
}

// M25: a heading never names positions that nobody counted.
TEST(MemoryTable, TheHeadingNamesThePositionsThatWereCounted) {
    MemoryFigureSettings settings;
    settings.dtype = DType::kF32;
    settings.context = 9742;
    const auto title = [&](const std::vector<MemoryModel>& models) {
        return build_memory_table({{models, settings}}).sections[0].title;
    };
    EXPECT_EQ(title({model("gpt2-124m")}),
              "Inference, float32, batch 1, 1,024 tokens (9,742 asked for)");
    EXPECT_EQ(title({model("llama-130m")}), "Inference, float32, batch 1, 9,742 tokens")
        << "rotary positions have no end";
    settings.context = 512;
    EXPECT_EQ(title({model("gpt2-124m")}), "Inference, float32, batch 1, 512 tokens");
    settings.context = 0;
    EXPECT_EQ(title({model("gpt2-124m")}), "Inference, float32, batch 1, 1,024 tokens");
    MemoryModel longer = model("gpt2-124m");
    longer.model.block_size = 2048;
    EXPECT_EQ(title({model("gpt2-124m"), longer}),
              "Inference, float32, batch 1, each model's greatest seq_len");
}

TEST(MemoryFigure, TheSmallPrintSpeaksOfTokensAndNotOfKeys) {
    const MemoryFigureSettings settings{.plot = MemoryPlot::kBreakdown, .dtype = DType::kF32};
    MemoryModel longer = model("gpt2-124m");
    longer.model.block_size = 2048;
    const auto footnote = [&](const std::vector<MemoryModel>& models) {
        return build_memory(models, settings).figure.footnote;
    };
    EXPECT_EQ(footnote({model("gpt2-124m")}), "inference, float32, batch 1, 1,024 tokens");
    EXPECT_EQ(footnote({model("gpt2-124m"), longer}),
              "inference, float32, batch 1, each model's greatest seq_len");
    EXPECT_THAT(build_treemap({model("gpt2-124m")}, settings).notes.front(),
                HasSubstr(", 1,024 tokens"));
}

TEST(MemoryTable, WhatWasMeasuredHasAColumnOfItsOwn) {
    std::vector<MemoryModel> measured{model("llama-60m"), model("llama-130m")};
    const std::vector<MemoryModel> plain = measured;
    MemoryFigureSettings inference, training;
    training.use = MemoryUse::kTraining;
    std::vector<std::string> notes;
    measured[0].measured = std::make_shared<MeasuredMemory>(
        nearly_predicted(memory_question(measured[0], inference, notes), 0));
    const MemoryTable table = build_memory_table({{measured, inference}, {plain, training}});
    EXPECT_THAT(table.columns, ElementsAre("llama-60m", "measured", "llama-130m"));
    const auto& weights = table.sections[0].rows[0].cells;
    EXPECT_EQ(weights[0], weights[1]);
    EXPECT_EQ(table.sections[1].rows[0].cells[1], "–");
}

TEST(LogScale, RunsFromItsOwnZeroToTheMost) {
    for (const LogScale& scale : {kContextScale, kBatchScale}) {
        EXPECT_EQ(scale.value(0), 0);
        EXPECT_EQ(scale.value(1), scale.least);
        EXPECT_EQ(scale.value(scale.last()), scale.most);
        for (int p = 0; p < scale.last(); ++p) EXPECT_LE(scale.value(p), scale.value(p + 1)) << p;
    }
    EXPECT_EQ(kContextScale.value(kContextScale.position(4096)), 4096);
    EXPECT_EQ(kContextScale.position(0), 0);
    EXPECT_EQ(kContextScale.position(1), 1);
    EXPECT_EQ(kContextScale.position(int64_t{1} << 40), kContextScale.last());
}

TEST(MeasuredMemory, IsReadFromWhatTheCommandPrints) {
    const MemoryModel one = model("llama-60m");
    std::vector<std::string> notes;
    MemoryReport report = memory_report(memory_question(one, {}, notes));
    report.measured = nearly_predicted(report.request, 0);
    const nlohmann::json printed{{"name", "x"}, {"ledgers", {to_json(report)}}};
    EXPECT_EQ(parse_measurement(printed.dump()).held.total, report.predicted.total);
    for (const char* other : {"", "[]", R"({"ledgers": []})", R"({"ledgers": [{}]})"})
        EXPECT_THROW(parse_measurement(other), UserError) << other;
    EXPECT_EQ(agreement_text(report, *report.measured), "as predicted, to the byte");
    EXPECT_EQ(agreement_text(report, nearly_predicted(report.request, 2048)),
              "workspace 2.00 KiB more than predicted");
    EXPECT_EQ(agreement_text(report, nearly_predicted(report.request, -2048)),
              "workspace 2.00 KiB less than predicted");
}

TEST(MeasuredMemory, IsAskedForInTheWordsOfTheCommand) {
    const MemoryModel one = model("llama-60m");
    MemoryFigureSettings settings;
    settings.batch_size = 3;
    settings.context = 64;
    std::vector<std::string> notes;
    EXPECT_THAT(
        measure_arguments({"x", one.job, memory_question(one, settings, notes)}, "job.json"),
        ElementsAre("memory", "--job", "job.json", "--for", "inference", "--dtype", "bfloat16",
                    "--batch", "3", "--context", "64", "--measure", "--json"));
}

class MemoryPanelTest : public testing::Test {
  protected:
    MemoryPanelTest() {
        panel_.resize(700, 800);
        panel_.show();
        panel_.set_runs({run_of_preset("llama-60m"), run_of_preset("llama-60m-skipv1")});
    }
    QString cell(int section, int row, int column) const {
        return panel_.table()->topLevelItem(section)->child(row)->text(column);
    }
    template <class Widget>
    Widget* find(const char* name) const {
        return panel_.findChild<Widget*>(name);
    }
    void choose_plot(MemoryPlot plot) {
        auto* box = find<QComboBox>("memoryPlot");
        box->setCurrentIndex(box->findData(static_cast<int>(plot)));
    }
    MemoryPanel panel_;
};

TEST_F(MemoryPanelTest, WithoutRunsItSaysSo) {
    MemoryPanel panel;
    EXPECT_FALSE(panel.chart()->figure().empty_text.empty());
    EXPECT_FALSE(panel.measure_button()->isEnabled());
}

TEST_F(MemoryPanelTest, FollowsWhatIsChosen) {
    EXPECT_EQ(panel_.chart()->figure().bars.size(), 8u);
    EXPECT_EQ(panel_.table()->columnCount(), 3);
    find<QSpinBox>("memoryContext")->setValue(1024);
    EXPECT_EQ(cell(0, 1, 1), "32.0 MiB");
    find<QSpinBox>("memoryBatch")->setValue(4);
    EXPECT_EQ(cell(0, 1, 1), "128 MiB");
    find<QComboBox>("memoryPrecision")->setCurrentText("bfloat16");
    EXPECT_EQ(cell(0, 1, 1), "64.0 MiB");
    choose_plot(MemoryPlot::kCache);
    EXPECT_EQ(panel_.chart()->figure().series.size(), 2u);
    EXPECT_EQ(panel_.chart()->figure().series[1].data->y().back(), 50);  // 12,800 bytes per token
}

TEST_F(MemoryPanelTest, SlidersAndBoxesMoveEachOther) {
    auto* slider = find<QSlider>("memoryContextSlider");
    auto* box = find<QSpinBox>("memoryContext");
    slider->setFocus();
    slider->setValue(kContextScale.position(1024));
    EXPECT_EQ(box->value(), 1024);
    EXPECT_EQ(cell(0, 1, 1), "32.0 MiB");
    QTest::keyClick(slider, Qt::Key_PageUp);
    EXPECT_EQ(box->value(), 2048) << "a page is a doubling";
    box->setValue(1500);
    EXPECT_EQ(slider->value(), kContextScale.position(1500));
    EXPECT_EQ(box->value(), 1500) << "the slider does not round what was typed";
    find<QSlider>("memoryPrecisionSlider")->setValue(0);
    EXPECT_EQ(find<QComboBox>("memoryPrecision")->currentText(), "bfloat16");
    find<QSlider>("memoryBatchSlider")->setValue(0);
    EXPECT_EQ(find<QSpinBox>("memoryBatch")->value(), 1) << "inference has at least one sequence";
}

TEST_F(MemoryPanelTest, TrainingHasSettingsOfItsOwn) {
    find<QSpinBox>("memoryBatch")->setValue(4);
    find<QComboBox>("memoryUse")->setCurrentIndex(1);
    EXPECT_EQ(panel_.settings().use, MemoryUse::kTraining);
    EXPECT_EQ(find<QSpinBox>("memoryBatch")->value(), 0) << "as each job says";
    EXPECT_EQ(panel_.chart()->figure().bars.size(), 10u) << "gradients, optimizer, but no cache";
    const QString before = cell(1, 3, 1);
    find<QSpinBox>("memoryBatch")->setValue(64);
    EXPECT_NE(cell(1, 3, 1), before);
    find<QComboBox>("memoryUse")->setCurrentIndex(0);
    EXPECT_EQ(find<QSpinBox>("memoryBatch")->value(), 4);
}

TEST_F(MemoryPanelTest, TheTreemapReadsOutWhatIsPointedAt) {
    choose_plot(MemoryPlot::kTreemap);
    TreemapCanvas* map = panel_.treemap();
    ASSERT_TRUE(map->isVisible());
    map->grab();  // paints
    ASSERT_FALSE(map->layout_shown().cells.empty());
    size_t shared = 0;
    while (!map->layout_shown().cells[shared].shared) ++shared;
    QTest::mouseMove(map, map->middle_of(shared).toPoint());
    EXPECT_THAT(panel_.readout()->text().toStdString(), HasSubstr("read by layers 0-7"));
    map->setFocus();
    QTest::keyClick(map, Qt::Key_Up);
    EXPECT_NE(map->chosen(), shared);
    EXPECT_THAT(panel_.page().csv(), HasSubstr("model,heading,layer,part,bytes,readers"));
}

TEST_F(MemoryPanelTest, WhatWasMeasuredStandsBesideThePrediction) {
    const QSignalSpy asked(&panel_, &MemoryPanel::measure_asked);
    const QSignalSpy stopped(&panel_, &MemoryPanel::stop_asked);
    find<QSpinBox>("memoryContext")->setValue(256);
    QTest::mouseClick(panel_.measure_button(), Qt::LeftButton);
    EXPECT_EQ(asked.count(), 1);
    const auto questions = panel_.questions();
    ASSERT_EQ(questions.size(), 2u);
    EXPECT_EQ(questions[1].request.context, 256);
    panel_.set_measuring("measuring …");
    QTest::mouseClick(panel_.measure_button(), Qt::LeftButton);
    EXPECT_EQ(stopped.count(), 1);
    panel_.take_measurement(questions[0], nearly_predicted(questions[0].request, 0));
    panel_.set_measuring({});
    EXPECT_EQ(panel_.table()->columnCount(), 4);
    EXPECT_EQ(cell(0, 1, 1), cell(0, 1, 2));
    EXPECT_EQ(panel_.chart()->figure().bars.size(), 12u);
    EXPECT_THAT(panel_.chart()->figure().footnote, HasSubstr("right: measured"));
    EXPECT_THAT(panel_.page().csv(), HasSubstr("\nKV cache,measured,llama-60m,"));
    choose_plot(MemoryPlot::kTreemap);
    EXPECT_THAT(panel_.treemap()->view().models[0].measured, HasSubstr("to the byte"));
    find<QSpinBox>("memoryContext")->setValue(512);
    EXPECT_EQ(panel_.table()->columnCount(), 3) << "that was measured for another context";
    find<QSpinBox>("memoryContext")->setValue(256);
    EXPECT_EQ(panel_.table()->columnCount(), 4) << "and is kept";
    const NumberingScope from_one(1);
    panel_.relabel();
    EXPECT_EQ(panel_.table()->columnCount(), 4) << "other names of layers are no other bytes";
}

TEST_F(MemoryPanelTest, HeadingsAreWhole) {
    panel_.set_runs({run_of_preset("gpt2-124m")});
    find<QSpinBox>("memoryContext")->setValue(999999);
    const QTreeWidgetItem& heading = *panel_.table()->topLevelItem(0);
    EXPECT_THAT(heading.text(0).toStdString(), HasSubstr("(999,999 asked for)"));
    EXPECT_GT(panel_.table()->header()->length(),
              QFontMetrics(heading.font(0)).horizontalAdvance(heading.text(0)));
}

// Digits beyond the boxes' limits were swallowed without a word.
TEST_F(MemoryPanelTest, WhatTheCommandTakesCanBeTyped) {
    panel_.set_runs({run_of_preset("llama-60m")});
    for (const auto& [name, digits] :
         {std::pair{"memoryBatch", "1000000"}, std::pair{"memoryContext", "99999999"}}) {
        auto* box = find<QSpinBox>(name);
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, digits);
        EXPECT_EQ(std::to_string(box->value()), digits) << name;
    }
    EXPECT_EQ(panel_.settings().batch_size, 1000000);
    EXPECT_EQ(panel_.settings().context, 99999999);
    EXPECT_THAT(panel_.chart()->figure().empty_text, HasSubstr("more than can be counted"));
    EXPECT_FALSE(panel_.measure_button()->isEnabled());
    find<QSpinBox>("memoryBatch")->setValue(1);
    EXPECT_FALSE(panel_.chart()->figure().is_empty());
    EXPECT_TRUE(panel_.measure_button()->isEnabled());
}

TEST_F(MemoryPanelTest, AProblemStaysUntilTheNextMeasurement) {
    panel_.set_measuring("measuring …");
    panel_.show_problem("llama-60m: too large");
    panel_.set_measuring({});
    EXPECT_EQ(find<QLabel>("memoryStatus")->text(), "llama-60m: too large");
    EXPECT_TRUE(find<QLabel>("memoryStatus")->isVisible());
    panel_.set_measuring("measuring …");
    panel_.set_measuring({});
    EXPECT_FALSE(find<QLabel>("memoryStatus")->isVisible());
}

}  // namespace
}  // namespace headroom
