#include "app/window/services/wiring_trial_runner.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/file.h"
#include "panels/base/worker_progress.h"
#include "panels/wiring_editor/wiring_editor_panel.h"
#include "panels/wiring_editor/wiring_trial_strip.h"

namespace headroom {

WiringTrialRunner::WiringTrialRunner(WiringEditorPanel* editor, std::filesystem::path program)
    : editor_(editor), worker_(std::move(program)) {
    const WiringTrialStrip* strip = editor->trial();
    connect(strip, &WiringTrialStrip::try_asked, this, &WiringTrialRunner::start);
    connect(strip, &WiringTrialStrip::stop_asked, this, &WiringTrialRunner::stop);
    connect(&worker_, &StreamWorker::told, this, &WiringTrialRunner::read);
    connect(&worker_, &StreamWorker::ended, this, &WiringTrialRunner::finish);
}

void WiringTrialRunner::start() {
    WiringTrialStrip* strip = editor_->trial();
    if (worker_.is_busy() || !strip->can_try()) return;
    try {
        files_ = std::make_unique<QTemporaryDir>();
        if (!files_->isValid())
            throw UserError("no folder for the table: " + files_->errorString().toStdString());
        const std::filesystem::path folder = files_->path().toStdString();
        write_file_atomically(folder / "wiring.json", editor_->editor().text() + "\n");
        const std::vector<std::string> arguments =
            trial_arguments(strip->run(), strip->way(), strip->sequences(), folder / "wiring.json",
                            folder / "wiring.h5");
        strip->set_running(true);
        worker_.start(arguments);
    } catch (const std::exception& error) {
        strip->show_problem(QString::fromUtf8(error.what()));
    }
}

void WiringTrialRunner::stop() {
    if (!worker_.stop()) return;
    editor_->trial()->set_running(false);
    editor_->trial()->show_problem(tr("Stopped: nothing was measured."));
}

void WiringTrialRunner::read(const std::string& line) {
    try {
        const WorkerLine news = read_worker_line(line);
        if (news.result)
            editor_->trial()->take_answer(read_trial(*news.result));
        else
            editor_->trial()->show_progress(news.share);
    } catch (const UserError& error) {
        editor_->trial()->show_problem(QString::fromUtf8(error.what()));
    }
}

void WiringTrialRunner::finish(const WorkerEnd& end) {
    editor_->trial()->set_running(false);
    if (!end.well()) editor_->trial()->show_problem(QString::fromStdString(worker_problem(end)));
}

}  // namespace headroom
