#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <fstream>

#include <gmock/gmock.h>

#include "app/window/services/try_runner.h"
#include "app/window/studio_store.h"
#include "panels/playground/try_panel.h"
#include "panels/playground/try_settings_store.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/random_checkpoint.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// A study with two runs that have checkpoints of random weights.
class TryTest : public WindowTest {
  protected:
    void SetUp() override {
        const auto study = folder("spoken");
        for (const char* name : {"a", "b"}) {
            const auto run = study / "runs" / name;
            std::filesystem::create_directories(run / "checkpoints");
            std::ofstream(run / "job.json") << R"({"name": ")" << name << R"("})";
            const auto files = checkpoint_files(run / "checkpoints", 5);
            write_random_checkpoint(
                files.weights,
                {{"arch", name == std::string("a") ? "gpt2" : "skipv1"}, {"block_size", 4096}});
            std::ofstream(files.optimizer) << "";
        }
        open(study, 2);
        go_to("playground");
        select({"a", "b"});
        ASSERT_TRUE(wait_for([&] { return panel().answer_count() == 2; }));
    }
    TryPanel& panel() const { return part<TryPanel>(); }
    void set_tokens(int count) { panel().findChild<QSpinBox*>("tryMaxNew")->setValue(count); }
    void press() { QTest::mouseClick(panel().button(), Qt::LeftButton); }
    std::string text(size_t index) const {
        return panel().box(index)->text()->toPlainText().toStdString();
    }
    std::string progress(size_t index) const {
        return panel().box(index)->progress()->text().toStdString();
    }
    AnswerPhase phase(size_t index) const { return panel().box(index)->answer().phase; }
};

TEST_F(TryTest, TwoModelsContinueOnePrompt) {
    set_tokens(20);
    panel().prompt()->setPlainText("To be");
    press();
    ASSERT_TRUE(wait_for([&] { return !panel().is_busy(); }));
    for (size_t i : {0u, 1u}) {
        EXPECT_EQ(phase(i), AnswerPhase::kDone) << progress(i);
        wait_for([&] { return progress(i).find("tokens/s") != std::string::npos; });  // drawn later
        EXPECT_THAT(text(i), StartsWith("To be"));
        EXPECT_EQ(panel().box(i)->answer().tokens.size(), 20u);
        EXPECT_THAT(progress(i), HasSubstr("tokens/s"));
    }
    // The second shares half of its value heads with its first layer: 3 of 4 heads' bytes.
    EXPECT_EQ(panel().box(0)->answer().start.cache_bytes_per_token, 2 * 2 * 16 * 4);
    EXPECT_EQ(panel().box(1)->answer().start.cache_bytes_per_token, (2 * 2 * 16 - 8) * 4);
}

TEST_F(TryTest, StopKeepsWhatWasSaid) {
    set_tokens(4000);
    window_->action("generate")->trigger();
    ASSERT_TRUE(wait_for([&] { return panel().box(0)->answer().tokens.size() > 3; }));
    press();
    ASSERT_TRUE(wait_for([&] { return !panel().is_busy(); }));
    EXPECT_THAT(progress(0), HasSubstr("stopped after"));
    EXPECT_LT(panel().box(0)->answer().tokens.size(), 4000u);
    EXPECT_EQ(panel().button()->text(), "Generate");
}

TEST_F(TryTest, InTurnsOnlyOneSpeaksAtATime) {
    TrySettings settings = panel().settings();
    settings.in_turns = true;
    settings.max_new = 30;
    panel().set_settings(settings);
    press();
    EXPECT_EQ(phase(1), AnswerPhase::kWaiting);
    ASSERT_TRUE(wait_for([&] { return phase(1) != AnswerPhase::kWaiting; }));
    EXPECT_EQ(phase(0), AnswerPhase::kDone);
    ASSERT_TRUE(wait_for([&] { return !panel().is_busy(); }));
    EXPECT_EQ(phase(1), AnswerPhase::kDone);
}

TEST_F(TryTest, ABrokenCheckpointCostsOnlyItsOwnAnswer) {
    std::ofstream(panel().box(1)->checkpoint(), std::ios::trunc) << "no checkpoint";
    set_tokens(5);
    press();
    ASSERT_TRUE(wait_for([&] { return !panel().is_busy(); }));
    EXPECT_EQ(phase(0), AnswerPhase::kDone);
    EXPECT_EQ(phase(1), AnswerPhase::kFailed);
    EXPECT_THAT(progress(1), HasSubstr("step-00000005"));
}

TEST_F(TryTest, AProgramThatIsMissingIsNamed) {
    part<TryRunner>().set_program("/nowhere/headroom");
    press();
    ASSERT_TRUE(wait_for([&] { return !panel().is_busy(); }));
    EXPECT_THAT(progress(0), HasSubstr("/nowhere/headroom does not start"));
}

TEST_F(TryTest, ClosingTheStudyEndsTheWorkers) {
    set_tokens(4000);
    press();
    ASSERT_TRUE(wait_for([&] { return panel().box(0)->answer().tokens.size() > 1; }));
    window_->close_study();
    EXPECT_EQ(panel().answer_count(), 0u);
    EXPECT_FALSE(panel().is_busy());
}

TEST_F(TryTest, RemembersThePromptAndTheSampling) {
    panel().prompt()->setPlainText("Once more");
    set_tokens(123);
    restart_window();
    EXPECT_EQ(panel().settings().prompt, "Once more");
    EXPECT_EQ(panel().settings().max_new, 123);
    window_->close();
    StudioStore store;
    store.setValue("try/temperature", -3);
    store.setValue("try/max_new", "many");
    EXPECT_EQ(read_try_settings(store).sampling.temperature, TrySettings{}.sampling.temperature);
    EXPECT_EQ(read_try_settings(store).max_new, TrySettings{}.max_new);
}

}  // namespace
}  // namespace headroom
