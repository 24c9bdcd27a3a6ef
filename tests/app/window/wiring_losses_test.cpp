#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>
#include <fstream>

#include <gmock/gmock.h>

#include "panels/figure/figure_chart.h"
#include "panels/probe/heatmap_widget.h"
#include "panels/wiring_editor/wiring_editor_controls.h"
#include "panels/wiring_editor/wiring_losses_panel.h"
#include "tests/app/window/draw_wiring_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

/// A trained run of nine layers, whose losses without training are looked at.
class WiringLossesTest : public DrawWiringTest {
  protected:
    void SetUp() override {
        DrawWiringTest::SetUp();
        if (IsSkipped()) return;
        window_->action("startQueue")->trigger();
        ASSERT_TRUE(wait_for_state("baseline", "finished")) << error_text();
        QTest::mouseClick(panel().losses_button(), Qt::LeftButton);
        ASSERT_TRUE(wait_for([this] { return losses().measure(kRewireProbe)->isEnabled(); }));
    }
    WiringLossesPanel& losses() { return *panel().losses(); }
    static bool has_map(const HeatmapWidget* map) { return !map->figure().panels.empty(); }
    static void press_cell(HeatmapWidget* map, int row, int column) {
        const HeatmapPanel& panel = map->figure().panels.front();
        const QRectF box = map->arrangement().maps.front();
        const QPointF at =
            box.topLeft() +
            QPointF((column + 0.5) * box.width() / static_cast<double>(panel.columns),
                    (row + 0.5) * box.height() / static_cast<double>(panel.rows));
        QTest::mouseClick(map, Qt::LeftButton, {}, at.toPoint());
    }
};

TEST_F(WiringLossesTest, ACellOfTheSourcesMakesTheEditAndIsMarked) {
    losses().measure(kRewireProbe)->trigger();
    HeatmapWidget* map = losses().sources();
    ASSERT_TRUE(wait_for([&] { return has_map(map); }));
    EXPECT_EQ(map->figure().panels[0].rows, 9);
    EXPECT_EQ(map->figure().panels[0].columns, 36) << "every head of every layer";
    EXPECT_EQ(map->marked().size(), 36u) << "each reads its own layer";
    for (int column = 0; column < 36; ++column)
        EXPECT_EQ(map->figure().panels[0].at(column / 4, column), 0.0) << "own source";
    ASSERT_TRUE(wait_for([&] { return map->arrangement().maps.front().width() > 36 * 4; }));
    const QPointF first = map->arrangement().maps.front().topLeft() + QPointF(1, 1);
    EXPECT_EQ(map->tip_at(first).toStdString(), "source layer 0 × head 0.0\nnats more: 0");
    press_cell(map, 2, 5 * 4 + 1);
    EXPECT_EQ(read_by(5, 1), (HeadSources{{2, 1}}));
    EXPECT_THAT(map->marked(), testing::Contains(HeatmapCell{0, 2, 21}));
    press_cell(map, 7, 5 * 4 + 1);  // above the reader: nothing was asked there
    EXPECT_EQ(read_by(5, 1), (HeadSources{{2, 1}}));
    window_->action("undo")->trigger();
    EXPECT_EQ(read_by(5, 1), (HeadSources{{5, 1}}));
    losses().tables()->setCurrentIndex(1);
    losses().readers()->setCurrentIndex(losses().readers()->findData(RewireReaders::kLayers));
    emit losses().readers()->activated(losses().readers()->currentIndex());
    ASSERT_EQ(map->figure().panels[0].columns, 9);
    press_cell(map, 3, 8);
    EXPECT_EQ(wiring().keys[8][3], (HeadSources{{3, 3}}));
    EXPECT_EQ(read_by(8, 3), (HeadSources{{8, 3}})) << "keys alone";
}

TEST_F(WiringLossesTest, ARefusalGoesWithWhatWasRefused) {
    auto* note = losses().findChild<QLabel*>("lossesNote");
    WiringEdit edit{.kind = WiringEdit::Kind::kRead, .layer = 3};
    edit.heads = {{KvTable::kValues, {0, 0}}};
    const auto refuse = [&] {
        emit losses().edits_asked({edit});
        return note->text().toStdString();
    };
    WiringEdit possible{.kind = WiringEdit::Kind::kRead, .layer = 2};
    possible.heads = {{KvTable::kValues, {5, 1}}};
    emit losses().edits_asked({possible});
    EXPECT_THAT(refuse(), HasSubstr("cannot read layer 3"));
    window_->action("undo")->trigger();
    EXPECT_EQ(read_by(5, 1), (HeadSources{{5, 1}}));
    EXPECT_THAT(note->text().toStdString(), testing::Not(HasSubstr("cannot read")));
    EXPECT_THAT(refuse(), HasSubstr("cannot read layer 3"));
    losses().measure(kSharingProbe)->trigger();
    EXPECT_THAT(note->text().toStdString(), testing::Not(HasSubstr("cannot read")));
}

TEST_F(WiringLossesTest, HeadsAreShownAsAMapAndAgainstTheirLikeness) {
    losses().measure(kAblationProbe)->trigger();
    HeatmapWidget* map = losses().heads();
    ASSERT_TRUE(wait_for([&] { return has_map(map); })) << losses().note()->text().toStdString();
    EXPECT_EQ(map->figure().panels[0].rows, 9);
    EXPECT_EQ(map->figure().panels[0].columns, 4);
    const double zero = map->figure().panels[0].at(3, 2);
    losses().findChild<QComboBox*>("lossesAblation")->setCurrentIndex(1);
    EXPECT_NE(map->figure().panels[0].at(3, 2), zero);
    losses().findChild<QComboBox*>("lossesView")->setCurrentIndex(1);
    EXPECT_TRUE(losses().importance()->isVisible());
    EXPECT_EQ(losses().importance()->figure().series.at(0).data->size(), 36u);
}

TEST_F(WiringLossesTest, LayersShareInTheOrderOfKvSharer) {
    EXPECT_FALSE(losses().share_button()->isVisible());
    losses().measure(kSharingProbe)->trigger();
    ASSERT_TRUE(wait_for([&] { return losses().share_button()->isVisible(); }));
    const Wiring before = wiring();
    QSpinBox* count = losses().sharing_count();
    ASSERT_GE(count->maximum(), 2);
    count->setValue(2);
    QTest::mouseClick(losses().share_button(), Qt::LeftButton);
    int sharing = 0;
    for (int layer = 0; layer < 9; ++layer) {
        const auto at = static_cast<size_t>(layer);
        if (wiring().keys[at] == before.keys[at]) continue;
        ++sharing;
        EXPECT_EQ(wiring().keys[at][0].front().layer, wiring().values[at][0].front().layer);
    }
    EXPECT_EQ(sharing, 2);
    window_->action("undo")->trigger();
    EXPECT_EQ(wiring(), before) << "one step";
}

TEST_F(WiringLossesTest, MeasuringIsStoppedAndAFailureIsOneLine) {
    losses().measure(kRewireProbe)->trigger();
    EXPECT_TRUE(losses().stop_button()->isVisible());
    QTest::mouseClick(losses().stop_button(), Qt::LeftButton);
    EXPECT_FALSE(losses().stop_button()->isVisible());
    EXPECT_FALSE(has_map(losses().sources()));
    EXPECT_FALSE(std::filesystem::exists(study_ / "runs/baseline/probes/rewire-step-00000002.h5"));
    std::filesystem::resize_file(study_ / "runs/baseline/checkpoints/step-00000002.safetensors",
                                 1000);
    losses().measure(kAblationProbe)->trigger();
    ASSERT_TRUE(wait_for([&] {
        return losses().note()->text().contains("step-00000002.safetensors");
    })) << losses().note()->text().toStdString();
    EXPECT_FALSE(losses().note()->text().contains('\n'));
}

TEST_F(WiringLossesTest, InALowWindowTheyStandInPlaceOfTheCanvas) {
    EXPECT_TRUE(canvas()->isVisible());
    shrink_window();
    EXPECT_TRUE(wait_for([this] { return !canvas()->isVisible(); }));
    EXPECT_GT(losses().sources()->height(), 200);
    QTest::mouseClick(panel().losses_button(), Qt::LeftButton);
    EXPECT_TRUE(canvas()->isVisible());
}

TEST_F(WiringLossesTest, TheTimeOfAStepIsToldFromTheStudysRate) {
    const auto* step = panel().controls()->findChild<QLabel*>("wiringStepTime");
    ASSERT_TRUE(wait_for([&] { return step->text().startsWith("Step: about"); }))
        << step->text().toStdString();
    const QString before = step->text();
    drag(row_of(6), row_of(2));
    EXPECT_TRUE(wait_for([&] { return step->text() != before; }));
    EXPECT_TRUE(step->text().contains("as it started"));
}

}  // namespace
}  // namespace headroom
