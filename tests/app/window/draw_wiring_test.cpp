#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <cmath>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/window/pages/launch_page.h"
#include "core/config/job_json.h"
#include "core/study/run_folder.h"
#include "core/study/study.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"
#include "panels/wiring_editor/wiring_editor_controls.h"
#include "panels/wiring_editor/wiring_editor_panel.h"
#include "tests/app/window/draw_wiring_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;

TEST_F(DrawWiringTest, TheBrushNamesItsLayerAsTheDrawingDoes) {
    auto& box = *panel().controls()->findChild<QSpinBox*>("skipLayer");
    EXPECT_EQ(box.text(), "0") << "the first layer, which the key calls 1";
    const auto type = [&](const QString& text) {
        box.setFocus();
        box.selectAll();
        QTest::keyClicks(&box, text);
        QTest::keyClick(&box, Qt::Key_Return);
        return panel().controls()->choice().skip_layer;
    };
    EXPECT_EQ(type("2"), 3);
    EXPECT_EQ(type("0"), 1);
    box.stepDown();
    EXPECT_EQ(box.text(), "none");
    EXPECT_EQ(panel().controls()->choice().skip_layer, 0);
}

TEST_F(DrawWiringTest, ValuesOfLayers5To8ReadLayer2AndTheRunIsTrained) {
    click(row_of(5));
    EXPECT_EQ(panel().editor().marked().size(), 4u);
    click(row_of(8), Qt::ShiftModifier);
    EXPECT_EQ(panel().editor().marked().size(), 16u);
    drag(row_of(6), row_of(2));
    for (int layer = 5; layer <= 8; ++layer)
        for (int head = 0; head < 4; ++head)
            EXPECT_EQ(read_by(layer, head), (HeadSources{{2, head}}));
    EXPECT_TRUE(wait_for([&] { return panel().controls()->counts()->text().contains("−22.2 %"); }));
    const Wiring drawn = wiring();

    window_->action("undo")->trigger();
    EXPECT_EQ(read_by(5, 0), (HeadSources{{5, 0}}));
    window_->action("redo")->trigger();
    EXPECT_EQ(wiring(), drawn);

    QTest::mouseClick(panel().run_button(), Qt::LeftButton);
    LaunchPage& form = part<LaunchPage>();
    ASSERT_TRUE(form.isVisible());
    ASSERT_TRUE(wait_for([&] { return form.panel()->summary()->launch_button()->isEnabled(); }));
    ASSERT_EQ(form.view().runs.size(), 1u);
    EXPECT_EQ(form.view().runs[0].job.model.wiring, drawn);
    EXPECT_EQ(form.view().runs[0].job.train.steps, 2);
    const std::string id = form.view().runs[0].id;
    QTest::mouseClick(form.panel()->summary()->launch_button(), Qt::LeftButton);
    ASSERT_TRUE(wait_for_state(id, "finished")) << error_text();
    const std::vector<StudyRun> runs = load_study(study_ / "study.json").runs;
    ASSERT_EQ(runs.back().id, id);
    EXPECT_EQ(runs.back().job.model.wiring, drawn);
}

TEST_F(DrawWiringTest, WhatIsDrawnIsExportedUnderANameOfItsOwn) {
    EXPECT_EQ(panel().page().title, "Wiring of baseline");
    drag(row_of(6), row_of(2));
    EXPECT_EQ(panel().page().title, "Wiring of baseline, as redrawn");
    EXPECT_THAT(panel().page().csv(), HasSubstr("\nvalues,6,0,2,0,"));
    EXPECT_TRUE(window_->action("export")->isEnabled());
}

TEST_F(DrawWiringTest, WhatCannotBeSaysWhyWhileTheMouseIsThere) {
    std::string said;
    while_held = [&] { said = panel().settings().preview.refusal; };
    drag(row_of(2), row_of(5));
    EXPECT_THAT(said, HasSubstr("comes after it"));
    EXPECT_THAT(panel().editor().refusal(), HasSubstr("comes after it"));
    EXPECT_EQ(read_by(2, 0), (HeadSources{{2, 0}}));
    while_held = [&] { said = panel().settings().preview.words; };
    drag(cell(5, 1), cell(2, 3));
    EXPECT_EQ(said, "values of layer 5 head 1 read layer 2 head 3");
    EXPECT_EQ(read_by(5, 1), (HeadSources{{2, 3}}));
}

TEST_F(DrawWiringTest, EscTakesADragBackAndLeavesTheMarks) {
    while_held = [&] { press(Qt::Key_Escape); };
    drag(row_of(6), row_of(2));
    EXPECT_EQ(read_by(6, 0), (HeadSources{{6, 0}}));
    EXPECT_EQ(panel().editor().marked().size(), 4u);
    drag(cell(3, 1), cell(5, 2), Qt::ShiftModifier);
    EXPECT_EQ(panel().editor().marked().size(), 4u) << "nor is a rectangle marked";
    while_held = [] {};
    press(Qt::Key_Escape);
    EXPECT_TRUE(panel().editor().marked().empty()) << "without a drag";
    drag(row_of(6), row_of(2));
    EXPECT_EQ(read_by(6, 0), (HeadSources{{2, 0}}));
}

TEST_F(DrawWiringTest, ALassoMarksAndCtrlAddsASource) {
    drag(cell(3, 1), cell(5, 2), Qt::ShiftModifier);
    EXPECT_EQ(panel().editor().marked().size(), 6u);
    drag(cell(4, 1), cell(0, 1), Qt::ControlModifier);
    EXPECT_EQ(read_by(5, 2), (HeadSources{{5, 2}, {0, 2}}));
    click(cell(4, 1), Qt::ControlModifier);
    EXPECT_EQ(panel().editor().marked().size(), 5u);
    drag(cell(7, 3), cell(1, 3), Qt::ControlModifier);  // what was not marked goes alone
    EXPECT_EQ(read_by(7, 3), (HeadSources{{7, 3}, {1, 3}}));
    EXPECT_EQ(read_by(5, 2), (HeadSources{{5, 2}, {0, 2}}));
}

TEST_F(DrawWiringTest, KeysAloneDrawAndCtrlZTakesBack) {
    canvas()->setFocus();
    ASSERT_TRUE(wait_for([this] { return canvas()->hasFocus(); }));
    press(Qt::Key_V);
    for (int i = 0; i < 4; ++i) press(Qt::Key_Down);
    press(Qt::Key_Space);
    EXPECT_EQ(panel().editor().marked().size(), 1u);
    press(Qt::Key_Down, Qt::ShiftModifier);
    EXPECT_EQ(panel().editor().marked().size(), 2u);
    press(Qt::Key_Return);
    ASSERT_TRUE(panel().editor().is_asking());
    for (int i = 0; i < 4; ++i) press(Qt::Key_Up);
    press(Qt::Key_Return);
    EXPECT_EQ(read_by(4, 0), (HeadSources{{1, 0}}));
    EXPECT_EQ(read_by(5, 0), (HeadSources{{1, 0}}));
    ASSERT_TRUE(wait_for([this] { return window_->action("undo")->isEnabled(); }));
    QTest::keyClick(window_.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(read_by(4, 0), (HeadSources{{4, 0}}));
    press(Qt::Key_O);
    EXPECT_THAT(panel().editor().refusal(), HasSubstr("so already"));
}

TEST_F(DrawWiringTest, ADigitThatIsTypedIntoAFieldIsNoShortcut) {
    const auto is_taken = [this] {
        QKeyEvent key(QEvent::ShortcutOverride, Qt::Key_2, Qt::NoModifier, "2");
        key.ignore();
        QApplication::sendEvent(canvas(), &key);
        return key.isAccepted();
    };
    EXPECT_FALSE(is_taken()) << "it chooses a run";
    const ImVec2 beside = panel().settings().tools.at("both");  // the field is to the right of it
    for (int x = static_cast<int>(beside.x) + 20; x < canvas()->width() && !is_taken(); x += 10)
        click_at({x, static_cast<int>(beside.y)});
    ASSERT_TRUE(is_taken());
    press(Qt::Key_2);
    press(Qt::Key_Return);
    EXPECT_EQ(panel().editor().weight().weight, 2);
    EXPECT_FALSE(is_taken()) << "nothing is typed any more";
}

TEST_F(DrawWiringTest, AnotherStartGroupsAndJsonAreStepsThatAreTakenBack) {
    QComboBox* starts = panel().starts();
    starts->setCurrentIndex(starts->findData("preset:gpt2-124m-skipv1"));
    emit starts->activated(starts->currentIndex());
    EXPECT_EQ(wiring().n_layer, 12);
    QComboBox* heads = panel().controls()->kv_heads();
    heads->setCurrentIndex(heads->findData(4));
    emit heads->activated(heads->currentIndex());
    EXPECT_EQ(panel().editor().job().model.n_kv_head, 4);
    panel().copy_text();
    const std::string text = QGuiApplication::clipboard()->text().toStdString();
    EXPECT_EQ(nlohmann::json::parse(text)["values"].size(), 12u);
    window_->action("undo")->trigger();
    EXPECT_EQ(wiring().n_kv_head, 12);
    panel().paste_text();
    EXPECT_EQ(wiring().n_kv_head, 4);
    const auto file = folder("out") / "wiring.json";
    panel().save_file(QString::fromStdString(file.string()));
    QTest::mouseClick(panel().run_button(), Qt::LeftButton);
    const auto& runs = part<LaunchPage>().view().runs;
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].job.model.wiring, wiring());
    EXPECT_EQ(runs[0].job.train.steps, 2) << "trained as the study says";
    go_to("drawWiring");
    window_->action("undo")->trigger();
    window_->action("undo")->trigger();
    EXPECT_EQ(wiring().n_layer, 9);
    EXPECT_EQ(starts->currentData().toString(), "baseline") << "what is drawn on again";
    panel().open_file(QString::fromStdString(file.string()));
    EXPECT_THAT(panel().editor().refusal(), HasSubstr("n_layer"));
}

TEST_F(DrawWiringTest, WhatWasDrawnIsThereInTheNextSession) {
    drag(row_of(6), row_of(2));
    const Wiring drawn = wiring();
    ASSERT_EQ(read_by(6, 1), (HeadSources{{2, 1}}));
    restart_window();
    open(study_, 1);
    go_to("drawWiring");
    EXPECT_EQ(wiring(), drawn);
    EXPECT_EQ(panel().starts()->currentData().toString(), "baseline");
    ASSERT_TRUE(wait_for([&] { return window_->action("undo")->isEnabled(); }));
    window_->action("undo")->trigger();
    EXPECT_EQ(read_by(6, 1), (HeadSources{{6, 1}}));
    restart_window();
    open(study_, 1);
    go_to("drawWiring");
    EXPECT_EQ(read_by(6, 1), (HeadSources{{6, 1}})) << "nothing was left to be kept";
}

TEST_F(DrawWiringTest, AWiringIsKeptInTheStudyUnderANameAndOpenedAgain) {
    drag(row_of(6), row_of(2));
    panel().save_in_study("../six");
    EXPECT_FALSE(std::filesystem::exists(study_ / "six.json"));
    panel().save_in_study("six-reads-two");
    const Wiring drawn = wiring();
    window_->action("undo")->trigger();
    ASSERT_NE(wiring(), drawn);
    QComboBox* starts = panel().starts();
    ASSERT_TRUE(wait_for([&] { return starts->findText("wiring six-reads-two") >= 0; }));
    starts->setCurrentIndex(starts->findText("wiring six-reads-two"));
    emit starts->activated(starts->currentIndex());
    EXPECT_EQ(wiring(), drawn);
    window_->action("undo")->trigger();
    EXPECT_NE(wiring(), drawn) << "a step like any other";
    restart_window();
    open(study_, 1);
    go_to("drawWiring");
    EXPECT_TRUE(wait_for([&] { return panel().starts()->findText("wiring six-reads-two") >= 0; }));
}

TEST_F(DrawWiringTest, AJobThatItsWorkerWritesAnewTakesNoMarkAway) {
    click(cell(5, 1));
    const auto known = [this] { return window_->session().look().runs().front()->job; };
    const RunFolder run = create_run_folder(study_ / "runs/baseline");
    Job job = *known();
    ASSERT_NE(job.model.vocab_size, 256);
    job.model.vocab_size = 256;  // which the worker reads from the data
    write_job(run, to_json(job).dump());
    ASSERT_TRUE(wait_for([&] { return known()->model.vocab_size == 256; }));
    frame();
    EXPECT_EQ(panel().editor().marked(), (std::vector<HeadId>{{5, 1}}));
    press(Qt::Key_Escape);
    job.model.vocab_size = 300;
    write_job(run, to_json(job).dump());
    EXPECT_TRUE(wait_for([this] { return panel().editor().job().model.vocab_size == 300; }))
        << "what nobody touches follows the run";
}

TEST_F(DrawWiringTest, WhatASourceCostsIsMeasuredShownAndTakenByAClick) {
    window_->action("startQueue")->trigger();
    ASSERT_TRUE(wait_for_state("baseline", "finished")) << error_text();
    QPushButton* measure = panel().controls()->measure();
    ASSERT_TRUE(wait_for([&] { return measure->isVisibleTo(panel().controls()); }));
    measure->click();
    ASSERT_TRUE(wait_for([this] { return panel().view().rewire != nullptr; }));
    const RewireMap& map = *panel().view().rewire;
    EXPECT_EQ(map.n_layer, 9);
    EXPECT_EQ(map.change(KvTable::kValues, {5, 1}, 5), 0.0) << "its own source costs nothing";
    EXPECT_NE(map.change(KvTable::kValues, {5, 1}, 2), 0.0);
    EXPECT_TRUE(std::isnan(map.change(KvTable::kKeys, {5, 1}, 6)));
    click(cell(5, 1));
    canvas()->setFocus();
    press(Qt::Key_Return);
    for (int i = 0; i < 3; ++i) press(Qt::Key_Up);
    EXPECT_THAT(panel().settings().preview.words, HasSubstr("nats"));
    click(cell(2, 1));
    EXPECT_EQ(read_by(5, 1), (HeadSources{{2, 1}}));
}

}  // namespace
}  // namespace headroom
