#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTabWidget>
#include <QTest>
#include <fstream>

#include <gmock/gmock.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>

#include "app/window/services/attention_records.h"
#include "app/window/services/inspector_presenter.h"
#include "app/window/studio_store.h"
#include "core/base/file.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/inspector/inspector_settings_store.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InspectorTest : public WindowTest {
  protected:
    InspectorPanel& panel() {
        return *window_->workspace().find("inspector")->findChild<InspectorPanel*>();
    }
    ImGuiWidget* canvas() { return panel().canvas()->canvas(); }

    /// A study of two tiny models that are trained to the end, with the inspector in front.
    void open_trained() {
        const auto study = folder("trained");
        std::ofstream text(study / "book.txt");
        for (int i = 0; i < 200; ++i) text << "the cat sat on the mat. ";
        text.close();
        const nlohmann::json job{
            {"model", {{"preset", "demo"}, {"n_layer", 2}, {"n_head", 2}, {"d_model", 16}}},
            {"data",
             {{"train", "text:" + (study / "book.txt").string()},
              {"val", "split:0.2"},
              {"tokenizer", "byte"}}},
            {"train",
             {{"steps", 4},
              {"seq_len", 24},
              {"batch_size", 2},
              {"eval_every", 0},
              {"checkpoint_every", 2}}}};
        const nlohmann::json document{
            {"schema", "headroom-study/1"},
            {"name", "trained"},
            {"job", job},
            {"runs",
             {{{"id", "one"}, {"job", {{"model", {{"arch", "gpt2"}}}}}},
              {{"id", "two"}, {"job", {{"model", {{"arch", "skipv1"}}}}}}}}};
        std::ofstream(study / "study.json") << document.dump(2);
        open(study, 2);
        window_->action("startQueue")->trigger();
        ASSERT_TRUE(wait_for_state("one", "finished"));
        ASSERT_TRUE(wait_for_state("two", "finished"));
        go_to("inspector");
        select({"one"});
        ASSERT_TRUE(wait_for([&] { return has_pane() && panel().view().panes[0].can_probe; }));
    }
    /// A study of one small model of images, trained for two steps and probed at the last.
    void open_images() {
        const auto study = folder("images");
        for (const char* name : {"data_batch_1.bin", "test_batch.bin"}) {
            std::ofstream file(study / name, std::ios::binary);
            for (int byte = 0; byte < 20 * 3073; ++byte)
                file.put(static_cast<char>(byte % 3073 == 0 ? byte / 3073 % 10 : byte * 31 % 251));
        }
        const std::string data = "images:" + study.string();
        const nlohmann::json job{
            {"model",
             {{"input", "images"},
              {"patch_size", 8},
              {"n_layer", 2},
              {"n_head", 2},
              {"d_model", 16}}},
            {"data", {{"train", data}, {"val", data}}},
            {"train",
             {{"steps", 2}, {"batch_size", 2}, {"eval_every", 0}, {"checkpoint_every", 2}}},
            {"probes", {{{"kind", "attention"}}}}};
        std::ofstream(study / "study.json")
            << nlohmann::json{{"schema", "headroom-study/1"},
                              {"name", "images"},
                              {"job", job},
                              {"runs", {{{"id", "one"}, {"job", nlohmann::json::object()}}}}}
                   .dump(2);
        open(study, 1);
        window_->action("startQueue")->trigger();
        ASSERT_TRUE(wait_for_state("one", "finished"));
        go_to("inspector");
        select({"one"});
        ASSERT_TRUE(wait_for([&] { return info() != nullptr; }));
    }
    bool has_pane() { return !panel().view().panes.empty(); }
    const MapInfo* info(size_t pane = 0) {
        if (pane >= panel().view().panes.size() || !panel().view().panes[pane].source)
            return nullptr;
        return &panel().view().panes[pane].source->info();
    }
    void enter(const QString& text) {
        QLineEdit* line = panel().controls()->text();
        line->setFocus();
        line->selectAll();
        QTest::keyClick(line, Qt::Key_Backspace);
        QTest::keyClicks(line, text);
        QTest::keyClick(line, Qt::Key_Return);
    }
    /// Moves the mouse over the canvas until a condition holds; (-1, -1) if it never does.
    QPoint find(const std::function<bool()>& holds, QPoint from = {20, 20}) {
        return find_on(*canvas(), QRect(from, canvas()->rect().bottomRight()), holds);
    }
    void drawn() {
        for (int i = 0; i < 3; ++i) canvas()->grabFramebuffer();
        QApplication::processEvents();
    }
};

TEST_F(InspectorTest, TheButtonProbesARunAndItsHeadsAreShown) {
    open_trained();
    if (!canvas()) GTEST_SKIP() << "this display has no OpenGL";
    shrink_window();
    EXPECT_THAT(panel().view().panes[0].note, HasSubstr("No attention record of one at step 4"));
    const QPoint centre(canvas()->width() / 2, canvas()->height() / 3);
    for (int y = centre.y(); y < canvas()->height() && !panel().view().panes[0].busy && !info();
         y += 9)
        for (const int x : {-50, -20}) {
            QTest::mouseMove(canvas(), QPoint(centre.x() + x, y));
            canvas()->grabFramebuffer();
            QTest::mouseClick(canvas(), Qt::LeftButton, {}, QPoint(centre.x() + x, y));
            drawn();
        }
    ASSERT_TRUE(wait_for([&] { return info() != nullptr; })) << panel().view().panes[0].note;
    EXPECT_EQ(info()->seq_len, 24);
    EXPECT_EQ(info()->title, "one · step 4");
    EXPECT_THAT(recorded_steps(folder("trained") / "runs" / "one"), ElementsAre(4));

    const QPoint head = find([&] {
        return panel().canvas()->last_commands().hovered == HeadId{1, 0};
    });
    ASSERT_GE(head.x(), 0) << "no such head";
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, head);
    EXPECT_TRUE(wait_for([&] { return panel().place().locked; }));
    EXPECT_EQ(panel().place().head, (HeadId{1, 0}));
    canvas()->setFocus();
    QTest::keyClick(canvas(), Qt::Key_Right);
    drawn();
    EXPECT_EQ(panel().place().head, (HeadId{1, 1}));
    QTest::keyClick(canvas(), Qt::Key_Escape);
    drawn();
    EXPECT_FALSE(panel().place().locked);
    EXPECT_TRUE(wait_for(
        [&] { return find([&] { return panel().place().cursor.has_value(); }, centre).x() >= 0; }));
}

/// What one row of a record's array has, by HDF5 alone.
std::vector<float> stored_keys(const std::filesystem::path& file, HeadId head, hsize_t query,
                               hsize_t keys) {
    // The record is open in its own way, which HDF5 allows a file only once in a process.
    const std::filesystem::path copy = file.string() + ".copy";
    std::filesystem::copy_file(file, copy, std::filesystem::copy_options::overwrite_existing);
    const hid_t open = H5Fopen(copy.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t array = H5Dopen2(open, "/attention/weights", H5P_DEFAULT);
    const hid_t space = H5Dget_space(array);
    const hsize_t first[] = {static_cast<hsize_t>(head.layer), static_cast<hsize_t>(head.head),
                             query, 0};
    const hsize_t count[] = {1, 1, 1, keys};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr);
    const hid_t memory = H5Screate_simple(1, &keys, nullptr);
    std::vector<float> row(keys);
    EXPECT_GE(H5Dread(array, H5T_NATIVE_FLOAT, memory, space, H5P_DEFAULT, row.data()), 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(array);
    H5Fclose(open);
    return row;
}

TEST_F(InspectorTest, APatchThatIsClickedBecomesTheQueryOverThePicture) {
    open_images();
    if (!canvas()) GTEST_SKIP() << "this display has no OpenGL";
    ASSERT_TRUE(info()->of_image());
    ASSERT_NE(info()->picture.picture, nullptr) << info()->picture.problem;
    EXPECT_EQ(panel().shown_query(), PictureQuery{});
    drawn();
    const QPoint patch = find([&] { return panel().place().patch == PatchPlace{1, 2}; });
    ASSERT_GE(patch.x(), 0) << "no such patch";
    QTest::mouseClick(canvas(), Qt::LeftButton, {}, patch);
    drawn();
    EXPECT_EQ(panel().shown_query(), PictureQuery::of_patch({1, 2}));
    auto* query = window_->findChild<QComboBox*>("inspectorQuery");
    EXPECT_TRUE(wait_for([&] { return query->currentText() == "r1c2"; }));

    // What is exported is the row of the file.
    panel().canvas()->set_place([&] {
        InspectorPlace place = panel().place();
        place.head = {1, 0};
        return place;
    }());
    const auto exported = folder("images") / "heat.csv";
    answer_export(exported);
    window_->action("export")->trigger();
    const std::string table = read_text(exported);
    const std::vector<float> keys =
        stored_keys(folder("images") / "runs" / "one" / "probes" / "attention-step-00000002.h5",
                    {1, 0}, 1 + 1 * 4 + 2, 17);
    for (size_t row = 0; row < 4; ++row)
        for (size_t column = 0; column < 4; ++column) {
            const std::string cell = "," + std::to_string(row) + "," + std::to_string(column) + ",";
            const size_t at = table.find(cell, table.find("\nmap,"));
            ASSERT_NE(at, std::string::npos) << table;
            EXPECT_FLOAT_EQ(std::stof(table.substr(at + cell.size())), keys[1 + 4 * row + column]);
        }

    query->setCurrentIndex(query->findText("mean of all"));
    emit query->activated(query->currentIndex());
    EXPECT_EQ(panel().shown_query()->kind, PictureQuery::Kind::kMean);
    window_->findChild<QComboBox*>("inspectorView")->setCurrentText("all positions");
    EXPECT_EQ(panel().shown_query(), std::nullopt);
    drawn();
    EXPECT_GE(find([&] { return panel().place().cursor.has_value(); }).x(), 0);
}

TEST_F(InspectorTest, ATypedTextIsProbedInEveryRunThatIsShown) {
    open_trained();
    select({"one", "two"});
    ASSERT_TRUE(wait_for(
        [&] { return panel().view().panes.size() == 2 && panel().view().panes[1].can_probe; }));
    enter("--the cat");
    ASSERT_TRUE(wait_for([&] { return info(0) && info(1); })) << panel().view().panes[0].note;
    for (const size_t pane : {0u, 1u}) {
        EXPECT_EQ(info(pane)->seq_len, 9);
        EXPECT_EQ(info(pane)->tokens[2], "t");
    }
    EXPECT_NE(panel().view().differences[0].source, nullptr);
    // Nothing of it is left in the runs' folders.
    EXPECT_TRUE(recorded_steps(folder("trained") / "runs" / "one").empty());

    // Another checkpoint is probed on the same text at once.
    canvas() ? canvas()->setFocus() : panel().setFocus();
    emit panel().step_asked(2);
    EXPECT_TRUE(wait_for([&] { return info(0) && info(0)->title == "one · step 2"; }));
    EXPECT_TRUE(wait_for([&] { return info(1) && info(1)->title == "two · step 2"; }));
    EXPECT_EQ(info(0)->seq_len, 9);

    enter("");
    EXPECT_TRUE(wait_for([&] { return !info(0) && !panel().view().panes[0].busy; }));
}

// M20: the PDF had numbers on its axes and named the text nowhere.
TEST_F(InspectorTest, AnExportKeepsTheTokensOfTheTextThatWasTyped) {
    open_trained();
    const auto exported = [&](const QString& text, const char* name) {
        enter(text);
        EXPECT_TRUE(wait_for([&] { return info() && info()->seq_len == text.size(); }));
        const auto file = folder("trained") / name;
        answer_export(file);
        window_->action("export")->trigger();
        return read_text(file);
    };
    const std::string all = exported("the bird", "short.svg");
    for (const char* token : {"t", "h", "e", "·", "b", "i", "r", "d"})
        EXPECT_THAT(all, HasSubstr(std::string(">") + token + "<"));
    EXPECT_THAT(all, HasSubstr("Text: “the bird”"));
    window_->resize(915, 600);
    const std::string some =
        exported("the cat sat on the mat. the cat sat on the mat. the cat", "long.svg");
    EXPECT_THAT(some, HasSubstr(">20 ")) << "a token with its place";
    EXPECT_THAT(some, HasSubstr("mat. the cat"));
}

TEST_F(InspectorTest, AProbeThatFailsSaysWhy) {
    open_trained();
    enter(QString(500, 'x'));  // longer than block_size
    ASSERT_TRUE(wait_for([&] {
        return !panel().view().panes[0].busy &&
               !panel().view().panes[0].note.starts_with("No attention") &&
               !panel().view().panes[0].note.starts_with("Looking");
    }));
    EXPECT_THAT(panel().view().panes[0].note, HasSubstr("500"));
}

TEST_F(InspectorTest, TheSelectedRunsAreShownAndARunWithoutCheckpointsSaysSo) {
    open(write_study("first", {{"a", "gpt2"}, {"b", "skipv1"}}), 2);
    go_to("inspector");
    select({"b"});
    ASSERT_TRUE(wait_for([&] {
        return panel().view().panes.size() == 2 &&
               panel().view().panes[1].note.starts_with("b has no checkpoint");
    })) << "beside the reference";
    EXPECT_FALSE(panel().view().panes[1].can_probe);
    EXPECT_EQ(panel().view().differences[0].name, "b − a");
    window_->session().set_reference("b");
    ASSERT_TRUE(wait_for([&] { return panel().view().panes.size() == 1; }));
    select({"a"});
    ASSERT_TRUE(wait_for([&] { return panel().view().panes.size() == 2; }));
    EXPECT_EQ(panel().view().differences[0].name, "a − b");
    window_->action("closeStudy")->trigger();
    EXPECT_TRUE(panel().view().panes.empty());
}

TEST_F(InspectorTest, RunsForWhichThereIsNoRoomAreCounted) {
    open(write_study("first",
                     {{"a", "gpt2"}, {"b", "gpt2"}, {"c", "gpt2"}, {"d", "gpt2"}, {"e", "gpt2"}}),
         5);
    go_to("inspector");
    const auto* rest = window_->workspace().find("inspector")->findChild<QLabel*>("restLine");
    select({"a", "b", "c", "d", "e"});
    EXPECT_TRUE(rest->isVisible());
    EXPECT_TRUE(rest->text().startsWith("4 of 5 runs"));
    select({"a", "b", "c"});
    EXPECT_FALSE(rest->isVisible());
}

TEST_F(InspectorTest, ItsSettingsAreRemembered) {
    InspectorSettings settings;
    settings.compare = CompareMode::kDifference;
    settings.scale = ValueScale::kSymLog;
    settings.sequential = ColorMap::kMagma;
    settings.percentile = 5;
    settings.show_atlas = false;
    panel().set_settings(settings);
    restart_window();
    EXPECT_EQ(panel().settings(), settings);
    StudioStore store;
    store.setValue("inspector/sequential", "jet");
    store.setValue("inspector/range", 99);
    EXPECT_EQ(read_inspector_settings(store).sequential, ColorMap::kViridis);
    EXPECT_EQ(read_inspector_settings(store).range, InspectorSettings{}.range);
}

TEST_F(InspectorTest, ControlsChangeWhatIsDrawn) {
    auto* scale = panel().findChild<QComboBox*>("inspectorScale");
    scale->setCurrentText("log");
    EXPECT_EQ(panel().settings().scale, ValueScale::kLog);
    auto* colours = window_->findChild<QComboBox*>("inspectorColours");
    EXPECT_EQ(colours->count(), 3);  // those for values of one sign
    EXPECT_LT(colours->findText("RdBu"), 0);
}

}  // namespace
}  // namespace headroom
