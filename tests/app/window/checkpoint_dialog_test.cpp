#include "app/window/dialogs/checkpoint_dialog.h"

#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "app/window/services/checkpoint_saver.h"
#include "panels/details/details_panel.h"
#include "panels/playground/try_panel.h"
#include "tests/app/window/window_fixture.h"
#include "tests/core/weights/interop/foreign_files.h"

namespace headroom {
namespace {

using testing::HasSubstr;

class CheckpointDialogTest : public WindowTest {
  protected:
    static std::string headline(const CheckpointDialog& dialog) {
        return dialog.headline()->text().toStdString();
    }
    static std::string detail(const CheckpointDialog& dialog, const QString& name) {
        for (QTreeWidgetItemIterator it(dialog.details()->tree()); *it; ++it)
            if ((*it)->text(0) == name) return (*it)->text(1).toStdString();
        return "(none)";
    }
};

TEST_F(CheckpointDialogTest, ShowsALlamaThatIsDroppedOnTheWindow) {
    write_fake_folder(folder("llama"), fake_llama(false), kFakeLlamaConfig);
    window_->open_path(QString::fromStdString(folder("llama").string()));
    auto* dialog = window_->findChild<CheckpointDialog*>();
    ASSERT_NE(dialog, nullptr);
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    EXPECT_EQ(headline(*dialog), "Hugging Face Llama, 2 layers, 762 parameters");
    EXPECT_EQ(detail(*dialog, "rope_theta"), "5000.0");
    EXPECT_EQ(error_text(), "");
}

TEST_F(CheckpointDialogTest, AsksForKeysThatTheFileLeavesOpen) {
    std::filesystem::create_directories(folder("nano"));
    write_fakes(folder("nano") / "ckpt.safetensors", fake_gpt2(true, false));
    CheckpointDialog* dialog =
        window_->open_checkpoint(QString::fromStdString((folder("nano") / "ckpt.safetensors")));
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    EXPECT_THAT(headline(*dialog), HasSubstr("number of heads"));
    QTest::keyClicks(dialog->keys(), "model.n_head=2");
    QTest::keyClick(dialog->keys(), Qt::Key_Return);
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    EXPECT_THAT(headline(*dialog), HasSubstr("nanoGPT, 2 layers"));
    EXPECT_EQ(detail(*dialog, "n_head"), "2");
}

TEST_F(CheckpointDialogTest, SavesWhatItShowsForHeadroom) {
    std::filesystem::create_directories(folder("nano"));
    write_fakes(folder("nano") / "ckpt.safetensors", fake_gpt2(true, false));
    CheckpointDialog* dialog = window_->open_checkpoint(
        QString::fromStdString((folder("nano") / "ckpt.safetensors").string()));
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    EXPECT_FALSE(dialog->saver()->button()->isEnabled());
    QTest::keyClicks(dialog->keys(), "model.n_head=2");
    QTest::keyClick(dialog->keys(), Qt::Key_Return);
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    EXPECT_TRUE(dialog->saver()->button()->isEnabled());
    const std::string out = (folder("nano") / "ours.safetensors").string();
    dialog->saver()->save_to(out);
    ASSERT_TRUE(wait_for([&] { return !dialog->saver()->is_saving(); }));
    EXPECT_THAT(dialog->saver()->message()->text().toStdString(), HasSubstr("Wrote"));
    EXPECT_EQ(CheckpointWeights::open(out).config().n_head, 2);
    dialog->saver()->save_to((folder("none") / "no" / "x").string());
    ASSERT_TRUE(wait_for([&] { return !dialog->saver()->is_saving(); }));
    EXPECT_THAT(dialog->saver()->message()->text().toStdString(), HasSubstr("cannot create"));
}

/// Through the tokenizer.json beside it, and with the keys that it leaves open.
TEST_F(CheckpointDialogTest, ContinuesATextWithACheckpointOfAnotherTool) {
    std::filesystem::create_directories(folder("nano"));
    write_fakes(folder("nano") / "ckpt.safetensors", fake_gpt2(true, false));
    CheckpointDialog* dialog = window_->open_checkpoint(
        QString::fromStdString((folder("nano") / "ckpt.safetensors").string()));
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    const int page = dialog->tabs()->indexOf(dialog->playground());
    EXPECT_FALSE(dialog->tabs()->isTabEnabled(page));
    QTest::keyClicks(dialog->keys(), "model.n_head=2");
    QTest::keyClick(dialog->keys(), Qt::Key_Return);
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    ASSERT_TRUE(dialog->tabs()->isTabEnabled(page));
    dialog->tabs()->setCurrentIndex(page);
    TryPanel* panel = dialog->playground();
    ASSERT_EQ(panel->answer_count(), 1u);
    EXPECT_EQ(panel->box(0)->name(), "ckpt.safetensors");
    EXPECT_EQ(panel->box(0)->sets(), std::vector<std::string>{"model.n_head=2"});
    panel->generate_or_stop();
    ASSERT_TRUE(wait_for([&] { return !panel->is_busy(); }));
    EXPECT_THAT(panel->box(0)->answer().problem, HasSubstr("which tokenizer"));
}

TEST_F(CheckpointDialogTest, SaysWhyAFileDoesNotOpenAndCloses) {
    const std::string broken = (folder("broken") / "x.safetensors").string();
    write_plainly(broken, "nonsense");
    const QPointer<CheckpointDialog> dialog =
        window_->open_checkpoint(QString::fromStdString(broken));
    ASSERT_TRUE(wait_for([&] { return dialog->is_loaded(); }));
    EXPECT_THAT(headline(*dialog), HasSubstr("not a readable safetensors file"));
    dialog->close();
    EXPECT_TRUE(wait_for([&] { return dialog.isNull(); }));
}

}  // namespace
}  // namespace headroom
