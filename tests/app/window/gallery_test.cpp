#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>
#include <QTimer>

#include <gmock/gmock.h>

#include "app/window/dialogs/gallery_dialog.h"
#include "app/window/services/job_queue.h"
#include "core/base/file.h"
#include "core/study/study.h"
#include "tests/app/window/window_fixture.h"

namespace headroom {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kStudy[] = R"({"schema": "headroom-study/1", "name": "A figure",
    "description": "Is one better?",
    "job": {"model": {"n_layer": 2, "n_head": 2, "d_model": 16, "block_size": 16},
            "data": {"train": "task:grammar", "val": "split:0.1"},
            "train": {"steps": 3, "batch_size": 2, "seq_len": 16, "warmup_steps": 1}},
    "seeds": [1, 2], "runs": [{"id": "baseline"}, {"id": "skipv1", "job": {"model": {"arch": "skipv1"}}}],
    "expect": [{"claim": "skipv1 < baseline by val.loss", "says": "It is better.", "source": "004, figure 4"}]})";

class Gallery : public WindowTest {
  protected:
    Gallery() {
        for (const char* name : {"first", "second"}) {
            std::filesystem::create_directories(folder("templates") / name);
            write_file_atomically(folder("templates") / name / "study.json", kStudy);
        }
        write_file_atomically(folder("templates") / "second/gpu.json",
                              R"({"name": "A figure on a GPU", "seeds": [1, 2, 3]})");
    }
    std::unique_ptr<GalleryDialog> make() {
        auto dialog =
            std::make_unique<GalleryDialog>(folder("templates"), headroom_program(),
                                            QString::fromStdString(folder("studies").string()));
        dialog->show();
        return dialog;
    }
    template <class Part>
    static Part& part_of(GalleryDialog& dialog, const char* name) {
        auto* part = dialog.findChild<Part*>(name);
        if (!part) throw std::logic_error(name);
        return *part;
    }
    static std::string text(GalleryDialog& dialog, const char* name) {
        return part_of<QLabel>(dialog, name).text().toStdString();
    }
};

TEST_F(Gallery, SaysWhatEachAsksTestsAndTakes) {
    const auto dialog = make();
    EXPECT_EQ(text(*dialog, "galleryTitle"), "A figure");
    EXPECT_EQ(text(*dialog, "galleryQuestion"), "Is one better?");
    EXPECT_EQ(text(*dialog, "galleryClaim"), "• It is better. (004, figure 4)");
    ASSERT_TRUE(wait_for([&] { return text(*dialog, "galleryCost").starts_with("4 runs"); }))
        << text(*dialog, "galleryCost");
    EXPECT_THAT(text(*dialog, "galleryCost"), HasSubstr("384 tokens"));  // 4 runs, 3 steps of 32

    QTest::keyClick(&part_of<QListWidget>(*dialog, "galleryList"), Qt::Key_Down);
    auto& scale = part_of<QComboBox>(*dialog, "galleryScale");
    ASSERT_EQ(scale.count(), 2);
    scale.setFocus();
    QTest::keyClick(&scale, Qt::Key_Down);
    EXPECT_EQ(text(*dialog, "galleryTitle"), "A figure on a GPU");
    ASSERT_TRUE(wait_for([&] { return text(*dialog, "galleryCost").starts_with("6 runs"); }))
        << text(*dialog, "galleryCost");
}

TEST_F(Gallery, MakesAStudyWithItsRunsAndRefusesOneThatIsThere) {
    const auto dialog = make();
    auto& line = part_of<QLineEdit>(*dialog, "galleryFolder");
    const std::filesystem::path study = line.text().toStdString();
    EXPECT_EQ(study, folder("studies") / "first");
    QTest::mouseClick(&part_of<QPushButton>(*dialog, "galleryMake"), Qt::LeftButton);
    EXPECT_EQ(dialog->made().toStdString(), study.string());
    EXPECT_EQ(load_study(study / "study.json").runs.size(), 4u);
    open(study, 4);

    const auto again = make();
    auto& other = part_of<QLineEdit>(*again, "galleryFolder");
    EXPECT_EQ(other.text().toStdString(), (folder("studies") / "first-2").string());
    other.setText(QString::fromStdString(study.string()));
    QTest::mouseClick(&part_of<QPushButton>(*again, "galleryMake"), Qt::LeftButton);
    EXPECT_EQ(again->made(), "");
    EXPECT_THAT(text(*again, "galleryProblem"), HasSubstr("is there already"));
}

TEST_F(Gallery, TheStartPageOpensItAndEscLeavesIt) {
    bool seen = false;
    QTimer::singleShot(0, [&] {
        auto* dialog = qobject_cast<GalleryDialog*>(QApplication::activeModalWidget());
        seen = dialog != nullptr;
        if (!dialog) return;
        EXPECT_GT(part_of<QListWidget>(*dialog, "galleryList").count(), 15);
        EXPECT_THAT(text(*dialog, "galleryTitle"), Not(testing::IsEmpty()));
        QTest::keyClick(dialog, Qt::Key_Escape);
    });
    auto* button = window_->findChild<QPushButton*>("gallery");
    ASSERT_NE(button, nullptr);
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(seen);
    EXPECT_FALSE(window_->has_study());
}

}  // namespace
}  // namespace headroom
