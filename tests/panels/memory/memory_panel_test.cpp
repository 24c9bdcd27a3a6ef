#include "panels/memory/memory_panel.h"

#include <QComboBox>
#include <QSpinBox>
#include <QTreeWidget>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/config/job_json.h"
#include "panels/figure/figure_chart.h"

namespace headroom {
namespace {

MemoryRun run(const std::string& preset) {
    return {preset, std::make_shared<Job>(parse_job({{"model", {{"preset", preset}}}}, ""))};
}

TEST(MemoryTable, SetsLedgersOfInferenceAndTrainingSideBySide) {
    MemoryFigureSettings settings;
    settings.dtype = DType::kF32;
    settings.context = 4096;  // beyond the 1,024 positions of gpt2-124m
    const MemoryTable table = build_memory_table({run("gpt2-124m"), run("llama-130m")}, settings);
    ASSERT_EQ(table.sections.size(), 2u);
    const auto& inference = table.sections[0].rows;
    EXPECT_EQ(inference[0].name, "weights");
    EXPECT_EQ(inference[1].name, "cache");
    EXPECT_EQ(inference[1].cells, (std::vector<std::string>{"72.0 MiB", "288 MiB"}));
    const auto& training = table.sections[1].rows;
    EXPECT_EQ(training[1].name, "gradients");
    EXPECT_EQ(training[1].cells[0], training[0].cells[0]);
    EXPECT_EQ(training.back().name, "total");
}

TEST(MemoryPanel, FollowsWhatIsChosen) {
    MemoryPanel panel;
    EXPECT_FALSE(panel.chart()->figure().empty_text.empty());
    panel.set_runs({run("llama-60m"), run("llama-60m-skipv1")});
    EXPECT_EQ(panel.chart()->figure().bars.size(), 8u);
    EXPECT_EQ(panel.table()->columnCount(), 3);
    const auto cache = [&] { return panel.table()->topLevelItem(0)->child(1)->text(1); };
    panel.findChild<QSpinBox*>("memoryContext")->setValue(1024);
    EXPECT_EQ(cache(), "32.0 MiB");
    panel.findChild<QSpinBox*>("memoryBatch")->setValue(4);
    EXPECT_EQ(cache(), "128 MiB");
    panel.findChild<QComboBox*>("memoryPrecision")->setCurrentText("bfloat16");
    EXPECT_EQ(cache(), "64.0 MiB");
    panel.findChild<QComboBox*>("memoryPlot")->setCurrentIndex(1);
    EXPECT_EQ(panel.chart()->figure().series.size(), 2u);
    EXPECT_EQ(panel.chart()->figure().series[1].data->y().back(), 50);  // 12,800 bytes per token
}

}  // namespace
}  // namespace headroom
