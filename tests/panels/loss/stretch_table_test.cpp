#include "panels/loss/stretch_table.h"

#include <QSignalSpy>
#include <QTreeWidget>

#include <gtest/gtest.h>

#include "tests/panels/loss/example_run.h"

namespace headroom {
namespace {

TEST(StretchTable, OfTokensTellsTheSlopePerMillion) {
    LossSettings settings;
    settings.x = LossX::kTokens;
    settings.val = false;
    const std::vector<RunPointer> runs{
        ExampleRun{.tokens_per_step = 1'000'000, .losses = {4, 3, 2}}.make()};
    StretchTable table;
    QSignalSpy shown(&table, &StretchTable::shown);
    table.show_stretch(build_loss(runs, settings), runs, settings, {0, 4e6});
    ASSERT_TRUE(shown.wait());
    const auto& tree = *table.findChild<QTreeWidget*>("stretchTable");
    QStringList heads, cells;
    for (int c = 0; c < tree.columnCount(); ++c) {
        heads << tree.headerItem()->text(c);
        cells << tree.topLevelItem(0)->text(c);
    }
    EXPECT_EQ(heads.join("|"), "run|points|mean|least|at|greatest|at|slope per million tokens");
    EXPECT_EQ(cells.join("|"), "base-s1|3|3.0000|2.0000|3.00 M|4.0000|1.00 M|−1.000");
}

}  // namespace
}  // namespace headroom
