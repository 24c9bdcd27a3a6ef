#include "tests/app/window/window_fixture.h"

#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <fstream>

#include <nlohmann/json.hpp>

#include "app/window/studio_store.h"
#include "core/base/file.h"
#include "core/study/run_control.h"
#include "core/study/run_folder.h"
#include "core/study/study_lock.h"
#include "panels/imgui/imgui_widget.h"
#include "tests/support/patience.h"

namespace headroom {

namespace fs = std::filesystem;

WindowTest::WindowTest() {
    StudioStore().clear();
    restart_window();
}

WindowTest::~WindowTest() {
    window_.reset();
    for (const auto& entry : fs::directory_iterator(dir_.path().toStdString()))
        if (entry.is_directory()) stop_all(entry.path());
}

bool WindowTest::wait_for(const std::function<bool()>& condition, int seconds) {
    return QTest::qWaitFor(condition, seconds * kPatience * 1000);
}

void WindowTest::shrink_window() {
    window_->resize(915, 600);
    EXPECT_TRUE(wait_for([this] { return window_->width() <= 1000; }));
}

QPoint WindowTest::find_on(ImGuiWidget& canvas, const QRect& area,
                           const std::function<bool()>& condition) {
    constexpr int kFinest = 18, kCoarsest = 16 * kFinest;
    for (int step = kCoarsest; step >= kFinest; step /= 2)
        for (int y = 0; y < area.height(); y += step)
            for (int x = 0; x < area.width(); x += step) {
                const bool was_tried = x % (2 * step) == 0 && y % (2 * step) == 0;
                if (was_tried && step < kCoarsest) continue;
                const QPoint place = area.topLeft() + QPoint(x, y);
                QTest::mouseMove(&canvas, place);
                canvas.grabFramebuffer();
                if (condition()) return place;
            }
    return {-1, -1};
}

void WindowTest::restart_window() {
    if (window_) window_->close();
    window_.reset();
    window_ = std::make_unique<MainWindow>();
    window_->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window_.get(), 30000));
    // There is no window manager on a virtual display to do this.
    QApplication::setActiveWindow(window_.get());
}

fs::path WindowTest::folder(const std::string& name) const {
    const fs::path path = fs::path(dir_.path().toStdString()) / name;
    fs::create_directories(path);
    return path;
}

fs::path WindowTest::write_study(const std::string& name,
                                 const std::vector<std::pair<std::string, std::string>>& runs) {
    const fs::path study = folder(name);
    nlohmann::json document{{"schema", "headroom-study/1"},
                            {"name", name},
                            {"job", {{"model", {{"preset", "demo"}}}}},
                            {"runs", nlohmann::json::array()}};
    for (const auto& [id, arch] : runs)
        document["runs"].push_back({{"id", id}, {"job", {{"model", {{"arch", arch}}}}}});
    std::ofstream(study / "study.json") << document.dump(2);
    return study;
}

void WindowTest::open(const fs::path& study, size_t runs) {
    window_->open_study(QString::fromStdString(study.string()));
    ASSERT_TRUE(wait_for([&] {
        return window_->session().look().is_open() &&
               window_->session().table().rows.size() == runs;
    })) << window_->error_line()->text().toStdString();
}

void WindowTest::go_to(const QString& page) {
    window_->action("go:" + page)->trigger();
}

void WindowTest::answer_export(const fs::path& file, const std::function<void(QDialog&)>& change) {
    QTimer::singleShot(0, window_.get(), [=, this] {
        auto* dialog = window_->findChild<QDialog*>("exportDialog");
        ASSERT_NE(dialog, nullptr);
        QApplication::setActiveWindow(dialog);  // as in restart_window()
        auto* line = dialog->findChild<QLineEdit*>("exportFile");
        line->selectAll();
        QTest::keyClicks(line, QString::fromStdString(file.string()));
        if (change) change(*dialog);
        QTest::mouseClick(dialog->findChild<QPushButton*>("exportSave"), Qt::LeftButton);
    });
}

const JobRow* WindowTest::row(const std::string& id) const {
    const auto& rows = window_->session().table().rows;
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [&](const JobRow& candidate) { return candidate.id == id; });
    return at == rows.end() ? nullptr : &*at;
}

bool WindowTest::wait_for_state(const std::string& id, const std::string& state, int seconds) {
    return wait_for([&] { return row(id) && row(id)->state == state; }, seconds);
}

bool WindowTest::wait_for_queue_end(const fs::path& study) {
    const fs::path log = study / "queue.log";
    return wait_for(
        [&] { return fs::exists(log) && read_text(log).find("TOKENS/S") != std::string::npos; });
}

std::string WindowTest::error_text() const {
    return window_->error_line()->text().toStdString();
}

void WindowTest::stop_all(const fs::path& study) {
    for (const RunFolder& run : list_runs(study)) write_request(run.root, ControlRequest::kStop);
    EXPECT_TRUE(wait_for([&] {
        const auto runs = list_runs(study);
        const bool working = std::any_of(runs.begin(), runs.end(), [](const RunFolder& run) {
            return is_worker_alive(run.root);
        });
        return !working && !StudyLock::holder(study);
    }));
}

LaunchInput tiny_run(const std::string& steps) {
    LaunchInput input;
    input.preset = "demo";
    input.values = {{"model.n_layer", "2"},    {"model.n_head", "2"},
                    {"model.d_model", "16"},   {"train.steps", steps},
                    {"train.seq_len", "8"},    {"train.batch_size", "2"},
                    {"train.eval_every", "0"}, {"train.checkpoint_every", "0"}};
    return input;
}

}  // namespace headroom
