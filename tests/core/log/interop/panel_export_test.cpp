#include "core/log/interop/panel_export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/log/interop/read_foreign_log.h"
#include "core/log/interop/text_logs.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::UnorderedElementsAre;

/// As the tool writes a panel of `runs`, whose losses are `first` and less by the step.
std::string panel(const std::vector<std::pair<std::string, double>>& runs) {
    std::string table = "\"Step\"";
    for (const auto& [run, first] : runs)
        for (const char* column : {"", "__MIN", "__MAX"})
            table += ",\"" + run + " - val/loss" + column + "\"";
    for (const int step : {0, 20}) {
        table += "\n\"" + std::to_string(step) + "\"";
        for (const auto& [run, first] : runs)
            for (const double aside : {0.0, -1.0, 1.0})
                table += ",\"" + std::to_string(first - step / 40.0 + aside) + "\"";
    }
    return table + "\n";
}

std::vector<double> losses_of(const ForeignLog& log) {
    std::vector<double> values;
    for (const ForeignPoint& point : log.scalars.at("val/loss")) values.push_back(point.value);
    return values;
}

std::string refusal(const std::string& text, const std::string& run) {
    try {
        read_csv_log(text, "", run);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

// The import took the first run's loss, and the curves of all others as scalars of that run.
TEST(PanelExport, OneRunIsReadAndNoOther) {
    const std::string both = panel({{"royal - sun", 4.5}, {"dark-moon", 3.5}});
    EXPECT_THAT(runs_of_csv(both), ElementsAre("royal - sun", "dark-moon"));
    const ForeignLog second = read_csv_log(both, "", "dark-moon");
    EXPECT_THAT(second.scalars, UnorderedElementsAre(Key("val/loss")));
    EXPECT_THAT(losses_of(second), ElementsAre(3.5, 3.0));
    EXPECT_EQ(second.scalars.at("val/loss")[1].step, 20);
    EXPECT_EQ(second.name, "dark-moon");
    EXPECT_EQ(second.tool, "Weights & Biases");
    EXPECT_THAT(losses_of(read_csv_log(both, "", "royal - sun")), ElementsAre(4.5, 4.0));
    EXPECT_THAT(second.notes, IsEmpty());
    const ForeignLog only = read_csv_log(panel({{"royal - sun", 4.5}}));
    EXPECT_THAT(losses_of(only), ElementsAre(4.5, 4.0)) << "the only one need not be named";
    EXPECT_EQ(only.name, "royal - sun");
}

TEST(PanelExport, WhichRunIsMeantHasToBeSaid) {
    const std::string both = panel({{"sun", 4}, {"moon", 3}});
    EXPECT_THAT(refusal(both, ""),
                AllOf(HasSubstr("holds several runs: sun, moon"), HasSubstr("--source-run")));
    EXPECT_THAT(refusal(both, "mon"), AllOf(HasSubstr("has no run mon"), HasSubstr("moon")));
    EXPECT_THAT(refusal(panel({{"sun", 4}, {"sun", 3}}), "sun"), HasSubstr("two runs sun"));
    EXPECT_THAT(refusal("step,loss\n1,2\n", "sun"), HasSubstr("leave --source-run out"));
}

TEST(PanelExport, OtherTablesStayAsTheyAre) {
    const std::vector<std::string> heads{"Step", "a - loss", "b - loss", "loss__MIN"};
    EXPECT_THAT(runs_of_panel(heads), IsEmpty());
    EXPECT_EQ(heads_of_run(heads, ""), heads);
}

TEST(PanelExport, ASourceTellsItsRunsWhereTheyAreSeveral) {
    const TemporaryFolder folder;
    write_plainly(folder / "both.csv", panel({{"sun", 4}, {"moon", 3}}));
    write_plainly(folder / "one.csv", panel({{"sun", 4}}));
    write_plainly(folder / "lines.jsonl", "{\"step\": 1, \"loss\": 2}\n");
    EXPECT_THAT(runs_in_log(folder / "both.csv"), ElementsAre("sun", "moon"));
    for (const char* name : {"one.csv", "lines.jsonl", "", "none.csv"})
        EXPECT_THAT(runs_in_log(folder / name), IsEmpty()) << name;
    EXPECT_EQ(read_foreign_log(folder / "both.csv", {.run = "moon"}).name, "moon");
    EXPECT_THROW(read_foreign_log(folder / "lines.jsonl", {.run = "moon"}), UserError);
    EXPECT_THROW(read_foreign_log(folder / "", {.run = "moon"}), UserError);
}

// Commands that named a column as it stands there worked before tables of panels were known.
TEST(PanelExport, AColumnIsFoundByItsWholeName) {
    const std::string table =
        "Step,a - train/loss,a - train/loss__MIN,a - train/loss__MAX,b - train/loss,"
        "b - train/loss__MIN,b - train/loss__MAX\n1,3,3,3,4,4,4\n2,2,2,2,3,3,3\n";
    const ForeignLog log = read_csv_log(table, "", "", {"b - train/loss"});
    EXPECT_EQ(log.scalars.at("b - train/loss").back().value, 3);
    EXPECT_EQ(log.scalars.at("a - train/loss").back().value, 2);
    EXPECT_EQ(read_csv_log(table, "", "a", {"b - train/loss"}).scalars.size(), 1u);
    EXPECT_THROW(read_csv_log(table, "", "", {"train/loss"}), UserError) << "of which run?";
}

}  // namespace
}  // namespace headroom
