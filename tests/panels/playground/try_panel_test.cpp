#include "panels/playground/try_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom {
namespace {

using testing::HasSubstr;

class TryPanelTest : public testing::Test {
  protected:
    TryPanelTest() {
        panel_.resize(900, 700);
        panel_.show();
        panel_.set_checkpoints(
            {{"a", "A", 500, "a/500", 0}, {"a", "A", 250, "a/250", 0}, {"b", "B", 9, "b/9", 1}});
        panel_.select_runs({"a", "b"});
    }
    void press(QAbstractButton* button) { QTest::mouseClick(button, Qt::LeftButton); }
    /// Everything that a worker says in the end, for one answer.
    void speak(size_t index, const std::vector<std::string>& words) {
        panel_.set_loading(index);
        panel_.take(index, GenerationStart{4, 10, 1400, 100, "float32"});
        panel_.take(index, PromptRead{0.5});
        int32_t id = 0;
        for (const std::string& word : words)
            panel_.take(index, GeneratedToken{{++id, word, 0.5}, word, {}, 0.1 * id});
    }
    void end(size_t index) {
        panel_.take(index, GenerationEnd{"length", "", 0, 10});
        panel_.take_worker_end(index, {}, false);
    }
    std::string text(size_t index) const {
        return panel_.box(index)->text()->toPlainText().toStdString();
    }

    TryPanel panel_;
};

TEST_F(TryPanelTest, SelectedRunsStandBesideEachOther) {
    ASSERT_EQ(panel_.answer_count(), 2u);
    EXPECT_EQ(panel_.box(0)->checkpoint(), "a/500");
    EXPECT_EQ(panel_.box(1)->checkpoint(), "b/9");
    panel_.select_runs({"b"});
    ASSERT_EQ(panel_.answer_count(), 1u);
    EXPECT_EQ(panel_.box(0)->checkpoint(), "b/9");
}

TEST_F(TryPanelTest, ASelectionWithoutRoomForAllSaysSo) {
    const auto* rest = panel_.findChild<QLabel*>("restLine");
    EXPECT_FALSE(rest->isVisible());
    std::vector<TryCheckpoint> checkpoints;
    for (const char* id : {"a", "b", "c", "d", "e", "f"}) checkpoints.push_back({id, id, 1, id, 0});
    panel_.set_checkpoints(checkpoints);
    panel_.select_runs({"a", "b", "c", "d", "e", "f", "without"});
    EXPECT_EQ(panel_.answer_count(), 4u);
    EXPECT_TRUE(rest->isVisible());
    EXPECT_THAT(rest->text().toStdString(), HasSubstr("4 of 6 runs are shown"));
    panel_.select_runs({"a", "f"});
    EXPECT_FALSE(rest->isVisible());
}

TEST_F(TryPanelTest, WithoutCheckpointsItSaysWhy) {
    TryPanel panel;
    panel.show();
    EXPECT_FALSE(panel.button()->isEnabled());
    std::string shown;
    for (const QLabel* label : panel.findChildren<QLabel*>())
        if (label->isVisible()) shown += label->text().toStdString();
    EXPECT_THAT(shown, HasSubstr("No run has a checkpoint yet"));
}

TEST_F(TryPanelTest, EachModelTypesBehindThePrompt) {
    const QSignalSpy asked(&panel_, &TryPanel::generate_asked);
    panel_.prompt()->setPlainText("Say ");
    press(panel_.button());
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(panel_.button()->text(), "Stop");
    speak(0, {"one", " two"});
    speak(1, {"one", " more"});
    EXPECT_TRUE(QTest::qWaitFor([&] { return text(1) == "Say one more"; }));
    EXPECT_EQ(text(0), "Say one two");
    EXPECT_THAT(panel_.box(0)->progress()->text().toStdString(), HasSubstr("2 of 10 tokens"));
    EXPECT_THAT(panel_.box(0)->cache()->text().toStdString(), HasSubstr("100 B per token"));
    end(0), end(1);
    EXPECT_EQ(panel_.button()->text(), "Generate");
    EXPECT_FALSE(panel_.is_busy());
}

TEST_F(TryPanelTest, StopAsksForTheWorkersEnd) {
    const QSignalSpy stopped(&panel_, &TryPanel::stop_asked);
    press(panel_.button());
    speak(0, {"one"});
    press(panel_.button());
    EXPECT_EQ(stopped.count(), 1);
    panel_.take_worker_end(0, {true, 9, ""}, true);
    panel_.take_worker_end(1, {true, 9, ""}, true);
    EXPECT_FALSE(panel_.is_busy());
    EXPECT_THAT(text(0), HasSubstr("one"));
    EXPECT_THAT(panel_.box(0)->progress()->text().toStdString(), HasSubstr("stopped"));
}

TEST_F(TryPanelTest, ASelectionWaitsUntilTheModelsAreDone) {
    press(panel_.button());
    speak(0, {"one"});
    panel_.select_runs({"b"});
    EXPECT_EQ(panel_.answer_count(), 2u);
    for (size_t i : {0u, 1u}) panel_.take_worker_end(i, {}, true);
    EXPECT_EQ(panel_.answer_count(), 2u) << "what was said stays to be read";
    press(panel_.button());
    EXPECT_EQ(panel_.answer_count(), 1u);
}

TEST_F(TryPanelTest, AWordUnderTheCursorIsReadOut) {
    panel_.prompt()->setPlainText("Say ");
    press(panel_.button());
    speak(0, {"one", " two"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return text(0) == "Say one two"; }));
    AnswerBox* box = panel_.box(0);
    QTextCursor cursor = box->text()->textCursor();
    cursor.setPosition(8);
    box->text()->setTextCursor(cursor);
    EXPECT_THAT(box->token()->text().toStdString(), HasSubstr("token 2 “ two” 50 %"));
    cursor.setPosition(1);
    box->text()->setTextCursor(cursor);
    EXPECT_THAT(box->token()->text().toStdString(), HasSubstr("Point at a token"));
}

TEST_F(TryPanelTest, ModelsAreAddedUpToFourAndTakenAway) {
    auto* add = panel_.findChild<QToolButton*>("addAnswer");
    press(add), press(add), press(add);
    EXPECT_EQ(panel_.answer_count(), 4u);
    EXPECT_FALSE(add->isEnabled());
    press(panel_.box(0)->remove_button());
    ASSERT_EQ(panel_.answer_count(), 3u);
    EXPECT_EQ(panel_.box(0)->checkpoint(), "b/9");
}

TEST_F(TryPanelTest, AChosenCheckpointThatIsRemovedGivesWayToItsRunsNewest) {
    panel_.box(0)->choose(1);
    EXPECT_EQ(panel_.box(0)->checkpoint(), "a/250");
    panel_.set_checkpoints({{"b", "B", 9, "b/9", 1}, {"a", "A", 750, "a/750", 0}});
    EXPECT_EQ(panel_.box(0)->checkpoint(), "a/750");
    EXPECT_EQ(panel_.box(1)->checkpoint(), "b/9");
}

TEST_F(TryPanelTest, SettingsComeBackAsTheyWereSet) {
    TrySettings settings;
    settings.prompt = "Once\nupon";
    settings.sampling = {.temperature = 1.25, .top_k = 40, .top_p = 0.95, .seed = 77};
    settings.max_new = 1000;
    settings.in_turns = true;
    settings.shade = false;
    panel_.set_settings(settings);
    EXPECT_EQ(panel_.settings(), settings);
    EXPECT_TRUE(panel_.findChild<QDoubleSpinBox*>("tryTemperature")->isEnabled());
    press(panel_.findChild<QCheckBox*>("tryGreedy"));
    EXPECT_FALSE(panel_.findChild<QDoubleSpinBox*>("tryTemperature")->isEnabled());
    EXPECT_TRUE(panel_.settings().greedy);
}

TEST_F(TryPanelTest, AnEmptyPromptCannotBeContinued) {
    panel_.prompt()->setPlainText("");
    EXPECT_FALSE(panel_.button()->isEnabled());
}

}  // namespace
}  // namespace headroom
