#include <QCheckBox>
#include <QComboBox>
#include <QListWidget>
#include <QMenu>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>

#include "app/window/services/figure_commands.h"
#include "app/window/services/study_session.h"
#include "core/base/file.h"
#include "core/study/import_log.h"
#include "panels/architecture/architecture_panel.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/compare/compare_panel.h"
#include "panels/figures/page_preview.h"
#include "panels/inspector/inspector_panel.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/temporary_folder.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Two runs of another tool, of which nothing is known but their losses.
class ImportedStudyTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = folder("theirs");
        ForeignLog log{"CSV", {}};
        for (const int step : {10, 20, 30}) log.add("loss", {step, 1.7e9 + step, 4.0 - 0.1 * step});
        for (const char* id : {"first", "second"})
            import_log(log, {.name = id, .tokens_per_step = 512}, study_ / "runs" / id);
        write_plainly(study_ / "study.json", R"({"schema": "headroom-study/1", "name": "theirs"})");
        open(study_, 2);
        QObject::connect(window_->findChild<FigureCommands*>(), &FigureCommands::said,
                         [this](const QString& word) { said_.push_back(word.toStdString()); });
    }
    const std::vector<StudyFigure>& figures() const {
        return window_->session().look().study->figures;
    }
    void send_losses() {
        go_to("losses");
        ASSERT_TRUE(wait_for([&] { return !losses().figure().is_empty(); }));
        add_figure();
    }
    void add_figure() {
        for (QToolButton* button : window_->findChildren<QToolButton*>("pageFigure"))
            if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    }
    void make(const char* recipe) {
        go_to("figures");
        for (QAction* action : window_->findChild<QToolButton*>("newFigure")->menu()->actions())
            if (action->data().toString() == recipe) action->trigger();
    }

    std::filesystem::path study_;
    std::vector<std::string> said_;
};

TEST_F(ImportedStudyTest, AFigureOfThemIsAddedAndDrawn) {
    send_losses();
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; })) << error_text();
    EXPECT_THAT(figures()[0].runs, ElementsAre("first", "second"));
    EXPECT_THAT(said_, ElementsAre("Added to the study's figures: loss"));
    go_to("figures");
    auto& page = part<PagePreview>();
    EXPECT_TRUE(wait_for([&] { return !page.page_size().isEmpty(); }))
        << page.message().toStdString();
    EXPECT_EQ(window_->session().look().study->problem, "");
}

// It added figures that could never be drawn.
TEST_F(ImportedStudyTest, NoFigureOfTheirModelsIsAdded) {
    for (const char* page : {"inspector", "similarity", "profiles"}) {
        go_to(page);
        if (page == std::string("inspector")) {
            ASSERT_TRUE(wait_for([&] { return !part<InspectorPanel>().view().panes.empty(); }));
        }
        said_.clear();
        add_figure();
        ASSERT_TRUE(wait_for([&] { return !said_.empty(); })) << page;
        EXPECT_THAT(said_, ElementsAre(HasSubstr("nothing is known of their models"))) << page;
    }
    EXPECT_TRUE(figures().empty());
}

TEST_F(ImportedStudyTest, WhatCannotBeWrittenIsNotSaidToBeAdded) {
    write_plainly(study_ / "study.json", "{");
    send_losses();
    EXPECT_TRUE(wait_for([&] { return error_text().find("study.json") != std::string::npos; }));
    EXPECT_FALSE(wait_for([&] { return !said_.empty(); }, 1));
    EXPECT_FALSE(window_->action("undo")->isEnabled());
}

TEST_F(ImportedStudyTest, SomeOfThemAreChosenForAFigure) {
    make("loss");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; })) << error_text();
    window_->findChild<QCheckBox*>("figureAllRuns")->setChecked(false);
    auto* runs = window_->findChild<QListWidget*>("figureRuns");
    ASSERT_TRUE(wait_for([&] { return !figures()[0].all_runs && runs->count() == 2; }))
        << error_text();
    runs->item(0)->setCheckState(Qt::Unchecked);
    EXPECT_TRUE(wait_for([&] { return figures()[0].runs.size() == 1; })) << error_text();
    EXPECT_THAT(figures()[0].runs, ElementsAre("second"));
}

TEST_F(ImportedStudyTest, AFigureThatNeedsAConfigurationSaysThatNoneIsKnown) {
    make("memory");
    auto& page = part<PagePreview>();
    EXPECT_TRUE(wait_for([&] { return page.message().contains("imported"); }))
        << page.message().toStdString();
    EXPECT_TRUE(page.message().contains("no configuration"));
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; })) << error_text();
    window_->findChild<QCheckBox*>("figureAllRuns")->setChecked(false);
    ASSERT_TRUE(wait_for([&] { return !figures()[0].all_runs; })) << error_text();
    EXPECT_FALSE(wait_for([&] { return !page.message().contains("no configuration"); }, 2))
        << page.message().toStdString();
}

TEST_F(ImportedStudyTest, TheInspectorSaysThatTheyHaveNoCheckpoints) {
    go_to("inspector");
    auto& panel = part<InspectorPanel>();
    const auto note = [&] { return panel.view().panes.empty() ? "" : panel.view().panes[0].note; };
    EXPECT_TRUE(wait_for([&] { return note().find("imported") != std::string::npos; })) << note();
    EXPECT_THAT(note(), Not(HasSubstr("ended before")));
}

TEST_F(ImportedStudyTest, ComparingThemSaysWhyThereIsNothing) {
    go_to("compare");
    auto* with = window_->findChild<QComboBox*>("compareWith");
    EXPECT_EQ(with->currentText(), "") << "their reference is no choice";
    EXPECT_THAT(part<ComparePanel>().model_canvas()->empty_text().toStdString(),
                HasSubstr("first was imported"));
}

TEST_F(ImportedStudyTest, TheirDiagramSaysWhyThereIsNone) {
    go_to("architecture");
    const auto text = [&] {
        return part<ArchitecturePanel>().canvas()->empty_text().toStdString();
    };
    select({"second"});
    EXPECT_EQ(text(), "second was imported: nothing is known of its model.");
    select({"first"});
    EXPECT_EQ(text(), "first was imported: nothing is known of its model.");
}

}  // namespace
}  // namespace headroom
