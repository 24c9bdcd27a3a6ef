#include "app/window/services/lab_runner.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "panels/base/worker_progress.h"
#include "panels/lab/lab_panel.h"

namespace headroom {

LabRunner::LabRunner(LabPanel* panel, std::filesystem::path program, QObject* parent)
    : QObject(parent), panel_(panel), worker_(std::move(program)) {
    connect(panel, &LabPanel::run_asked, this, &LabRunner::start);
    connect(panel, &LabPanel::stop_asked, this, &LabRunner::stop);
    connect(&worker_, &StreamWorker::told, this, &LabRunner::read);
    connect(&worker_, &StreamWorker::ended, this, &LabRunner::finish);
}

void LabRunner::stop() {
    if (!worker_.stop()) return;
    panel_->show_note(tr("Stopped: nothing of this run was kept."));
    panel_->set_running(false);
}

void LabRunner::start() {
    if (worker_.is_busy()) return;
    panel_->set_running(true);
    try {
        worker_.start(panel_->arguments());
    } catch (const UserError& error) {
        panel_->show_problem(error.what());
        panel_->set_running(false);
    }
}

void LabRunner::read(const std::string& line) {
    try {
        const WorkerLine news = read_worker_line(line);
        if (news.result)
            panel_->take_result(read_lab_result(*news.result, "the worker's result"));
        else
            panel_->show_progress(news.share, news.doing);
    } catch (const UserError& error) {
        panel_->show_problem(error.what());
    }
}

void LabRunner::finish(const WorkerEnd& end) {
    if (!end.well()) panel_->show_problem(worker_problem(end));
    panel_->set_running(false);
}

}  // namespace headroom
