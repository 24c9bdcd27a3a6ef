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

}  // namespace
}  // namespace headroom
