#include <QApplication>
#include <QMenu>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "app/window/services/figure_commands.h"
#include "app/window/services/study_session.h"
#include "app/window/shell/job_strip.h"
#include "core/base/file.h"
#include "core/study/study_labels.h"
#include "panels/figure/figure_chart.h"
#include "panels/memory/memory_panel.h"
#include "panels/run_list/run_list.h"
#include "panels/run_table/run_table_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Two studies, each with a baseline, and the runs of the second shown beside those of the first.
class AddedStudyTest : public WindowTest {
  protected:
    void SetUp() override {
        first_ = write_study("first", {{"baseline", "gpt2"}, {"skipv1", "skipv1"}});
        second_ = write_study("second", {{"baseline", "gpt2"}, {"mla", "mla"}});
        open(first_, 2);
        window_->add_study(QString::fromStdString(second_.string()));
        EXPECT_TRUE(wait_for([&] { return look().runs().size() == 4; })) << error_text();
    }
    const StudyLook& look() const { return window_->session().look(); }
    std::vector<std::string> listed() {
        std::vector<std::string> names;
        for (QTreeWidgetItemIterator it(part<RunList>().tree()); *it; ++it)
            names.push_back((*it)->text(0).toStdString());
        return names;
    }

    std::filesystem::path first_, second_;
};

TEST_F(AddedStudyTest, ItsRunsAreShownWithTheStudysNameInColoursOfTheirOwn) {
    EXPECT_THAT(listed(), ElementsAre("baseline", "skipv1", "baseline · second", "mla · second"));
    std::set<int> colors;
    for (const RunPointer& run : look().runs()) colors.insert(run->color);
    EXPECT_THAT(colors, SizeIs(4));
    go_to("memory");
    EXPECT_TRUE(wait_for([&] { return part<MemoryPanel>().chart()->figure().x.names.size() == 3; }))
        << "the baselines are one model";
    EXPECT_THAT(window_->session().table().rows, SizeIs(2)) << "the queue is of one study";
}

TEST_F(AddedStudyTest, ItsRunsAreNotChangedFromHere) {
    const std::string plan = read_text(second_ / "study.json");
    emit part<RunList>().removal_asked({"second/mla"});
    emit part<RunList>().label_asked({"second/mla"}, {.name = "other"});
    emit part<RunList>().hidden_asked({"second/mla"});
    EXPECT_FALSE(look().is_shown("second/mla"));
    EXPECT_FALSE(wait_for([&] { return look().runs().size() != 4; }, 2));
    EXPECT_EQ(read_text(second_ / "study.json"), plan);
    EXPECT_EQ(look().run("second/mla")->group, "mla · second");
}

TEST_F(AddedStudyTest, ItStaysWithTheStudyUntilItIsTakenAway) {
    restart_window();
    window_->open_study(QString::fromStdString(first_.string()));
    ASSERT_TRUE(wait_for([&] { return look().runs().size() == 4; }));
    QMenu* menu = nullptr;
    for (QMenu* each : window_->findChildren<QMenu*>())
        if (each->title().contains("added runs")) menu = each;
    ASSERT_NE(menu, nullptr);
    emit menu->aboutToShow();
    ASSERT_THAT(menu->actions(), SizeIs(1));
    menu->actions().front()->trigger();
    EXPECT_TRUE(wait_for([&] { return look().runs().size() == 2; }));
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_TRUE(wait_for([&] { return look().runs().size() == 4; }));
}

TEST_F(AddedStudyTest, OneThatIsAwayForNowIsNotForgotten) {
    window_.reset();
    const std::filesystem::path away = second_.parent_path() / "away";
    std::filesystem::rename(second_, away);
    restart_window();
    window_->open_study(QString::fromStdString(first_.string()));
    ASSERT_TRUE(wait_for([&] { return look().runs().size() == 2; }));
    select({"skipv1"});
    window_.reset();
    std::filesystem::rename(away, second_);
    restart_window();
    window_->open_study(QString::fromStdString(first_.string()));
    EXPECT_TRUE(wait_for([&] { return look().runs().size() == 4; }));
}

TEST_F(AddedStudyTest, AFigureSaysWhichRunsItLeavesOut) {
    std::vector<std::string> said;
    auto* commands = window_->findChild<FigureCommands*>();
    QObject::connect(commands, &FigureCommands::said,
                     [&](const QString& word) { said.push_back(word.toStdString()); });
    commands->add({"bytes", "memory", {"skipv1", "second/mla"}, {}}, [](const StudyFigure&) {});
    ASSERT_TRUE(wait_for([&] { return look().study->figures.size() == 1; })) << error_text();
    EXPECT_THAT(look().study->figures[0].runs, ElementsAre("skipv1"));
    EXPECT_THAT(said, ElementsAre("Added to the study's figures: bytes; left out, as runs of "
                                  "another study: mla · second"));
}

TEST_F(AddedStudyTest, AFigureAgainstARunOfAnotherStudyIsRefused) {
    std::string said;
    auto* commands = window_->findChild<FigureCommands*>();
    QObject::connect(commands, &FigureCommands::said,
                     [&](const QString& word) { said = word.toStdString(); });
    const auto fail = [](const StudyFigure& figure) { ADD_FAILURE() << figure.name; };
    commands->add({"loss", "loss", {"skipv1"}, {{"relative-to", "second/mla"}}}, fail);
    EXPECT_THAT(said, HasSubstr("it is drawn against mla · second"));
    commands->add({"loss", "loss", {"second/mla"}, {}}, fail);
    EXPECT_THAT(said, HasSubstr("none of these is one"));
    EXPECT_FALSE(wait_for([&] { return !look().study->figures.empty(); }, 1));
}

TEST_F(AddedStudyTest, AFolderThatIsNoneGetsOneLine) {
    window_->add_study(QString::fromStdString((first_.parent_path() / "nowhere").string()));
    EXPECT_THAT(error_text(), HasSubstr("no such folder"));
    const auto empty = first_.parent_path() / "empty";
    std::filesystem::create_directories(empty);
    for (int i = 0; i < 2; ++i) {  // the second time it was said to be shown
        window_->add_study(QString::fromStdString(empty.string()));
        EXPECT_THAT(error_text(), HasSubstr("is empty: there are no runs to add"));
    }
    window_->add_study(QString::fromStdString(second_.string()));
    EXPECT_THAT(error_text(), HasSubstr("shown already"));
    EXPECT_THAT(window_->session().added_studies(), ElementsAre(second_));
}

}  // namespace
}  // namespace headroom
