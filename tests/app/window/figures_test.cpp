#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QTest>
#include <QToolButton>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/window/services/study_session.h"
#include "core/base/file.h"
#include "core/base/json_text.h"
#include "core/study/study.h"
#include "panels/figures/figure_controls.h"
#include "panels/figures/page_preview.h"
#include "panels/loss/loss_widget.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A study whose two runs have finished.
class FiguresTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = write_study("drawn", {{"baseline", "gpt2"}, {"skipv1", "skipv1"}});
        json document = load_json(study_ / "study.json");
        document["job"]["train"] = {{"steps", 6}, {"batch_size", 2}, {"seq_len", 16}};
        std::ofstream(study_ / "study.json") << document;
        open(study_, 2);
        window_->action("startQueue")->trigger();
        ASSERT_TRUE(wait_for_state("baseline", "finished"));
        ASSERT_TRUE(wait_for_state("skipv1", "finished"));
        // It draws the study's figures at its end, those that a test adds meanwhile among them.
        ASSERT_TRUE(wait_for_queue_end(study_));
        go_to("figures");
    }
    const std::vector<StudyFigure>& figures() const {
        return window_->session().look().study->figures;
    }
    QListWidget& gallery() const { return *window_->findChild<QListWidget*>("figureGallery"); }
    PagePreview& page() const { return part<PagePreview>(); }
    void press(const char* button) {
        QTest::mouseClick(window_->findChild<QToolButton*>(button), Qt::LeftButton);
    }
    /// From the menu of “New figure”.
    void make(const std::string& recipe) {
        for (QAction* action : window_->findChild<QToolButton*>("newFigure")->menu()->actions())
            if (action->data().toString().toStdString() == recipe) return action->trigger();
        FAIL() << recipe;
    }
    bool wait_for_page() {
        return wait_for([&] { return !page().page_size().isEmpty(); });
    }
    std::filesystem::path study_;
};

TEST_F(FiguresTest, ANewFigureIsARecipeOfTheStudyAndIsDrawn) {
    make("loss");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; })) << error_text();
    EXPECT_EQ(figures()[0].recipe, "loss");
    EXPECT_TRUE(figures()[0].all_runs);
    ASSERT_TRUE(wait_for_page()) << page().message().toStdString();
    EXPECT_EQ(gallery().count(), 1);
    EXPECT_FALSE(std::filesystem::exists(study_ / "figures/loss.pdf")) << "the queue's own work";
}

TEST_F(FiguresTest, TheWidthOfAColumnIsTheWidthOfThePage) {
    make("loss");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; }));
    auto* width = part<FigureControls>().findChildren<QDoubleSpinBox*>()[0];
    width->setValue(3.25);
    ASSERT_TRUE(wait_for([&] { return figures()[0].options.contains("width"); }));
    EXPECT_EQ(window_->findChild<QComboBox*>("figureVenue")->currentText(),
              "ICML column · 3.25 in");
    page().set_zoom(1);
    const int inches = static_cast<int>(3.25 * page().logicalDpiX());
    EXPECT_TRUE(wait_for([&] { return std::abs(page().page_size().width() - inches) <= 1; }))
        << page().page_size().width();
}

TEST_F(FiguresTest, AnOptionThatTheRecipeRefusesIsExplainedOnThePage) {
    make("loss");
    ASSERT_TRUE(wait_for_page());
    auto* metric = window_->findChild<QLineEdit*>("figureOption:metric");
    ASSERT_NE(metric, nullptr);
    metric->setText("train/grad_nrm");
    emit metric->editingFinished();
    EXPECT_TRUE(wait_for([&] { return page().message().contains("train/grad_norm"); }))
        << page().message().toStdString();
    metric->setText("train/grad_norm");
    emit metric->editingFinished();
    EXPECT_TRUE(wait_for_page()) << page().message().toStdString();
}

TEST_F(FiguresTest, AWordInPlaceOfANumberChangesNothingAndIsMarked) {
    make("loss");
    ASSERT_TRUE(wait_for_page());
    auto* smooth = window_->findChild<QLineEdit*>("figureOption:smooth");
    const auto type = [&](const char* text) {
        smooth->setText(text);
        emit smooth->editingFinished();
    };
    type("abc");
    EXPECT_TRUE(smooth->property("wrong").toBool());
    EXPECT_EQ(smooth->text(), "abc");
    EXPECT_FALSE(page().page_size().isEmpty()) << "the picture stays";
    type("0.9");
    EXPECT_FALSE(smooth->property("wrong").toBool());
    ASSERT_TRUE(wait_for([&] {
        return read_text(study_ / "study.json").find("\"smooth\": 0.9") != std::string::npos;
    }));
    EXPECT_EQ(read_text(study_ / "study.json").find("abc"), std::string::npos);
}

TEST_F(FiguresTest, NewFiguresThatNeedAnOptionHaveIt) {
    select({"skipv1"});
    for (const char* recipe : {"results", "wiring"}) {
        const size_t before = figures().size();
        make(recipe);
        ASSERT_TRUE(wait_for([&] { return figures().size() == before + 1; })) << error_text();
        ASSERT_TRUE(wait_for([&] { return gallery().currentItem()->text() == recipe; }));
        EXPECT_TRUE(wait_for_page()) << page().message().toStdString();
    }
    EXPECT_EQ(figures()[0].options.at("x"), "train.lr");
    EXPECT_THAT(figures()[1].runs, ElementsAre("skipv1"));
    make("profile");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 3; }));
    EXPECT_TRUE(wait_for([&] { return page().message().contains("probe"); }))
        << page().message().toStdString();
    EXPECT_FALSE(page().message().contains("--what")) << page().message().toStdString();
}

TEST_F(FiguresTest, AnOptionOfAFewWordsIsAListOfThem) {
    make("memory");
    ASSERT_TRUE(wait_for_page());
    auto* plot = window_->findChild<QComboBox*>("figureOption:plot");
    ASSERT_NE(plot, nullptr);
    EXPECT_EQ(plot->currentText(), "cache") << "the default";
    const auto choose = [&](const QString& word) {
        plot->setCurrentText(word);
        emit plot->activated(plot->currentIndex());
    };
    choose("treemap");
    ASSERT_TRUE(wait_for([&] { return figures()[0].options.count("plot") == 1; }));
    EXPECT_EQ(figures()[0].options.at("plot"), "treemap");
    choose("cache");
    ASSERT_TRUE(wait_for([&] { return figures()[0].options.count("plot") == 0; }));
    EXPECT_EQ(plot->currentText(), "cache");
}

TEST_F(FiguresTest, TheRunOfAnOptionIsChosenFromThoseThatThereAre) {
    make("loss");
    ASSERT_TRUE(wait_for_page());
    auto* relative = window_->findChild<QComboBox*>("figureOption:relative-to");
    ASSERT_NE(relative, nullptr);
    EXPECT_EQ(relative->currentText(), "none");
    const int at = relative->findData("skipv1");
    ASSERT_GT(at, 0);
    relative->setCurrentIndex(at);
    emit relative->activated(at);
    ASSERT_TRUE(wait_for([&] { return figures()[0].options.count("relative-to") == 1; }));
    EXPECT_EQ(figures()[0].options.at("relative-to"), "skipv1");
    EXPECT_TRUE(wait_for_page()) << page().message().toStdString();
    EXPECT_EQ(relative->currentText().toStdString(), relative->itemText(at).toStdString());
}

TEST_F(FiguresTest, RemovingAndRenamingCanBeTakenBack) {
    make("loss");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; }));
    auto* name = window_->findChild<QLineEdit*>("figureName");
    name->setText("curves");
    emit name->editingFinished();
    ASSERT_TRUE(wait_for([&] { return figures()[0].name == "curves"; }));
    press("removeFigure");
    ASSERT_TRUE(wait_for([&] { return figures().empty(); }));
    window_->action("undo")->trigger();
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; }));
    EXPECT_EQ(figures()[0].name, "curves");
    window_->action("undo")->trigger();
    EXPECT_TRUE(wait_for([&] { return figures()[0].name == "loss"; }));

    make("memory");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 2; }));
    gallery().setCurrentRow(0);
    press("removeFigure");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; }));
    window_->action("undo")->trigger();
    ASSERT_TRUE(wait_for([&] { return figures().size() == 2; }));
    EXPECT_EQ(figures()[0].name, "loss") << "where it stood";
}

TEST_F(FiguresTest, ANewFigureIsChosenAndARemovedOneLeavesItsNeighbour) {
    for (const char* recipe : {"loss", "memory", "architecture"}) {
        const size_t before = figures().size();
        make(recipe);
        ASSERT_TRUE(wait_for([&] { return figures().size() == before + 1; }));
        EXPECT_TRUE(wait_for([&] { return gallery().currentItem()->text() == recipe; }));
    }
    gallery().setCurrentRow(1);
    press("removeFigure");
    ASSERT_TRUE(wait_for([&] { return gallery().count() == 2; }));
    EXPECT_EQ(gallery().currentItem()->text(), "architecture");
    press("removeFigure");
    ASSERT_TRUE(wait_for([&] { return gallery().count() == 1; }));
    EXPECT_EQ(gallery().currentItem()->text(), "loss");
    go_to("architecture");
    for (QToolButton* button : window_->findChildren<QToolButton*>("pageFigure"))
        if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return figures().size() == 2; }));
    go_to("figures");
    EXPECT_TRUE(wait_for([&] { return gallery().currentItem()->text() == "architecture"; }));
}

TEST_F(FiguresTest, ANameThatIsTakenOrNoFilesIsRefusedAndTheOldOneStays) {
    make("loss");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; }));
    make("memory");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 2; }));
    ASSERT_TRUE(wait_for([&] { return gallery().currentItem()->text() == "memory"; }));
    auto* name = window_->findChild<QLineEdit*>("figureName");
    for (const char* bad : {"loss", "no/file"}) {
        name->setText(bad);
        emit name->editingFinished();
        EXPECT_EQ(name->text(), bad);
        EXPECT_TRUE(name->property("wrong").toBool());
        EXPECT_EQ(figures()[1].name, "memory");
    }
    name->setText("bytes");
    emit name->editingFinished();
    EXPECT_TRUE(wait_for([&] { return figures()[1].name == "bytes"; }));
    EXPECT_EQ(figures()[0].name, "loss");
    EXPECT_FALSE(name->property("wrong").toBool());
}

TEST_F(FiguresTest, AFigureChangesItsPlaceAndGoesBack) {
    make("loss");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; }));
    make("memory");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 2; }));
    ASSERT_TRUE(wait_for([&] { return gallery().currentItem()->text() == "memory"; }));
    press("figureLater");  // the last stays the last
    press("figureEarlier");
    ASSERT_TRUE(wait_for([&] { return figures()[0].name == "memory"; }));
    ASSERT_TRUE(wait_for([&] { return gallery().item(0)->text() == "memory"; }));
    EXPECT_EQ(gallery().currentRow(), 0) << "it stays chosen";
    window_->action("undo")->trigger();
    ASSERT_TRUE(wait_for([&] { return figures()[0].name == "loss"; }));
    window_->action("redo")->trigger();
    EXPECT_TRUE(wait_for([&] { return figures()[0].name == "memory"; }));
}

TEST_F(FiguresTest, SeveralFiguresStandOnOnePage) {
    make("panels");
    EXPECT_TRUE(figures().empty()) << "there is nothing to stand on it";
    for (const char* recipe : {"loss", "memory", "architecture"}) {
        const size_t before = figures().size();
        make(recipe);
        ASSERT_TRUE(wait_for([&] { return figures().size() == before + 1; }));
    }
    ASSERT_TRUE(wait_for([&] { return gallery().currentItem()->text() == "architecture"; }));
    make("panels");
    ASSERT_TRUE(wait_for([&] { return figures().size() == 4; })) << error_text();
    EXPECT_THAT(figures()[3].panels, ElementsAre("architecture", "loss"));
    ASSERT_TRUE(wait_for_page()) << page().message().toStdString();
    auto* panels = window_->findChild<QListWidget*>("figureRuns");
    ASSERT_TRUE(wait_for([&] { return panels->count() == 3; }));
    panels->item(0)->setCheckState(Qt::Unchecked);
    panels->item(2)->setCheckState(Qt::Checked);
    ASSERT_TRUE(wait_for(
        [&] { return figures()[3].panels.size() == 2 && figures()[3].panels[1] == "memory"; }));
    EXPECT_EQ(figures()[3].panels[0], "loss");
    gallery().setCurrentRow(0);
    press("removeFigure");
    EXPECT_FALSE(wait_for([&] { return figures().size() < 4; }, 1)) << "a panel of the page";
}

TEST_F(FiguresTest, OtherViewsSendWhatTheyShow) {
    go_to("losses");
    ASSERT_TRUE(wait_for([&] { return !losses().figure().is_empty(); }));
    LossSettings settings = losses().settings();
    settings.log_y = true;
    losses().set_settings(settings);
    window_->session().hide({"skipv1"});
    for (QToolButton* button : window_->findChildren<QToolButton*>("pageFigure"))
        if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return figures().size() == 1; })) << error_text();
    EXPECT_THAT(figures()[0].runs, ElementsAre("baseline"));
    EXPECT_EQ(figures()[0].options.at("logy"), "true");
    for (const char* view : {"architecture", "memory", "wiring"}) {
        const size_t before = figures().size();
        go_to(view);
        for (QToolButton* button : window_->findChildren<QToolButton*>("pageFigure"))
            if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
        ASSERT_TRUE(wait_for([&] { return figures().size() == before + 1; })) << view;
    }
    go_to("figures");
    EXPECT_EQ(gallery().currentItem()->text(), "wiring") << "the newest";
    for (int i = 0; i < gallery().count(); ++i) {
        gallery().setCurrentRow(i);
        EXPECT_TRUE(wait_for_page()) << i << page().message().toStdString();
    }
}

}  // namespace
}  // namespace headroom
