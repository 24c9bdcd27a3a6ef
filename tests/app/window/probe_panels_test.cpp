#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <fstream>

#include <gmock/gmock.h>

#include "app/window/services/probe_queue.h"
#include "panels/figure/figure_chart.h"
#include "panels/probe/heatmap_widget.h"
#include "panels/probe/probe_status_bar.h"
#include "panels/probe/profile_panel.h"
#include "panels/probe/similarity_panel.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/random_checkpoint.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// A study with two runs that have checkpoints of random weights and no probes.
class ProbePanelsTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = folder("probed");
        for (const char* name : {"a", "b"}) {
            const auto run = study_ / "runs" / name;
            std::filesystem::create_directories(run / "checkpoints");
            std::ofstream(run / "job.json")
                << R"({"name": ")" << name << R"(", "model": {"arch": ")"
                << (name == std::string("a") ? "gpt2" : "skipv1")
                << R"("}, "train": {"seq_len": 12}, "data": {"train": "task:grammar"}})";
            const auto files = checkpoint_files(run / "checkpoints", 5);
            write_random_checkpoint(files.weights,
                                    {{"arch", name == std::string("a") ? "gpt2" : "skipv1"}});
            std::ofstream(files.optimizer) << "";
        }
        open(study_, 2);
    }
    SimilarityPanel& similarity() const { return part<SimilarityPanel>(); }
    ProfilePanel& profiles() const { return part<ProfilePanel>(); }

    std::filesystem::path study_;
};

TEST_F(ProbePanelsTest, ButtonProbesTheRunsAndTheirMapsStandSideBySide) {
    go_to("similarity");
    ASSERT_TRUE(wait_for([&] { return similarity().strip()->button()->isVisible(); }));
    EXPECT_THAT(similarity().strip()->text()->text().toStdString(), HasSubstr("a, b"));
    similarity().strip()->button()->setFocus();
    QTest::mouseClick(similarity().strip()->button(), Qt::LeftButton);
    EXPECT_TRUE(part<ProbeQueue>().busy());
    EXPECT_FALSE(similarity().strip()->button()->isVisible());
    EXPECT_EQ(QApplication::focusWidget(), window_->workspace().active()->focus_target())
        << "not what comes next";
    const HeatmapWidget& maps = *similarity().maps();
    ASSERT_TRUE(wait_for([&] { return maps.figure().panels.size() == 2; }))
        << similarity().strip()->text()->text().toStdString();
    ASSERT_TRUE(wait_for([&] { return !similarity().strip()->isVisible(); }));
    EXPECT_TRUE(std::filesystem::exists(study_ / "runs/a/probes/similarity-step-00000005.h5"));
    const QRectF map = maps.arrangement().maps[0];
    const QString tip = maps.tip_at(map.topLeft() + QPointF(2, 2));
    EXPECT_THAT(tip.toStdString(), HasSubstr("head 0 × head 0\na: 1\nb: 1"));

    window_->findChild<QComboBox*>("similarityWhat")->setCurrentIndex(2);
    ASSERT_TRUE(wait_for([&] { return maps.figure().value_label == "linear CKA"; }));
    EXPECT_FALSE(window_->findChild<QComboBox*>("similarityTensor")->isVisible());
}

TEST_F(ProbePanelsTest, ProfilesProbeWhatTheirNumberNeeds) {
    go_to("profiles");
    auto* what = window_->findChild<QComboBox*>("profileWhat");
    what->setCurrentIndex(what->findData("lens_loss"));
    ASSERT_TRUE(wait_for([&] { return profiles().strip()->button()->isVisible(); }));
    QTest::mouseClick(profiles().strip()->button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] { return profiles().chart()->figure().series.size() == 2; }))
        << profiles().strip()->text()->text().toStdString();
    EXPECT_EQ(profiles().chart()->figure().y.column, "lens_loss");
    EXPECT_TRUE(std::filesystem::exists(study_ / "runs/b/probes/lens-step-00000005.h5"));

    ASSERT_TRUE(wait_for([&] { return !profiles().strip()->isVisible(); }));
    const auto later = checkpoint_files(study_ / "runs/b/checkpoints", 9);
    write_random_checkpoint(later.weights, {{"arch", "skipv1"}});
    std::ofstream(later.optimizer) << "";
    ASSERT_TRUE(wait_for([&] { return profiles().strip()->button()->isVisible(); }))
        << "b has trained on since";
    EXPECT_EQ(profiles().strip()->text()->text().toStdString(),
              "Probed before they trained on: b (step 5 of 9)");
    QTest::mouseClick(profiles().strip()->button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for(
        [&] { return std::filesystem::exists(study_ / "runs/b/probes/lens-step-00000009.h5"); }));
    EXPECT_TRUE(wait_for([&] { return !profiles().strip()->isVisible(); }));
    restart_window();
    open(study_, 2);
    EXPECT_EQ(window_->findChild<QComboBox*>("profileWhat")->currentData(), "lens_loss")
        << "remembered";
}

TEST_F(ProbePanelsTest, AFailedProbeSaysWhyInOneLine) {
    for (const char* name : {"a", "b"})
        std::ofstream(study_ / "runs" / name / "checkpoints/step-00000005.safetensors") << "torn";
    go_to("similarity");
    ASSERT_TRUE(wait_for([&] { return similarity().strip()->button()->isVisible(); }));
    QTest::mouseClick(similarity().strip()->button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for([&] {
        return similarity().strip()->text()->text().startsWith("error: ");
    })) << similarity().strip()->text()->text().toStdString();
    EXPECT_TRUE(similarity().strip()->button()->isVisible());  // to be tried again
}

}  // namespace
}  // namespace headroom
