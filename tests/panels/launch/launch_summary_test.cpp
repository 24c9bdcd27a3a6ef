#include "panels/launch/launch_summary.h"

#include <QTableWidget>

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(LaunchSummary, ValuesOfListsStandWholeBelowTheirVariant) {
    LaunchInput input;
    input.values["model.mlp_experts"] = "4, 8";
    LaunchPlace place;
    place.data = DataFacts{256, "grammar", "", ""};
    LaunchSummary summary;
    summary.resize(440, 700);
    summary.show();
    summary.set_view(build_launch(input, place));
    const QTableWidget& table = *summary.table();
    ASSERT_EQ(table.rowCount(), 2);
    EXPECT_EQ(table.item(0, 0)->text().toStdString(), "Baseline\nmlp_experts=4");
    EXPECT_EQ(table.item(1, 0)->text().toStdString(), "Baseline\nmlp_experts=8");
    EXPECT_NE(table.item(0, 1)->text(), table.item(1, 1)->text());
    EXPECT_GE(table.rowHeight(0), 2 * table.fontMetrics().height());
    EXPECT_LT(table.fontMetrics().horizontalAdvance("mlp_experts=8"), table.columnWidth(0));
    EXPECT_GE(table.height(), table.rowHeight(0) + table.rowHeight(1)) << "both are in sight";
}

// The row had the tokens of a job without the value that was refused, and of two listed values the
// second was missing.
TEST(LaunchSummary, OfARefusedValueNothingIsCounted) {
    LaunchInput input;
    input.values["train.steps"] = "40";
    input.values["train.warmup_steps"] = "60";
    input.values["train.lr"] = "1e-3, 4e-3";
    LaunchPlace place;
    place.data = DataFacts{256, "grammar", "", ""};
    const LaunchView view = build_launch(input, place);
    EXPECT_EQ(view.problems.size(), 1u) << "once for both";
    EXPECT_EQ(view.runs.size(), 2u);
    EXPECT_FALSE(view.counts_hold);
    EXPECT_FALSE(view.can_launch);
    LaunchSummary summary;
    summary.set_view(view);
    const QTableWidget& table = *summary.table();
    ASSERT_EQ(table.rowCount(), 1) << "the rate changes no count";
    for (int column = 1; column < table.columnCount(); ++column)
        EXPECT_EQ(table.item(0, column)->text(), "–") << column;
    input.values["train.warmup_steps"] = "4";
    EXPECT_TRUE(build_launch(input, place).counts_hold);
}

}  // namespace
}  // namespace headroom
