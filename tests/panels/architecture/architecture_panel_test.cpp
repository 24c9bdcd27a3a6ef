#include "panels/architecture/architecture_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include "panels/architecture/drawing_canvas.h"
#include "tests/panels/architecture/models.h"

namespace headroom {
namespace {

class ArchitecturePanelTest : public testing::Test {
  protected:
    ArchitecturePanelTest() {
        panel_.resize(420, 640);
        panel_.show();
    }
    void show(const std::string& arch, int n_layer = 6) {
        panel_.set_view(build_architecture(model_of({{"arch", arch}, {"n_layer", n_layer}}), arch));
    }
    const DrawingLayout& drawing() const { return panel_.canvas()->drawing(); }
    QPoint on_screen(const std::string& id) const {
        return panel_.canvas()->to_screen(drawing().find(id)->rect.centre()).toPoint();
    }

    ArchitecturePanel panel_;
};

TEST_F(ArchitecturePanelTest, IsEmptyUntilThereIsAModel) {
    EXPECT_TRUE(drawing().boxes.empty());
    EXPECT_FALSE(panel_.export_button()->isEnabled());
    panel_.grab();
    show("gpt2");
    EXPECT_FALSE(drawing().boxes.empty());
    panel_.grab();
}

TEST_F(ArchitecturePanelTest, AClickOnALayerShowsItsBlock) {
    show("yoco");
    QTest::mouseClick(panel_.canvas(), Qt::LeftButton, {}, on_screen("layer.0"));
    EXPECT_EQ(panel_.detail()->currentText(), "Layers 0–2");
    EXPECT_NE(drawing().find("block.k"), nullptr);
    QTest::mouseClick(panel_.canvas(), Qt::LeftButton, {}, on_screen("layer.5"));
    EXPECT_EQ(drawing().find("block.k"), nullptr);
}

TEST_F(ArchitecturePanelTest, KeysStepThroughLayersAndZoom) {
    show("yoco");
    QTest::keyClick(panel_.canvas(), Qt::Key_Up);
    EXPECT_EQ(panel_.detail()->currentText(), "Layers 0–2");
    QTest::keyClick(panel_.canvas(), Qt::Key_Up);
    QTest::keyClick(panel_.canvas(), Qt::Key_Up);
    EXPECT_EQ(panel_.detail()->currentText(), "Layers 3–5");
    QTest::keyClick(panel_.canvas(), Qt::Key_Plus);
    EXPECT_GT(panel_.canvas()->zoom(), 1);
    QTest::keyClick(panel_.canvas(), Qt::Key_0);
    EXPECT_EQ(panel_.canvas()->zoom(), 1);
}

TEST_F(ArchitecturePanelTest, AllLayersAreDrawnOnDemand) {
    show("gpt2", 30);
    EXPECT_EQ(drawing().find("layer.12"), nullptr);
    panel_.all_layers()->setChecked(true);
    EXPECT_NE(drawing().find("layer.12"), nullptr);
}

TEST_F(ArchitecturePanelTest, ALowPanelDrawsWhatRepeatsOnce) {
    panel_.resize(420, 300);
    show("gpt2", 12);
    EXPECT_EQ(drawing().find("layer.5"), nullptr);
    panel_.resize(420, 700);
    EXPECT_NE(drawing().find("layer.5"), nullptr);
}

TEST_F(ArchitecturePanelTest, TheWheelZoomsAndADoubleClickFits) {
    show("gpt2");
    const QPoint before = on_screen("layer.3");
    QWheelEvent wheel(QPointF(before), panel_.canvas()->mapToGlobal(QPointF(before)), {}, {0, 240},
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(panel_.canvas(), &wheel);
    EXPECT_GT(panel_.canvas()->zoom(), 1.3);
    EXPECT_LE((on_screen("layer.3") - before).manhattanLength(), 2) << "zooms at the cursor";
    QTest::mouseDClick(panel_.canvas(), Qt::LeftButton, {}, QPoint(5, 5));
    EXPECT_EQ(panel_.canvas()->zoom(), 1);
}

TEST_F(ArchitecturePanelTest, ThePageShowsWhatTheScreenShows) {
    show("yoco");
    panel_.detail()->setCurrentIndex(1);
    const std::string svg = render_page(panel_.page(), FigureFormat::kSvg);
    EXPECT_NE(svg.find("Layers 0–2"), std::string::npos);
    EXPECT_EQ(svg.find("Layers 3–5"), std::string::npos);
}

TEST_F(ArchitecturePanelTest, ThePictureNamesItsModelOnScreenAndOnPaper) {
    show("skipv1");
    const std::vector<DrawLabel>& labels = drawing().labels;
    EXPECT_TRUE(std::any_of(labels.begin(), labels.end(),
                            [](const DrawLabel& label) { return label.text == "skipv1"; }));
    EXPECT_NE(render_page(panel_.page(), FigureFormat::kSvg).find("skipv1"), std::string::npos);
}

TEST_F(ArchitecturePanelTest, ASmallPanelStillPaints) {
    panel_.resize(160, 160);
    show("denseformer", 32);
    panel_.grab();
    panel_.set_theme(dark_theme());
    panel_.grab();
}

}  // namespace
}  // namespace headroom
