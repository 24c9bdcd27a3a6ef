#pragma once

#include <QApplication>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <functional>

#include "panels/imgui/imgui_widget.h"
#include "panels/wiring_editor/wiring_editor_panel.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {

/// A study of one run with nine layers, and the page that draws on its wiring.
class DrawWiringTest : public WindowTest {
  protected:
    void SetUp() override {
        study_ = folder("study");
        std::ofstream(study_ / "study.json") << R"({"schema": "headroom-study/1", "name": "study",
            "job": {"model": {"preset": "demo", "n_layer": 9, "n_head": 4, "d_model": 32},
                    "train": {"steps": 2, "seq_len": 8, "batch_size": 2, "eval_every": 0,
                              "checkpoint_every": 2}},
            "runs": [{"id": "baseline"}]})";
        open(study_, 1);
        select({"baseline"});
        go_to("drawWiring");
        if (canvas() == nullptr) GTEST_SKIP() << "this display has no OpenGL";
        ASSERT_TRUE(wait_for([this] { return panel().place_of(row_of(0)).x() >= 0; }));
    }
    WiringEditorPanel& panel() { return part<WiringEditorPanel>(); }
    ImGuiWidget* canvas() { return panel().canvas(); }
    const Wiring& wiring() { return panel().editor().wiring(); }
    static WiringSpot row_of(int layer) { return {KvTable::kValues, layer, std::nullopt, true}; }
    static WiringSpot cell(int layer, int head) { return {KvTable::kValues, layer, head, true}; }
    void redraw() { canvas()->grabFramebuffer(); }
    void frame() {
        redraw();
        QApplication::processEvents();
    }
    /// Where a spot stands now. Notices, findings and answers move the canvas as they come in:
    /// until the next event is taken in, it stays there.
    QPoint drawn_place_of(const WiringSpot& spot) {
        QPoint at = panel().place_of(spot);
        for (int same = 0, frames = 0; same < 3 && frames < 100; ++frames) {
            QApplication::processEvents();
            redraw();
            const QPoint now = panel().place_of(spot);
            same = now == at ? same + 1 : 0;
            at = now;
        }
        return at;
    }
    /// Moves the mouse to where a spot is drawn. A move takes events in, too, and so may move the
    /// canvas: until it did not.
    QPoint point_at(const WiringSpot& spot) {
        QPoint at = drawn_place_of(spot);
        for (int tries = 0; tries < 100; ++tries) {
            QTest::mouseMove(canvas(), at);
            redraw();
            const QPoint now = panel().place_of(spot);
            if (now == at) break;
            at = now;
        }
        return at;
    }
    void click(const WiringSpot& spot, Qt::KeyboardModifiers keys = {}) {
        click_pointed(point_at(spot), keys);
    }
    /// REQUIRES: nothing on the page is still to come.
    void click_at(QPoint at, Qt::KeyboardModifiers keys = {}) {
        QTest::mouseMove(canvas(), at);
        redraw();
        click_pointed(at, keys);
    }
    void click_pointed(QPoint at, Qt::KeyboardModifiers keys) {
        QTest::mousePress(canvas(), Qt::LeftButton, keys, at);
        redraw();
        QTest::mouseRelease(canvas(), Qt::LeftButton, keys, at);
        frame();
        frame();
    }
    void drag(const WiringSpot& from, const WiringSpot& to, Qt::KeyboardModifiers keys = {}) {
        const QPoint a = point_at(from), b = panel().place_of(to);
        QTest::mousePress(canvas(), Qt::LeftButton, keys, a);
        redraw();
        for (const QPoint at : {(a + b) / 2, b}) {
            QTest::mouseMove(canvas(), at);
            redraw();
        }
        while_held();
        QTest::mouseRelease(canvas(), Qt::LeftButton, keys, b);
        frame();
        frame();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyPress(canvas(), key, modifiers);
        frame();
        QTest::keyRelease(canvas(), key, modifiers);
        frame();
    }
    HeadSources read_by(int layer, int head) {
        return wiring().values[static_cast<size_t>(layer)][static_cast<size_t>(head)];
    }

    std::filesystem::path study_;
    /// What is looked at before a drag ends.
    std::function<void()> while_held = [] {};
};

}  // namespace headroom
