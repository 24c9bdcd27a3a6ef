#include "panels/compare/compare_panel.h"

#include <QApplication>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

#include <gtest/gtest.h>

#include "panels/architecture/drawing_canvas.h"
#include "tests/panels/architecture/models.h"

namespace headroom {
namespace {

/// Two models whose pictures are not equally large.
class ComparePanelTest : public testing::Test {
  protected:
    ComparePanelTest() {
        panel_.resize(900, 700);
        panel_.show();
        panel_.set_view(build_compare({"mla", model_of({{"arch", "mla"}, {"n_layer", 6}})},
                                      {"gpt2", model_of({{"arch", "gpt2"}, {"n_layer", 6}})}, 128));
    }
    DrawingCanvas& model() { return *panel_.model_canvas(); }
    DrawingCanvas& baseline() { return *panel_.baseline_canvas(); }
    /// Where the middle of a drawing stands, seen from the middle of its canvas.
    static QPointF away(const DrawingCanvas& canvas) {
        const DrawingLayout& drawing = canvas.drawing();
        return canvas.to_screen({drawing.width / 2, drawing.height / 2}) -
               QPointF(canvas.width() / 2.0, canvas.height() / 2.0);
    }
    static bool fits(const DrawingCanvas& canvas) {
        return canvas.drawing().width * canvas.unit() <= canvas.width() &&
               canvas.drawing().height * canvas.unit() <= canvas.height();
    }

    ComparePanel panel_;
};

TEST_F(ComparePanelTest, BothPicturesAreDrawnAtOneScale) {
    for (const QSize size : {QSize(900, 700), QSize(600, 900), QSize(1700, 500)}) {
        panel_.resize(size);
        QCoreApplication::processEvents();
        ASSERT_NE(model().drawing().width / model().width(),
                  baseline().drawing().width / baseline().width());
        EXPECT_DOUBLE_EQ(model().unit(), baseline().unit()) << size.width();
        EXPECT_TRUE(fits(model()) && fits(baseline())) << size.width();
    }
}

TEST_F(ComparePanelTest, BothAreZoomedAndMovedTogether) {
    const double before = model().unit();
    const QPointF at(60, 50);
    QWheelEvent wheel(at, baseline().mapToGlobal(at), {}, {0, 240}, Qt::NoButton, {},
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&baseline(), &wheel);
    EXPECT_GT(model().unit(), 1.3 * before);
    EXPECT_DOUBLE_EQ(model().unit(), baseline().unit());
    QTest::mousePress(&model(), Qt::LeftButton, {}, {100, 100});
    QMouseEvent drag(QEvent::MouseMove, QPointF(140, 80), model().mapToGlobal(QPointF(140, 80)),
                     Qt::NoButton, Qt::LeftButton, {});
    QApplication::sendEvent(&model(), &drag);
    QTest::mouseRelease(&model(), Qt::LeftButton, {}, {140, 80});
    EXPECT_EQ(away(model()), away(baseline()));
    EXPECT_NE(away(model()), QPointF());
    QTest::mouseDClick(&baseline(), Qt::LeftButton, {}, {5, 5});
    EXPECT_DOUBLE_EQ(model().unit(), before);
    EXPECT_EQ(away(model()), away(baseline()));
}

}  // namespace
}  // namespace headroom
