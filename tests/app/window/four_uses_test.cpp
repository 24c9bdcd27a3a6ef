// The four uses of the studio, each from an opened window to its result by mouse and keys alone,
// at 1280 × 800: what a newcomer does without having read anything.
#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QTabBar>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <fstream>
#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/window/pages/launch_page.h"
#include "app/window/shell/activity_bar.h"
#include "core/base/file.h"
#include "core/study/study.h"
#include "panels/architecture/drawing_canvas.h"
#include "panels/compare/compare_panel.h"
#include "panels/figures/page_preview.h"
#include "panels/imgui/imgui_widget.h"
#include "panels/inspector/inspector_panel.h"
#include "panels/launch/launch_panel.h"
#include "panels/launch/launch_summary.h"
#include "panels/probe/heatmap_widget.h"
#include "panels/probe/similarity_panel.h"
#include "panels/run_list/run_list.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class FourUses : public WindowTest {
  protected:
    void SetUp() override {
        window_->resize(1280, 800);
        QApplication::processEvents();
    }
    /// A study of tiny models that read a text, with these runs, {id, arch}.
    void write_tiny(const std::vector<std::pair<std::string, std::string>>& runs) {
        study_ = folder("uses");
        std::ofstream text(study_ / "book.txt");
        for (int i = 0; i < 200; ++i) text << "the old river saw a small bird. ";
        json document{
            {"schema", "headroom-study/1"},
            {"name", "uses"},
            {"job",
             {{"model", {{"preset", "demo"}, {"n_layer", 2}, {"n_head", 2}, {"d_model", 16}}},
              {"data",
               {{"train", "text:" + (study_ / "book.txt").string()},
                {"val", "split:0.2"},
                {"tokenizer", "byte"}}},
              {"train", {{"steps", 6}, {"seq_len", 128}, {"batch_size", 2}, {"eval_every", 3}}},
              {"probes",
               {{{"kind", "attention"}, {"every", 6}}, {{"kind", "similarity"}, {"every", 6}}}}}},
            {"runs", json::array()}};
        if (runs.empty()) document.erase("runs");
        for (const auto& [id, arch] : runs)
            document["runs"].push_back({{"id", id}, {"job", {{"model", {{"arch", arch}}}}}});
        std::ofstream(study_ / "study.json") << document.dump(2);
    }
    void press(int key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(window_.get(), static_cast<Qt::Key>(key), modifiers);
    }
    static void click(QWidget& widget) { QTest::mouseClick(&widget, Qt::LeftButton); }
    /// The tool button of that name that is in sight.
    void click_tool(const char* name) {
        for (QToolButton* button : window_->findChildren<QToolButton*>(name))
            if (button->isVisible()) return click(*button);
        FAIL() << "no button " << name;
    }
    /// The button of an action, wherever it stands.
    void click_action(const char* name) {
        for (QToolButton* button : window_->findChildren<QToolButton*>())
            if (button->isVisible() && button->defaultAction() == window_->action(name))
                return click(*button);
        FAIL() << "no button for " << name;
    }
    void click_tab(const QString& title) {
        auto* tabs = window_->findChild<QTabBar*>("pageTabs");
        for (int i = 0; i < tabs->count(); ++i)
            if (tabs->tabText(i) == title)
                return QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(i).center());
        FAIL() << "no tab " << title.toStdString();
    }
    /// Its row in the list of runs.
    void click_run(const QString& name) {
        QTreeWidget* tree = part<RunList>().tree();
        const auto rows = tree->findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
        ASSERT_EQ(rows.size(), 1) << name.toStdString();
        const QRect row = tree->visualItemRect(rows[0]);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {},
                          {row.left() + 40, row.center().y()});
    }
    /// With Ctrl+O and the dialog that it opens.
    void open_by_hand(size_t runs) {
        QTimer::singleShot(0, window_.get(), [this] {
            auto* dialog = window_->findChild<QFileDialog*>();
            ASSERT_NE(dialog, nullptr);
            // Whose dialog it is, is the desktop's matter: its own keys are not tried.
            dialog->findChild<QLineEdit*>("fileNameEdit")
                ->setText(QString::fromStdString(study_.string()));
            auto* buttons = dialog->findChild<QDialogButtonBox*>();
            click(*buttons->button(QDialogButtonBox::Open));
        });
        press(Qt::Key_O, Qt::ControlModifier);
        ASSERT_TRUE(wait_for([&] {
            return window_->session().look().is_open() &&
                   window_->session().table().rows.size() == runs;
        })) << error_text();
    }
    /// Until all of them are, and the queue has drawn what it draws.
    void wait_until_trained(const std::vector<std::string>& ids) {
        for (const std::string& id : ids) ASSERT_TRUE(wait_for_state(id, "finished")) << id;
        ASSERT_TRUE(wait_for_queue_end(study_));
    }
    void train_by_hand(const std::vector<std::string>& ids) {
        press(Qt::Key_1, Qt::AltModifier);
        click_action("startQueue");
        wait_until_trained(ids);
    }
    /// All of it is in sight.
    static bool is_whole(const QWidget& widget) {
        return widget.isVisible() && widget.visibleRegion().boundingRect() == widget.rect();
    }

    std::filesystem::path study_;
};

TEST_F(FourUses, ThreeVariantsWithTwoSeedsEachAreLaunchedTrainedAndDrawn) {
    write_tiny({});
    ASSERT_NO_FATAL_FAILURE(open_by_hand(0));
    press(Qt::Key_1, Qt::AltModifier);
    click_action("newRuns");
    LaunchPanel& form = *part<LaunchPage>().panel();
    ASSERT_TRUE(form.isVisible());
    for (const char* variant : {"skipv1", "wq_identity"}) {
        ASSERT_TRUE(is_whole(*form.variant_box(variant))) << variant;
        click(*form.variant_box(variant));
    }
    auto* seeds = form.findChild<QLineEdit*>("seeds");
    ASSERT_TRUE(is_whole(*seeds));
    click(*seeds);
    QTest::keyClick(seeds, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(seeds, "1-2");
    QPushButton* launch = form.summary()->launch_button();
    ASSERT_TRUE(wait_for([&] { return launch->isEnabled(); }));
    EXPECT_EQ(launch->text(), "Queue 6 runs");
    ASSERT_TRUE(is_whole(*launch));
    click(*launch);
    std::vector<std::string> ids;
    for (const std::string variant : {"gpt2", "skipv1", "wq_identity"})
        for (const char* seed : {"-s1", "-s2"}) ids.push_back(variant + seed);
    ASSERT_TRUE(wait_for([&] { return window_->session().table().rows.size() == 6; }))
        << error_text();
    ASSERT_NO_FATAL_FAILURE(wait_until_trained(ids));
    EXPECT_EQ(load_study(study_ / "study.json").runs.size(), 6u);
    QTreeWidget* list = part<RunList>().tree();
    ASSERT_EQ(list->topLevelItemCount(), 3) << "seeds stand below their variant";
    for (int i = 0; i < 3; ++i) EXPECT_EQ(list->topLevelItem(i)->childCount(), 2);
    press(Qt::Key_2, Qt::AltModifier);
    ASSERT_TRUE(wait_for([&] { return losses().isVisible() && !losses().figure().is_empty(); }));
    std::set<std::string> drawn;
    for (const FigureSource& source : losses().figure().sources) drawn.insert(source.run);
    EXPECT_EQ(drawn.size(), 6u);
}

// M17: two maps had 125 pixels each at this size.
TEST_F(FourUses, AttentionAndSimilarityOfTwoRunsStandLargeBesideEachOther) {
    write_tiny({{"baseline", "gpt2"}, {"skip", "skipv1"}});
    ASSERT_NO_FATAL_FAILURE(open_by_hand(2));
    ASSERT_NO_FATAL_FAILURE(train_by_hand({"baseline", "skip"}));
    click(*part<ActivityBar>().button(2));
    click_run("skip");
    InspectorPanel& maps = part<InspectorPanel>();
    const auto record = [&](size_t i) {
        return i < maps.view().panes.size() ? maps.view().panes[i].source : nullptr;
    };
    ASSERT_TRUE(wait_for([&] { return record(0) && record(1); })) << "beside the reference";
    EXPECT_EQ(record(0)->info().title, "baseline · step 6");
    EXPECT_EQ(record(1)->info().title, "skip · step 6");
    if (ImGuiWidget* canvas = maps.canvas()->canvas()) {
        canvas->grabFramebuffer();
        const std::vector<PixelBox> shown = maps.canvas()->last_commands().maps;
        ASSERT_EQ(shown.size(), 2u);
        for (const PixelBox& map : shown) {
            EXPECT_GE(map.width, 380);
            EXPECT_GE(map.height, 380);
        }
        EXPECT_EQ(shown[0].y, shown[1].y) << "side by side";
    }
    click_tab("Similarity");
    const SimilarityPanel& similarity = part<SimilarityPanel>();
    ASSERT_TRUE(wait_for([&] { return similarity.maps()->figure().panels.size() == 2; }));
    const std::vector<QRectF>& alike = similarity.maps()->arrangement().maps;
    EXPECT_EQ(alike[0].top(), alike[1].top());
    for (const QRectF& map : alike) EXPECT_GE(std::min(map.width(), map.height()), 290);
}

TEST_F(FourUses, TwoArchitecturesAreComparedAndTheirDifferencesAreReadable) {
    write_tiny({{"baseline", "gpt2"}, {"skip", "skipv1"}});
    ASSERT_NO_FATAL_FAILURE(open_by_hand(2));
    click(*part<ActivityBar>().button(3));
    click_run("skip");
    ComparePanel& compare = part<ComparePanel>();
    ASSERT_TRUE(wait_for([&] { return compare.view().model_name == "skip"; }));
    EXPECT_EQ(compare.view().baseline_name, "baseline");
    EXPECT_TRUE(compare.model_canvas()->drawing().find("block.v")->changed) << "and marked";
    const auto canvases = {compare.model_canvas(), compare.baseline_canvas()};
    for (DrawingCanvas* canvas : canvases)
        ASSERT_TRUE(wait_for([&] { return is_whole(*canvas); }, 10));
    for (DrawingCanvas* canvas : canvases) {
        const QPointF from = canvas->to_screen({0, 0}), to = canvas->to_screen({10, 0});
        EXPECT_GE((to.x() - from.x()) / 10, 0.9) << "pixels to a point of the drawing's text";
    }
    QTreeWidget* table = compare.table();
    ASSERT_TRUE(is_whole(*table));
    int differences = 0;
    for (int i = 0; i < table->topLevelItemCount(); ++i)
        for (int j = 0; j < table->topLevelItem(i)->childCount(); ++j) {
            const QTreeWidgetItem* row = table->topLevelItem(i)->child(j);
            differences += row->text(3).isEmpty() ? 0 : 1;
            for (int column = 1; column < 4; ++column)
                EXPECT_LE(table->fontMetrics().horizontalAdvance(row->text(column)) + 4,
                          table->columnWidth(column))
                    << row->text(column).toStdString() << " is cut";
        }
    EXPECT_GE(differences, 2);
    const int last = table->columnViewportPosition(3) + table->columnWidth(3);
    EXPECT_LE(last, table->viewport()->width());
}

TEST_F(FourUses, AFigureForATwoColumnPaperIsWritten) {
    write_tiny({{"baseline", "gpt2"}, {"skip", "skipv1"}});
    ASSERT_NO_FATAL_FAILURE(open_by_hand(2));
    ASSERT_NO_FATAL_FAILURE(train_by_hand({"baseline", "skip"}));
    press(Qt::Key_2, Qt::AltModifier);
    ASSERT_TRUE(wait_for([&] { return !losses().figure().is_empty(); }));
    click_tool("pageFigure");
    ASSERT_TRUE(wait_for([&] { return load_study(study_ / "study.json").figures.size() == 1; }))
        << error_text();
    press(Qt::Key_6, Qt::AltModifier);
    auto* gallery = window_->findChild<QListWidget*>("figureGallery");
    ASSERT_TRUE(wait_for([&] { return gallery->isVisible() && gallery->count() == 1; }));
    QTest::mouseClick(gallery->viewport(), Qt::LeftButton, {},
                      gallery->visualItemRect(gallery->item(0)).center());
    PagePreview& page = part<PagePreview>();
    ASSERT_TRUE(wait_for([&] { return !page.page_size().isEmpty(); }))
        << page.message().toStdString();
    auto* venue = window_->findChild<QComboBox*>("figureVenue");
    ASSERT_TRUE(is_whole(*venue));
    venue->setFocus();
    QTest::keyClicks(venue, "ICML column");
    QTest::keyClick(venue, Qt::Key_Return);
    ASSERT_TRUE(wait_for(
        [&] { return window_->session().look().study->figures.at(0).options.contains("width"); }));
    const auto file = study_ / "column.pdf";
    answer_export(file);
    click_tool("pageExport");
    ASSERT_TRUE(wait_for([&] { return std::filesystem::exists(file); })) << error_text();
    const std::string pdf = read_text(file);
    std::smatch box;
    ASSERT_TRUE(std::regex_search(pdf, box, std::regex(R"(/MediaBox \[0 0 ([0-9.]+) )")));
    EXPECT_NEAR(std::stod(box[1]), 3.25 * 72, 1) << "the width of a column";
}

}  // namespace
}  // namespace headroom
